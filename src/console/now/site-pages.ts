import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { voteUrl } from '../../config/schema-sites.ts';
import { countText } from '../../core/list-text.ts';
import { SERVICE_NAME_MAX, shownService } from '../../core/service-name.ts';
import { carryOut, planSites, type SitesAddition } from '../../operator/sites/add.ts';
import { doubtText, unlistableText } from '../../operator/sites/add-words.ts';
import { seenSites } from '../../operator/sites/seen.ts';
import type { Entered } from '../../web/fields.ts';
import type { Refused } from '../../web/kit.ts';
import { type Ending, seeOther, showPage } from '../../web/show.ts';
import type { PageContext } from '../../web/site.ts';
import type { Operator } from '../access/operator.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import { reloadEnding } from '../reload-ending.ts';
import type { WatchingParts } from '../running-watch.ts';
import { differsFromFile, done, ended, refused } from './ending.ts';
import { type EnteredSite, type PlannedSite, plannedSitePage, sitePage } from './site-page.ts';

type Context = PageContext<Operator>;

/** Writes an entry of `sites` into the config, after its operator has seen what changes. */
export function siteRoutes(parts: WatchingParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.site, async (c) => {
    const entered = { service: c.req.query('service') ?? '', url: c.req.query('url') ?? '' };
    const isForm = c.req.query('service') === undefined || c.req.query('change') !== undefined;
    if (isForm) return showPage(c, sitePage(entered, c.var.visit.csrf, null));
    return show(c, parts, entered);
  });
  pages.post(paths.site, (c) => show(c, parts, siteIn(c.var.entered)));
  pages.post(paths.siteWritten, async (c) => {
    const { teller, log, watch } = parts;
    const entered = siteIn(c.var.entered);
    const by = c.var.visit.person?.id ?? '';
    const looked = await look(entered, parts);
    if (looked.kind === 'refused') return showRefused(c, entered, looked.refused);
    const { planned } = looked;
    if (one(c.var.entered, 'shown') !== planned.shown)
      return showPlanned(c, parts, entered, planned, CHANGED);
    const isAgreed = one(c.var.entered, 'unproven') === 'yes';
    const ending = await ended(() => write(planned, isAgreed, parts));
    const { tone, text, code = 'done' } = ending;
    teller.operatorChanged();
    log.info({ code: 'console-action', action: paths.siteWritten, by, tone, ended: code }, `${by}: ${text}`);
    await watch.checks.expire();
    if (ending.tone === 'bad') return showRefused(c, entered, { title: text, faults: {} });
    return seeOther(c, paths.now, ending);
  });
  return pages;
}

const one = (entered: Entered, name: string): string => entered[name]?.[0] ?? '';

const siteIn = (entered: Entered): EnteredSite => ({
  service: one(entered, 'service'),
  url: one(entered, 'url').trim(),
});

const CHANGED: Refused = {
  title: 'Something else would be written now. Look at the lines again.',
  faults: {},
};

async function show(c: Context, parts: WatchingParts, entered: EnteredSite) {
  const looked = await look(entered, parts);
  return looked.kind === 'refused'
    ? showRefused(c, entered, looked.refused)
    : showPlanned(c, parts, entered, looked.planned, null);
}

/** The form again, with what was typed. */
const showRefused = (c: Context, entered: EnteredSite, why: Refused) =>
  showPage(c, sitePage(entered, c.var.visit.csrf, why), Object.keys(why.faults).length === 0 ? 409 : 422);

const showPlanned = (
  c: Context,
  { command }: WatchingParts,
  entered: EnteredSite,
  planned: PlannedSite,
  why: Refused | null,
) => {
  const shown = { csrf: c.var.visit.csrf, command };
  return showPage(c, plannedSitePage(planned, entered, shown, why), why === null ? 200 : 409);
};

type Looked =
  | { readonly kind: 'planned'; readonly planned: PlannedSite }
  | { readonly kind: 'refused'; readonly refused: Refused };

/** What would be written, or why nothing can be. */
async function look(entered: EnteredSite, parts: WatchingParts): Promise<Looked> {
  const fault = faultIn(entered);
  if (fault !== null) return fault;
  const looked = await ended(async () => (await differsFromFile(parts.control)) ?? plan(entered, parts));
  if ('kind' in looked) return looked;
  return { kind: 'refused', refused: { title: looked.text, faults: {} } };
}

const faulty = (field: keyof EnteredSite, sentence: string): Looked => ({
  ...{ kind: 'refused', refused: { faults: { [field]: sentence } } },
});

function faultIn({ service, url }: EnteredSite): Looked | null {
  if (service.trim() === '') return faulty('service', 'Service name is missing.');
  if (service.length > SERVICE_NAME_MAX)
    return faulty('service', `Service name can have at most ${SERVICE_NAME_MAX} characters.`);
  const read = url === '' ? null : voteUrl.safeParse(url);
  return read === null || read.success ? null : faulty('url', `Vote page ${read.error.issues[0]?.message}.`);
}

/** Rejects with a Problem. */
async function plan({ service, url }: EnteredSite, { teller, clock }: WatchingParts): Promise<Looked> {
  const { config, ledger } = teller;
  const seen = await seenSites(ledger, config.sites, clock.now());
  const found = await planSites(config, [service], seen, url === '' ? null : url);
  if (found.kind === 'unlistable') return faulty('service', `${unlistableText(found)}.`);
  if (found.after === found.before)
    return faulty('service', `${shownService(service, 64)} already has an entry in the config.`);
  const waiting = seen
    .filter((each) => found.added.includes(each.service))
    .reduce((sum, each) => sum + each.waiting, 0);
  const shown = createHash('sha256').update(found.diff.join('\n')).digest('base64url').slice(0, 16);
  return { kind: 'planned', planned: { plan: found, waiting, shown } };
}

async function write(
  { plan, waiting }: PlannedSite,
  isAgreed: boolean,
  { teller, control, clock }: WatchingParts,
): Promise<Ending> {
  const [first] = plan.doubtful;
  if (first !== undefined && !isAgreed) return refused('site-unproven', doubtText(first));
  const reply = await carryOut(plan, {
    note: (added) => teller.ledger.noteListed(added, clock.now()),
    reload: () => control.reload(),
  });
  if (reply.kind === 'refused') return reloadEnding(reply);
  return done(writtenText(plan, waiting));
}

function writtenText({ added, present }: SitesAddition, waiting: number): string {
  const names = (list: readonly string[]): string => list.map((name) => shownService(name, 64)).join(', ');
  if (added.length === 0) return `${names(present)} has this vote page in the config now.`;
  const paid =
    waiting === 0
      ? ''
      : ` ${countText(waiting, 'vote')} of the last 7 days waited for this and will be decided now.`;
  return `${names(added)} has an entry in the config now, and so its own window.${paid}`;
}
