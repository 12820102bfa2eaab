import { Problem } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import { allGrants } from '../ledger/all-grants.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import { Flags } from './flags.ts';
import { type GrantFilterFlags, readGrantFilter } from './grants-filter.ts';

/** The grants that a change is meant for. */
export interface ChosenGrants {
  /** Oldest first, in the order in which they are owed. */
  readonly ids: readonly number[];
  readonly isByFilter: boolean;
  /** How many are in which state; empty where they were named one by one. */
  readonly summary: string;
}

/**
 * By ID or by filter, never both, and never all because neither was given.
 *
 * @param states those in which the change can be made.
 * @throws Problem `usage`
 */
export async function chooseGrants(
  ledger: LedgerReader,
  words: readonly string[],
  filterFlags: GrantFilterFlags,
  states: readonly GrantState[],
  now: number,
): Promise<ChosenGrants> {
  const flags = new Flags();
  const { state, ...filter } = readGrantFilter(filterFlags, flags, now, states);
  const isByFilter = state !== undefined || Object.keys(filter).length > 0;
  const ids = words.map((word) => flags.wholeNumber('ID', word, 1, Number.MAX_SAFE_INTEGER) ?? 0);
  flags.done();
  if (isByFilter && ids.length > 0)
    throw new Problem('usage', 'name grants by ID or by a filter, not by both');
  if (!isByFilter && ids.length === 0) {
    throw new Problem('usage', 'name the grants: by ID, or by a filter such as --state held');
  }
  if (!isByFilter) return { ids: [...new Set(ids)], isByFilter, summary: '' };
  return await filtered(ledger, filter, state === undefined ? states : [state]);
}

async function filtered(
  ledger: LedgerReader,
  filter: Parameters<typeof allGrants>[1],
  states: readonly GrantState[],
): Promise<ChosenGrants> {
  const ids: number[] = [];
  const counts: string[] = [];
  for (const state of states) {
    const before = ids.length;
    for await (const { id } of allGrants(ledger, { ...filter, state })) ids.push(id);
    if (ids.length > before) counts.push(`${ids.length - before} ${state}`);
  }
  return { ids: ids.toSorted((a, b) => a - b), isByFilter: true, summary: counts.join(', ') };
}
