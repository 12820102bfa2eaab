import path from 'node:path';
import { Hono } from 'hono';
import { compareConfigFile } from '../../operator/config-file/compare.ts';
import { configWords } from '../../operator/words/config.ts';
import { ComingMonths } from '../../simulation/month/coming-months.ts';
import { type Ending, seeOther, showPage } from '../../web/show.ts';
import type { Reply } from '../../control/messages.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { rewardsPage } from './page.ts';

/** The same draws at each look. */
const MONTH = { days: 30, seed: 1, voters: null } as const;

/** What the config promises, what the file would change, and a button that applies it. */
export function rewardsPages({ teller, control, clock, log, onEnd }: ConsoleParts): Hono<ConsoleEnv> {
  const months = new ComingMonths({ ledger: teller.ledger, clock, onChange: () => {} });
  onEnd(() => months.close());
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.rewards, async (c) => {
    const { config } = teller;
    const words = configWords(config, clock);
    const file = await compareConfigFile(control, config, clock);
    const month = months.look(config, MONTH);
    const view = { words, file, month, csrf: c.var.visit.csrf, fileName: path.basename(config.file) };
    return showPage(c, { ...rewardsPage(view), json: { words, file, month } });
  });
  pages.post(paths.reload, async (c) => {
    const by = c.var.visit.person?.id;
    log.info({ code: 'console-reload', by }, `${by} reloads the config`);
    return seeOther(c, paths.rewards, endingOf(await control.reload()));
  });
  return pages;
}

function endingOf(reply: Reply): Ending {
  if (reply.kind === 'refused') return { tone: 'bad', code: reply.code, text: reply.sentence };
  const { applied, needRestart } = reply;
  const rest =
    needRestart.length === 0 ? '' : ` Restart Teller for ${needRestart.map(({ key }) => key).join(', ')}.`;
  const what =
    applied.length === 0 ? 'Nothing to apply.' : `Applied ${applied.map(({ key }) => key).join(', ')}.`;
  return {
    tone: needRestart.length === 0 ? 'good' : 'warn',
    text: `${what}${rest}`,
    json: { applied, needRestart },
  };
}
