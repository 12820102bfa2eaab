import { Hono } from 'hono';
import { kindByServer } from '../../config/config.ts';
import { capitalized } from '../../core/capitalized.ts';
import type { GrantActionName } from '../../operator/grants/actions.ts';
import { changeGrants, type GrantChange } from '../../operator/grants/change.ts';
import { actionOf, isShownFirst, type Offered, requestFor } from '../../operator/grants/offered.ts';
import { type PreparedChange, prepareChange } from '../../operator/grants/prepared.ts';
import { allChangedText, changedText, unchangedText } from '../../operator/grants/sentences.ts';
import { buttonWays } from '../../operator/trace/grant-ways.ts';
import { type Ending, seeOther, showPage } from '../../web/show.ts';
import type { PageContext } from '../../web/site.ts';
import type { Operator } from '../access/operator.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { type AskedChange, askedByForm, askedByLink, CHANGE_MAX } from './asked-change.ts';
import { changePath } from './change-path.ts';
import { type ChangeRefused, changePage, refusedBy } from './change-view.ts';

type Context = PageContext<Operator>;

/** A change is asked for with a link or a form, shown before it is made if it needs that, and made by a form. */
export function changePages(parts: ConsoleParts, lookAt: number): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.grantChange, async (c) => show(c, parts, await askedByLink(c, parts, lookAt), null));
  pages.post(paths.grantChange, async (c) => {
    const asked = askedByForm(c.var.entered);
    const { offered, marks, next } = asked;
    const refusal = refusalOf(asked);
    if (refusal !== null) return seeOther(c, next, refusal);
    if (offered === null || !isShownFirst(offered) || marks.every(({ digest }) => digest !== null))
      return change(c, parts, asked, offered ?? 'pay');
    return seeOther(c, changePath({ offered, marks, next }));
  });
  return pages;
}

/** null if the form can be understood. */
function refusalOf({ offered, marks }: AskedChange): Ending | null {
  if (marks.length === 0) return { tone: 'warn', text: 'Choose at least one grant.' };
  if (marks.length > CHANGE_MAX)
    return { tone: 'warn', text: `Choose at most ${CHANGE_MAX} grants at once.` };
  return offered === null ? { tone: 'warn', text: 'Choose what to do.' } : null;
}

async function change(c: Context, parts: ConsoleParts, asked: AskedChange, offered: Offered) {
  const { teller, clock, log } = parts;
  const { ledger, config } = teller;
  const prepared = await prepareChange(ledger, config, requestFor(offered, asked.marks, asked.player));
  if (prepared.kind !== 'prepared') return show(c, parts, asked, refusedBy(prepared));
  if (differs(prepared, asked)) return show(c, parts, asked, COMMANDS_CHANGED);
  const by = c.var.visit.person?.id ?? '';
  const changes = await changeGrants(ledger, config, prepared.plan, { by, clock });
  teller.operatorChanged();
  const ending = changeEnding(actionOf(offered), changes);
  const changed = changes.filter(({ kind }) => kind === 'changed').map(({ id }) => id);
  log.info({ code: 'grants-changed', by, action: offered, grants: changed }, `${by}: ${ending.text}`);
  return seeOther(c, asked.next, ending);
}

/** Whether something else would run than what was shown. A grant that has moved on is told of by the change itself. */
function differs({ grants }: PreparedChange, { marks }: AskedChange): boolean {
  const shown = new Map(marks.map(({ id, digest }) => [id, digest]));
  return grants.some(({ grant, digest }) => (shown.get(grant.id) ?? digest) !== digest);
}

const COMMANDS_CHANGED: ChangeRefused = {
  title: 'Something else would run now',
  advice: 'The config has changed since the commands were shown. Look at them again.',
  faults: {},
};

/** @param refused why the change that was sent was not made */
async function show(c: Context, parts: ConsoleParts, asked: AskedChange, refused: ChangeRefused | null) {
  const { ledger, config } = parts.teller;
  const { offered, marks, player } = asked;
  const ids = marks.slice(0, CHANGE_MAX).map(({ id }) => id);
  const isComplete = offered !== null && ids.length > 0 && (offered !== 'redirect' || player !== '');
  const found = isComplete ? await prepareChange(ledger, config, requestFor(offered, marks, player)) : null;
  const refusal = refused ?? (found !== null && found.kind !== 'prepared' ? refusedBy(found) : null);
  const prepared = found?.kind === 'prepared' ? found : null;
  const grants = await ledger.grants({ ids, limit: Math.max(1, ids.length) });
  const page = changePage({
    asked,
    grants,
    prepared,
    refused: refusal,
    csrf: c.var.visit.csrf,
    kinds: kindByServer(config),
  });
  return showPage(c, page, refusal === null ? 200 : 422);
}

type Changed = Extract<GrantChange, { kind: 'changed' }>;
type Unchanged = Extract<GrantChange, { kind: 'unchanged' }>;

/** What became of a change, for the page that is shown next. */
function changeEnding(action: GrantActionName, changes: readonly GrantChange[]): Ending {
  const changed = changes.filter((each): each is Changed => each.kind === 'changed');
  const unchanged = changes.filter((each): each is Unchanged => each.kind === 'unchanged');
  const done = changed.length === 0 ? null : sentence(doneText(action, changed));
  const [first] = unchanged;
  if (first === undefined) return { tone: 'good', text: done ?? 'Nothing was changed.' };
  const others = unchanged.length === 1 ? '' : ` ${unchanged.length - 1} more were not changed either.`;
  const text = `${sentence(unchangedText(action, first, buttonWays))}${others}`;
  return {
    tone: done === null ? 'bad' : 'warn',
    text: done === null ? text : `${done} ${text}`,
  };
}

function doneText(action: GrantActionName, changed: readonly Changed[]): string {
  const [only] = changed;
  return changed.length === 1 && only !== undefined
    ? changedText(action, only)
    : allChangedText(action, changed.length);
}

const sentence = (text: string): string => `${capitalized(text)}.`;
