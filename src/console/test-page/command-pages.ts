import { Hono } from 'hono';
import { COMMAND_BYTES_MAX } from '../../core/template-bytes.ts';
import { commandServers, type RanCommand, runTestCommand } from '../../operator/trial/run-test-command.ts';
import { line, oneOf, readFields, ticked } from '../../web/fields.ts';
import { refuse, wantsJson } from '../../web/refusal.ts';
import { seeOther, showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { Kept } from './kept.ts';
import { testPage } from './page.ts';
import { confirmPage, ranCommandPage } from './ran-command.ts';

/** Runs a command on a game server, and shows how it ended. */
export function commandPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, log } = parts;
  const kept = new Kept<RanCommand>();
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
    const chosen = servers.find(({ server }) => server.name === name);
    if (chosen === undefined) return refuse(c, c.var.site, 'not-found');
    if (chosen.isReal && !confirmed) return showPage(c, confirmPage(name, command, visit.csrf), 422);
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
  pages.get(`${paths.testCommand}/:number`, (c) => {
    const ran = kept.get(c.req.param('number'));
    return ran === null ? refuse(c, c.var.site, 'not-found') : showPage(c, ranCommandPage(ran));
  });
  return pages;
}
