import { printable } from '../core/printable.ts';
import type { Terminal } from '../platform/terminal.ts';
import { printJson, printTable } from './command.ts';
import type { Operation } from './dashboard-operation.ts';
import type { Answered } from './dashboard-session.ts';

type Row = Readonly<Record<string, unknown>>;

/** Prints the service's answer: unchanged for scripts, as a table or as lines for people. */
export function printAnswer(
  terminal: Terminal,
  { rows: key, columns }: Operation,
  { ok, json }: Answered,
  asJson: boolean,
): void {
  const rows = ok && key !== undefined ? (json[key] as readonly Row[]) : [json];
  if (asJson) printJson(terminal, rows);
  else if (!ok) terminal.err(`error: ${text(json.message)} [${text(json.code)}]`);
  else if (key === undefined) printLines(terminal, json);
  else if (rows.length === 0) terminal.err('none found');
  else {
    const names = columns ?? Object.keys(rows[0] ?? {});
    printTable(terminal, [names, ...rows.map((row) => names.map((name) => text(row[name])))]);
    if (typeof json.older === 'string') terminal.err(`for older ones: --before ${beforeIn(json.older)}`);
  }
}

const beforeIn = (address: string): string =>
  new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('before') ?? '';

/** Prints `message` first, then each value after its name; nested values are indented. */
function printLines(terminal: Terminal, { message, ...values }: Row): void {
  if (message !== undefined) terminal.out(text(message));
  for (const line of lines(values, '')) terminal.out(line);
}

function lines(values: Row, indent: string): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (value === null || typeof value !== 'object') return [`${indent}${name}: ${text(value)}`];
    const under = Array.isArray(value)
      ? value.map((item) => `${indent}  ${inOneLine(item)}`)
      : lines(value as Row, `${indent}  `);
    return under.length === 0 ? [`${indent}${name}: none`] : [`${indent}${name}:`, ...under];
  });
}

const inOneLine = (item: unknown): string =>
  item !== null && typeof item === 'object' ? Object.values(item).map(text).join('  ') : text(item);

/** Escapes text from strangers, such as a receiver's response or a player's name. */
function text(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return printable(typeof value === 'string' ? value : JSON.stringify(value), 2048);
}
