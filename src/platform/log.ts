import type { LevelWithSilent } from 'pino';
import { commonJs } from '../core/common-js.ts';
import { isoTime } from '../core/instant.ts';
import type { Log } from '../core/log.ts';
import { escaped, UNPRINTABLE } from '../core/printable.ts';
import { lostLinesSentence, type Terminal } from './terminal.ts';

const { pino } = commonJs('pino') as typeof import('pino');

/** Besides `err`, which pino knows. */
const serializers = { error: pino.stdSerializers.err };

const COLOURS: Readonly<Record<number, string>> = { 20: '\u001b[2m', 40: '\u001b[33m', 50: '\u001b[31m' };
const RESET = '\u001b[0m';

/** `auto`: text in a terminal, JSON otherwise. */
export const LOG_FORMATS = ['auto', 'text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * The log on standard error: sentences for people, JSON lines with all fields for programs. Standard output is for the
 * results of commands. Unprintable characters are escaped, because a terminal may show the lines.
 *
 * @param now the time of its lines, which is that of what they are about, also where practice moves it
 */
export function createLog(
  level: LevelWithSilent,
  terminal: Terminal,
  format: LogFormat = 'auto',
  now: () => number = Date.now,
): Log & { level: string } {
  const isText = format === 'auto' ? terminal.interactive : format === 'text';
  const sentence = terminal.interactive ? readable : dated;
  const write = isText
    ? (line: string) => terminal.err(sentence(line))
    : (line: string) => terminal.err(line.trimEnd().replaceAll(UNPRINTABLE, escaped));
  const timestamp = (): string => `,"time":"${isoTime(now())}"`;
  const log = pino({ level, base: null, timestamp, serializers }, { write });
  terminal.onLost?.((lines) => log.warn({ code: 'log-lines-lost', lines }, lostLinesSentence(lines)));
  return log;
}

interface Entry {
  readonly time: string;
  readonly level: number;
  readonly code?: string;
  readonly msg: string;
}

function readable(line: string): string {
  const { time, level, msg } = JSON.parse(line) as Entry;
  return `${COLOURS[level] ?? ''}${time.slice(11, 19)}  ${msg}${RESET}`;
}

/** For a file or a service's journal: with date, level and code, and without colours. */
function dated(line: string): string {
  const { time, level, code, msg } = JSON.parse(line) as Entry;
  const name = (pino.levels.labels[level] ?? '').padEnd(5);
  return `${time}  ${name}  ${msg}${code === undefined ? '' : ` [${code}]`}`;
}
