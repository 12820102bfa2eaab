import { loadCommands } from './commands/all.ts';
import { startProgram } from './commands/program.ts';

/** The command that was typed; the help of all commands if none was. */
export const anyProgram = (): Promise<void> =>
  startProgram((terminal, parts) => loadCommands(terminal, parts, process.argv[2]));
