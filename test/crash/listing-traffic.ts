import type { Random } from '../../src/core/random.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { below, happens, oneOf } from './chance.ts';
import { ACCOUNTS } from './sites.ts';
import type { TellerAddresses } from './teller-process.ts';
import type { VoteSender } from './vote-sender.ts';
import type { Channel, SentVote } from './votes.ts';

/** Deliveries that are retried with new votes. Real listings wait longer, and have more of them. */
const RETRIED_AT_ONCE = 2;
const REPEAT_CHANCE = 0.5;
const SENT_AT_ONCE = 8;
const LAST_ROUNDS = 20;
const BETWEEN_ROUNDS_MS = 250;

/** What the listings send: each new vote, webhook deliveries until they are answered, and sometimes an old vote again. */
export class ListingTraffic {
  /** How many votes were sent by each channel. */
  readonly sentBy: Record<Channel, number>;
  /** How many of these were votes that had been sent to an earlier process. */
  repeats = 0;
  private lifetime = 0;

  /** @param votes all votes, the newest last. */
  constructor(
    private readonly votes: readonly SentVote[],
    private readonly sender: VoteSender,
    private readonly random: Random,
  ) {
    const listed = votes.filter(({ channels }) => channels.includes('api'));
    this.sentBy = { 'listener-v2': 0, 'listener-v1': 0, webhook: 0, api: listed.length };
  }

  startLifetime(): void {
    this.lifetime += 1;
  }

  /** Sends the new votes by all their channels at once, and some old ones. */
  async sendSome(fresh: readonly SentVote[], at: TellerAddresses): Promise<void> {
    const old = [...this.undelivered(RETRIED_AT_ONCE), ...this.repeat()];
    await Promise.all([
      ...fresh.flatMap((vote) => vote.channels.map((channel) => this.send(vote, channel, at))),
      ...old.map(([vote, channel]) => this.send(vote, channel, at)),
    ]);
  }

  /** Sends every undelivered webhook until it is answered, and then repeats votes of all lifetimes. */
  async finish(at: TellerAddresses): Promise<void> {
    for (let round = 0; round < LAST_ROUNDS; round++) {
      const left = this.votes.filter(isUndelivered);
      if (left.length === 0) break;
      if (round > 0)
        await new Promise((resolve) => systemClock.after(BETWEEN_ROUNDS_MS, () => resolve(null)));
      await this.sendAll(
        left.map((vote) => [vote, 'webhook']),
        at,
      );
    }
    const again = Array.from({ length: Math.ceil(this.votes.length / 10) }, () => this.oneRepeat());
    await this.sendAll(again.flat(), at);
  }

  private async sendAll(
    votes: readonly (readonly [SentVote, Channel])[],
    at: TellerAddresses,
  ): Promise<void> {
    for (let from = 0; from < votes.length; from += SENT_AT_ONCE) {
      const together = votes.slice(from, from + SENT_AT_ONCE);
      await Promise.all(together.map(([vote, channel]) => this.send(vote, channel, at)));
    }
  }

  private undelivered(count: number): [SentVote, Channel][] {
    const waiting = this.votes.filter((vote) => isUndelivered(vote) && vote.firstSentIn !== this.lifetime);
    const from = below(this.random, Math.max(1, waiting.length - count));
    return waiting.slice(from, from + count).map((vote) => [vote, 'webhook']);
  }

  private repeat(): [SentVote, Channel][] {
    return happens(this.random, REPEAT_CHANCE) ? this.oneRepeat() : [];
  }

  /** A vote by any channel that fits its site, even one that it was not sent by before. */
  private oneRepeat(): [SentVote, Channel][] {
    const vote = oneOf(this.random, this.votes);
    const channel = vote.repeatBy[below(this.random, vote.repeatBy.length)];
    if (channel === undefined || vote.firstSentIn === null || vote.firstSentIn === this.lifetime) return [];
    return isMistakable(vote) ? [] : [[vote, channel]];
  }

  private async send(vote: SentVote, channel: Channel, at: TellerAddresses): Promise<void> {
    this.sentBy[channel] += 1;
    if (vote.firstSentIn !== null && vote.firstSentIn !== this.lifetime) this.repeats += 1;
    vote.firstSentIn ??= this.lifetime;
    await this.sender.send(vote, channel, at);
  }
}

/** Without an answer it may be new to Teller, and its name another player's by now. */
const isMistakable = ({ site, isAnswered }: SentVote): boolean => site === ACCOUNTS && !isAnswered;

export const isUndelivered = ({ channels, isDelivered }: SentVote): boolean =>
  channels.includes('webhook') && !isDelivered;
