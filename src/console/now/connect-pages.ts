import { Hono } from 'hono';
import { type Config, hasReal, practiceNames } from '../../config/config.ts';
import { capitalized } from '../../core/capitalized.ts';
import { type Clock, pause } from '../../core/clock.ts';
import { type GameServerAddition, writeGameServer } from '../../operator/game-servers/add.ts';
import { type Connection, connectionOf } from '../../operator/now/game-servers.ts';
import { endedText, voidPracticeVotes } from '../../operator/practice-votes.ts';
import type { Refused } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { refuse } from '../../web/refusal.ts';
import { type Ending, seeOther, showPage } from '../../web/show.ts';
import type { PageContext } from '../../web/site.ts';
import { askToSignInAgain, freshMs } from '../access/fresh.ts';
import type { Operator } from '../access/operator.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import { reloadEnding } from '../reload-ending.ts';
import type { WatchingParts } from '../running-watch.ts';
import { type EnteredForm, formOf, readEntered } from './connect-form.ts';
import { connectPage, plannedPage } from './connect-page.ts';
import { differsFromFile, ended, refused } from './ending.ts';
import { PlannedServers } from './planned-servers.ts';

/** A clock that practice moves is refused while a game server is real, so none is offered, as in the loop. */
export const canConnectReal = (clock: Clock): boolean => clock.practice === undefined;

const WHY =
  'Commands are sent to the game servers of the config, so one is written there only in the 5 minutes after signing in. What you entered is kept: the next page shows it.';

const plannedPath = (id: string): string => `${paths.connectWritten}?plan=${encodeURIComponent(id)}`;

/** Writes a game server with RCON into the config, after its operator has seen what changes. */
export function connectRoutes(parts: WatchingParts): Hono<ConsoleEnv> {
  const { teller, clock, log, command } = parts;
  const planned = new PlannedServers(parts);
  const pages = new Hono<ConsoleEnv>();
  const isOffered = canConnectReal(clock);
  const showForm = (c: PageContext<Operator>) => {
    if (!isOffered) return refuse(c, c.var.site, 'not-found');
    const form = firstForm(teller.config, c.req.query('replace'));
    return showPage(c, connectPage({ form, csrf: c.var.visit.csrf, command }));
  };
  pages.get(paths.connect, showForm);
  pages.post(paths.connect, async (c) => {
    if (!isOffered) return refuse(c, c.var.site, 'not-found');
    const { entered, visit } = c.var;
    const { csrf } = visit;
    const differs = await differsFromFile(parts.control);
    if (differs !== null) {
      const refused = { title: differs.text, faults: {} };
      return showPage(c, connectPage({ form: formOf(entered, {}), csrf, command, refused }), 409);
    }
    const read = await readEntered(entered, teller.config);
    if (read.kind === 'faults') return showPage(c, connectPage({ ...read, csrf, command }), 422);
    const shown = { plan: read.plan, entered };
    const id = planned.keep(csrf, shown);
    return showPage(c, plannedPage({ ...shown, id, csrf, practice: practiceNames(teller.config) }));
  });
  pages.get(paths.connectWritten, (c) => {
    const { csrf } = c.var.visit;
    const id = c.req.query('plan') ?? '';
    const shown = planned.look(csrf, id);
    if (shown === null) return showForm(c);
    return showPage(c, plannedPage({ ...shown, id, csrf, practice: practiceNames(teller.config) }));
  });
  pages.post(paths.connectWritten, async (c) => {
    if (!isOffered) return refuse(c, c.var.site, 'not-found');
    if (freshMs(c, parts) === 0)
      return askToSignInAgain(c, parts, { next: plannedPath(c.var.entered.plan?.[0] ?? ''), why: WHY });
    const by = c.var.visit.person?.id ?? '';
    const { ending, again } = await writeShown(c, parts, planned);
    const { tone, text, code = 'done' } = ending;
    log.info(
      { code: 'console-action', action: paths.connectWritten, by, tone, ended: code },
      `${by}: ${text}`,
    );
    return again === null ? seeOther(c, paths.now, ending) : showPage(c, again.page, again.status);
  });
  return pages;
}

/** Of the game server that is to be replaced; otherwise of the practice server, if it is the only game server. */
function firstForm({ gameServers }: Config, wanted: string | undefined): EnteredForm {
  const entry = gameServers.get(wanted ?? '');
  const old = entry as { readonly host?: unknown; readonly port?: unknown } | undefined;
  const written = (value: unknown): readonly string[] => (value === undefined ? [] : [String(value)]);
  if (wanted !== undefined && entry !== undefined && entry.kind === 'rcon')
    return {
      replaces: wanted,
      state: { entered: { name: [wanted], host: written(old?.host), port: written(old?.port) }, faults: {} },
    };
  const [only, ...others] = gameServers;
  const replaces = only !== undefined && others.length === 0 && only[1].kind === 'practice' ? only[0] : null;
  const state = { entered: replaces === null ? {} : { name: [replaces] }, faults: {} };
  return { replaces, state };
}

/** How long the page that follows waits to say whether the game server accepts the login. */
const LOGIN_PATIENCE_MS = 4_000;

interface Written {
  readonly ending: Ending;
  /** What is shown again, so that nothing has to be typed again; null: it was written. */
  readonly again: { readonly page: Page; readonly status: 409 | 422 } | null;
}

async function writeShown(
  c: PageContext<Operator>,
  parts: WatchingParts,
  planned: PlannedServers,
): Promise<Written> {
  const { teller, control, command } = parts;
  const { csrf } = c.var.visit;
  const id = c.var.entered.plan?.[0] ?? '';
  const taken = planned.take(csrf, id);
  if (taken.kind === 'written') {
    const text = `This was written already: ${taken.name} is in the config.`;
    return { ending: refused('plan-written', text), again: null };
  }
  if (taken.kind !== 'kept') {
    const why = UNKNOWN[taken.kind];
    const form = formOf(c.var.entered, {});
    return shownAgain(why, connectPage({ form, csrf, command, refused: why }), 409);
  }
  const isFirst = !hasReal(teller.config);
  const unwritten = await ended(async () => {
    const differs = await differsFromFile(control);
    if (differs === null) await writeGameServer(taken.plan);
    return differs;
  });
  const end = { isFirst, by: c.var.visit.person?.id ?? '' };
  if (unwritten === null)
    return { ending: await ended(() => connected(taken.plan, parts, end)), again: null };
  planned.giveBack(id);
  const practice = practiceNames(teller.config);
  const { code = '', text } = unwritten;
  if (code !== 'config-changed') {
    const why = { code, title: text, faults: {} };
    return shownAgain(why, plannedPage({ ...taken, id, csrf, practice, refused: why }), 409);
  }
  const read = await readEntered(taken.entered, teller.config);
  if (read.kind === 'faults') return shownAgain(CHANGED, connectPage({ ...read, csrf, command }), 422);
  const shown = { ...taken, plan: read.plan };
  const newId = planned.keep(csrf, shown);
  return shownAgain(CHANGED, plannedPage({ ...shown, id: newId, csrf, practice, refused: CHANGED }), 409);
}

/** With the code for the log. */
interface NotWritten extends Refused {
  readonly code: string;
  readonly title: string;
}

const shownAgain = ({ code, title }: NotWritten, page: Page, status: 409 | 422): Written => ({
  ending: refused(code, `${title}.`),
  again: { page, status },
});

const CHANGED: NotWritten = {
  code: 'config-changed',
  title: 'The config file was changed since these lines were shown',
  advice: 'It was changed in another tab or in an editor. Nothing was written here. Look at the lines again.',
  faults: {},
};

const UNKNOWN: Readonly<Record<'too-old' | 'gone', NotWritten>> = {
  'too-old': {
    code: 'plan-old',
    title: 'These lines were shown more than 15 minutes ago',
    advice: 'The config may be another one by now. Nothing was written: enter the password again.',
    faults: {},
  },
  gone: {
    code: 'plan-gone',
    title: 'Teller does not have this change any more',
    advice:
      'It was restarted, you signed in again, or many others were begun since. Nothing was written: enter the password again.',
    faults: {},
  },
};

/** Applies what was written. */
async function connected(
  { name }: GameServerAddition,
  { teller, control, watch, clock }: WatchingParts,
  { isFirst, by }: { readonly isFirst: boolean; readonly by: string },
): Promise<Ending> {
  const reply = await control.reload();
  if (reply.kind === 'refused') return reloadEnding(reply);
  const server = teller.gameServers.find((each) => each.name === name);
  if (server === undefined) return refused('not-served', `${name} is in the config, but is not served.`);
  const practiceVotes = isFirst ? await voidPracticeVotes(teller.ledger, by, clock.now()) : null;
  await Promise.race([watch.gameServers.ask(server), pause(clock, LOGIN_PATIENCE_MS)]);
  const ending = endingOf(name, connectionOf(server, watch.gameServers.of(server)));
  const said = practiceVotes && endedText(practiceVotes);
  return said === null ? ending : { ...ending, text: `${ending.text} ${capitalized(said)}.` };
}

function endingOf(name: string, connection: Connection): Ending {
  switch (connection.kind) {
    case 'connected':
      return { tone: 'good', text: `${name} is in the config, and accepts the login.` };
    case 'untried':
      return { tone: 'warn', text: `${name} is in the config. It has not answered yet.` };
    case 'trouble':
      return {
        tone: 'warn',
        text: `${name} is in the config, but ${connection.sentence} (${connection.code}).`,
      };
  }
}
