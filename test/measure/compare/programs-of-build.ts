/**
 * The programs of a build, one after another, in one process that imports `cli.js` again for each: so a command takes 30 ms
 * rather than 600, and a start of Teller 80 rather than 450. With `isApart`, each has its own process, in the group of this one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type { Ran } from '../programs.ts';
import { Threads } from './threads.ts';

/** Printed to both streams after a program. */
const END = '\u0000end of the program\n';
/** A process keeps every `cli.js` that it has imported. */
const PROGRAMS_MAX = 500;
const WITHIN_MS = 300_000;

/** What a program listened for must not be told of what a later one is told. */
const SCRIPT = `
const told = ['SIGINT', 'SIGTERM', 'SIGHUP', 'warning', 'exit', 'uncaughtException', 'unhandledRejection'];
let count = 0;
process.on('disconnect', () => process.exit());
process.on('message', async (words) => {
  const before = told.map((event) => process.listeners(event));
  process.argv = [process.argv[0], process.env.TELLER_COMPARED_CLI, ...words];
  process.exitCode = 0;
  try {
    await import(process.env.TELLER_COMPARED_URL + '?' + count++);
  } catch (error) {
    process.exitCode = 70;
    process.stderr.write(String(error?.stack ?? error));
  }
  for (const [index, event] of told.entries())
    for (const listener of process.listeners(event))
      if (!before[index].includes(listener)) process.off(event, listener);
  process.stdout.write(process.exitCode + ' ' + ${JSON.stringify(END)});
  process.stderr.write(${JSON.stringify(END)});
});`;

export class ProgramsOfBuild {
  isApart = false;
  /** What the program that runs now has printed, or the last one. */
  out = '';
  err = '';
  private child: ChildProcess | null = null;
  private threads: Threads | null = null;
  private count = 0;
  private readonly changes = new EventEmitter();

  constructor(
    private readonly cli: string,
    private readonly cwd: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  /** See `Threads`; empty if there is no process. */
  look(): string | null {
    return this.child === null ? '' : (this.threads?.look() ?? null);
  }

  areStopped(): boolean {
    return this.threads?.areStopped() ?? true;
  }

  /** Runs one to its end. One at a time. */
  async run(words: readonly string[]): Promise<Ran> {
    const limit = setTimeout(() => this.signal('SIGKILL'), WITHIN_MS);
    const ran = await this.start(words);
    clearTimeout(limit);
    return ran;
  }

  /** Like `run`, for a program that runs until it is stopped. */
  async start(words: readonly string[]): Promise<Ran> {
    [this.out, this.err] = ['', ''];
    if (this.isApart || this.count === PROGRAMS_MAX) await this.end();
    const child = this.child ?? this.process(words);
    this.count += 1;
    if (!this.isApart) child.send(words);
    await this.until(() => this.child !== child || (this.out.endsWith(END) && this.err.endsWith(END)));
    // A program that ends the process prints no end; the next one has a new process.
    if (this.child !== child) return { exit: child.exitCode, out: this.out, err: this.err };
    const [, out = '', exit] = /^(.*?)(\d+) $/s.exec(this.out.slice(0, -END.length)) ?? [];
    return { exit: Number(exit), out, err: this.err.slice(0, -END.length) };
  }

  /** Waits until this is so; looked at whenever something was printed, or the process has ended. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await once(this.changes, 'change');
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Ends the process, whatever runs in it. */
  async end(): Promise<void> {
    this.signal('SIGKILL');
    await this.until(() => this.child === null);
  }

  private process(words: readonly string[]): ChildProcess {
    const shared = { TELLER_COMPARED_CLI: this.cli, TELLER_COMPARED_URL: pathToFileURL(this.cli).href };
    const child = spawn(process.execPath, this.isApart ? [this.cli, ...words] : ['--eval', SCRIPT], {
      ...{ cwd: this.cwd, env: { ...this.env, ...shared } },
      stdio: ['ignore', 'pipe', 'pipe', this.isApart ? 'ignore' : 'ipc'],
    });
    for (const stream of ['out', 'err'] as const)
      child[`std${stream}`]?.setEncoding('utf8').on('data', (text: string) => {
        this[stream] += text;
        this.changes.emit('change');
      });
    const threads = child.pid === undefined ? null : new Threads(child.pid);
    child.on('close', () => {
      threads?.close();
      if (this.child === child) this.child = null;
      this.changes.emit('change');
    });
    this.count = 0;
    this.child = child;
    this.threads = threads;
    return child;
  }
}
