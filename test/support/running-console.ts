/** A whole Teller in the process of a test, and its console. The kit's `here` is the newer one. */
import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { linkFileIn } from '../../src/console/access/files.ts';
import { readLink } from '../../src/console/access/one-time-link.ts';
import { type Console, startConsole } from '../../src/console/console.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { Observer } from '../../src/core/observer.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type App, startApp } from '../../src/main/app.ts';
import { metricsFor } from '../../src/notify/metrics/wanted.ts';
import { startControl } from '../../src/operator/control/control.ts';
import { controlFolder } from '../../src/operator/control/place.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { configFolder, lookInto } from './config-folder.ts';
import { testEnvironment } from './environment.ts';
import { type BrowserResponse, FakeBrowser } from './fake-browser.ts';
import { silentLog } from './log.ts';

interface RunningApp {
  readonly app: App;
  readonly look: Ledger;
  readonly folder: string;
  readonly config: string;
}

/** A complete Teller in this process, with the test's clock. */
async function runningApp(
  clock: Clock,
  overrides: object = {},
  log: Log = silentLog,
  observer?: Observer,
): Promise<RunningApp> {
  const { folder, config } = configFolder(overrides);
  const app = await startApp(await loadConfig(config), {
    ...testEnvironment(clock, log),
    ...(observer === undefined ? {} : { observer }),
  });
  onTestFinished(() => app.close());
  return { app, look: lookInto(app.config.ledger), folder, config };
}

export interface RunningConsole extends RunningApp {
  readonly console: Console;
  /** A browser that has not signed in. */
  visitor(): FakeBrowser;
  /** A browser that has opened the one-time link. Only one can be had of each console. */
  operator(): Promise<FakeBrowser>;
  /** Reads the config file again and applies it. */
  reload(): Promise<unknown>;
}

/** A whole Teller in this process, with its console on a free port. */
export async function runningConsole(
  clock: Clock,
  overrides: object = {},
  log: Log = silentLog,
): Promise<RunningConsole> {
  const metrics = await metricsFor(await loadConfig(configFolder(overrides).config));
  const running = await runningApp(clock, overrides, log, metrics ?? undefined);
  const { app, config } = running;
  const control = await startControl({ app, load: () => loadConfig(config), clock, log });
  onTestFinished(() => control.close());
  const reload = () => control.reload();
  const console = await startConsole({
    ...{ teller: app, control, clock, log },
    metrics,
    random: systemRandom,
    command: (words) => `teller ${words}`,
  });
  onTestFinished(() => console.close());
  const visitor = () => browserOf(console.url);
  return {
    ...running,
    ...{ console, visitor, reload },
    operator: async () => {
      const browser = visitor();
      await openLink(browser, console.link);
      return browser;
    },
  };
}

const pathOf = (url: string): string => new URL(url).pathname;

/** Opens a one-time link and presses its button. */
async function openLink(browser: FakeBrowser, link: string | null): Promise<BrowserResponse> {
  const path = pathOf(link ?? '');
  const shown = await browser.get(path);
  return shown.status === 200 ? browser.post(path) : shown;
}

/** The one-time link that works now. */
export const presentLink = ({ app }: Pick<RunningApp, 'app'>): Promise<string | null> =>
  readLink(linkFileIn(controlFolder(app.config.ledger)));

/** A browser that sends its requests over the network and does not follow redirects. */
function browserOf(url: string): FakeBrowser {
  const request = (to: string, init?: RequestInit) => fetch(to, { ...init, redirect: 'manual' });
  return new FakeBrowser({ request: request as never }, new URL(url).host);
}
