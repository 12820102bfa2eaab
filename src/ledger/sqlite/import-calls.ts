import type { Synchronous } from '../../platform/sqlite/calls.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { ImportLedger } from '../ledger.ts';
import { ImportingBalances } from './importing-balances.ts';
import { ImportingVotes } from './importing-votes.ts';
import type { Known } from './known.ts';

/** Made when first needed: few processes import anything. */
export function importsOf(database: Database, known: Known): Synchronous<ImportLedger> {
  let votesMade: ImportingVotes | null = null;
  let balancesMade: ImportingBalances | null = null;
  const votesOf = (): ImportingVotes => (votesMade ??= new ImportingVotes(database, known));
  const balancesOf = (): ImportingBalances =>
    (balancesMade ??= new ImportingBalances(database, known.rewards));
  return {
    importVotes: (votes, order) => votesOf().import(votes, order),
    startImport: (order) => balancesOf().start(order),
    importBalances: (entries, order) => balancesOf().import(entries, order),
  };
}
