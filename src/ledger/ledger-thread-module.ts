import { ownModule } from '../platform/own-module.ts';

/** A file of its own, so that the thread can be started before anything else of the ledger is loaded. */
export const LEDGER_THREAD = ownModule('ledger-thread', import.meta.url);
