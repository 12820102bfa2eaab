import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface TellerAddresses {
  readonly listener: { readonly port: number };
  readonly webhook: { readonly port: number };
}

/** A real `teller run` in a process of its own, that is killed. */
export interface Victim {
  readonly at: TellerAddresses;
  kill(): Promise<void>;
}

/** @param command how Teller is started: the program and what comes before `run`. */
export async function startVictim(command: readonly string[], folder: string): Promise<Victim> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, 'run', '--config', 'config.json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.on('exit', endWithUs);
  const at = await readyLine(child);
  return {
    at,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
      process.off('exit', endWithUs);
    },
  };
}

async function readyLine(child: ChildProcess): Promise<TellerAddresses> {
  if (child.stdout === null) throw new Error('no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"msg":"ready"')) return JSON.parse(line);
  }
  throw new Error('Teller ended without a ready line');
}
