import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPublicKey } from '../../protocol/votifier/key-text.ts';
import { encryptV1Block } from '../../protocol/votifier/v1-encrypt.ts';
import { encodeVotePayload } from '../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../protocol/webhook/signature.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { connectAnywhere } from '../../src/sender/connection.ts';
import { Exchange, SEND_LIMITS } from '../../src/sender/exchange.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { V1Conversation } from '../../src/sender/v1-conversation.ts';
import { TOKEN, WEBHOOK_SECRET } from './sites.ts';
import type { TellerAddresses } from './teller-process.ts';
import type { Channel, SentVote } from './votes.ts';

const HOST = '127.0.0.1';
const WEBHOOK_TIMEOUT_MS = 5_000;

/** Sends votes by three of the channels. By the fourth, the API, Teller asks for them. */
export class VoteSender {
  /** The blocks by vote ID, because a repeated v1 vote is the same block. */
  private readonly blocks = new Map<string, Buffer>();

  /** @param folder the folder of the Teller whose public key encrypts the blocks. */
  constructor(
    private readonly folder: string,
    private readonly onAnswer: () => void,
  ) {}

  /** Resolves when there is an answer, or when it is certain that none will come. */
  async send(vote: SentVote, channel: Channel, at: TellerAddresses): Promise<void> {
    if (channel === 'listener-v2') await this.byV2(vote, at);
    if (channel === 'listener-v1') await this.byV1(vote, at);
    if (channel === 'webhook') await this.byWebhook(vote, at);
  }

  private async byV2(vote: SentVote, { listener }: TellerAddresses): Promise<void> {
    const wire = wireOf(vote, vote.voter, String(vote.votedAt));
    const target = { host: HOST, port: listener.port, auth: { version: 'v2', token: TOKEN } } as const;
    const { code } = await sendVote(wire, target, { clock: systemClock });
    if (code === 'accepted') this.answered(vote);
  }

  /** A v1 sender gets no answer. */
  private async byV1(vote: SentVote, { listener }: TellerAddresses): Promise<void> {
    const conversation = new V1Conversation(this.blockOf(vote));
    await new Exchange(connectAnywhere(HOST, listener.port), conversation, systemClock, SEND_LIMITS).run();
  }

  /** Written as many v1 senders do: the time in whole seconds, the name as the voter typed it. */
  private blockOf(vote: SentVote): Buffer {
    const known = this.blocks.get(vote.id);
    if (known !== undefined) return known;
    const reading = readPublicKey(readFileSync(join(this.folder, 'data/keys/public.key'), 'utf8'));
    if (reading.kind !== 'key') throw new Error(reading.reason);
    const timestamp = vote.isTimeless ? 'no readable time' : String(Math.floor(vote.votedAt / 1000));
    const block = encryptV1Block(reading.key, wireOf(vote, vote.voter.toLowerCase(), timestamp));
    if (block === null) throw new Error('too long for a block');
    this.blocks.set(vote.id, block);
    return block;
  }

  private async byWebhook(vote: SentVote, { webhook }: TellerAddresses): Promise<void> {
    const { id: eventId, site, voter, votedAt } = vote;
    if (site.reports === null) throw new Error(`${site.name} has no webhook`);
    const { listingId, path } = site.reports;
    const isPlayer = site.game === 'minecraft';
    const body = encodeVotePayload(
      {
        ...{ eventId, listingId, votedAt, nextVoteAt: votedAt + site.windowMs, weight: 1 },
        ...{ game: site.game, userId: isPlayer ? 'crash-voter' : voter, playerName: isPlayer ? voter : null },
      },
      votedAt,
    );
    const answer = await fetch(`http://${HOST}:${webhook.port}${path}`, {
      method: 'POST',
      headers: { [SIGNATURE_HEADER]: signBody(body, WEBHOOK_SECRET), 'content-type': 'application/json' },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    }).catch(() => null);
    if (answer?.ok !== true) return;
    vote.isDelivered = true;
    this.answered(vote);
  }

  private answered(vote: SentVote): void {
    vote.isAnswered = true;
    this.onAnswer();
  }
}

const wireOf = ({ site }: SentVote, username: string, timestamp: string) => ({
  serviceName: site.name,
  username,
  address: '0.0.0.0',
  timestamp,
});
