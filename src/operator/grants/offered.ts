import { FORWARD } from '../../core/forward.ts';
import type { GrantRow, PaymentOrder } from '../../ledger/ledger.ts';
import { type GrantActionName, grantActions, isServed } from './actions.ts';
import type { GrantChangeRequest } from './change.ts';
import type { ShownGrant } from './selection.ts';

/**
 * What a page offers to do with a grant. `anew`: pay with the commands that the reward has in the config now; `redirect`:
 * pay another player.
 */
export const OFFERED = ['pay', 'ran', 'anew', 'redirect', 'mark-paid', 'cancel'] as const;
export type Offered = (typeof OFFERED)[number];

/** What pays or runs other commands than those on the page, or ends a grant for good, is shown before it is done. */
export const isShownFirst = (offered: Offered): boolean => offered !== 'pay' && offered !== 'ran';

export const actionOf = (offered: Offered): GrantActionName =>
  offered === 'anew' || offered === 'redirect' ? 'pay' : offered;

/** What can be done with a grant as it is. */
export function offeredFor(grant: GrantRow, kindByServer: PaymentOrder['kindByServer']): readonly Offered[] {
  const possible = isServed(grant, kindByServer) ? OFFERED : ENDING;
  return possible.filter((each) => fits(each, grant));
}

/** What runs nothing, so that it needs no game server. */
const ENDING = ['mark-paid', 'cancel'] as const;

function fits(offered: Offered, grant: GrantRow): boolean {
  const { state, player, reward } = grant;
  if (offered === 'redirect' && state === 'waiting') return player !== null;
  if (!grantActions[actionOf(offered)].from.includes(state)) return false;
  if (offered === 'anew') return reward !== FORWARD;
  if (offered === 'redirect') return player !== null;
  return offered !== 'ran' || mayHaveRun(grant);
}

/** Whether the command that stopped it may have run, so that it can be counted as run. */
function mayHaveRun({ commands }: GrantRow): boolean {
  const stopped = commands.find(({ outcome }) => outcome !== 'delivered')?.outcome;
  return stopped === 'unknown' || stopped === 'refused';
}

/** @param payee whom to pay instead, as typed */
export const requestFor = (
  offered: Offered,
  grants: readonly ShownGrant[],
  payee: string,
): GrantChangeRequest => ({
  action: actionOf(offered),
  selection: { kind: 'shown', grants },
  payee: offered === 'redirect' ? payee : null,
  isRerendering: offered === 'anew',
});
