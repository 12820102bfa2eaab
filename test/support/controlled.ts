import { onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Clock } from '../../src/core/clock.ts';
import { type Control, startControl } from '../../src/operator/control/control.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Line, loggedLines } from './logged-lines.ts';
import { type RunningApp, runningApp } from './running-app.ts';

export interface Controlled extends RunningApp {
  readonly control: Control;
  readonly lines: readonly Line[];
}

/** A running Teller that `teller reload` can reach. */
export async function controlledApp(overrides: object = {}, clock: Clock = systemClock): Promise<Controlled> {
  const { log, lines } = loggedLines();
  const running = await runningApp(clock, overrides, log);
  const load = () => loadConfig(running.config);
  const control = await startControl({ app: running.app, load, clock, log });
  onTestFinished(() => control.close());
  return { ...running, control, lines };
}
