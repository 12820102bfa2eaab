import { Hono } from 'hono';
import { type Config, practiceNames } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { writeGameServer } from '../../operator/game-servers/add.ts';
import { tryJoins } from '../../operator/game-servers/try.ts';
import { type FirstAnswer, firstAnswer } from '../../operator/game-servers/first-answer.ts';
import { refuse } from '../../web/refusal.ts';
import { type Ending, seeOther, showPage } from '../../web/show.ts';
import type { PageContext } from '../../web/site.ts';
import type { Operator } from '../access/operator.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths } from '../paths.ts';
import { reloadEnding } from '../reload-ending.ts';
import type { WatchingParts } from '../running-watch.ts';
import { connectPage, plannedPage } from './connect-page.ts';
import {
  type EnteredForm,
  type FaultyForm,
  managementAt,
  readEntered,
  unreportedForm,
} from './connect-form.ts';
import { differsFromFile, ended, refused } from './ending.ts';
import { PlannedServers } from './planned-servers.ts';

/** A clock that practice moves is refused while a game server is real, so none is offered, as in the loop. */
export const canConnectReal = (clock: Clock): boolean => clock.practice === undefined;

/** Writes a game server with RCON into the config, after its operator has seen what changes. */
export function connectRoutes(parts: WatchingParts): Hono<ConsoleEnv> {
  const { teller, clock, log, command } = parts;
  const planned = new PlannedServers(clock);
  const pages = new Hono<ConsoleEnv>();
  const isOffered = canConnectReal(clock);
  pages.get(paths.connect, (c) => {
    if (!isOffered) return refuse(c, c.var.site, 'not-found');
    const form = firstForm(teller.config, c.req.query('replace'));
    const wantsJoins = c.req.query('joins') === 'yes';
    return showPage(c, connectPage({ form, csrf: c.var.visit.csrf, command, wantsJoins }));
  });
  pages.post(paths.connect, async (c) => {
    if (!isOffered) return refuse(c, c.var.site, 'not-found');
    const differs = await differsFromFile(parts.control);
    if (differs !== null) return seeOther(c, paths.now, differs);
    const { entered, visit } = c.var;
    const { csrf } = visit;
    const read = await readEntered(entered, teller.config);
    const showFaults = ({ form, refused }: FaultyForm) =>
      showPage(c, connectPage({ form, csrf, command, refused }), 422);
    if (read.kind === 'faults') return showFaults(read);
    const { plan } = read;
    const joins = await tryJoins(plan, { clock });
    if (joins?.kind === 'unreported') return showFaults(unreportedForm(joins, entered, teller.config));
    const id = planned.keep(csrf, plan);
    return showPage(c, plannedPage({ plan, id, csrf, practice: practiceNames(teller.config), joins }));
  });
  pages.post(paths.connectWritten, async (c) => {
    if (!isOffered) return refuse(c, c.var.site, 'not-found');
    const by = c.var.visit.person?.id ?? '';
    const ending = await ended(() => write(c, parts, planned));
    const { tone, text, code = 'done' } = ending;
    log.info(
      { code: 'console-action', action: paths.connectWritten, by, tone, ended: code },
      `${by}: ${text}`,
    );
    return seeOther(c, paths.now, ending);
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
      management: managementAt(wanted, { gameServers }),
      state: { entered: { name: [wanted], host: written(old?.host), port: written(old?.port) }, faults: {} },
    };
  const [only, ...others] = gameServers;
  const replaces = only !== undefined && others.length === 0 && only[1].kind === 'practice' ? only[0] : null;
  const state = { entered: replaces === null ? {} : { name: [replaces] }, faults: {} };
  return { replaces, management: null, state };
}

/** How long the page that follows waits to say whether the game server accepts the login and reports joins. */
const LOGIN_PATIENCE_MS = 4_000;

async function write(
  c: PageContext<Operator>,
  { teller, control, watch, clock }: WatchingParts,
  planned: PlannedServers,
): Promise<Ending> {
  const plan = planned.take(c.var.visit.csrf, c.var.entered.plan?.[0] ?? '');
  if (plan === null)
    return refused(
      'plan-gone',
      'This change was written already, or is too old. Enter the game server again.',
    );
  const differs = await differsFromFile(control);
  if (differs !== null) return differs;
  await writeGameServer(plan);
  const reply = await control.reload();
  if (reply.kind === 'refused') return reloadEnding(reply);
  const { name, diff } = plan;
  const server = teller.gameServers.find((each) => each.name === name);
  if (server === undefined) return refused('not-served', `${name} is in the config, but is not served.`);
  const wantsJoins = managementAt(name, teller.config) !== null;
  const parts = { watch: watch.gameServers, clock, wantsJoins, patienceMs: LOGIN_PATIENCE_MS };
  const answer = await firstAnswer(server, parts);
  return { ...endingOf(name, answer), json: { name, diff, ...answer } };
}

function endingOf(name: string, { connection, joins }: FirstAnswer): Ending {
  switch (connection.kind) {
    case 'connected':
      return connectedEnding(name, joins);
    case 'untried':
      return { tone: 'warn', text: `${name} is in the config. It has not answered yet.` };
    case 'trouble':
      return {
        tone: 'warn',
        text: `${name} is in the config, but ${connection.sentence} (${connection.code}).`,
      };
  }
}

function connectedEnding(name: string, joins: FirstAnswer['joins']): Ending {
  if (joins === null) return { tone: 'good', text: `${name} is in the config, and accepts the login.` };
  if (joins.kind === 'reported')
    return { tone: 'good', text: `${name} is in the config, accepts the login, and reports joins at once.` };
  const text = `${name} is in the config, and accepts the login. But ${joins.sentence} (${joins.code}).`;
  return { tone: 'warn', text };
}
