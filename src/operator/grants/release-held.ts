import type { Config } from '../../config/config.ts';
import type { GrantCode } from '../../core/grant-reason.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Changer, changeGrants, type GrantChange } from './change.ts';
import { selectGrants } from './selection.ts';

/** Held for what paying again would not put right: the clock has a release of its own, and the name is another player's. */
const NOT_RELEASED: ReadonlySet<GrantCode | undefined> = new Set<GrantCode>(['clock-doubt', 'name-taken']);

const AT_ONCE_MAX = 500;
const LOOK_AT = 10_000;

export interface Released {
  readonly changes: readonly GrantChange[];
  /** Whether more are held there than are released at once. */
  readonly hasMore: boolean;
}

/** Pays what is held on a game server, the oldest first, each as `teller grants pay` does. */
export async function releaseHeld(
  ledger: Ledger,
  config: Config,
  server: string,
  changer: Changer,
): Promise<Released> {
  const wanted = { limit: AT_ONCE_MAX, lookAt: LOOK_AT, isOldestFirst: true };
  const page = await ledger.stuckGrants({ state: 'held', server }, wanted);
  const grants = page.grants.filter(({ reason }) => !NOT_RELEASED.has(reason?.code));
  const selected = await selectGrants(ledger, { kind: 'shown', grants }, ['held']);
  const plan = {
    ...({ kind: 'planned', action: 'pay', ...selected, to: null } as const),
    ...{ isByFilter: true, rerendered: null, isDropping: false },
  };
  return { changes: await changeGrants(ledger, config, plan, changer), hasMore: page.next !== null };
}
