/** What a run of the benchmark prints: a table for each part, and every bar with what was measured. */

/** What a measurement should reach. Every bar is printed, whether it was measured or not. */
export interface Bar {
  /** What is measured. */
  readonly row: string;
  readonly limit: number;
  readonly unit: string;
  readonly holds: 'at most' | 'at least';
}

const atMost = (limit: number, unit: string, row: string): Bar => ({ row, limit, unit, holds: 'at most' });
const atLeast = (limit: number, unit: string, row: string): Bar => ({ row, limit, unit, holds: 'at least' });

/** They are for the full sizes. Several figures can be held against one bar. */
export const bars = {
  'vote-statements': atMost(8, 'statements', 'a vote of a known player, without rewards'),
  'rewarded-statements': atMost(10, 'statements', 'a vote with two plain rewards'),
  'conditions-statements': atMost(14, 'statements', 'a vote with every condition'),
  'command-statements': atMost(4, 'statements', 'a delivered command'),
  'idle-looks': atMost(60, 'looks', 'an idle minute: whether another process wrote'),
  'idle-statements': atMost(1, 'statements', 'an idle minute: all others, which is the heartbeat'),
  'cpu-bare': atMost(1.9, '×', 'v2, warm: CPU, compared with a bare Node server'),
  'cpu-one': atMost(3, '×', 'v2, warm, one connection: CPU, compared with a bare Node server'),
  'cpu-beside': atMost(2, '×', 'v2, warm: CPU, compared with another listener that runs already'),
  'v1-cpu': atMost(1.35, '×', 'v1: CPU, compared with one RSA operation and a v2 vote'),
  'cold-cpu': atMost(2.5, '×', 'v2, the first 2,000 votes: CPU, compared with warm votes'),
  'slow-64-rate': atLeast(1_500, 'votes/s', 'fsync 20 ms, 64 connections'),
  'slow-64-p99': atMost(150, 'ms', 'fsync 20 ms, 64 connections: 99th percentile'),
  'slow-64-failed': atMost(0, 'failed', 'fsync 20 ms, 64 connections: votes that failed'),
  'slow-512-rate': atLeast(3_500, 'votes/s', 'fsync 20 ms, 512 connections'),
  'slow-512-failed': atMost(0, 'failed', 'fsync 20 ms, 512 connections: votes that failed'),
  'vote-to-command': atMost(5, 'ms', 'last byte of a vote to first byte of its command: median'),
  'backlog-failed': atMost(0, 'failed', 'backlog on three game servers: votes that failed'),
  'backlog-p99': atMost(4, 'fsyncs', 'backlog on three game servers: added to the 99th percentile'),
  'waiting-cpu': atMost(
    1.05,
    '×',
    '100,000 grants wait for their players: CPU of a vote, compared with none',
  ),
  'ready-ms': atMost(400, 'ms', 'start to ready, installed: median'),
  'idle-mib': atMost(90, 'MiB', 'memory when idle'),
  'intake-large': atLeast(0.8, '×', '10 million votes: votes a second, compared with an empty ledger'),
  'conditions-large': atMost(
    120,
    'µs',
    '10 million votes, every condition: CPU of the ledger’s thread, more than with two plain rewards',
  ),
  'wal-large': atMost(5.5, 'pages', '10 million votes: a vote without rewards adds to the WAL'),
  'read-large': atMost(50, 'ms', '10 million votes: `explain`, and each page: in SQLite, median'),
  'tops-large': atMost(
    150,
    'ms',
    '10 million votes: tops of all time, which are read for the first page: in SQLite',
  ),
  'page-p99': atMost(150, 'ms', '1 million votes, while votes arrive: each page, 99th percentile'),
  'page-first': atMost(
    150,
    'ms',
    '1 million votes, while votes arrive: each page, first request after a start',
  ),
  'delay-p999': atMost(50, 'ms', 'event-loop delay while pages are read: 99.9th percentile'),
} as const satisfies Record<string, Bar>;

export type BarId = keyof typeof bars;

/** What is counted, and not timed, is the same on every machine; and what another listener costs was measured on this one. */
const COUNTED = ['statements', 'looks'];
export const isBroken = ({ id, unit, met }: BarResult): boolean =>
  (COUNTED.includes(unit) || id === 'cpu-beside') && met === false;

const isMet = ({ limit, holds }: Bar, measured: number): boolean =>
  holds === 'at most' ? measured <= limit : measured >= limit;

/** One measured number: a cell of the table of its part. */
export interface Figure {
  readonly part: string;
  readonly row: string;
  /** The column, with the unit: `p99 ms`. */
  readonly figure: string;
  readonly value: number;
  /** The bar that this figure is held against. */
  readonly bar?: BarId;
}

/** A part, or something in it, that was not measured, and why. */
export interface Skipped {
  readonly part: string;
  readonly why: string;
}

export interface Report {
  /** Machine, versions, sizes: what the figures depend on. */
  readonly header: Readonly<Record<string, string>>;
  readonly figures: readonly Figure[];
  readonly skipped: readonly Skipped[];
}

export interface BarResult extends Bar {
  readonly id: string;
  /** null: not measured in this run. */
  readonly measured: number | null;
  readonly met: boolean | null;
}

/** Every bar with what was measured for it. If several figures name one bar, the worst counts. */
export function barResults(figures: readonly Figure[]): BarResult[] {
  return Object.entries(bars).map(([id, bar]) => {
    const values = figures.filter((figure) => figure.bar === id).map(({ value }) => value);
    const worst = bar.holds === 'at most' ? Math.max(...values) : Math.min(...values);
    const measured = values.length === 0 ? null : worst;
    return { id, ...bar, measured, met: measured === null ? null : isMet(bar, measured) };
  });
}

export function reportLines({ header, figures, skipped }: Report): string[] {
  return [
    ...Object.entries(header).map(([name, value]) => `${name}: ${value}`),
    ...distinct(figures.map(({ part }) => part)).flatMap((part) => ['', ...partLines(part, figures)]),
    ...skipped.flatMap(({ part, why }) => ['', `${part}: skipped, because ${why}`]),
    '',
    ...barLines(figures),
  ];
}

/** A line for each row, and a column for each kind of figure. */
function partLines(part: string, figures: readonly Figure[]): string[] {
  const own = figures.filter((figure) => figure.part === part);
  const columns = distinct(own.map(({ figure }) => figure));
  const cell = (row: string, column: string): string => {
    const found = own.find((figure) => figure.row === row && figure.figure === column);
    return found === undefined ? '' : shown(found.value);
  };
  return tableLines([
    [part, ...columns],
    ...distinct(own.map(({ row }) => row)).map((row) => [
      `  ${row}`,
      ...columns.map((column) => cell(row, column)),
    ]),
  ]);
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)];

const barLines = (figures: readonly Figure[]): string[] =>
  tableLines([
    ['bars', 'bar', 'measured', 'met'],
    ...barResults(figures).map(({ row, limit, unit, holds, measured, met }) => [
      `  ${row}`,
      `${holds} ${shown(limit)} ${unit}`,
      measured === null ? '' : `${shown(measured)} ${unit}`,
      met === null ? 'not run' : met ? 'yes' : 'NO',
    ]),
  ]);

/** The same for programs. */
export const reportJson = (report: Report): string =>
  `${JSON.stringify({ ...report, bars: barResults(report.figures) }, null, 2)}\n`;

/** Aligns the first column left and all others right, with two spaces between them. */
function tableLines(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** With three significant digits, without an exponent, and with commas from 10,000 on. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en-US', { useGrouping: size >= 10_000 });
  const digits = size >= 10 ? 1 : 2;
  return value.toFixed(Number.isInteger(value) ? 0 : digits);
}

/** The value below which this share of the numbers lies; 0 if there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Of an even count, the mean of the middle two; 0 if there are none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low, high] = [Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2)];
  return ((sorted[low] ?? 0) + (sorted[high] ?? 0)) / 2;
}

/**
 * The median of the ratios of two measurements that were taken in pairs. Other programs on the machine then slow down
 * both halves of a pair, which the ratio of two medians would not cancel.
 */
export const pairedRatio = (values: readonly number[], bases: readonly number[]): number =>
  median(values.map((value, index) => value / (bases[index] ?? Number.NaN)));

export const maximum = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0);

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
