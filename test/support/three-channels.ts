import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readPublicKey } from '../../protocol/votifier/key-text.ts';
import { encodeVotePayload } from '../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER, signBody } from '../../protocol/webhook/signature.ts';
import type { Listing } from '../../src/listing/contracts.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Auth, sendVote } from '../../src/sender/send-vote.ts';
import { servePages } from '../../src/web/server.ts';
import { type ListingService, listingService } from '../listing/listing-service.ts';
import { TOKEN } from './config-folder.ts';
import { FakeClock } from './fake-clock.ts';
import { silentLog } from './log.ts';
import type { ListeningAddress } from './processes.ts';

export const SITE = 'My-List.com';
const SECRET = 'whsec_three-channels';
const HOUR = 3_600_000;
const V2: Auth = { version: 'v2', token: TOKEN };

export type ListingChannel = 'listener' | 'webhook' | 'api';

export const ORDERS: readonly (readonly ListingChannel[])[] = [
  ['listener', 'webhook', 'api'],
  ['listener', 'api', 'webhook'],
  ['webhook', 'listener', 'api'],
  ['webhook', 'api', 'listener'],
  ['api', 'listener', 'webhook'],
  ['api', 'webhook', 'listener'],
];

/** The addresses at which a Teller receives votes. */
export interface VoteAddresses {
  readonly listener: ListeningAddress;
  readonly webhook?: ListeningAddress | null;
}

/** One vote that its listing can report over each channel. No report rejects when Teller is not running. */
export interface ListingVote {
  readonly player: string;
  readonly eventId: string;
  /** @returns the code of the sender's result. */
  byListener(to: VoteAddresses, auth?: Auth): Promise<string>;
  /** @returns the status, or the error as a string. */
  byWebhook(to: VoteAddresses): Promise<number | string>;
  /** Adds the vote to what the API lists. */
  byApi(): Promise<void>;
}

/** The config of a Teller that receives the votes of one listing over all three channels, and votes of that listing. */
export interface ThreeChannels {
  readonly config: object;
  vote(player: string): ListingVote;
}

/** A Minecraft listing whose API is on a socket. */
export async function threeChannels(): Promise<ThreeChannels> {
  const startedAt = Date.now();
  const service = listingService({ clock: new FakeClock(startedAt) });
  const { listing, token } = await service.owner('minecraft', 'votes:read');
  const { address, close } = await servePages((request, bindings) => service.api.fetch(request, bindings), {
    ...{ host: '127.0.0.1', port: 0, key: '--port', likelyHolder: 'none', visitors: 'signed-in' },
    ...{ clock: systemClock, log: silentLog },
  });
  onTestFinished(close);
  const api = {
    ...{ baseUrl: `http://127.0.0.1:${address.port}/api/v1`, token },
    payFrom: new Date(startedAt - HOUR).toISOString(),
  };
  const webhook = { path: '/votes', secret: SECRET, listingId: listing.id };
  const sites = { default: { token: TOKEN }, [SITE]: { api, webhook } };
  let votes = 0;
  return {
    config: { sites, webhook: { host: '127.0.0.1', port: 0 } },
    vote: (player) => voteOf(player, ++votes, service, listing),
  };
}

function voteOf(player: string, number: number, service: ListingService, listing: Listing): ListingVote {
  const id = `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  const castAt = Date.now();
  const facts = { listingId: listing.id, userId: `8035111022467${number}`, weight: 1 };
  const nextAt = castAt + 24 * HOUR;
  let isListed = false;
  return {
    ...{ player, eventId: id },
    byListener: async ({ listener }, auth = V2) => {
      const wire = { serviceName: SITE, username: player, address: '0.0.0.0', timestamp: String(castAt) };
      return (await sendVote(wire, { ...listener, auth }, { clock: systemClock })).code;
    },
    byWebhook: (to) => {
      const times = { votedAt: castAt, nextVoteAt: nextAt };
      const vote = { eventId: id, ...facts, ...times, game: 'minecraft', playerName: player } as const;
      return post(to, encodeVotePayload(vote, castAt));
    },
    byApi: async () => {
      // The listing's clock stands still, so a window would never end. A window that starts in the future counts as expired.
      service.clock.jump(-1);
      if (isListed) return;
      isListed = true;
      await service.store.changes.recordVote({ id, ...facts, player, castAt, nextAt });
    },
  };
}

function post({ webhook }: VoteAddresses, body: Buffer): Promise<number | string> {
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signBody(body, SECRET) };
  const request = { method: 'POST', headers, body: new Uint8Array(body) };
  return fetch(`http://127.0.0.1:${webhook?.port}/votes`, request).then(({ status }) => status, String);
}

/**
 * The authentication of a v1 sender: the public key that Teller created at its first start.
 *
 * @param keys the folder of the key pair.
 */
export function v1Auth(keys: string): Auth {
  const reading = readPublicKey(readFileSync(join(keys, 'public.key'), 'utf8'));
  if (reading.kind !== 'key') throw new Error(reading.reason);
  return { version: 'v1', publicKey: reading.key };
}
