import type { Cancel, Clock } from '../core/clock.ts';
import type { Terminal } from '../runtime/terminal.ts';

/** What is told while many votes are sent. */
export interface Sight {
  readonly total: number;
  /** How many have ended by now. */
  done(): number;
  /** Called when a person stops the command under way; the process then ends with 1. */
  interrupted(): void;
}

export interface Progress {
  stop(): void;
}

const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 5_000;

/** A bar for a person, a plain line now and then for a log; nothing for a single vote. */
export async function showProgress(sight: Sight, terminal: Terminal, clock: Clock): Promise<Progress> {
  if (sight.total === 1) return { stop: () => {} };
  return terminal.interactive ? await showBar(sight, clock) : showLines(sight, terminal, clock);
}

function showLines(sight: Sight, terminal: Terminal, clock: Clock): Progress {
  return { stop: every(clock, LINE_EVERY_MS, () => terminal.err(`${progressOf(sight)} votes sent`)) };
}

/** Loaded here: nobody else needs the prompts, and most runs have no bar. */
async function showBar(sight: Sight, clock: Clock): Promise<Progress> {
  const { progress } = await import('@clack/prompts');
  const bar = progress({ max: sight.total, output: process.stderr, onCancel: () => process.exit(1) });
  let shown = 0;
  const show = () => {
    const done = sight.done();
    bar.advance(done - shown, progressOf(sight));
    shown = done;
  };
  // While it stands, the bar's library takes Ctrl-C and Escape and exits with 0, which would say "all accepted".
  const leave = () => {
    process.exitCode = 1;
    sight.interrupted();
  };
  bar.start(progressOf(sight));
  process.once('exit', leave);
  const cancel = every(clock, BAR_EVERY_MS, show);
  return {
    stop: () => {
      cancel();
      process.off('exit', leave);
      bar.stop(`${progressOf(sight)} votes`);
    },
  };
}

const progressOf = (sight: Sight): string =>
  `${sight.done().toLocaleString('en')} of ${sight.total.toLocaleString('en')}`;

function every(clock: Clock, intervalMs: number, ring: () => void): Cancel {
  let cancel = clock.after(intervalMs, again);
  function again() {
    ring();
    cancel = clock.after(intervalMs, again);
  }
  return () => cancel();
}
