/** What the listings send: votes over the listener and webhooks; and their API, which Teller asks. */
import { setTimeout as pause } from 'node:timers/promises';
import { encodeVotePayload } from '../../protocol/webhook.ts';
import { type Reported, reporting, scriptedServer } from '../kit/listing-api.ts';
import { sendBlock, sendV2, v1Block } from '../kit/vote.ts';
import { post, signature } from '../kit/webhook.ts';
import type { Seeded } from '../support/seeded.ts';
import { ACCOUNTS, SITES } from './sites.ts';
import type { Channel, SentVote } from './voters.ts';

/** The ready line of a Teller. */
export interface TellerAddresses {
  readonly listener: { readonly port: number };
  readonly webhook?: { readonly port: number };
}

const USER_ID = 'crash-voter';

/** The one operation of the developer API that Teller uses, without a rate limit, which would take minutes here. @returns its port. */
export async function serveVotes(votes: readonly SentVote[]): Promise<number> {
  const { port } = await scriptedServer((response, request) => {
    const site = SITES.find(({ reports }) => reports !== null && request.url?.startsWith(`${reports.path}/`));
    const listed = votes.filter((vote) => vote.site === site && vote.channels.includes('api'));
    reporting(listed.map(reported))(response, request);
  });
  return port;
}

const reported = ({ id, site, voter, votedAt }: SentVote): Reported => ({
  ...{ id, votedAt: new Date(votedAt).toISOString() },
  ...(site.game === 'minecraft'
    ? { userId: USER_ID, metadata: { playerName: voter } }
    : { userId: voter, metadata: {} }),
});

/** Deliveries that are retried with new votes. Real listings wait longer, and have more of them. */
const RETRIED_AT_ONCE = 2;
const REPEAT_CHANCE = 0.5;
const SENT_AT_ONCE = 8;
const LAST_ROUNDS = 20;
const BETWEEN_ROUNDS_MS = 250;

type Sending = readonly [vote: SentVote, channel: Channel];

/**
 * What the listings send: each new vote, webhook deliveries until they are answered, and sometimes an old vote again.
 *
 * @param votes all votes, the newest last.
 */
export function trafficOf(votes: readonly SentVote[], send: Sender, random: Seeded) {
  const listed = votes.filter(({ channels }) => channels.includes('api'));
  /** How many votes were sent by each channel, and how many of these had been sent to an earlier process. */
  const sent = { 'listener-v2': 0, 'listener-v1': 0, webhook: 0, api: listed.length, repeats: 0 };
  let lifetime = 0;
  const sendAll = async (all: readonly Sending[], at: TellerAddresses, atOnce = SENT_AT_ONCE) => {
    for (let from = 0; from < all.length; from += atOnce)
      await Promise.all(
        all.slice(from, from + atOnce).map(([vote, channel]) => {
          sent[channel] += 1;
          if (vote.firstSentIn !== null && vote.firstSentIn !== lifetime) sent.repeats += 1;
          vote.firstSentIn ??= lifetime;
          return send(vote, channel, at);
        }),
      );
  };
  const undelivered = (): Sending[] => {
    const waiting = votes.filter((vote) => isUndelivered(vote) && vote.firstSentIn !== lifetime);
    const from = random.below(Math.max(1, waiting.length - RETRIED_AT_ONCE));
    return waiting.slice(from, from + RETRIED_AT_ONCE).map((vote) => [vote, 'webhook']);
  };
  /** A vote by any channel that fits its site, even one that it was not sent by before. */
  const oneRepeat = (): Sending[] => {
    const vote = random.pick(votes);
    const channel = vote.repeatBy[random.below(vote.repeatBy.length)];
    if (channel === undefined || vote.firstSentIn === null || vote.firstSentIn === lifetime) return [];
    // Without an answer it may be new to Teller, and its name another player's by now.
    const isMistakable = vote.site === ACCOUNTS && !vote.isAnswered;
    return isMistakable ? [] : [[vote, channel]];
  };
  return {
    sent,
    startLifetime: (): void => {
      lifetime += 1;
    },
    /** Sends the new votes by all their channels at once, and some old ones. */
    sendSome: async (fresh: readonly SentVote[], at: TellerAddresses): Promise<void> => {
      const old = [...undelivered(), ...(random.chance(REPEAT_CHANCE) ? oneRepeat() : [])];
      const all = fresh.flatMap((vote) => vote.channels.map((channel) => [vote, channel] as const));
      await sendAll([...all, ...old], at, all.length + old.length);
    },
    /** Sends every undelivered webhook until it is answered, and then repeats votes of all lifetimes. */
    finish: async (at: TellerAddresses): Promise<void> => {
      for (let round = 0; round < LAST_ROUNDS && votes.some(isUndelivered); round++) {
        if (round > 0) await pause(BETWEEN_ROUNDS_MS);
        const left = votes.filter(isUndelivered).map((vote) => [vote, 'webhook'] as const);
        await sendAll(left, at);
      }
      const again = Array.from({ length: Math.ceil(votes.length / 10) }, oneRepeat);
      await sendAll(again.flat(), at);
    },
  };
}

export const isUndelivered = ({ channels, isDelivered }: SentVote): boolean =>
  channels.includes('webhook') && !isDelivered;

/** Resolves when there is an answer, or when it is certain that none will come. */
type Sender = (vote: SentVote, channel: Channel, at: TellerAddresses) => Promise<void>;

/**
 * Sends votes by three of the channels. By the fourth, the API, Teller asks for them.
 *
 * @param folder the folder of the Teller whose public key encrypts the blocks.
 */
export function senderTo(folder: string, onAnswer: () => void): Sender {
  /** By vote ID, because a repeated v1 vote is the same block. */
  const blocks = new Map<string, Buffer>();
  /** Written as many v1 senders do: the time in whole seconds, the name as the voter typed it. */
  const blockOf = ({ id, site, voter, votedAt, isTimeless }: SentVote): Buffer => {
    const timestamp = isTimeless ? 'no readable time' : String(Math.floor(votedAt / 1000));
    const text = `VOTE\n${site.name}\n${voter.toLowerCase()}\n0.0.0.0\n${timestamp}\n`;
    const block = blocks.get(id) ?? v1Block(text, folder);
    blocks.set(id, block);
    return block;
  };
  const isAccepted = async (vote: SentVote, channel: Channel, at: TellerAddresses): Promise<boolean> => {
    const { site, voter: player, votedAt } = vote;
    if (channel === 'listener-v2')
      return (await sendV2(at.listener.port, { player, site: site.name, at: votedAt })) === 'ok';
    if (channel === 'webhook') return isTaken(at.webhook?.port ?? 0, vote);
    // A v1 sender gets no answer.
    if (channel === 'listener-v1') await sendBlock(at.listener.port, blockOf(vote));
    return false;
  };
  return async (vote, channel, at) => {
    // The connection ends when Teller is killed.
    if (!(await isAccepted(vote, channel, at).catch(() => false))) return;
    if (channel === 'webhook') vote.isDelivered = true;
    vote.isAnswered = true;
    onAnswer();
  };
}

async function isTaken(webhookPort: number, vote: SentVote): Promise<boolean> {
  const { id: eventId, site, voter, votedAt } = vote;
  if (site.reports === null) throw new Error(`${site.name} has no webhook`);
  const { listingId, path } = site.reports;
  const isPlayer = site.game === 'minecraft';
  const facts = {
    ...{ eventId, listingId, votedAt, nextVoteAt: votedAt + site.windowMs, weight: 1 },
    ...{ game: site.game, userId: isPlayer ? USER_ID : voter, playerName: isPlayer ? voter : null },
  };
  const body = encodeVotePayload(facts, votedAt);
  const { status } = await post({ webhookPort }, body, { path, signed: signature(body) });
  return status >= 200 && status < 300;
}
