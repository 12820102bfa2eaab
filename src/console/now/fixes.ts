import { Hono } from 'hono';
import { countText } from '../../core/list-text.ts';
import { type PauseScope, scopeText } from '../../core/pause.ts';
import { SERVICE_NAME_MAX, shownService } from '../../core/service-name.ts';
import { releaseClock } from '../../operator/clock.ts';
import { releaseHeld } from '../../operator/grants/release-held.ts';
import { resumeRewards } from '../../operator/pause.ts';
import { carryOut, planSites, type SitesAddition } from '../../operator/sites/add.ts';
import { howItWasSeen, UNPROVEN_RISK, unlistableText } from '../../operator/sites/add-words.ts';
import { type SeenSite, seenSites } from '../../operator/sites/seen.ts';
import type { Entered } from '../../web/fields.ts';
import { type Ending, seeOther } from '../../web/show.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import { reloadEnding } from '../reload-ending.ts';
import type { WatchingParts } from '../running-watch.ts';
import { differsFromFile, done, ended, refused } from './ending.ts';

/** Does something about a finding, and says what it did. May reject with a Problem. */
type Fixing = (parts: WatchingParts, entered: Entered, by: string) => Promise<Ending>;

const fixes: readonly (readonly [path: string, fix: Fixing])[] = [
  [paths.addSite, addSite],
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

async function addSite({ teller, control, clock }: WatchingParts, entered: Entered): Promise<Ending> {
  const name = one(entered, 'service');
  if (name === '' || name.length > SERVICE_NAME_MAX)
    return refused('site-unlistable', 'Name the service to add.');
  const { config, ledger } = teller;
  const differs = await differsFromFile(control);
  if (differs !== null) return differs;
  const seen = await seenSites(ledger, config.sites, clock.now());
  const plan = await planSites(config, [name], seen);
  if (plan.kind === 'unlistable') return refused('site-unlistable', `${unlistableText(plan)}.`);
  if (plan.added.length === 0)
    return refused('site-present', `${shownService(name, 64)} already has an entry in \`sites\`.`);
  const [unproven] = plan.unproven;
  if (unproven !== undefined && one(entered, 'unproven') !== 'yes')
    return refused('site-unproven', `${howItWasSeen(unproven)} ${UNPROVEN_RISK}`);
  const reply = await carryOut(plan, {
    note: (added) => ledger.noteListed(added, clock.now()),
    reload: () => control.reload(),
  });
  if (reply.kind === 'refused') return reloadEnding(reply);
  return done(addedText(plan, seen), { added: plan.added, diff: plan.diff });
}

function addedText({ added }: SitesAddition, seen: readonly SeenSite[]): string {
  const names = added.map((name) => shownService(name, 64)).join(', ');
  const waiting = seen
    .filter(({ service }) => added.includes(service))
    .reduce((sum, each) => sum + each.waiting, 0);
  const paid =
    waiting === 0
      ? ''
      : ` ${countText(waiting, 'vote')} of the last 7 days waited for this and will be decided now.`;
  return `${names} has an entry in the config now, and so its own window.${paid}`;
}

async function payHeld({ teller, clock }: WatchingParts, entered: Entered, by: string): Promise<Ending> {
  const server = one(entered, 'server');
  const { changes, hasMore } = await releaseHeld(teller.ledger, teller.config, server, { by, clock });
  if (changes.length === 0)
    return refused('nothing-held', 'Nothing that can be paid is held there any more.');
  const paid = changes.filter(({ kind }) => kind === 'changed').length;
  const left = changes.filter(({ kind }) => kind === 'unchanged').map(({ id }) => id);
  const more = hasMore ? ' More are held: click again.' : '';
  const json = { paid, notPaid: changes.filter(({ kind }) => kind === 'unchanged'), hasMore };
  if (left.length === 0) return done(`${countText(paid, 'grant')} will be paid.${more}`, json);
  const why =
    paid === 0 ? 'None can be paid' : `${countText(paid, 'grant')} will be paid; the others cannot be`;
  const sentence = `${why}: see grant ${left[0]} under Needs you.${more}`;
  return paid === 0 ? { ...refused('none-payable', sentence), json } : { tone: 'warn', text: sentence, json };
}

async function resume({ teller, clock }: WatchingParts, entered: Entered, by: string): Promise<Ending> {
  const scope: PauseScope = {
    server: one(entered, 'server') || null,
    reward: one(entered, 'reward') || null,
  };
  const resumed = await resumeRewards(teller.ledger, teller.config, { scope, by, now: clock.now() });
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
