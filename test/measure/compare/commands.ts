/**
 * Runs commands of a build. All run in one process, which imports `cli.js` again for each: this takes 30 ms, and a process of its
 * own takes 600. A build that does not allow that has a process for each command.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { finished, type Ran } from '../programs.ts';

/** Printed to both streams after a command. */
const END = '\u0000end of the command\n';
const WITHIN_MS = 30_000;

const SCRIPT = `
let count = 0;
process.on('message', async (words) => {
  process.argv = [process.argv[0], process.env.TELLER_COMPARED_CLI, ...words];
  process.exitCode = 0;
  try {
    await import(process.env.TELLER_COMPARED_URL + '?' + count++);
  } catch (error) {
    process.exitCode = 70;
    process.stderr.write(String(error?.stack ?? error));
  }
  process.stdout.write(process.exitCode + ' ' + ${JSON.stringify(END)});
  process.stderr.write(${JSON.stringify(END)});
});`;

export interface CommandRunner {
  run(words: readonly string[]): Promise<Ran>;
  close(): void;
}

export function commandRunner(cli: string, env: NodeJS.ProcessEnv): CommandRunner {
  let child: ChildProcess | null = null;
  let [out, err] = ['', ''];
  let news: () => void = () => {};
  /** null: not tried yet. */
  let isShared: boolean | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const apart = (words: readonly string[]): Promise<Ran> => finished([cli, ...words], { env });
  const start = (): ChildProcess => {
    const own = { ...env, TELLER_COMPARED_CLI: cli, TELLER_COMPARED_URL: pathToFileURL(cli).href };
    const started = spawn(process.execPath, ['--eval', SCRIPT], {
      ...{ env: own, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
    });
    started.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      news();
    });
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      news();
    });
    started.on('close', () => {
      if (child === started) child = null;
      news();
    });
    return started;
  };
  const shared = async (words: readonly string[]): Promise<Ran> => {
    const used = child ?? start();
    child = used;
    out = err = '';
    used.send(words);
    const limit = setTimeout(() => used.kill('SIGKILL'), WITHIN_MS);
    while (child === used && !(out.endsWith(END) && err.endsWith(END)))
      await new Promise<void>((resolve) => (news = resolve));
    clearTimeout(limit);
    // A command that ends the process prints no end; the next one has a new process.
    if (child !== used) return { exit: used.exitCode, out, err };
    const [, printed = '', exit] = /^(.*?)(\d+) $/s.exec(out.slice(0, -END.length)) ?? [];
    return { exit: Number(exit), out: printed, err: err.slice(0, -END.length) };
  };
  /** Whether a command prints the second time what it prints in a process of its own. */
  const canShare = async (): Promise<boolean> => {
    const words = ['votes', '--help'];
    await shared(words);
    return JSON.stringify(await shared(words)) === JSON.stringify(await apart(words));
  };
  return {
    run: (words) => {
      const ran = last.then(async () => {
        isShared ??= await canShare();
        return isShared ? shared(words) : apart(words);
      });
      last = ran.catch(() => {});
      return ran;
    },
    close: () => void child?.kill('SIGKILL'),
  };
}
