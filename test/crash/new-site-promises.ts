import type { LedgerContents } from './ledger-contents.ts';
import { voterOf } from './ledger-contents.ts';
import { NEW_SITES } from './sites.ts';

/**
 * Players vote once on each site that has no entry at first. When all have their entries, each of these votes is rewarded:
 * when it came, because the shared window was free, or when its site got its entry; `grant-promises.ts` checks that it is
 * paid once.
 */
export function newSiteFaults({ votes }: LedgerContents): string[] {
  const isNew = new Set(NEW_SITES.map(({ name }) => name));
  const own = votes.filter(({ service }) => isNew.has(service));
  const shared = new Map<string, number>();
  return own.flatMap((row) => {
    const who = `vote ${row.id} of ${voterOf(row)} on ${row.service}`;
    const isShared = row.site === 'default';
    const before = shared.get(voterOf(row));
    if (isShared) shared.set(voterOf(row), row.id);
    return [
      ...(row.decision === 'rewarded' ? [] : [`${who} is ${row.decision}`]),
      ...(isShared && before !== undefined ? [`${who} took the shared window, as did vote ${before}`] : []),
    ];
  });
}
