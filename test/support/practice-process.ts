import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTeller } from './processes.ts';

const PASSWORD = 'practice-password-of-this-test';

/** A practice game server in a separate process, which outlives every Teller. */
export interface PracticeProcess {
  /** Its entry for `gameServers`, as a real server. */
  readonly gameServer: object;
  /** The commands that it has run, in order, without queries of who is online. */
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

/** Ignores a last line that is still being written. */
function commandsIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { command: string }).command);
}
