import { FORWARD } from '../../core/forward.ts';
import { serversIn } from '../../core/pool.ts';
import type { GrantState } from '../../core/settlement.ts';
import { takesCommands } from '../../delivery/kinds.ts';
import type { Change, Continued, GrantOrder, GrantRow, Ledger, PaymentOrder } from '../../ledger/ledger.ts';

export const grantActionNames = ['pay', 'ran', 'mark-paid', 'cancel'] as const;
export type GrantActionName = (typeof grantActionNames)[number];

/** What an operator can do to a grant. */
export interface GrantAction {
  /** The states in which it is allowed. */
  readonly from: readonly GrantState[];
  readonly to: GrantState;
  readonly apply: (
    ledger: Ledger,
    id: number,
    order: PaymentOrder,
    now: number,
  ) => Promise<Change | Continued | Unpayable>;
}

/**
 * `nowhere`: the config does not have the grant's game server, or has a listener in its place, or the reverse. `for-user`: a player was named as the payee, but the
 * grant is for a user ID and its commands name no player.
 */
interface Unpayable {
  readonly kind: 'nowhere' | 'for-user';
  readonly state: GrantState;
  readonly server: string;
}

const STUCK: readonly GrantState[] = ['held', 'refused'];
/** A waiting grant may be waiting for the wrong player. */
const PAYABLE_TO_ANOTHER: readonly GrantState[] = ['waiting', ...STUCK];

export const grantActions: Readonly<Record<GrantActionName, GrantAction>> = {
  pay: {
    from: STUCK,
    to: 'pending',
    apply: async (ledger, id, order, now) =>
      (await unpayable(ledger, id, order)) ?? (await ledger.pay(id, order, now)),
  },
  /** The operator saw that the command that stopped the grant did run. The trace records that the operator said so. */
  ran: {
    from: STUCK,
    to: 'pending',
    apply: async (ledger, id, { kindByServer, ...order }, now) =>
      (await unpayable(ledger, id, { kindByServer })) ??
      (await ledger.continueAfter(id, { kindByServer, ...orderOf(order) }, now)),
  },
  'mark-paid': {
    from: STUCK,
    to: 'delivered',
    apply: (ledger, id, order, now) => ledger.markPaid(id, orderOf(order), now),
  },
  cancel: {
    from: ['pending', 'waiting', ...STUCK],
    to: 'cancelled',
    apply: (ledger, id, order, now) => ledger.cancel(id, orderOf(order), now),
  },
};

/** Without what only a payment needs. */
const orderOf = ({ by, shownChange }: GrantOrder): GrantOrder => ({
  by,
  ...(shownChange === undefined ? {} : { shownChange }),
});

/** Why a grant cannot be paid; null if it can, and also if its state does not allow it, which the ledger reports. */
async function unpayable(
  ledger: Ledger,
  id: number,
  { kindByServer, to }: Pick<PaymentOrder, 'kindByServer' | 'to'>,
): Promise<Unpayable | null> {
  const [grant] = await ledger.grants({ id, limit: 1 });
  const from = to == null ? STUCK : PAYABLE_TO_ANOTHER;
  if (grant === undefined || !from.includes(grant.state)) return null;
  const { state, server } = grant;
  if (to != null && grant.player === null) return { kind: 'for-user', state, server };
  return isServed(grant, kindByServer) ? null : { kind: 'nowhere', state, server };
}

/** Whether the config has a game server that can pay a grant. */
export const isServed = (
  { server, reward }: Pick<GrantRow, 'server' | 'reward'>,
  kindByServer: PaymentOrder['kindByServer'],
): boolean =>
  serversIn(server).some(
    (name) => kindByServer.has(name) && takesCommands(kindByServer.get(name)) !== (reward === FORWARD),
  );
