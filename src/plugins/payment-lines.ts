import { parseVotedName, playerKey } from '../core/player-name.ts';
import { serviceNameOf } from '../core/service-name.ts';
import { isWrittenTime, readTime } from '../core/written-time.ts';
import { fieldsIn } from './line-fields.ts';
import { LogDays } from './log-days.ts';

/** What a file says that another listener's plugin paid. */
export interface PaymentLine {
  readonly kind: 'payment';
  readonly line: number;
  /** The player's name in lower case, checked (rule 8). */
  readonly player: string;
  /** null: the file does not say. */
  readonly service: string | null;
  /** In ms since the Unix epoch; null: the file does not say. */
  readonly at: number | null;
}

export interface UnusableLine {
  readonly kind: 'unusable';
  readonly line: number;
  /** The end of a sentence. */
  readonly why: string;
}

export interface PaymentFile {
  /** For each line of a log: which of them are payments, with the groups `player`, `service` and `time`. null: CSV or JSON lines. */
  readonly pattern: RegExp | null;
  readonly bedrockPrefixes: readonly string[];
  /** The zone of times that name none. */
  readonly zone: string;
  /** That of the first time of a log whose times name none, such as `2026-11-20`; null: not known. */
  readonly day: string | null;
}

interface Said {
  readonly player?: unknown;
  readonly service?: unknown;
  readonly time?: unknown;
}

/** One payment for each line that has one; other lines of a log are left out. @param chunks the text, cut anywhere. */
export async function* paymentLines(
  chunks: AsyncIterable<string>,
  file: PaymentFile,
): AsyncGenerator<PaymentLine | UnusableLine> {
  if (file.pattern === null) {
    for await (const { line, fields } of fieldsIn(chunks, ['player'])) {
      yield typeof fields === 'string'
        ? { kind: 'unusable', line, why: fields }
        : paymentOf(line, fields, file);
    }
    return;
  }
  const days = new LogDays(file.day);
  for await (const { line, text } of linesOf(chunks)) {
    const groups = file.pattern.exec(text)?.groups;
    if (groups === undefined) continue;
    const { time = '' } = groups;
    yield paymentOf(line, { ...groups, time: days.dated(time.trim()) }, file);
  }
}

/** No log has longer ones; the rest of a longer line is a line of its own. */
const LINE_MAX = 64 * 1024;

async function* linesOf(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ readonly line: number; readonly text: string }> {
  let rest = '';
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > LINE_MAX) lines.push(rest.slice(0, LINE_MAX));
    rest = rest.length > LINE_MAX ? '' : rest;
    for (const text of lines) yield { line: ++line, text };
  }
  if (rest !== '') yield { line: ++line, text: rest };
}

function paymentOf(line: number, said: Said, file: PaymentFile): PaymentLine | UnusableLine {
  const name = parseVotedName(String(said.player ?? ''), file.bedrockPrefixes);
  if (name.kind !== 'name')
    return { kind: 'unusable', line, why: `has no player name, but ${shown(said.player)}` };
  const at = said.time === undefined || said.time === '' ? null : timeOf(String(said.time), file.zone);
  if (at === 'none') return { kind: 'unusable', line, why: `has no day and time, but ${shown(said.time)}` };
  const service = typeof said.service === 'string' ? serviceNameOf(said.service) : '';
  return {
    kind: 'payment',
    line,
    player: playerKey(name.name),
    service: service === '' ? null : service,
    at,
  };
}

/** `2026-11-20 18:00:01` and `2026-11-20T18:00:01.250Z`, or milliseconds. */
function timeOf(text: string, zone: string): number | 'none' {
  const written = text.trim();
  if (/^\d{12,13}$/.test(written)) return Number(written);
  const iso = written.replace(' ', 'T');
  return isWrittenTime(iso) ? readTime(iso, zone) : 'none';
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
