import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { Observer } from '../../src/core/observer.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type App, startApp } from '../../src/main/app.ts';
import { configFolder, lookInto } from './config-folder.ts';
import { testEnvironment } from './environment.ts';
import { silentLog } from './log.ts';

export interface RunningApp {
  readonly app: App;
  readonly look: Ledger;
  readonly folder: string;
  readonly config: string;
}

/** A complete Teller in this process, with the test's clock. */
export async function runningApp(
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
