import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTeller } from './processes.ts';

const PASSWORD = 'practice-password-of-this-test';

/** A practice game server in a process of its own, which outlives every Teller. */
export interface PracticeProcess {
  /** What names it in `gameServers`, as a real one. */
  readonly gameServer: object;
  /** What it has run, in order, from the record that it keeps; asking who is online does not count. */
  commandsRun(): string[];
}

export async function practiceProcess(folder: string): Promise<PracticeProcess> {
  const file = join(folder, 'commands.log');
  const { ready } = await startTeller(['practice', '--password', PASSWORD, '--log', file], folder);
  const { host, port } = ready.practiceServer ?? {};
  return {
    gameServer: { kind: 'rcon', host, port, password: PASSWORD, commandPause: '0ms' },
    commandsRun: () => commandsIn(file).filter((command) => /^(?:say|give) /.test(command)),
  };
}

/** A last line that is being written is not one yet. */
function commandsIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { command: string }).command);
}
