import { busyState } from './busy.ts';
import { emptyState } from './empty.ts';
import type { ConsoleState } from './state.ts';
import { troubleState } from './trouble.ts';

/** The states in which pages are looked at, each a whole Teller in this process that ends with the test. */
export const consoleStates: Readonly<Record<'empty' | 'busy' | 'trouble', () => Promise<ConsoleState>>> = {
  empty: emptyState,
  busy: busyState,
  trouble: troubleState,
};
