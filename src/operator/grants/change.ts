import { type Config, kindByServer } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { type PlayerName, parseVotedName } from '../../core/player-name.ts';
import type { ProblemCode } from '../../core/problem.ts';
import type { GrantState } from '../../core/settlement.ts';
import type { Ledger, PaymentOrder } from '../../ledger/ledger.ts';
import { type GrantActionName, grantActions } from './actions.ts';
import { dropsAny, type GrantFault, type RerenderedGrants, rerenderAll } from './rerender.ts';
import { type GrantSelection, type SelectedGrants, selectGrants } from './selection.ts';

export interface GrantChangeRequest {
  readonly action: GrantActionName;
  readonly selection: GrantSelection;
  /** Pay this player instead of the grants' own. The name is checked like the name in a vote (rule 8). */
  readonly payee: string | null;
  /** Use the commands that the rewards have in the config now. */
  readonly isRerendering: boolean;
}

/** A change that was planned but not made, so that the operator sees it first. */
export interface GrantChangePlan extends SelectedGrants {
  readonly kind: 'planned';
  readonly action: GrantActionName;
  readonly to: PlayerName | null;
  readonly isByFilter: boolean;
  readonly rerendered: RerenderedGrants | null;
  /** Whether commands that have not run would be dropped. */
  readonly isDropping: boolean;
}

export type GrantChangeRefusal =
  | {
      readonly kind: 'player-not-allowed';
      readonly payee: string;
      readonly bedrockPrefixes: readonly string[];
    }
  | { readonly kind: 'rerender-impossible'; readonly faults: readonly GrantFault[] };

/** `ids` is empty if the filter matches no grant. */
export async function planGrantChange(
  ledger: Ledger,
  config: Config,
  { action, selection, payee, isRerendering }: GrantChangeRequest,
): Promise<GrantChangePlan | GrantChangeRefusal> {
  const { bedrockPrefixes } = config.players;
  const named = payee === null ? null : parseVotedName(payee, bedrockPrefixes);
  if (payee !== null && named?.kind !== 'name') return { kind: 'player-not-allowed', payee, bedrockPrefixes };
  const selected = await selectGrants(ledger, selection, grantActions[action].from);
  const rerendering = isRerendering ? await rerenderAll(ledger, config, selected.ids) : null;
  if (rerendering?.kind === 'impossible') return { kind: 'rerender-impossible', faults: rerendering.faults };
  const rerendered = rerendering?.grants ?? null;
  return {
    kind: 'planned',
    ...selected,
    action,
    to: named?.kind === 'name' ? named.name : null,
    isByFilter: selection.kind === 'filter',
    rerendered,
    isDropping: rerendered !== null && dropsAny(rerendered),
  };
}

export type ChangedState = GrantState | 'sending' | 'missing';

/** The result for one grant. */
export type GrantChange =
  | {
      readonly kind: 'changed';
      readonly id: number;
      readonly state: ChangedState;
      /** Set if another player is paid. */
      readonly redirected: { readonly to: string | null; readonly insteadOf: string } | null;
    }
  | {
      readonly kind: 'unchanged';
      readonly id: number;
      readonly state: ChangedState;
      readonly problem: Extract<ProblemCode, 'grant-missing' | 'grant-moved-on' | 'grant-none-ran'>;
    }
  | {
      readonly kind: 'unchanged';
      readonly id: number;
      readonly state: GrantState;
      readonly problem: Extract<ProblemCode, 'grant-nowhere' | 'grant-for-user'>;
      /** The grant's game server. */
      readonly server: string;
    };

/** Who changes grants. */
export interface Changer {
  /** The account on this machine, or how they signed in to the console. */
  readonly by: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** So many are changed at once: the disk is written once for all of them, and votes do not wait long. */
const AT_ONCE = 100;

/** A grant that cannot be changed does not stop the rest. */
export async function changeGrants(
  ledger: Ledger,
  config: Config,
  plan: GrantChangePlan,
  { by, clock }: Changer,
): Promise<readonly GrantChange[]> {
  const order = { by, kindByServer: kindByServer(config), to: plan.to };
  const results: GrantChange[] = [];
  for (let at = 0; at < plan.ids.length; at += AT_ONCE) {
    const some = plan.ids.slice(at, at + AT_ONCE);
    results.push(...(await Promise.all(some.map((id) => changeOne(ledger, plan, id, order, clock.now())))));
  }
  return results;
}

async function changeOne(
  ledger: Ledger,
  { action, rerendered, shown }: GrantChangePlan,
  id: number,
  order: Omit<PaymentOrder, 'texts' | 'shownChange'>,
  now: number,
): Promise<GrantChange> {
  const renewed = rerendered?.get(id) ?? null;
  // Its new commands were not shown to the operator, and the old ones must not run instead.
  if (renewed?.kind === 'moved-on') return movedOn(id, renewed.state);
  const { apply, to } = grantActions[action];
  const shownChange = shown.get(id);
  const texts = renewed?.texts ?? null;
  const since = shownChange === undefined ? {} : { shownChange };
  const answer = await apply(ledger, id, { ...order, ...since, texts }, now);
  switch (answer.kind) {
    case 'changed': {
      const [grant] = await ledger.grants({ id, limit: 1 });
      // If all remaining commands were dropped, there is nothing left to pay.
      const state = renewed === null ? to : (grant?.state ?? 'missing');
      const insteadOf = order.to == null ? undefined : grant?.redirected?.insteadOf;
      const redirected = insteadOf === undefined ? null : { to: grant?.player ?? null, insteadOf };
      return { kind: 'changed', id, state, redirected };
    }
    case 'continued':
      return { kind: 'changed', id, state: answer.state, redirected: null };
    case 'not-changed':
      return movedOn(id, answer.state);
    case 'none-ran':
      return { kind: 'unchanged', id, state: answer.state, problem: 'grant-none-ran' };
    default: {
      const { state, server } = answer;
      return { kind: 'unchanged', id, state, problem: `grant-${answer.kind}`, server };
    }
  }
}

const movedOn = (id: number, state: ChangedState): GrantChange => ({
  kind: 'unchanged',
  id,
  state,
  problem: state === 'missing' ? 'grant-missing' : 'grant-moved-on',
});
