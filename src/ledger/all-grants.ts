import type { GrantFilter, GrantRow, LedgerReader } from './ledger.ts';

const PAGE = 500;

/** Every grant that matches a filter, newest first, read page by page. */
export async function* allGrants(
  ledger: Pick<LedgerReader, 'grants'>,
  filter: Omit<GrantFilter, 'after' | 'limit'>,
): AsyncGenerator<GrantRow> {
  let after: number | undefined;
  for (;;) {
    const from = after === undefined ? {} : { after };
    const page = await ledger.grants({ ...filter, ...from, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.id;
  }
}
