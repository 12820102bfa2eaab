import { Hono } from 'hono';
import { COMMAND_BYTES_MAX } from '../../core/template-bytes.ts';
import {
  type CommandServer,
  commandServers,
  type RanCommand,
  runTestCommand,
} from '../../operator/trial/run-test-command.ts';
import { line, oneOf, readFields, ticked } from '../../web/fields.ts';
import { refuse, wantsJson } from '../../web/refusal.ts';
import { seeOther, showPage } from '../../web/show.ts';
import { askToSignInAgain, freshMs } from '../access/fresh.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { Kept } from './kept.ts';
import { testPage } from './page.ts';
import { confirmPage, ranCommandPage } from './ran-command.ts';

const WHY =
  'A command can do anything on a game server, so it runs only in the 5 minutes after signing in. Yours has not run yet: the next page shows it.';

/** A command that was typed, and not run because its operator had to sign in again. */
interface TypedCommand {
  readonly name: string;
  readonly command: string;
}

/** Runs a command on a game server, and shows how it ended. */
export function commandPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, log } = parts;
  const kept = new Kept<RanCommand>();
  const typed = new Kept<TypedCommand>();
  const serverNamed = (name: string): CommandServer | undefined =>
    commandServers(teller.config, teller.gameServers).find(({ server }) => server.name === name);
  const pages = new Hono<ConsoleEnv>();
  pages.post(paths.testCommand, async (c) => {
    const { entered, visit } = c.var;
    const servers = commandServers(teller.config, teller.gameServers);
    const read = readFields(entered, {
      server: oneOf(
        'Game server',
        servers.map(({ server }) => server.name),
      ),
      command: line({ label: 'Command', most: COMMAND_BYTES_MAX }),
      confirmed: ticked,
    });
    if (read.kind === 'faults')
      return showPage(c, testPage(parts, visit.csrf, { command: { entered, faults: read.faults } }), 422);
    const { server: name, command, confirmed } = read.values;
    const chosen = serverNamed(name);
    if (chosen === undefined) return refuse(c, c.var.site, 'not-found');
    if (freshMs(c, parts) === 0)
      return askToSignInAgain(c, parts, {
        next: paths.typedCommand(typed.add({ name, command })),
        why: WHY,
      });
    if (chosen.isReal && !confirmed) return showPage(c, confirmPage(chosen, command, visit.csrf), 422);
    const ran = await runTestCommand(chosen.server, command);
    log.info(
      { code: 'test-command', by: visit.person?.id, server: name, command, outcome: ran.outcome },
      'a test command was run from the console',
    );
    const path = paths.ranCommand(kept.add(ran));
    // The page itself says how it ended.
    if (!wantsJson(c)) return seeOther(c, path);
    return seeOther(c, path, { tone: 'good', text: ran.sentence, json: { path, ...ran } });
  });
  pages.get(paths.typedCommand(':number'), (c) => {
    const found = typed.get(c.req.param('number') ?? '');
    const chosen = found === null ? undefined : serverNamed(found.name);
    return found === null || chosen === undefined
      ? refuse(c, c.var.site, 'not-found')
      : showPage(c, confirmPage(chosen, found.command, c.var.visit.csrf));
  });
  pages.get(`${paths.testCommand}/:number`, (c) => {
    const ran = kept.get(c.req.param('number'));
    return ran === null ? refuse(c, c.var.site, 'not-found') : showPage(c, ranCommandPage(ran));
  });
  return pages;
}
