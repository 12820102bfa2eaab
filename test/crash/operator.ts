import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { typedApart } from '../kit/apart.ts';
import type { Place } from '../kit/place.ts';
import type { Seeded } from '../support/seeded.ts';
import { NEW_SITES } from './sites.ts';

const DOES_SOMETHING = 0.3;
const TRIES = 5;
/** The game server that is paused. */
const PAUSED_SERVER = 'sky';

/** A time in which the game server is certainly paused, in ms since the Unix epoch. */
export interface PausedTime {
  readonly from: number;
  readonly until: number;
}

/** Game servers whose queues a reload replaces, whatever they are sending. */
const RELOADED = ['main', 'sky', 'realm', 'city'] as const;

/**
 * Gives sites their entries, pauses a game server, and edits the config and reloads it, by the real commands, whatever happens to
 * Teller meanwhile.
 */
export class Operator {
  readonly paused: PausedTime[] = [];
  edits = 0;
  private pausedFrom: number | null = null;
  private nextSite = 0;
  private doing: Promise<void> | null = null;

  constructor(
    private readonly random: Seeded,
    private readonly place: Place,
    /** Words before each command: see `typedApart`. */
    private readonly within: readonly string[],
  ) {}

  /** In some lifetimes does the next thing, unless they are still busy. */
  startLifetime(): void {
    if (this.doing !== null || !this.random.chance(DOES_SOMETHING)) return;
    this.doing = this.doNext().finally(() => {
      this.doing = null;
    });
  }

  /** Ends the pause, and gives all sites that have none yet their entries. */
  async finish(): Promise<void> {
    await this.doing;
    for (let tries = 0; this.pausedFrom !== null && tries < TRIES; tries++) await this.resume();
    for (let tries = 0; this.nextSite < NEW_SITES.length && tries < NEW_SITES.length * TRIES; tries++)
      await this.addSite();
  }

  private async doNext(): Promise<void> {
    if (this.pausedFrom !== null) return this.resume();
    if (this.random.chance(0.5)) return this.pause();
    return this.addSite();
  }

  /**
   * Edits the config for the next reload: it replaces a queue, and changes what listener, webhooks and retention go by, but no
   * reward.
   *
   * @returns whether it is edited: while a command may edit it, it is not.
   */
  edit(): boolean {
    if (this.doing !== null) return false;
    const config = this.config();
    this.edits += 1;
    const server = config.gameServers[RELOADED[this.edits % RELOADED.length] ?? 'main'];
    server.presenceInterval = `${100 + this.edits}ms`;
    config.keep = { addresses: `${30 + this.edits}d` };
    config.listener.deadline = `${5_000 + this.edits}ms`;
    // The port for webhooks stays open: a site that only this edit has comes and goes.
    if (this.edits % 2 === 0) delete config.sites['Nobody votes here'];
    else
      config.sites['Nobody votes here'] = {
        webhook: { path: '/nobody', secret: 'nobody-knows-this', listingId: '1' },
      };
    const next = `${this.place.config}.next`;
    writeFileSync(next, JSON.stringify(config), { mode: 0o600 });
    renameSync(next, this.place.config);
    return true;
  }

  private async pause(): Promise<void> {
    if (await this.type('pause', '--server', PAUSED_SERVER)) this.pausedFrom = Date.now();
  }

  private async resume(): Promise<void> {
    const until = Date.now();
    if (!(await this.type('resume', '--server', PAUSED_SERVER))) return;
    this.paused.push({ from: this.pausedFrom ?? until, until });
    this.pausedFrom = null;
  }

  /** The command may be right to fail: the Teller that should reload its config may have been killed. */
  private async addSite(): Promise<void> {
    const site = NEW_SITES[this.nextSite];
    if (site === undefined) return;
    await this.type('sites', 'add', site.name, '--yes');
    if (site.name in this.config().sites) this.nextSite += 1;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the file of a config
  private config(): any {
    return JSON.parse(readFileSync(this.place.config, 'utf8'));
  }

  /** @returns whether it ended with success. */
  private async type(...words: readonly string[]): Promise<boolean> {
    return (await typedApart(this.place, words, this.within)).code === 0;
  }
}
