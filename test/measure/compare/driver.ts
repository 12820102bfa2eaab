/**
 * One build, driven from outside through a history: its process, its sockets, its commands, and what surrounds it. Its time is
 * moved by a file (`moved-time.ts`). A step is over when the build has nothing to do: all its threads sleep, and nothing comes
 * from it, however far monotonic time is moved on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { transformSync } from 'esbuild';
import { temporaryFolder, writeKeyPair } from '../../support/folder.ts';
import { printed, type Ran as RanCommand, READY } from '../programs.ts';
import { type CommandRunner, commandRunner } from './commands.ts';
import { configFile, type ServerName, type WrittenConfig } from './config.ts';
import { type Accepting, gameServer, listingApi, type Ran, reportedBy } from './peers.ts';
import { idNamed } from './reading.ts';
import type { History, Step, Vote } from './steps.ts';

const PATIENCE_MS = 20_000;
/** Threads have to sleep in so many looks, one after another. */
const LOOKS = 2;
const LOOK_EACH_MS = 4;
/** How far monotonic time is moved on after a step: longer than the pauses between two tries, and shorter than any time limit. */
const NUDGE_MS = 6_000;
/** After so many without a command, one after another, nothing more comes: what a command leads to may wait for a timer again. */
const QUIET_NUDGES = 3;
const NUDGES_MAX = 60;

/** What one build has done in a history. */
export interface Played {
  /** By the number of the step. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly ran: Readonly<Record<ServerName, readonly Ran[]>>;
  /** What a command of the CLI prints. */
  readonly run: (...words: readonly string[]) => Promise<RanCommand>;
}

type Peers = Awaited<ReturnType<typeof peersOf>>;

async function peersOf(now: () => number) {
  const servers = { main: await gameServer(now), sky: await gameServer(now) };
  return { servers, listing: await listingApi(now) };
}

export class Build {
  private readonly home = temporaryFolder();
  private readonly folder = join(this.home, 'history');
  private readonly time: number;
  private wall = 0;
  private aheadMs = 0;
  private readonly commands: CommandRunner;
  private readonly env: NodeJS.ProcessEnv;
  private peers: Peers | null = null;
  private patience = 1;
  private process: ChildProcess | null = null;
  private ready: Pick<Accepting, 'listener' | 'webhook'> | null = null;
  private log = '';
  /** When the process and its wall time were last at the same place, in monotonic and wall time. */
  private together = { monotonic: 0, wall: 0 };

  constructor(
    root: string,
    readonly name: string,
  ) {
    // Away from its clone, where commands begin with `teller`, whatever the clone is called.
    cpSync(join(root, 'dist'), join(this.home, 'dist'), { recursive: true });
    for (const name of ['package.json', 'node_modules']) symlinkSync(join(root, name), join(this.home, name));
    const timeFile = join(this.home, 'time');
    writeFileSync(timeFile, Buffer.alloc(16));
    this.time = openSync(timeFile, 'r+');
    const preload = join(this.home, 'moved-time.cjs');
    const source = readFileSync(join(import.meta.dirname, 'moved-time.ts'), 'utf8');
    writeFileSync(preload, transformSync(source, { loader: 'ts', format: 'cjs', platform: 'node' }).code);
    const { npm_lifecycle_event: _, VITEST: __, ...own } = process.env;
    const moved = { NODE_OPTIONS: `--require ${preload}`, TELLER_COMPARED_TIME: timeFile };
    this.env = { ...own, ...moved, TZ: 'UTC', NO_COLOR: '1', CI: '1' };
    this.commands = commandRunner(join(this.home, 'dist/cli.js'), this.env);
  }

  async close(): Promise<void> {
    await this.kill();
    this.commands.close();
  }

  /** From an empty folder to the end of the history, and then `read`. @param patience how much longer than usual it waits after each step. */
  async play<Result>(
    history: History,
    patience: number,
    read: (played: Played) => Promise<Result>,
  ): Promise<Result> {
    this.patience = patience;
    mkdirSync(this.folder);
    this.peers = await peersOf(() => this.wall);
    this.moveTo(history.startedAt);
    this.write(history.config);
    writeKeyPair(join(this.folder, 'data/keys'));
    const answers: Record<string, unknown> = {};
    try {
      await this.start();
      for (const [index, step] of history.steps.entries()) {
        const answer = await this.apply(step, this.peers);
        if (answer !== undefined) answers[index] = answer;
        // Votes of one instant come one after another without time between them, and what will fail later does nothing yet.
        const isFollowed = step.kind === 'vote' && history.steps[index + 1]?.kind === 'vote';
        if (!isFollowed && step.kind !== 'fault' && step.kind !== 'listing') await this.settled();
      }
      const { main, sky } = this.peers.servers;
      const ran = { main: main.ran, sky: sky.ran };
      return await read({ answers, ran, run: (...words) => this.command(words) });
    } finally {
      await this.kill();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private async apply(step: Step, { servers, listing }: Peers): Promise<unknown> {
    switch (step.kind) {
      case 'time':
        return this.moveTo(step.at);
      case 'vote':
        return this.vote(step.vote, listing.votes);
      case 'online':
        return servers[step.server].show(step.players);
      case 'command':
        return this.commandOf(step.words);
      case 'reload':
        return this.reload(step.config);
      case 'down':
        await this.kill(step.how === 'stop' ? 'SIGTERM' : 'SIGKILL');
        if (step.config !== undefined) this.write(step.config);
        this.moveTo(step.until);
        return this.start();
      case 'fault':
        return servers[step.server].fail(step.failing);
      case 'listing':
        return listing.answers(step.isUp);
    }
  }

  private async vote(vote: Vote, listed: Vote[]): Promise<readonly string[]> {
    const at = { folder: this.folder, ...(this.ready as NonNullable<typeof this.ready>) };
    const answers: string[] = [];
    for (const via of vote.via) {
      if (via === 'api') listed.push(vote);
      answers.push(via === 'api' ? 'listed' : await reportedBy(via, vote, at, this.wall));
      await this.asleep();
    }
    return answers;
  }

  private async commandOf(words: readonly string[]): Promise<unknown> {
    const known: string[] = [];
    for (const word of words) {
      const id = word.startsWith('@') ? await idNamed(word, (...asked) => this.command(asked)) : word;
      if (id === null) return 'there is none';
      known.push(id);
    }
    return this.command(known);
  }

  private command(words: readonly string[]): Promise<RanCommand> {
    return this.commands.run([...words, '--config', join(this.folder, 'config.json')]);
  }

  private write(config: WrittenConfig): void {
    const { servers, listing } = this.peers as Peers;
    writeFileSync(join(this.folder, 'config.json'), configFile(config, servers, listing.root));
  }

  /** SIGHUP asks for a reload, and the log says when it is done. */
  private async reload(config: WrittenConfig): Promise<string> {
    this.write(config);
    const before = this.log.length;
    this.process?.kill('SIGHUP');
    const lines = () => this.log.slice(before).split('\n').slice(0, -1);
    const done = () => lines().find((line) => /"code":"reloaded"|was not reloaded/.test(line));
    for (const begun = performance.now(); done() === undefined; await sleep(2))
      if (performance.now() - begun > PATIENCE_MS)
        throw new Error(`${this.name} never reloads: ${this.log.slice(-2_000)}`);
    return done()?.includes('"reloaded"') ? 'reloaded' : 'refused';
  }

  private async start(): Promise<void> {
    const words = ['dist/cli.js', 'run', '--json', '--config', 'history/config.json'];
    const child = spawn(process.execPath, words, {
      ...{ cwd: this.home, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    this.process = child;
    this.log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    this.ready = JSON.parse(await printed(child, READY));
    this.together = { monotonic: this.monotonic(), wall: this.wall };
    await this.settled();
  }

  private async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.process;
    this.process = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill(signal);
    await ended;
  }

  private monotonic(): number {
    return performance.now() + this.aheadMs;
  }

  /** Monotonic time is not moved as far by what it is ahead already, so that the clock is never doubted. */
  private moveTo(at: number): void {
    this.wall = at;
    const byMs = at - this.together.wall - (this.monotonic() - this.together.monotonic);
    this.aheadMs += this.process === null ? 0 : Math.max(0, byMs);
    this.tell();
  }

  private tell(): void {
    writeSync(this.time, new Float64Array([this.wall, this.aheadMs]), 0, 16, 0);
  }

  /** Until it has nothing to do, also in the next seconds of monotonic time. */
  private async settled(): Promise<void> {
    await this.asleep();
    for (let nudge = 0, quiet = 0; nudge < NUDGES_MAX && quiet < QUIET_NUDGES * this.patience; nudge++) {
      const before = this.ran();
      this.aheadMs += NUDGE_MS;
      this.tell();
      await this.asleep();
      quiet = this.ran() === before ? quiet + 1 : 0;
    }
  }

  private ran(): number {
    const { main, sky } = (this.peers as Peers).servers;
    return main.ran.length + sky.ran.length;
  }

  private traffic(): number {
    const { servers, listing } = this.peers as Peers;
    return servers.main.traffic() + servers.sky.traffic() + listing.traffic();
  }

  private async asleep(): Promise<void> {
    const begun = performance.now();
    const threads = this.threads();
    for (let looks = 0; looks < LOOKS * this.patience && performance.now() - begun < PATIENCE_MS; ) {
      const before = this.traffic();
      await sleep(LOOK_EACH_MS);
      looks = isAsleep(threads) && this.traffic() === before ? looks + 1 : 0;
    }
    for (const thread of threads) closeSync(thread);
  }

  /** The files that say what its threads do. */
  private threads(): readonly number[] {
    const tasks = `/proc/${this.process?.pid}/task`;
    try {
      return readdirSync(tasks).map((task) => openSync(`${tasks}/${task}/stat`, 'r'));
    } catch {
      return [];
    }
  }
}

const stat = Buffer.alloc(512);

/** Whether no thread runs, waits for a processor, or waits for the disk. */
function isAsleep(threads: readonly number[]): boolean {
  return threads.every((thread) => {
    try {
      const text = stat.toString('latin1', 0, readSync(thread, stat, 0, stat.length, 0));
      return text.startsWith('S', text.lastIndexOf(')') + 2);
    } catch {
      return true;
    }
  });
}
