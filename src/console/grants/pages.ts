import { Hono } from 'hono';
import { Problem } from '../../core/problem.ts';
import type { StuckGroup } from '../../ledger/ledger.ts';
import type { Shown } from '../../operator/trace-json.ts';
import { amount } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { cursorText, readCursor } from '../../web/paging.ts';
import { refuse } from '../../web/refusal.ts';
import { showPage } from '../../web/show.ts';
import type { PageContext } from '../../web/site.ts';
import type { Operator } from '../access/operator.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { changePages } from './change-pages.ts';
import {
  type AskedFilter,
  askedFilter,
  filterForm,
  filterOf,
  filterQuery,
  isFiltered,
  isOneGroup,
} from './filter.ts';
import { grantPage } from './grant-page.ts';
import { GRANTS } from './group-card.ts';
import { EACH, type ListPage, listPage, PAGE_SIZE } from './list-page.ts';

/** So many of the newest grants that need the operator are searched and counted. */
export const LOOK_AT = 10_000;
const DECIDED = 8;

/** What needs the operator: held and refused grants, and what can be done with them. */
export function grantsPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.grants, async (c) => showPage(c, await needsYou(c, parts)));
  pages.route('/', changePages(parts, LOOK_AT));
  pages.get(paths.grant(':id'), async (c) => {
    const id = /^\d{1,15}$/.test(c.req.param('id') ?? '') ? Number(c.req.param('id')) : null;
    const [grant] = id === null ? [] : await parts.teller.ledger.grants({ id, limit: 1 });
    if (grant === undefined) return refuse(c, c.var.site, 'not-found');
    const shown = await shownNow(parts);
    return showPage(c, grantPage(grant, shown, { csrf: c.var.visit.csrf, command: parts.command }));
  });
  return pages;
}

async function shownNow({ teller, clock }: Pick<ConsoleParts, 'teller' | 'clock'>): Promise<Shown> {
  const { ledger, config } = teller;
  const [queues, pauses] = await Promise.all([ledger.queues(), ledger.pauses()]);
  return { config, queues, pauses, bytes: false, now: clock.now() };
}

async function needsYou(c: PageContext<Operator>, parts: ConsoleParts): Promise<Page> {
  const asked = askedFilter((name) => c.req.query(name));
  try {
    const page = isOneGroup(asked) ? await oneGroup(c, asked, parts) : await allGroups(c, asked, parts);
    return listPage(page);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return {
      title: 'Needs you',
      refused: { title: 'The ledger cannot be read', advice: `${error.message} (${error.code})`, faults: {} },
      body: null,
    };
  }
}

async function allGroups(
  c: PageContext<Operator>,
  asked: AskedFilter,
  parts: ConsoleParts,
): Promise<ListPage> {
  const { ledger } = parts.teller;
  const filter = filterOf(asked, await ledger.timeZone());
  const [found, decided, around] = await Promise.all([
    ledger.stuckGroups(filter, { limit: EACH, lookAt: LOOK_AT }),
    isFiltered(asked) ? [] : ledger.grantActions(DECIDED),
    aroundOf(c, asked, parts),
  ]);
  return { ...around, ...found, decided, paging: null };
}

async function oneGroup(
  c: PageContext<Operator>,
  asked: AskedFilter,
  parts: ConsoleParts,
): Promise<ListPage> {
  const { ledger } = parts.teller;
  const filter = filterOf(asked, await ledger.timeZone());
  const cursor = readCursor(c.req.query('before'));
  const after = cursor === null ? {} : { after: { changedAt: cursor.at, id: Number(cursor.id) } };
  const [{ groups, hasMore }, page, around] = await Promise.all([
    ledger.stuckGroups(filter, { limit: 1, lookAt: LOOK_AT }),
    ledger.stuckGrants(filter, { limit: PAGE_SIZE, lookAt: LOOK_AT, ...after }),
    aroundOf(c, asked, parts),
  ]);
  const [group] = groups;
  const older = page.next === null ? null : cursorText({ at: page.next.changedAt, id: String(page.next.id) });
  const shown: readonly StuckGroup[] = group === undefined ? [] : [{ ...group, grants: page.grants }];
  return {
    ...{ ...around, groups: shown, hasMore, decided: [] },
    paging: {
      shown: amount(page.grants.length, GRANTS),
      newest: cursor === null ? null : `${paths.grants}${filterQuery(asked)}`,
      older: older === null ? null : `${paths.grants}${filterQuery(asked, { before: older })}`,
    },
  };
}

async function aroundOf(c: PageContext<Operator>, asked: AskedFilter, parts: ConsoleParts) {
  const { config } = parts.teller;
  const shown = await shownNow(parts);
  const next = `${paths.grants}${filterQuery(asked)}`;
  const { command } = parts;
  return { asked, shown, next, command, csrf: c.var.visit.csrf, form: filterForm(asked, config) };
}
