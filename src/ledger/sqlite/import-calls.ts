import type { Synchronous } from '../../sqlite/calls.ts';
import type { Database } from '../../sqlite/open.ts';
import type { ImportLedger } from '../ledger.ts';
import { ImportingVotes } from './importing-votes.ts';
import type { Known } from './known.ts';

/** Made when first needed: few processes import anything. */
export function importsOf(database: Database, known: Known): Synchronous<ImportLedger> {
  let votesMade: ImportingVotes | null = null;
  const importing = (): ImportingVotes => (votesMade ??= new ImportingVotes(database, known));
  return {
    importVotes: (votes, order) => importing().import(votes, order),
  };
}
