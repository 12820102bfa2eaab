import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface TellerAddresses {
  readonly listener: { readonly port: number };
  readonly webhook: { readonly port: number };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real `teller run` in a process of its own, that is killed. */
export interface Victim {
  /** Where it listens; null where it ended before it did. */
  readonly ready: Promise<TellerAddresses | null>;
  readonly ended: Promise<Exit>;
  send(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** @param command how Teller is started: the program and what comes before `run`. */
export function startVictim(command: readonly string[], folder: string): Victim {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, 'run', '--config', 'config.json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.on('exit', endWithUs);
  const ended = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      process.off('exit', endWithUs);
      resolve({ code, signal });
    });
  });
  return { ready: readyLine(child), ended, send: (signal) => void child.kill(signal) };
}

async function readyLine({ stdout }: ChildProcess): Promise<TellerAddresses | null> {
  if (stdout === null) throw new Error('no standard output');
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith('{"msg":"ready"')) return JSON.parse(line);
  }
  return null;
}
