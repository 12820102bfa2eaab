import path from 'node:path';
import { Hono } from 'hono';
import { compareConfigFile } from '../../operator/config-file/compare.ts';
import { pastPayments } from '../../operator/figures/past-payments.ts';
import { configWords } from '../../operator/words/config.ts';
import { localPath } from '../../web/local-path.ts';
import { seeOther, showPage } from '../../web/show.ts';
import { Kept } from '../kept.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { reloadEnding } from '../reload-ending.ts';
import { rewardsPage } from './page.ts';

/** Grants of four weeks are many, and their sums change slowly. */
const KEPT_MS = 60_000;

/** What the config promises, what the file would change, and a button that applies it. */
export function rewardsPages({ teller, control, clock, log, command }: ConsoleParts): Hono<ConsoleEnv> {
  const payments = new Kept(clock, KEPT_MS, () => pastPayments(teller.ledger, clock.now()));
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.rewards, async (c) => {
    const { config } = teller;
    const view = {
      words: configWords(config, clock),
      file: await compareConfigFile(control, config, clock),
      past: await payments.get(null),
      csrf: c.var.visit.csrf,
      fileName: path.basename(config.file),
      command,
    };
    return showPage(c, rewardsPage(view));
  });
  pages.post(paths.reload, async (c) => {
    const by = c.var.visit.person?.id;
    log.info({ code: 'console-reload', by }, `${by} reloads the config`);
    const ending = reloadEnding(await control.reload());
    return seeOther(c, localPath(c.var.entered.next?.[0], paths.rewards), ending);
  });
  return pages;
}
