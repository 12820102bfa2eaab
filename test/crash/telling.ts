import type { Random } from '../../src/core/random.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { below, happens, oneOf } from './chance.ts';
import type { Roads } from './roads.ts';
import type { TellerAddresses } from './victim.ts';
import type { Road, SentVote } from './votes.ts';

/** Webhooks that are tried again beside the new votes; listings wait longer, and have as many. */
const RETRIED_AT_ONCE = 2;
const TOLD_AGAIN_CHANCE = 0.5;
const AT_THE_END = 8;
const LAST_ROUNDS = 20;
const BETWEEN_ROUNDS_MS = 250;

/** What the listings tell Teller: each new vote, webhooks until they are answered, and now and then a vote once more. */
export class Telling {
  /** How often each road was taken. */
  readonly told: Record<Road, number>;
  /** Of these, tellings of votes that an earlier life had been told already. */
  repeats = 0;
  private life = 0;

  /** @param votes all there are, the newest last. */
  constructor(
    private readonly votes: readonly SentVote[],
    private readonly roads: Roads,
    private readonly random: Random,
  ) {
    const listed = votes.filter(({ roads }) => roads.includes('api'));
    this.told = { v2: 0, v1: 0, webhook: 0, api: listed.length };
  }

  beginLife(): void {
    this.life += 1;
  }

  /** The new ones by all of their roads at once, and some old ones beside them. */
  async some(fresh: readonly SentVote[], at: TellerAddresses): Promise<void> {
    const old = [...this.undelivered(RETRIED_AT_ONCE), ...this.again()];
    await Promise.all([
      ...fresh.flatMap((vote) => vote.roads.map((road) => this.tell(vote, road, at))),
      ...old.map(([vote, road]) => this.tell(vote, road, at)),
    ]);
  }

  /** To a Teller that lives: every webhook until it is answered, and then votes of all lives again. */
  async last(at: TellerAddresses): Promise<void> {
    for (let round = 0; round < LAST_ROUNDS; round++) {
      const left = this.votes.filter(isUndelivered);
      if (left.length === 0) break;
      if (round > 0)
        await new Promise((resolve) => systemClock.after(BETWEEN_ROUNDS_MS, () => resolve(null)));
      await this.each(
        left.map((vote) => [vote, 'webhook']),
        at,
      );
    }
    const again = Array.from({ length: Math.ceil(this.votes.length / 10) }, () => this.oneAgain());
    await this.each(again.flat(), at);
  }

  private async each(tellings: readonly (readonly [SentVote, Road])[], at: TellerAddresses): Promise<void> {
    for (let from = 0; from < tellings.length; from += AT_THE_END) {
      const together = tellings.slice(from, from + AT_THE_END);
      await Promise.all(together.map(([vote, road]) => this.tell(vote, road, at)));
    }
  }

  private undelivered(count: number): [SentVote, Road][] {
    const waiting = this.votes.filter((vote) => isUndelivered(vote) && vote.toldIn !== this.life);
    const from = below(this.random, Math.max(1, waiting.length - count));
    return waiting.slice(from, from + count).map((vote) => [vote, 'webhook']);
  }

  private again(): [SentVote, Road][] {
    return happens(this.random, TOLD_AGAIN_CHANCE) ? this.oneAgain() : [];
  }

  /** By any road that it could have come by, whether or not it came by that one. */
  private oneAgain(): [SentVote, Road][] {
    const vote = oneOf(this.random, this.votes);
    const road = oneOf(this.random, vote.againBy);
    return vote.toldIn === null || vote.toldIn === this.life ? [] : [[vote, road]];
  }

  private async tell(vote: SentVote, road: Road, at: TellerAddresses): Promise<void> {
    this.told[road] += 1;
    if (vote.toldIn !== null && vote.toldIn !== this.life) this.repeats += 1;
    vote.toldIn ??= this.life;
    await this.roads.tell(vote, road, at);
  }
}

export const isUndelivered = ({ roads, isDelivered }: SentVote): boolean =>
  roads.includes('webhook') && !isDelivered;
