/**
 * One build, driven from outside through a history: its process, its sockets, its commands, and what surrounds it. Its time is
 * moved by a file (`moved-time.ts`). A step is over when the build has nothing to do: all its threads sleep, and nothing comes
 * from it, however far monotonic time is moved on. How long that takes says nothing, so that a busy machine changes nothing.
 */
import {
  cpSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as afterReading, setTimeout as sleep } from 'node:timers/promises';
import { transformSync } from 'esbuild';
import { temporaryFolder, writeKeyPair } from '../../support/folder.ts';
import { finished, movedBuild, type Ran as RanCommand, READY } from '../programs.ts';
import { API_INTERVAL_MS, configFile, type ServerName, type WrittenConfig } from './config.ts';
import { type Accepting, gameServer, listingApi, type Ran, reportedBy } from './peers.ts';
import { ProgramsOfBuild } from './programs-of-build.ts';
import { idNamed } from './reading.ts';
import type { History, Step, Vote } from './steps.ts';

/** A build that has been busy for this long will never finish. */
const PATIENCE_MS = 60_000;
/** How long it may take to stop. */
const STOP_PATIENCE_MS = 20_000;
const LOOK_EACH_MS = 1;
/** How far monotonic time is moved on after a step: longer than the pauses between two tries, and shorter than any time limit. */
const NUDGE_MS = 6_000;
/** The same while something is awaited: a time limit must not be over before what it limits has had its turn. */
const SHORT_NUDGE_MS = 250;
const NUDGES_MAX = 60;
const BACKUP = 'backup';

/** What one build has done in a history. */
export interface Played {
  /** By the number of the step. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly ran: Readonly<Record<ServerName, readonly Ran[]>>;
  /** What a command of the CLI prints. */
  readonly run: (...words: readonly string[]) => Promise<RanCommand>;
}

/** How a history is played. */
export interface Playing {
  /** A step is over after so many nudges in a row without a command: what one timer leads to may wait for another timer. */
  readonly quietNudges: number;
  /**
   * Time goes from one timer to the next, one game server answers at a time, each Teller is a process of its own, and a kill is one. See
   * `pass`, `asleep` and `ProgramsOfBuild`.
   */
  readonly isExact: boolean;
}

type Peers = Awaited<ReturnType<typeof peersOf>>;

async function peersOf(now: () => number, turn: (server: ServerName) => Promise<void> | undefined) {
  const server = (name: ServerName) => gameServer(now, () => turn(name));
  const servers = { main: await server('main'), sky: await server('sky') };
  return { servers, listing: await listingApi(now) };
}

export class Build {
  private readonly home = temporaryFolder();
  private folder = '';
  private folders = 0;
  private readonly cli: string;
  private readonly time: number;
  private readonly timeFile = join(this.home, 'time');
  private wall = 0;
  /** By how much the clock of its machine is ahead; negative: behind. */
  private wrongByMs = 0;
  private aheadMs = 0;
  private readonly env: NodeJS.ProcessEnv;
  private readonly commands: ProgramsOfBuild;
  private readonly teller: ProgramsOfBuild;
  private canShare: boolean | null = null;
  private peers: Peers | null = null;
  /** What game servers answer once nothing else is going on: otherwise chance would decide which of them answers first. */
  private readonly unanswered: Record<ServerName, (() => void)[]> = { main: [], sky: [] };
  private playing: Playing = { quietNudges: 2, isExact: false };
  /** Whether the listing's API has a vote that it was not asked for. */
  private isListed = false;
  private running: Promise<void> | null = null;
  private ready: Pick<Accepting, 'listener' | 'webhook'> | null = null;
  /** When the process and its wall time were last at the same place, in monotonic and wall time. */
  private together = { monotonic: 0, wall: 0 };

  constructor(
    root: string,
    readonly name: string,
  ) {
    this.cli = movedBuild(join(root, 'dist'), this.home);
    writeFileSync(this.timeFile, Buffer.alloc(16));
    writeFileSync(`${this.timeFile}-dues`, '');
    this.time = openSync(this.timeFile, 'r+');
    const preload = join(this.home, 'moved-time.cjs');
    const source = readFileSync(join(import.meta.dirname, 'moved-time.ts'), 'utf8');
    writeFileSync(preload, transformSync(source, { loader: 'ts', format: 'cjs', platform: 'node' }).code);
    const { npm_lifecycle_event: _, VITEST: __, ...own } = process.env;
    const moved = {
      NODE_OPTIONS: `--require ${preload} --max-semi-space-size=32`,
      TELLER_COMPARED_TIME: this.timeFile,
    };
    this.env = { ...own, ...moved, TZ: 'UTC', NO_COLOR: '1', CI: '1' };
    const programs = (part: string) =>
      new ProgramsOfBuild(this.cli, this.home, { ...this.env, TELLER_COMPARED_PART: part });
    [this.commands, this.teller] = [programs('0'), programs('1')];
  }

  async close(): Promise<void> {
    await Promise.all([this.commands.end(), this.teller.end()]);
  }

  /** From an empty folder to the end of the history, and then `read`. */
  async play<Result>(
    history: History,
    playing: Playing,
    read: (played: Played) => Promise<Result>,
  ): Promise<Result> {
    this.canShare ??= await this.printsTheSameAgain();
    this.commands.isApart = !this.canShare;
    this.teller.isApart = playing.isExact || !this.canShare;
    this.playing = playing;
    for (const waiting of Object.values(this.unanswered)) waiting.length = 0;
    this.folder = this.nextFolder();
    mkdirSync(this.folder);
    this.peers ??= await peersOf(
      () => this.wall,
      (server) =>
        this.playing.isExact ? new Promise((resolve) => this.unanswered[server].push(resolve)) : undefined,
    );
    this.wrongByMs = 0;
    rmSync(join(this.home, BACKUP), { recursive: true, force: true });
    const { main, sky } = this.peers.servers;
    for (const peer of [main, sky, this.peers.listing]) peer.reset();
    this.moveTo(history.startedAt);
    this.write(history.config);
    writeKeyPair(join(this.folder, 'data/keys'));
    const answers: Record<string, unknown> = {};
    try {
      await this.start();
      for (const [index, step] of history.steps.entries()) {
        answers[index] = await this.apply(step, this.peers);
        // Votes of one instant come one after another without time between them, and what will fail later does nothing yet.
        const isFollowed = step.kind === 'vote' && history.steps[index + 1]?.kind === 'vote';
        if (!isFollowed && step.kind !== 'fault' && step.kind !== 'listing') await this.settled();
      }
      const ran = { main: main.ran, sky: sky.ran };
      return await read({ answers, ran, run: (...words) => this.command(words) });
    } finally {
      await this.stop();
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  /** Whether a command prints the second time what it prints in a process of its own. */
  private async printsTheSameAgain(): Promise<boolean> {
    const words = ['votes', '--help'];
    await this.commands.run(words);
    const again = await this.commands.run(words);
    const { exit, out, err } = await finished([this.cli, ...words], { cwd: this.home, env: this.env });
    return JSON.stringify(again) === JSON.stringify({ exit, out, err });
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
        await (step.how === 'kill' ? this.kill() : this.stop());
        if (step.how === 'restore') await this.command(['restore', BACKUP, '--yes']);
        if (step.config !== undefined) this.write(step.config);
        this.moveTo(step.until);
        return this.start();
      case 'backup':
        return (await this.command(['backup', BACKUP])).exit;
      case 'clock':
        this.wrongByMs = step.wrongByMs;
        return this.tell();
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
      if (via === 'api') {
        listed.push(vote);
        this.isListed = true;
      }
      answers.push(via === 'api' ? 'listed' : await this.nudged(reportedBy(via, vote, at, this.wall)));
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
    return this.nudged(this.commands.run([...words, '--config', join(this.folder, 'config.json')]));
  }

  private write(config: WrittenConfig): void {
    const { servers, listing } = this.peers as Peers;
    writeFileSync(join(this.folder, 'config.json'), configFile(config, servers, listing.root));
  }

  /** SIGHUP asks for a reload, and the log says when it is done. */
  private async reload(config: WrittenConfig): Promise<string> {
    this.write(config);
    const before = this.teller.err.length;
    this.teller.signal('SIGHUP');
    const lines = () => this.teller.err.slice(before).split('\n').slice(0, -1);
    const done = () => lines().find((line) => /"code":"reloaded"|was not reloaded/.test(line));
    await this.nudged(Promise.race([this.running, this.teller.until(() => done() !== undefined)]));
    const line = done();
    if (line === undefined) throw new Error(`${this.name} ends: ${this.teller.err.slice(-2_000)}`);
    return line.includes('"reloaded"') ? 'reloaded' : 'refused';
  }

  private async start(): Promise<void> {
    const words = ['run', '--json', '--config', join(this.folder, 'config.json')];
    const running = this.teller.start(words).then(() => {
      this.running = null;
    });
    this.running = running;
    const isReady = () => READY.test(this.teller.out);
    await this.nudged(Promise.race([running, this.teller.until(isReady)]));
    const [, ready] = READY.exec(this.teller.out) ?? [];
    if (ready === undefined) throw new Error(`${this.name} does not start: ${this.teller.err.slice(-2_000)}`);
    this.ready = JSON.parse(ready);
    this.together = { monotonic: this.aheadMs, wall: this.wall };
    await this.settled();
  }

  private async stop(): Promise<void> {
    const limit = setTimeout(() => this.teller.signal('SIGKILL'), STOP_PATIENCE_MS);
    this.teller.signal('SIGTERM');
    await this.nudged(Promise.resolve(this.running));
    clearTimeout(limit);
  }

  /**
   * kill -9. If its process is to stay, it goes on in a copy of the files as they are in this instant, and what was there before
   * is stopped, which has to be silent.
   */
  private async kill(): Promise<void> {
    if (this.teller.isApart) {
      this.teller.signal('SIGKILL');
      return this.running ?? undefined;
    }
    const [ran, from, to] = [this.ran(), this.folder, this.nextFolder()];
    this.teller.signal('SIGSTOP');
    while (this.running !== null && !this.teller.areStopped()) await sleep(1);
    cpSync(from, to, { recursive: true, filter: (file) => !lstatSync(file).isSocket() });
    this.teller.signal('SIGCONT');
    await this.stop();
    if (this.ran() !== ran) throw new Error(`${this.name} runs commands when it is stopped`);
    rmSync(from, { recursive: true, force: true });
    this.folder = to;
  }

  private nextFolder(): string {
    this.folders += 1;
    return join(this.home, `history-${this.folders}`);
  }

  /** Monotonic time is not moved as far by what it is ahead already, so that the clock is never doubted. */
  private moveTo(at: number): void {
    this.wall = at;
    const byMs = at - this.together.wall - (this.aheadMs - this.together.monotonic);
    this.aheadMs += this.running === null ? 0 : Math.max(0, byMs);
    this.tell();
  }

  private tell(): void {
    writeSync(this.time, new Float64Array([this.wall + this.wrongByMs, this.aheadMs]), 0, 16, 0);
  }

  private nudge(byMs: number): void {
    this.aheadMs += byMs;
    this.tell();
  }

  /** The same, for which timers fire whenever nothing else can bring it. */
  private async nudged<Result>(promise: Promise<Result>): Promise<Result> {
    let isOver = false;
    const awaited = promise.finally(() => {
      isOver = true;
    });
    const nudging = async (): Promise<void> => {
      while (!isOver) {
        await this.asleep(() => isOver);
        if (!isOver) this.nudge(SHORT_NUDGE_MS);
      }
    };
    const [result] = await Promise.all([awaited, nudging()]);
    return result;
  }

  /** Lets time pass: exactly, from one timer to the next; otherwise at once, and threads may do what is due in any order. */
  private async pass(ms: number): Promise<void> {
    for (const end = this.aheadMs + ms; this.aheadMs < end; ) {
      const dues = this.playing.isExact
        ? new Float64Array(new Uint8Array(readFileSync(`${this.timeFile}-dues`)).buffer)
        : [];
      this.nudge(Math.min(end, ...dues.filter((due) => due > this.aheadMs)) - this.aheadMs);
      await this.asleep();
    }
  }

  /** Until it has nothing to do, also in the next seconds of monotonic time. */
  private async settled(): Promise<void> {
    await this.asleep();
    if (this.isListed) await this.pass(API_INTERVAL_MS);
    this.isListed = false;
    for (let nudge = 0, quiet = 0; quiet < this.playing.quietNudges; nudge++) {
      if (nudge === NUDGES_MAX) throw new Error(`${this.name} never stops running commands`);
      const before = this.ran();
      await this.pass(NUDGE_MS);
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

  /** Until all threads sleep, what they have sent before is read here, and game servers have answered, or until `isOver`. */
  private async asleep(isOver = () => this.running === null): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (let before = ''; !isOver(); ) {
      const now = this.look();
      if (now !== null && now === before) {
        const answer = this.unanswered.main.shift() ?? this.unanswered.sky.shift();
        if (answer === undefined) return;
        answer();
      }
      if (performance.now() > end) throw new Error(`${this.name} never comes to rest`);
      before = now ?? '';
      await sleep(LOOK_EACH_MS);
      // What is read in the first turn is answered in it, and what that leads to is read in the second.
      for (let turn = 0; turn < 2; turn++) await afterReading();
    }
  }

  /** What shows that something was done since another look; null: something is being done. */
  private look(): string | null {
    const [teller, commands] = [this.teller.look(), this.commands.look()];
    return teller === null || commands === null ? null : `${teller} | ${commands} | ${this.traffic()}`;
  }
}
