/** Programs that are measured, in processes of their own. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

const WITHIN_MS = 60_000;

/** Runs a program of node to its end. */
export async function finished(words: readonly string[], options: SpawnOptions): Promise<Ran> {
  const child = spawn(process.execPath, words, {
    ...{ ...options, timeout: WITHIN_MS, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  let [out, err] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [exit] = (await once(child, 'close')) as [number | null];
  return { exit, out, err };
}

export const READY = /^(.*"msg":"ready".*)$/m;

/** What a process prints that is wanted. Rejects if it ends before that. */
export function printed(child: ChildProcess, wanted: RegExp): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    const read = (piece: Buffer | string): void => {
      text += piece;
      // Only whole lines.
      const found = wanted.exec(text.slice(0, text.lastIndexOf('\n') + 1))?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', () => reject(new Error(`it ended before it was ready:\n${text}`)));
  });
}
