import type { Thread } from '../platform/thread.ts';
import { startProgram } from './program.ts';
import { runCommand } from './run.ts';

/** `teller run`, with the ledger's thread, which was started already. */
export const runProgram = (ledgerThread: Thread): Promise<void> =>
  startProgram(async (terminal, parts) => [runCommand(terminal, { ...parts, ledgerThread })]);
