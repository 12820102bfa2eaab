import type { SeenGameTime } from '../../../core/proof.ts';
import { plain } from '../../reply-text.ts';

/** What a mark says: the command ran, it ran and failed, or there is no mark. */
export type MarkState = 'ran' | 'failed' | 'absent' | 'unclear';

/**
 * Reads the answer to `data get storage`. Only the value at its end and the sentence of the game itself count; anything
 * else is unclear, such as an answer in another language about a mark that is absent.
 */
export function readMark(reply: string, mark: string): MarkState {
  const text = plain(reply).trim();
  const [, value] = /\bteller:paid\b.*: ([01])b$/s.exec(text) ?? [];
  if (value !== undefined) return value === '1' ? 'ran' : 'failed';
  return text.endsWith(`Found no elements matching ${mark}`) ? 'absent' : 'unclear';
}

/**
 * In ticks; null if it is not understood, such as the answer of a plugin's own `time`. The sentence is another one since
 * Java Edition 26.1.
 */
export function readGameTime(reply: string): number | null {
  const [, ticks] =
    /^The (?:time is (?=\d+$)|game time is (?=\d+ tick\(s\)$))(\d{1,15})/.exec(plain(reply).trim()) ?? [];
  return ticks === undefined ? null : Number(ticks);
}

/**
 * Commands that leave no mark although they run, or one that speaks for some of its players only: a function without
 * `return` has no result (`debug` can run one too), and `execute` runs for any number of entities.
 */
const WITHOUT_MARK: ReadonlySet<string> = new Set(['debug', 'execute', 'function', 'return']);

/** The first word of a command, in lower case; null if it is not run with a mark. */
export function markableRoot(command: string): string | null {
  const root = (command.replace(/^\//, '').split(' ', 1)[0] ?? '').toLowerCase();
  return root === '' || WITHOUT_MARK.has(root.replace(/^[a-z0-9_.-]+:/, '')) ? null : root;
}

const TICK_MS = 50;
/** By how much game time and real time may differ. It is half of what the fastest restart of a game server takes. */
const DIFFERENCE_MAX_MS = 1_500;

/**
 * Whether the game server ran on without a restart (docs/operators/proof.md): its game time has moved as real time has. A
 * server that crashed has lost the time since its world was saved, and that in which it was down.
 *
 * @param elapsedMs since `before.at`, at most.
 */
export const hasRunOn = (before: SeenGameTime, ticks: number, elapsedMs: number): boolean =>
  Math.abs((ticks - before.ticks) * TICK_MS - elapsedMs) <= DIFFERENCE_MAX_MS;
