import { Hono } from 'hono';
import { alarmsReport } from '../../operator/alarms/report.ts';
import { type AlarmsTest, testAlarms } from '../../operator/alarms/test-message.ts';
import { type Ending, seeOther, showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { alarmsPage } from './page.ts';

/** What the operator is notified of at one URL, and a test of it. */
export function alarmsPages({ teller, clock, random, log, command }: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.alarms, async (c) => {
    const report = await alarmsReport(teller.config, clock);
    const view = { report, csrf: c.var.visit.csrf, now: clock.now(), command };
    return showPage(c, { ...alarmsPage(view), json: report });
  });
  pages.post(paths.testAlarms, async (c) => {
    const by = c.var.visit.person?.id;
    log.info({ code: 'console-test-alarms', by }, `${by} sends a test message to the URL of the alarms`);
    return seeOther(c, paths.alarms, endingOf(await testAlarms(teller.config, { clock, random })));
  });
  return pages;
}

function endingOf(result: AlarmsTest): Ending {
  switch (result.kind) {
    case 'not-configured':
      return { tone: 'bad', code: 'alarms-none', text: 'The config has no alarms: add a URL first.' };
    case 'arrived':
      return { tone: 'good', text: `The test message arrived (HTTP ${result.status}).`, json: result };
    case 'failed':
      return {
        tone: 'bad',
        code: result.code,
        text: `The test message did not arrive: ${result.sentence}. ${result.toDo}.`,
        json: result,
      };
  }
}
