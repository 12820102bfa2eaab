import type { GrantFilter, GrantRow, Ledger } from './ledger.ts';

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
