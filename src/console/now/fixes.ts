import { Hono } from 'hono';
import type { Config } from '../../config/config.ts';
import type { GrantCode } from '../../core/grant-reason.ts';
import { countText } from '../../core/list-text.ts';
import { type PauseScope, scopeText } from '../../core/pause.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { releaseClock } from '../../operator/clock.ts';
import { type Changer, changeGrants, type GrantChange } from '../../operator/grants/change.ts';
import { selectGrants } from '../../operator/grants/selection.ts';
import { resumeRewards } from '../../operator/pause.ts';
import type { Entered } from '../../web/fields.ts';
import { type Ending, seeOther } from '../../web/show.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import type { WatchingParts } from '../running-watch.ts';
import { done, ended, refused } from './ending.ts';

/** Does something about a finding, and says what it did. May reject with a Problem. */
type Fixing = (parts: WatchingParts, entered: Entered, by: string) => Promise<Ending>;

const fixes: readonly (readonly [path: string, fix: Fixing])[] = [
  [paths.payHeld, payHeld],
  [paths.resume, resume],
  [paths.releaseClock, release],
];

/** What one click does about a finding. */
export function fixRoutes(parts: WatchingParts): Hono<ConsoleEnv> {
  const routes = new Hono<ConsoleEnv>();
  for (const [path, fix] of fixes) {
    routes.post(path, async (c) => {
      const by = c.var.visit.person?.id ?? '';
      const ending = await ended(() => fix(parts, c.var.entered, by));
      const { tone, text, code = 'done' } = ending;
      parts.teller.operatorChanged();
      parts.log.info({ code: 'console-action', action: path, by, tone, ended: code }, `${by}: ${text}`);
      await parts.watch.checks.expire();
      return seeOther(c, paths.now, ending);
    });
  }
  return routes;
}

const one = (entered: Entered, name: string): string => entered[name]?.[0] ?? '';

async function payHeld({ teller, clock }: WatchingParts, entered: Entered, by: string): Promise<Ending> {
  const server = one(entered, 'server');
  const { changes, hasMore } = await releaseHeld(teller.ledger, teller.config, server, { by, clock });
  if (changes.length === 0)
    return refused('nothing-held', 'Nothing that can be paid is held there any more.');
  const paid = changes.filter(({ kind }) => kind === 'changed').length;
  const left = changes.filter(({ kind }) => kind === 'unchanged').map(({ id }) => id);
  const more = hasMore ? ' More are held: click again.' : '';
  if (left.length === 0) return done(`${countText(paid, 'grant')} will be paid.${more}`);
  const why =
    paid === 0 ? 'None can be paid' : `${countText(paid, 'grant')} will be paid; the others cannot be`;
  const sentence = `${why}: see grant ${left[0]} under Needs you.${more}`;
  return paid === 0 ? refused('none-payable', sentence) : { tone: 'warn', text: sentence };
}

async function resume({ teller, clock }: WatchingParts, entered: Entered): Promise<Ending> {
  const scope: PauseScope = {
    server: one(entered, 'server') || null,
    reward: one(entered, 'reward') || null,
  };
  const resumed = await resumeRewards(teller.ledger, teller.config, { scope, now: clock.now() });
  if (resumed.kind === 'refused') return refused(resumed.code, `${resumed.sentence}.`);
  if (resumed.kind === 'not-paused')
    return refused('not-paused', `There is no pause of ${scopeText(scope)} any more.`);
  return done(`The pause of ${scopeText(scope)} is over.`);
}

async function release({ teller, clock }: WatchingParts): Promise<Ending> {
  const released = await releaseClock(teller.ledger, clock, async () => {});
  switch (released.kind) {
    case 'clock-not-set':
      return refused('clock-not-set', 'This machine’s clock is not set. Set it, then release it again.');
    case 'nothing-to-release':
      return refused('nothing-to-release', 'The clock is trusted, and nothing is held because of it.');
    case 'released':
      return done(
        `The clock is trusted from now on; ${countText(released.released, 'reward')} will be paid.`,
      );
  }
}

/** Held for what paying again would not put right: the clock has a release of its own, and the name is another player's. */
const NOT_RELEASED: ReadonlySet<GrantCode | undefined> = new Set<GrantCode>(['clock-doubt', 'name-taken']);

const AT_ONCE_MAX = 500;
const LOOK_AT = 10_000;

interface Released {
  readonly changes: readonly GrantChange[];
  /** Whether more are held there than are released at once. */
  readonly hasMore: boolean;
}

/** Pays what is held on a game server, the oldest first, each as `teller grants pay` does. */
async function releaseHeld(
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
