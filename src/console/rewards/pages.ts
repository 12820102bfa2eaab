import path from 'node:path';
import { Hono } from 'hono';
import { compareConfigFile } from '../../operator/config-file/compare.ts';
import { ComingMonths } from '../../operator/simulation/month/coming-months.ts';
import { configWords } from '../../operator/words/config.ts';
import { localPath } from '../../web/local-path.ts';
import { seeOther, showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { reloadEnding } from '../reload-ending.ts';
import { rewardsPage } from './page.ts';

/** The same draws at each look. */
const MONTH = { days: 30, seed: 1, voters: null } as const;

/** What the config promises, what the file would change, and a button that applies it. */
export function rewardsPages({
  teller,
  control,
  clock,
  log,
  onEnd,
  command,
}: ConsoleParts): Hono<ConsoleEnv> {
  const months = new ComingMonths({ ledger: teller.ledger, clock, onChange: () => {} });
  onEnd(() => months.close());
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.rewards, async (c) => {
    const { config } = teller;
    const words = configWords(config, clock);
    const file = await compareConfigFile(control, config, clock);
    const month = months.look(config, MONTH);
    const view = {
      words,
      file,
      month,
      csrf: c.var.visit.csrf,
      fileName: path.basename(config.file),
      command,
    };
    return showPage(c, { ...rewardsPage(view), json: { words, file, month } });
  });
  pages.post(paths.reload, async (c) => {
    const by = c.var.visit.person?.id;
    log.info({ code: 'console-reload', by }, `${by} reloads the config`);
    const ending = reloadEnding(await control.reload());
    return seeOther(c, localPath(c.var.entered.next?.[0], paths.rewards), ending);
  });
  return pages;
}
