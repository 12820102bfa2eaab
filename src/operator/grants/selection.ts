import type { GrantState } from '../../core/settlement.ts';
import type { GrantFilter, GrantRow, Ledger } from '../../ledger/ledger.ts';

/** Filters the grants to change. Without `state`, it matches every state that allows the change. */
export type ChangeFilter = Pick<GrantFilter, 'state' | 'reward' | 'server' | 'recipient' | 'since'>;

/** A grant as it was shown to an operator. */
export interface ShownGrant {
  readonly id: number;
  /** When it had last changed. */
  readonly changedAt: number;
}

/** The grants to change: by ID or by filter, never both. With neither, no grant is selected. */
export type GrantSelection =
  | { readonly kind: 'ids'; readonly ids: readonly number[] }
  /** One that has changed since it was shown is left as it is. */
  | { readonly kind: 'shown'; readonly grants: readonly ShownGrant[] }
  | { readonly kind: 'filter'; readonly filter: ChangeFilter };

export function selectionOf(
  ids: readonly number[],
  filter: ChangeFilter,
): GrantSelection | { readonly kind: 'both' } | { readonly kind: 'neither' } {
  const isFiltered = Object.values(filter).some((condition) => condition !== undefined);
  if (isFiltered) return ids.length > 0 ? { kind: 'both' } : { kind: 'filter', filter };
  return ids.length > 0 ? { kind: 'ids', ids } : { kind: 'neither' };
}

export interface SelectedGrants {
  /** If a filter found them, oldest first: the order in which they are owed. */
  readonly ids: readonly number[];
  /** How many the filter found in each state; empty if they were named by ID. */
  readonly counts: ReadonlyMap<GrantState, number>;
  /** When each had last changed as it was shown; empty if none was shown. */
  readonly shown: ReadonlyMap<number, number>;
}

export async function selectGrants(
  ledger: Ledger,
  selection: GrantSelection,
  states: readonly GrantState[],
): Promise<SelectedGrants> {
  if (selection.kind === 'ids')
    return { ids: [...new Set(selection.ids)], counts: new Map(), shown: new Map() };
  if (selection.kind === 'shown') {
    const shown = new Map(selection.grants.map(({ id, changedAt }) => [id, changedAt]));
    return { ids: [...shown.keys()], counts: new Map(), shown };
  }
  const { state: only, ...filter } = selection.filter;
  const ids: number[] = [];
  const counts = new Map<GrantState, number>();
  for (const state of only === undefined ? states : [only]) {
    const before = ids.length;
    for await (const { id } of allGrants(ledger, { ...filter, state })) ids.push(id);
    if (ids.length > before) counts.set(state, ids.length - before);
  }
  return { ids: ids.toSorted((a, b) => a - b), counts, shown: new Map() };
}

const PAGE = 500;

/** Every grant that matches a filter, newest first, read page by page. @param size of a page, for few grants. */
export async function* allGrants(
  ledger: Pick<Ledger, 'grants'>,
  filter: Omit<GrantFilter, 'after' | 'limit'>,
  size = PAGE,
): AsyncGenerator<GrantRow> {
  let after: number | undefined;
  for (;;) {
    const from = after === undefined ? {} : { after };
    const page = await ledger.grants({ ...filter, ...from, limit: size });
    yield* page;
    if (page.length < size) return;
    after = page.at(-1)?.id;
  }
}
