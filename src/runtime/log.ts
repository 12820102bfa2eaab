import type { Log } from '../core/log.ts';
import { escaped, UNPRINTABLE } from '../core/printable.ts';
import { lostLinesSentence, type Terminal } from './terminal.ts';

/** The numbers are those of pino's lines, which log viewers know. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;
type Level = keyof typeof LEVELS;
export type LogLevel = Level | 'silent';

const COLOURS: Readonly<Record<Level, string>> = {
  debug: '\u001b[2m',
  info: '',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
const RESET = '\u001b[0m';

/** `auto`: text in a terminal, JSON otherwise. */
export const LOG_FORMATS = ['auto', 'text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

interface Entry {
  readonly time: string;
  readonly level: Level;
  readonly fields: object;
  readonly sentence: string;
}

/**
 * The log on standard error: sentences for people, JSON lines with all fields for programs. Standard output is for the
 * results of commands. Unprintable characters are escaped, because a terminal may show the lines.
 *
 * Rejected: pino. Of it, only the formatting would be used, and to load it took 30 ms of CPU and 8 MiB at each start.
 */
export function createLog(
  level: LogLevel,
  terminal: Terminal,
  format: LogFormat = 'auto',
): Log & { level: LogLevel } {
  const line = formatter(terminal, format);
  const printer =
    (level: Level) =>
    (fields: object, sentence: string): void => {
      if (isLogged(level, log.level))
        terminal.err(line({ time: new Date().toISOString(), level, fields, sentence }));
    };
  const log = {
    level,
    debug: printer('debug'),
    info: printer('info'),
    warn: printer('warn'),
    error: printer('error'),
  };
  terminal.onLost?.((lines) => log.warn({ code: 'log-lines-lost', lines }, lostLinesSentence(lines)));
  return log;
}

const isLogged = (level: Level, lowest: LogLevel): boolean =>
  lowest !== 'silent' && LEVELS[level] >= LEVELS[lowest];

function formatter({ interactive }: Terminal, format: LogFormat): (entry: Entry) => string {
  const isText = format === 'auto' ? interactive : format === 'text';
  if (!isText) return json;
  return interactive ? readable : dated;
}

const json = ({ time, level, fields, sentence }: Entry): string =>
  JSON.stringify({ level: LEVELS[level], time, ...printableFields(fields), msg: sentence }).replaceAll(
    UNPRINTABLE,
    escaped,
  );

/** JSON.stringify would print an error as `{}`. */
const printableFields = (fields: object): object =>
  Object.values(fields).some((value) => value instanceof Error)
    ? Object.fromEntries(
        Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? facts(value) : value]),
      )
    : fields;

const facts = (error: Error): object => ({
  type: error.constructor.name,
  message: error.message,
  stack: stackOf(error),
  ...Object.fromEntries(Object.entries(error).filter(([, fact]) => typeof fact !== 'object')),
});

const stackOf = ({ stack, cause }: Error): string =>
  cause instanceof Error ? `${stack}\ncaused by: ${stackOf(cause)}` : `${stack}`;

const readable = ({ time, level, sentence }: Entry): string =>
  `${COLOURS[level]}${time.slice(11, 19)}  ${sentence}${RESET}`;

/** For a file or a service's journal: with date, level and code, and without colours. */
function dated({ time, level, fields, sentence }: Entry): string {
  const code = 'code' in fields ? ` [${fields.code}]` : '';
  return `${time}  ${level.padEnd(5)}  ${sentence}${code}`;
}
