import { startProgram } from './commands/program.ts';
import { runCommand } from './commands/run.ts';
import type { Thread } from './runtime/thread.ts';

/** `teller run`, with the ledger's thread, which was started already. */
export const runProgram = (ledgerThread: Thread): Promise<void> =>
  startProgram(async (terminal, parts) => [runCommand(terminal, { ...parts, ledgerThread })]);
