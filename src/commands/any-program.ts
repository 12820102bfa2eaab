import { loadCommands } from './all.ts';
import { startProgram } from './program.ts';
import { TYPED_FLAG } from './typed-process.ts';
import { typedProgram } from './typed-program.ts';

/** The command that was typed, in a shell or into a running Teller; the help of all commands if none was. */
export const anyProgram = (): Promise<void> =>
  process.argv[2] === TYPED_FLAG
    ? typedProgram(process.argv.slice(3))
    : startProgram((terminal, parts) => loadCommands(terminal, parts, process.argv[2]));
