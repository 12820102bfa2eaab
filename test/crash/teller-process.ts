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

/** A real `teller run` in its own process. */
export interface TellerProcess {
  /** The addresses it listens on; null if it exits before it listens. */
  readonly ready: Promise<TellerAddresses | null>;
  readonly ended: Promise<Exit>;
  send(signal: 'SIGTERM' | 'SIGKILL' | 'SIGHUP'): void;
}

/** @param command the program and the arguments before `run`. */
export function startTellerProcess(command: readonly string[], folder: string): TellerProcess {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, 'run', '--config', 'config.json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const killWithParent = (): void => void child.kill('SIGKILL');
  process.on('exit', killWithParent);
  const ended = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      process.off('exit', killWithParent);
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
