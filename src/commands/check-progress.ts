import { type Clock, pause } from '../core/clock.ts';
import type { DeepPart } from '../ledger/ledger.ts';
import type { Terminal } from '../platform/terminal.ts';

/** Progress while the whole ledger is read. */
export interface DeepProgress {
  part(part: DeepPart): Promise<void>;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;
/** Lets the bar be drawn before the next part blocks the process. */
const DRAWN_MS = 100;

/** A bar at a terminal, otherwise a line every few seconds. */
export const deepProgress = (terminal: Terminal, clock: Clock): DeepProgress =>
  terminal.interactive ? bar(clock) : lines(terminal, clock);

function lines(terminal: Terminal, clock: Clock): DeepProgress {
  let shownAt = clock.monotonic();
  return {
    part: async (part) => {
      if (clock.monotonic() - shownAt < LINE_EVERY_MS) return;
      shownAt = clock.monotonic();
      terminal.err(`${percentOf(part)} % of the ledger read, now reading ${nameOf(part)}`);
    },
    stop: () => {},
  };
}

/** Loads the prompt library only now, because most runs show no bar. */
function bar(clock: Clock): DeepProgress {
  let shown: Awaited<ReturnType<typeof startBar>> | null = null;
  let percent = 0;
  return {
    part: async (part) => {
      const isFirst = shown === null;
      shown ??= await startBar();
      const advanced = percentOf(part) - percent;
      percent += advanced;
      shown.advance(advanced, `reading ${nameOf(part)}`);
      if (isFirst || advanced > 0) await pause(clock, DRAWN_MS);
    },
    stop: () => shown?.stop('finished reading the ledger'),
  };
}

async function startBar() {
  const { progress } = await import('@clack/prompts');
  const started = progress({ max: 100, output: process.stderr, onCancel: () => process.exit(1) });
  started.start('reading the ledger');
  return started;
}

const percentOf = ({ share }: DeepPart): number => Math.floor(share * 100);

const nameOf = ({ table }: DeepPart): string => (table === '' ? 'its structure' : `the table ${table}`);
