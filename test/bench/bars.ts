/** What a measurement should reach. Every bar is printed, whether it was measured or not. */
export interface Bar {
  /** What is measured. */
  readonly row: string;
  readonly limit: number;
  readonly unit: Unit;
  readonly holds: 'at most' | 'at least';
}

export type Unit =
  | '×'
  | 'ms'
  | 'MiB'
  | 'votes/s'
  | 'failed'
  | 'fsyncs'
  | 'commands/s'
  | 'bytes'
  | 's'
  | 'CPU s';

const atMost = (limit: number, unit: Unit, row: string): Bar => ({ row, limit, unit, holds: 'at most' });
const atLeast = (limit: number, unit: Unit, row: string): Bar => ({ row, limit, unit, holds: 'at least' });

/** They are for the full sizes. Several figures can be held against one bar. */
export const bars = {
  'cpu-bare': atMost(1.75, '×', 'v2, warm: CPU, compared with a bare Node server'),
  'p99-in-process': atMost(1, '×', 'v2, warm: 99th percentile, compared with the ledger on the main thread'),
  'cpu-no-commit': atMost(1.3, '×', 'v2, warm: CPU, compared with the same without commits'),
  'slow-64-rate': atLeast(1_000, 'votes/s', 'fsync 20 ms, 64 connections'),
  'slow-64-p99': atMost(150, 'ms', 'fsync 20 ms, 64 connections: 99th percentile'),
  'slow-64-failed': atMost(0, 'failed', 'fsync 20 ms, 64 connections: votes that failed'),
  'slow-512-rate': atLeast(2_500, 'votes/s', 'fsync 20 ms, 512 connections'),
  'slow-512-failed': atMost(0, 'failed', 'fsync 20 ms, 512 connections: votes that failed'),
  'backlog-failed': atMost(0, 'failed', 'backlog on three game servers: votes that failed'),
  'backlog-p99': atMost(4, 'fsyncs', 'backlog on three game servers: added to the 99th percentile'),
  'delay-p999': atMost(50, 'ms', 'event-loop delay while pages are read: 99.9th percentile'),
  'v1-cpu': atMost(1.35, '×', 'v1: CPU, compared with one RSA operation and a v2 vote'),
  'cold-cpu': atMost(2.5, '×', 'v2, the first 2,000 votes: CPU, compared with warm votes'),
  'vote-to-command': atMost(5, 'ms', 'last byte of a vote to first byte of its command: median'),
  'intake-large': atLeast(0.8, '×', '10 million votes: votes a second, compared with an empty ledger'),
  conditions: atMost(1.3, '×', 'every condition: CPU, compared with two plain rewards'),
  'conditions-large': atMost(
    1.3,
    '×',
    '10 million votes, every condition: CPU, compared with two plain rewards',
  ),
  'ready-ms': atMost(400, 'ms', 'start to ready, installed: median'),
  'idle-mib': atMost(90, 'MiB', 'memory when idle'),
  'page-p99': atMost(150, 'ms', '1 million votes, while votes arrive: each page, 99th percentile'),
  'page-first': atMost(
    150,
    'ms',
    '1 million votes, while votes arrive: each page, first request after a start',
  ),
  'inside-ms': atMost(50, 'ms', '10 million votes: each query inside, median'),
} as const satisfies Record<string, Bar>;

export type BarId = keyof typeof bars;

export const isMet = ({ limit, holds }: Bar, measured: number): boolean =>
  holds === 'at most' ? measured <= limit : measured >= limit;
