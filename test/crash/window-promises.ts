import type { VoteRow } from '../../src/ledger/ledger.ts';
import { WINDOW_MS } from './sites.ts';

/**
 * Rule 3, written down once more: of each site and recipient no two rewarded votes lie less than a window apart, and
 * a vote in cooldown has one that came before it less than a window away. So the first that may be rewarded always is.
 *
 * @param rows in the order of their coming.
 */
export function windowFaults(rows: readonly VoteRow[]): string[] {
  const rewarded = new Map<string, VoteRow[]>();
  return rows
    .filter(({ decision }) => decision === 'rewarded' || decision === 'cooldown')
    .flatMap((row) => {
      const key = `${row.site} ${row.recipient}`;
      const before = rewarded.get(key) ?? [];
      if (row.decision === 'rewarded') rewarded.set(key, [...before, row]);
      return faultsOf(row, before);
    });
}

function faultsOf(row: VoteRow, rewarded: readonly VoteRow[]): string[] {
  const near = rewarded.filter(({ castAt }) => distance(castAt, row.castAt) < WINDOW_MS);
  const who = `vote ${row.id} of ${row.recipient}`;
  if (row.decision === 'rewarded') {
    return near.map(
      ({ id, castAt }) => `${who} is rewarded ${distance(castAt, row.castAt)} ms from vote ${id}`,
    );
  }
  if (near.length === 0) return [`${who} is in cooldown, and nothing rewarded is near it`];
  return nextFaults(row, rewarded).map((fault) => `${who} ${fault}`);
}

/** What is said to be the next chance is one, as far as was known then. */
function nextFaults({ castAt, nextAt }: VoteRow, rewarded: readonly VoteRow[]): string[] {
  if (nextAt === null || nextAt <= castAt) return ['tells no later time for the next'];
  const taken = rewarded.find((other) => distance(other.castAt, nextAt) < WINDOW_MS);
  return taken === undefined ? [] : [`tells a next time that vote ${taken.id} has taken`];
}

const distance = (a: number, b: number): number => Math.abs(a - b);
