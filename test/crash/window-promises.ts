import type { VoteRow } from '../../src/ledger/ledger.ts';
import { voterOf } from './ledger-contents.ts';
import { NEW_SITES, SITES } from './sites.ts';

/**
 * Rule 3, written independently: two rewarded votes of one site and recipient are at least a window apart, and a vote in
 * cooldown is less than a window from a rewarded vote that was recorded before it.
 *
 * @param rows in the order in which they were recorded.
 */
export function windowFaults(rows: readonly VoteRow[]): string[] {
  const rewarded = new Map<string, VoteRow[]>();
  return rows
    .filter(({ decision }) => decision === 'rewarded' || decision === 'cooldown')
    .flatMap((row) => {
      const key = `${row.service} ${voterOf(row)}`;
      const before = rewarded.get(key) ?? [];
      if (row.decision === 'rewarded') rewarded.set(key, [...before, row]);
      return faultsOf(row, before);
    });
}

function faultsOf(row: VoteRow, rewarded: readonly VoteRow[]): string[] {
  const near = rewarded.filter(({ castAt }) => distance(castAt, row.castAt) < windowOf(row));
  const who = `vote ${row.id} of ${row.recipient}`;
  if (row.decision === 'rewarded') {
    return near.map(
      ({ id, castAt }) => `${who} is rewarded ${distance(castAt, row.castAt)} ms from vote ${id}`,
    );
  }
  if (near.length === 0) return [`${who} is in cooldown, and nothing rewarded is near it`];
  return nextFaults(row, rewarded).map((fault) => `${who} ${fault}`);
}

/** The stated next time must be possible, as far as was known then. */
function nextFaults(row: VoteRow, rewarded: readonly VoteRow[]): string[] {
  const { castAt, nextAt } = row;
  if (nextAt === null || nextAt <= castAt) return ['has no later time for the next vote'];
  const taken = rewarded.find((other) => distance(other.castAt, nextAt) < windowOf(row));
  return taken === undefined ? [] : [`has a next time that is in the window of vote ${taken.id}`];
}

const distance = (a: number, b: number): number => Math.abs(a - b);

const windowOf = ({ service }: VoteRow): number =>
  [...SITES, ...NEW_SITES].find(({ name }) => name === service)?.windowMs ?? 0;
