import type { Random } from '../../src/core/random.ts';
import { happens, oneOf } from './chance.ts';
import type { MinecraftServer } from './minecraft-server.ts';
import { NEWS, type Site, TOWN } from './sites.ts';
import type { Ballots, SentVote } from './votes.ts';

const PEOPLE = 5;
const VOTES = 0.6;
const MOVES = 0.2;
const STRANGER_VOTES = 0.1;

/** Players who vote again and again, and move between two game servers; and strangers, who are on none. */
export class Town {
  readonly people = Array.from({ length: PEOPLE }, (_, at) => `Town${at + 1}`);
  private readonly votedAt = new Map<string, number>();
  private strangers = 0;

  constructor(
    private readonly random: Random,
    private readonly ballots: Ballots,
    private readonly servers: { readonly main: MinecraftServer; readonly sky: MinecraftServer },
  ) {}

  some(): SentVote[] {
    this.move();
    return [
      ...(happens(this.random, VOTES) ? this.voteOf(oneOf(this.random, this.people), TOWN) : []),
      ...(happens(this.random, VOTES) ? this.voteOf(oneOf(this.random, this.people), NEWS) : []),
      ...(happens(this.random, STRANGER_VOTES) ? this.voteOfStranger() : []),
    ];
  }

  /** From now on, everyone is on both game servers, as they are listed for a moment when they move. */
  gather(): void {
    this.servers.main.joinAll(this.people);
    this.servers.sky.joinAll(this.people);
  }

  private move(): void {
    if (!happens(this.random, MOVES)) return;
    const [player, to] = [
      oneOf(this.random, this.people),
      oneOf(this.random, ['main', 'sky', null] as const),
    ];
    for (const { practice } of Object.values(this.servers)) practice.leave(player);
    if (to !== null) this.servers[to].practice.join(player);
  }

  /** None if they voted there just now: every vote is outside the windows of the others. */
  private voteOf(player: string, site: Site): SentVote[] {
    const key = `${player} ${site.name}`;
    const now = Date.now();
    if (now - (this.votedAt.get(key) ?? 0) <= site.windowMs) return [];
    this.votedAt.set(key, now);
    return [this.ballots.castNow(site, player, ['listener-v2'])];
  }

  private voteOfStranger(): SentVote[] {
    this.strangers += 1;
    return [this.ballots.castNow(NEWS, strangerName(this.strangers))];
  }
}

const strangerName = (number: number): string => `Stranger${number}`;

export const isStranger = (player: string): boolean => player.toLowerCase().startsWith('stranger');
