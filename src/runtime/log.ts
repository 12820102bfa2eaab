import { type LevelWithSilent, pino } from 'pino';
import type { Log } from '../core/log.ts';
import { escaped, UNPRINTABLE } from '../core/printable.ts';
import type { Terminal } from './terminal.ts';

const COLOURS: Readonly<Record<number, string>> = { 20: '\u001b[2m', 40: '\u001b[33m', 50: '\u001b[31m' };
const RESET = '\u001b[0m';

/**
 * The log on standard error: sentences where a person is looking, JSON lines with all fields where a program is.
 * Standard output is left to what commands print. Names from outside are escaped, as JSON may have it, since a terminal
 * may show the lines.
 */
export function createLog(level: LevelWithSilent, terminal: Terminal): Log & { level: string } {
  const write = terminal.interactive
    ? (line: string) => terminal.err(readable(line))
    : (line: string) => terminal.err(line.trimEnd().replaceAll(UNPRINTABLE, escaped));
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

function readable(line: string): string {
  const { time, level, msg } = JSON.parse(line) as { time: string; level: number; msg: string };
  return `${COLOURS[level] ?? ''}${time.slice(11, 19)}  ${msg}${RESET}`;
}
