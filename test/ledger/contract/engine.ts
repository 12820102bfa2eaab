import type { Ledger } from '../../../src/ledger/ledger.ts';

/** Creates an empty ledger of one engine, which is closed with the test. */
export type LedgerFactory = () => Promise<{ readonly ledger: Ledger }>;
