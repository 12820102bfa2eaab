import type { Terminal } from '../platform/terminal.ts';
import { type Flags, given } from './flags.ts';

/** All requested rows are read into memory at once; for more rows there is --after. */
const LIMIT_MAX = 100_000;

/** With LIMIT_FLAG, for reading long lists in pages, newest first. @param one what is listed, such as `vote` */
export const afterFlag = (one: string) =>
  ['--after <id>', `only those older than the ${one} with this ID, for paging`] as const;

export const LIMIT_FLAG = ['--limit <number>', 'show at most this many', '50'] as const;

interface PagingFlags {
  readonly after?: string;
  readonly limit: string;
}

export const readPaging = ({ after, limit }: PagingFlags, flags: Flags) => ({
  ...given({ after: flags.wholeNumber('--after', after, 1, Number.MAX_SAFE_INTEGER) }),
  limit: flags.wholeNumber('--limit', limit, 1, LIMIT_MAX) ?? 0,
});

/** There may be more after a full page. */
export function mentionOlder(
  terminal: Terminal,
  rows: readonly { readonly id: number }[],
  limit: number,
): void {
  if (rows.length === limit) terminal.err(`there may be older ones: --after ${rows.at(-1)?.id}`);
}
