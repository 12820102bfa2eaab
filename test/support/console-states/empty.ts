import { runningConsole } from '../running-console.ts';
import { SettableClock } from '../settable-clock.ts';
import { type ConsoleState, NOW } from './state.ts';

/** A first start: nothing has arrived, and the only game server is a practice one. */
export async function emptyState(): Promise<ConsoleState> {
  const clock = new SettableClock(NOW);
  const running = await runningConsole(clock);
  return { ...running, clock, browser: await running.operator() };
}
