import type { nowJson } from '../../../src/console/now/json.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Finding } from '../../../src/core/finding.ts';
import type { Log } from '../../../src/core/log.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { FakeBrowser } from '../../support/fake-browser.ts';
import { silentLog } from '../../support/log.ts';
import { textOf } from '../../support/page-text.ts';
import { type RunningConsole, runningConsole } from '../../support/running-console.ts';

export const AS_JSON = { accept: 'application/json' };

export type NowJson = ReturnType<typeof nowJson>;

/** The answer to a form. */
export interface Acted {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface OpenConsole extends RunningConsole {
  readonly browser: FakeBrowser;
  /** The page as values. */
  json(): Promise<NowJson>;
  /** The text of the page, without markup. */
  text(): Promise<string>;
  /** What the checks found so far. */
  problems(): Promise<readonly Finding[]>;
  /** Posts a form of the page, as a program does. */
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
  const json = async () => JSON.parse((await browser.get('/', AS_JSON)).text);
  return {
    ...running,
    browser,
    json,
    text: async () => textOf(await browser.get('/')),
    problems: async () => (await json()).problems,
    act: async (path, fields) => {
      await browser.get('/');
      const { csrf } = browser;
      const headers = csrf === '' ? await browser.get('/', AS_JSON) : null;
      const token = headers?.headers.get('x-csrf-token') ?? csrf;
      const { status, text } = await browser.post(path, { csrf: token, ...fields }, AS_JSON);
      return { status, json: JSON.parse(text) };
    },
  };
}
