import type { FakeBrowser } from '../fake-browser.ts';
import type { RunningConsole } from '../running-console.ts';
import type { SettableClock } from '../settable-clock.ts';

/** A running console in a state that is worth a look. */
export interface ConsoleState extends RunningConsole {
  readonly clock: SettableClock;
  /** It has signed in. */
  readonly browser: FakeBrowser;
}

/** Now, in every state. */
export const NOW = '2026-06-17T18:40:00Z';
