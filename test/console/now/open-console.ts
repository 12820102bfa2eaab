import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { FakeBrowser } from '../../support/fake-browser.ts';
import { silentLog } from '../../support/log.ts';
import { factsOf, findingsOf, type ShownFinding, textOf } from '../../support/page-text.ts';
import { type RunningConsole, runningConsole } from '../../support/running-console.ts';

/** The page that the browser shows after a form. */
export interface Acted {
  /** 303: the form led to that page. */
  readonly status: number;
  readonly page: string;
  /** The same without markup. */
  readonly text: string;
}

export interface OpenConsole extends RunningConsole {
  readonly browser: FakeBrowser;
  /** The page. */
  page(): Promise<string>;
  /** The text of the page, without markup. */
  text(): Promise<string>;
  /** What the checks found so far, as the page shows it. */
  problems(): Promise<readonly ShownFinding[]>;
  /** What the page says of its first game server. */
  gameServer(): Promise<Readonly<Record<string, string>>>;
  /** Posts a form of the page. */
  act(path: string, fields?: Readonly<Record<string, string>>): Promise<Acted>;
}

/** A whole Teller whose console an operator has open. */
export async function openConsole(
  overrides: object = {},
  clock: Clock = systemClock,
  log: Log = silentLog,
): Promise<OpenConsole> {
  const running = await runningConsole(clock, overrides, log);
  const browser = await running.operator();
  const page = async () => (await browser.get('/')).text;
  return {
    ...running,
    browser,
    page,
    text: async () => textOf({ text: await page() }),
    problems: async () => findingsOf(await page()),
    gameServer: async () => factsOf(await page())[0] ?? {},
    act: async (path, fields) => {
      await page();
      const answer = await browser.post(path, fields);
      const { text } = answer.status === 303 ? await browser.get(answer.to ?? '') : answer;
      return { status: answer.status, page: text, text: textOf({ text }) };
    },
  };
}
