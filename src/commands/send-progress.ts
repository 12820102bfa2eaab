import type { Cancel, Clock } from '../core/clock.ts';
import type { Terminal } from '../platform/terminal.ts';

/** The state of sending many votes, for showing progress. */
export interface SendView {
  readonly total: number;
  /** How many votes have been sent so far. */
  done(): number;
  /** Called when a person interrupts the command; the process then exits with 1. */
  interrupted(): void;
}

export interface Progress {
  stop(): void;
}

const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 5_000;

/** A bar at a terminal, otherwise a line every few seconds; nothing for a single vote. */
export async function showProgress(view: SendView, terminal: Terminal, clock: Clock): Promise<Progress> {
  if (view.total === 1) return { stop: () => {} };
  return terminal.interactive ? await showBar(view, clock) : showLines(view, terminal, clock);
}

function showLines(view: SendView, terminal: Terminal, clock: Clock): Progress {
  return { stop: every(clock, LINE_EVERY_MS, () => terminal.err(`${progressOf(view)} votes sent`)) };
}

/** Loads the prompt library only now, because most runs show no bar. */
async function showBar(view: SendView, clock: Clock): Promise<Progress> {
  const { progress } = await import('@clack/prompts');
  const bar = progress({ max: view.total, output: process.stderr, onCancel: () => process.exit(1) });
  let shown = 0;
  const show = () => {
    const done = view.done();
    bar.advance(done - shown, progressOf(view));
    shown = done;
  };
  // While the bar is shown, its library handles Ctrl-C and Escape and exits with 0, which would mean "all accepted".
  const leave = () => {
    process.exitCode = 1;
    view.interrupted();
  };
  bar.start(progressOf(view));
  process.once('exit', leave);
  const cancel = every(clock, BAR_EVERY_MS, show);
  return {
    stop: () => {
      cancel();
      process.off('exit', leave);
      bar.stop(`${progressOf(view)} votes`);
    },
  };
}

const progressOf = (view: SendView): string =>
  `${view.done().toLocaleString('en')} of ${view.total.toLocaleString('en')}`;

function every(clock: Clock, intervalMs: number, callback: () => void): Cancel {
  let cancel = clock.after(intervalMs, again);
  function again() {
    callback();
    cancel = clock.after(intervalMs, again);
  }
  return () => cancel();
}
