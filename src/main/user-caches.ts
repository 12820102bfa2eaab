import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { SeenPlayers } from '../delivery/seen-players.ts';
import { readUserCache, type UserCacheStamp } from '../platform/user-cache-file.ts';

/** How often it is looked whether a file has changed. */
const LOOK_MS = 10_000;

export interface UserCachesParts {
  readonly seen: Pick<SeenPlayers, 'store'>;
  /** Called if names or grants have changed hands. */
  readonly onChange: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The paths of `usercache.json`, by game server. */
export type UserCacheFiles = ReadonlyMap<string, string>;

/** Reads the players whom game servers keep in files, in the process that delivers, whenever a file has changed. */
export class UserCaches {
  private readonly stamps = new Map<string, UserCacheStamp>();
  /** What is wrong with files, so that it is logged once. */
  private readonly faults = new Map<string, string>();
  private cancel: Cancel = () => {};
  private looking: Promise<void> = Promise.resolve();
  private isStarted = false;
  private isClosed = false;

  constructor(
    private readonly parts: UserCachesParts,
    private files: UserCacheFiles,
  ) {}

  /** Resolves after the first look, so that nothing is paid before it. Calling it again only waits. */
  async start(): Promise<void> {
    if (!this.isStarted) this.looking = this.look();
    this.isStarted = true;
    await this.looking;
  }

  apply(files: UserCacheFiles): void {
    this.files = files;
    this.stamps.clear();
    this.faults.clear();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.looking;
  }

  private async look(): Promise<void> {
    for (const [server, file] of this.files) await this.readOrRetry(server, file);
    if (this.isClosed) return;
    this.cancel = this.parts.clock.after(LOOK_MS, () => {
      this.looking = this.look();
    });
  }

  /** If the ledger cannot store it, the next look tries again; the queues report what is wrong. */
  private async readOrRetry(server: string, file: string): Promise<void> {
    try {
      await this.read(server, file);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  private async read(server: string, file: string): Promise<void> {
    const reading = await readUserCache(file, this.stamps.get(server) ?? null);
    if (reading.kind === 'unchanged') return;
    if (reading.kind === 'fault') {
      this.stamps.delete(server);
      this.report(server, file, reading.sentence);
      return;
    }
    this.faults.delete(server);
    const now = this.parts.clock.now();
    // A game server whose clock is ahead knows no better than the present.
    const players = reading.players.map((player) => ({ ...player, at: Math.min(player.at, now) }));
    if (await this.parts.seen.store(server, players)) this.parts.onChange();
    if (reading.stamp !== null) this.stamps.set(server, reading.stamp);
  }

  private report(server: string, file: string, sentence: string): void {
    if (this.faults.get(server) === sentence) return;
    this.faults.set(server, sentence);
    const what = `the user cache of ${server} is not used: ${sentence}; correct gameServers.${server}.userCache or the file ${file}`;
    this.parts.log.warn({ code: 'user-cache-unusable', server }, what);
  }
}
