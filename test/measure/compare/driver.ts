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
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { transformSync } from 'esbuild';
import { CommandRunner, type Ran as RanCommand } from './commands.ts';
import { configFile, SERVERS, type ServerName, type WrittenConfig } from './config.ts';
import { GameServer, ListingApi, postVote, type Ran, sendV1, sendV2, TOKEN, WRONG_TOKEN } from './peers.ts';
import { idNamed } from './reading.ts';
import type { History, Step, Vote } from './steps.ts';

/** Where nothing waits for the disk, which other programs may keep busy. */
const IN_MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const PATIENCE_MS = 20_000;
const READY_WITHIN_MS = 30_000;
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

interface Ready {
  readonly listener: { readonly port: number };
  readonly webhook?: { readonly port: number };
}

export class Build {
  private readonly home = mkdtempSync(join(IN_MEMORY, 'teller-compared-'));
  private readonly timeFile = join(this.home, 'time');
  private readonly time: number;
  private wall = 0;
  private aheadMs = 0;
  private readonly servers = { main: this.gameServer(), sky: this.gameServer() };
  private readonly listing = new ListingApi(() => this.wall);
  private readonly commands: CommandRunner;
  private folder = '';
  private patience = 1;
  private process: ChildProcess | null = null;
  private ready: Ready | null = null;
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
    writeFileSync(this.timeFile, Buffer.alloc(16));
    this.time = openSync(this.timeFile, 'r+');
    const preload = join(this.home, 'moved-time.cjs');
    const source = readFileSync(join(import.meta.dirname, 'moved-time.ts'), 'utf8');
    writeFileSync(preload, transformSync(source, { loader: 'ts', format: 'cjs', platform: 'node' }).code);
    this.commands = new CommandRunner(this.cli, this.environment(preload));
  }

  private get cli(): string {
    return join(this.home, 'dist/cli.js');
  }

  private gameServer(): GameServer {
    return new GameServer(() => this.wall);
  }

  private environment(preload = join(this.home, 'moved-time.cjs')): NodeJS.ProcessEnv {
    const { npm_lifecycle_event: _, ...own } = process.env;
    const moved = { NODE_OPTIONS: `--require ${preload}`, TELLER_COMPARED_TIME: this.timeFile };
    return { ...own, ...moved, TZ: 'UTC', NO_COLOR: '1', CI: '1' };
  }

  async open(): Promise<void> {
    await Promise.all([...Object.values(this.servers), this.listing].map((each) => each.open()));
  }

  async close(): Promise<void> {
    await this.kill();
    this.commands.close();
    for (const each of [...Object.values(this.servers), this.listing]) each.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  /** From an empty folder to the end of the history, and then `read`. @param patience how much longer than usual it waits after each step. */
  async play<Result>(
    history: History,
    patience: number,
    read: (played: Played) => Promise<Result>,
  ): Promise<Result> {
    this.patience = patience;
    this.folder = mkdtempSync(join(this.home, 'history-'));
    for (const server of Object.values(this.servers)) server.startOver();
    this.listing.votes = [];
    this.listing.isUp = true;
    this.moveTo(history.startedAt);
    this.write(history.config);
    // To make the key pair takes as long as a start.
    const [keys, own] = [join(this.home, 'keys'), join(this.folder, 'data/keys')];
    if (existsSync(keys)) cpSync(keys, own, { recursive: true });
    const answers: Record<string, unknown> = {};
    try {
      await this.start();
      cpSync(own, keys, { recursive: true });
      for (const [index, step] of history.steps.entries()) {
        const answer = await this.apply(step);
        if (answer !== undefined) answers[index] = answer;
        // Votes of one instant come one after another without time between them, and what will fail later does nothing yet.
        const isFollowed = step.kind === 'vote' && history.steps[index + 1]?.kind === 'vote';
        if (!isFollowed && step.kind !== 'fault' && step.kind !== 'listing') await this.settled();
      }
      const ran = { main: this.servers.main.ran, sky: this.servers.sky.ran };
      return await read({ answers, ran, run: (...words) => this.command(words) });
    } finally {
      await this.kill();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private async apply(step: Step): Promise<unknown> {
    switch (step.kind) {
      case 'time':
        return this.moveTo(step.at);
      case 'vote':
        return this.vote(step.vote);
      case 'online':
        this.servers[step.server].players = step.players;
        break;
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
        return this.servers[step.server].fail(step.failing);
      case 'listing':
        this.listing.isUp = step.isUp;
    }
    return undefined;
  }

  private async vote(vote: Vote): Promise<readonly string[]> {
    const answers: string[] = [];
    for (const via of vote.via) {
      answers.push(await this.report(vote, via));
      await this.asleep();
    }
    return answers;
  }

  private async report(
    { service, player, castAt, stamp, id }: Vote,
    via: Vote['via'][number],
  ): Promise<string> {
    const { listener, webhook } = this.ready as Ready;
    const stamps = { ms: String(castAt), s: String(Math.floor(castAt / 1_000)), none: 'now' };
    const sent = { service, player, timestamp: stamps[stamp] };
    const listed = { id, userId: `80351110224${id.slice(-4)}`, player, castAt };
    switch (via) {
      case 'api':
        this.listing.votes.push(listed);
        return 'listed';
      case 'webhook':
        return postVote(`http://127.0.0.1:${webhook?.port}/${service}`, listed, this.wall);
      case 'v1':
        return sendV1(listener.port, sent, readFileSync(join(this.folder, 'data/keys/public.key'), 'utf8'));
      default:
        return sendV2(listener.port, sent, via === 'v2' ? TOKEN : WRONG_TOKEN);
    }
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
    const servers = Object.fromEntries(SERVERS.map((name) => [name, this.servers[name].port]));
    const ports = { servers: servers as Record<ServerName, number>, listing: this.listing.port };
    writeFileSync(join(this.folder, 'config.json'), configFile(config, ports));
  }

  /** SIGHUP asks for a reload, and the log says when it is done. */
  private async reload(config: WrittenConfig): Promise<string> {
    this.write(config);
    const before = this.log.length;
    this.process?.kill('SIGHUP');
    const lines = () => this.log.slice(before).split('\n').slice(0, -1);
    const done = () => lines().find((line) => /"code":"reloaded"|was not reloaded/.test(line));
    await this.until(() => done() !== undefined, 'reloads');
    return done()?.includes('"reloaded"') ? 'reloaded' : 'refused';
  }

  private async start(): Promise<void> {
    const words = [this.cli, 'run', '--json', '--config', join(this.folder, 'config.json')];
    const child = spawn(process.execPath, words, {
      cwd: this.folder,
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process = child;
    this.log = '';
    let out = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const readyLine = () =>
      out
        .split('\n')
        .slice(0, -1)
        .find((line) => line.includes('"msg":"ready"'));
    await this.until(() => readyLine() !== undefined || child.exitCode !== null, 'is ready', READY_WITHIN_MS);
    if (child.exitCode !== null) throw new Error(`${this.name} did not start: ${this.log}`);
    this.ready = JSON.parse(readyLine() ?? '') as Ready;
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
    return this.servers.main.ran.length + this.servers.sky.ran.length;
  }

  private traffic(): number {
    return this.servers.main.traffic + this.servers.sky.traffic + this.listing.traffic;
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

  private async until(isReached: () => boolean, what: string, withinMs = PATIENCE_MS): Promise<void> {
    const begun = performance.now();
    while (!isReached()) {
      if (performance.now() - begun > withinMs)
        throw new Error(`${this.name} never ${what}: ${this.log.slice(-2_000)}`);
      await sleep(2);
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
