import type { GrantState } from '../core/settlement.ts';
import type { Change, Continued, Ledger, PaymentOrder } from '../ledger/ledger.ts';
import { countAsRun } from '../operator/ran.ts';

/** What an operator can do to a grant. */
export interface Verb {
  readonly name: string;
  readonly description: string;
  /** The states in which it can be done. */
  readonly from: readonly GrantState[];
  readonly to: GrantState;
  readonly question: string;
  readonly done: string;
  readonly change: (
    ledger: Ledger,
    id: number,
    order: PaymentOrder,
    now: number,
  ) => Promise<Change | Continued | Unpayable>;
}

/** No game server would pay it, or it names no player and is to be paid to one. */
interface Unpayable {
  readonly kind: 'nowhere' | 'for-user';
  readonly state: GrantState;
  readonly server: string;
}

const STUCK: readonly GrantState[] = ['held', 'refused'];
/** A grant that waits for its player may be another player's. */
const TO_ANOTHER: readonly GrantState[] = ['waiting', ...STUCK];

export const verbs: readonly Verb[] = [
  {
    name: 'pay',
    description:
      'pay held or refused grants: the command that stopped each runs again, and those after it; ID --player pays another player',
    from: STUCK,
    to: 'pending',
    question: 'Pay',
    done: 'will be paid by the running Teller',
    change: async (ledger, id, order, now) =>
      (await unpayable(ledger, id, order)) ?? (await ledger.pay(id, order, now)),
  },
  {
    name: 'ran',
    description:
      'the command that stopped each held or refused grant did run: count it as delivered and pay what is left',
    from: STUCK,
    to: 'pending',
    question: 'Count the command that stopped each as run, and pay what is left, of',
    done: 'goes on after the command that ran',
    change: countAsRun,
  },
  {
    name: 'mark-paid',
    description: 'count held or refused grants as paid: nothing more is run',
    from: STUCK,
    to: 'delivered',
    question: 'Count as paid',
    done: 'counts as paid',
    change: (ledger, id, _, now) => ledger.markPaid(id, now),
  },
  {
    name: 'cancel',
    description: 'cancel open grants: nothing more is run',
    from: ['pending', 'waiting', ...STUCK],
    to: 'cancelled',
    question: 'Cancel',
    done: 'is cancelled',
    change: (ledger, id, _, now) => ledger.cancel(id, now),
  },
];

async function unpayable(
  ledger: Ledger,
  id: number,
  { kindByServer, to }: PaymentOrder,
): Promise<Unpayable | null> {
  const [grant] = await ledger.grants({ id, limit: 1 });
  const from = to == null ? STUCK : TO_ANOTHER;
  if (grant === undefined || !from.includes(grant.state)) return null;
  const { state, server } = grant;
  if (to != null && grant.player === null) return { kind: 'for-user', state, server };
  return kindByServer.has(server) ? null : { kind: 'nowhere', state, server };
}
