import type { Command } from 'commander';
import type { Terminal } from '../runtime/terminal.ts';
import { type Flags, given } from './flags.ts';

/** What is asked for at once is read at once; more is read page by page, with --after. */
const LIMIT_MAX = 100_000;

/** The flags by which long lists are read page by page, newest first. */
export interface PagingFlags {
  readonly after?: string;
  readonly limit: string;
}

/** @param one `vote` */
export const withPaging = (command: Command, one: string): Command =>
  command
    .option('--after <id>', `only those older than this ${one}, for paging`)
    .option('--limit <number>', 'how many at most', '50');

export const readPaging = ({ after, limit }: PagingFlags, flags: Flags) => ({
  ...given({ after: flags.wholeNumber('--after', after, 1, Number.MAX_SAFE_INTEGER) }),
  limit: flags.wholeNumber('--limit', limit, 1, LIMIT_MAX) ?? 0,
});

/** A page that is full may not be the last one. */
export function mentionOlder(
  terminal: Terminal,
  rows: readonly { readonly id: number }[],
  limit: number,
): void {
  if (rows.length === limit) terminal.err(`perhaps there are older ones: --after ${rows.at(-1)?.id}`);
}
