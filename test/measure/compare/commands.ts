/**
 * Runs commands of a build. All run in one process, which imports `cli.js` again for each: this takes 30 ms, and a process of its
 * own takes 600. A build that does not allow that has a process for each command.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What a command has printed, and its exit code. */
export interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

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

export class CommandRunner {
  private child: ChildProcess | null = null;
  private out = '';
  private err = '';
  private news: () => void = () => {};
  /** null: not tried yet. */
  private isShared: boolean | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly cli: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  run(words: readonly string[]): Promise<Ran> {
    const ran = this.last.then(async () => {
      this.isShared ??= await this.canShare();
      return this.isShared ? this.shared(words) : this.apart(words);
    });
    this.last = ran.catch(() => {});
    return ran;
  }

  close(): void {
    this.child?.kill('SIGKILL');
  }

  /** Whether a command prints the second time what it prints in a process of its own. */
  private async canShare(): Promise<boolean> {
    const words = ['votes', '--help'];
    await this.shared(words);
    return JSON.stringify(await this.shared(words)) === JSON.stringify(await this.apart(words));
  }

  private async shared(words: readonly string[]): Promise<Ran> {
    const child = this.child ?? this.start();
    this.out = this.err = '';
    child.send(words);
    const limit = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS);
    while (this.child === child && !(this.out.endsWith(END) && this.err.endsWith(END)))
      await new Promise<void>((resolve) => (this.news = resolve));
    clearTimeout(limit);
    // A command that ends the process prints no end; the next one has a new process.
    if (this.child !== child) return { exit: child.exitCode, out: this.out, err: this.err };
    const [, out = '', exit] = /^(.*?)(\d+) $/s.exec(this.out.slice(0, -END.length)) ?? [];
    return { exit: Number(exit), out, err: this.err.slice(0, -END.length) };
  }

  private start(): ChildProcess {
    const { href } = new URL(`file://${this.cli}`);
    const env = { ...this.env, TELLER_COMPARED_CLI: this.cli, TELLER_COMPARED_URL: href };
    const child = spawn(process.execPath, ['--eval', SCRIPT], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
      this.news();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
      this.news();
    });
    child.on('close', () => {
      if (this.child === child) this.child = null;
      this.news();
    });
    this.child = child;
    return child;
  }

  private async apart(words: readonly string[]): Promise<Ran> {
    const child = spawn(process.execPath, [this.cli, ...words], { env: this.env, timeout: WITHIN_MS });
    child.stdin.end();
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [exit] = (await once(child, 'close')) as [number | null];
    return { exit, out, err };
  }
}
