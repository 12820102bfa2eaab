import type { Environment } from './environment.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { CROWD, HELLO, KIT, NEW_SITES, SHOUT, TRAVEL } from './sites.ts';

/** How often that happened which a promise is about: one about nothing is always kept. */
export type Happenings = ReturnType<typeof happeningsIn>;

export function happeningsIn({ accounts, operator }: Environment, contents: LedgerContents) {
  const kits = grantsOf(contents, KIT.name);
  const announcements = [...grantsOf(contents, HELLO.name), ...grantsOf(contents, SHOUT.name)];
  const isDelivered = ({ state }: { readonly state: string }): boolean => state === 'delivered';
  const isCancelled = ({ state }: { readonly state: string }): boolean => state === 'cancelled';
  return {
    'won places': contents.ofTops.length,
    'paid on sky': grantsOf(contents, TRAVEL.name).filter(({ server }) => server === 'sky').length,
    expired: kits?.filter(isCancelled).length ?? 0,
    'paid for being online': contents.ofParties.filter(({ reward }) => reward === CROWD.name).length,
    announced: announcements.filter(isDelivered).length,
    'not announced': announcements.filter(isCancelled).length,
    renamed: accounts.renamed,
    'names taken': accounts.strangers.length,
    'listed later': contents.votes.filter(
      ({ listed, service }) => listed !== null && NEW_SITES.some(({ name }) => name === service),
    ).length,
    pauses: operator.paused.length,
    reloads: operator.edits,
  };
}
