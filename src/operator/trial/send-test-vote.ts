import { type Config, practiceNames } from '../../config/config.ts';
import { readKeyPair } from '../../config/keys.ts';
import type { Clock } from '../../core/clock.ts';
import { playerKey } from '../../core/player-name.ts';
import { Problem } from '../../core/problem.ts';
import type { Channel } from '../../core/vote.ts';
import { takesCommands } from '../../delivery/kinds.ts';
import type { ServedGameServer } from '../../delivery/queue.ts';
import type { Ledger, VoteRow } from '../../ledger/ledger.ts';
import type { SendResult } from '../../sender/conversation.ts';
import { type Auth, type Place, sendVote } from '../../sender/send.ts';
import { matchSite } from '../../votes/sites.ts';

export type Version = 'v1' | 'v2';

/** A vote that the operator has sent to their own listener. */
export interface TestVote {
  readonly version: Version;
  readonly player: string;
  readonly service: string;
}

export interface SentVote extends TestVote {
  /** Its timestamp, by which it is found in the ledger. */
  readonly sentAt: number;
  readonly result: SendResult;
}

export type TestVoteEnding =
  | { readonly kind: 'sent'; readonly vote: SentVote }
  /** Nothing was sent. */
  | { readonly kind: 'refused'; readonly sentence: string };

/** Sends a vote over the network to the listener of this Teller, as a listing would. Never rejects. */
export async function sendTestVote(
  vote: TestVote,
  listener: Place,
  config: Config,
  clock: Clock,
): Promise<TestVoteEnding> {
  const auth = await authFor(vote, config);
  if ('kind' in auth) return auth;
  const sentAt = clock.now();
  const wire = {
    serviceName: vote.service,
    username: vote.player,
    address: '127.0.0.1',
    timestamp: String(sentAt),
  };
  const result = await sendVote(wire, { ...listener, auth }, { clock });
  return { kind: 'sent', vote: { ...vote, sentAt, result } };
}

/** The real game servers that votes are paid on; empty if votes are not paid by this Teller. */
export function payingServers(config: Config, served: readonly ServedGameServer[]): readonly string[] {
  if (config.pay.mode === 'shadow') return [];
  const practice = new Set(practiceNames(config));
  const paysOn = ({ name }: ServedGameServer): boolean =>
    config.gameServers.has(name) && takesCommands(config.gameServers.get(name)?.kind) && !practice.has(name);
  return served.filter(paysOn).map(({ name }) => name);
}

type Refusal = Extract<TestVoteEnding, { kind: 'refused' }>;

async function authFor({ version, service }: TestVote, config: Config): Promise<Auth | Refusal> {
  if (version === 'v1') return publicKeyOf(config);
  const { key, entry } = matchSite(config.sites, service);
  if (entry.token?.missing === null) return { version, token: entry.token.reveal() };
  const why = entry.token?.missing ?? 'no token is set';
  return refused(`The entry ${JSON.stringify(key)} of sites has no token: ${why}.`);
}

async function publicKeyOf({ keys }: Config): Promise<Auth | Refusal> {
  try {
    return { version: 'v1', publicKey: (await readKeyPair(keys)).publicKey };
  } catch (error) {
    if (error instanceof Problem) return refused(error.message);
    throw error;
  }
}

const refused = (sentence: string): Refusal => ({ kind: 'refused', sentence });

/** A listener stores a vote within seconds, or never. */
const STORED_WITHIN_MS = 60_000;
/** In that time. */
const LOOKED_THROUGH = 200;

const CHANNELS: Readonly<Record<Version, Channel>> = { v1: 'listener-v1', v2: 'listener-v2' };

/** The vote as the ledger has it; null: it is not stored yet, or was refused. Rejects with the ledger's Problem. */
export async function storedVote(
  { version, service: site, player, sentAt }: SentVote,
  ledger: Pick<Ledger, 'votes'>,
): Promise<VoteRow | null> {
  const until = sentAt + STORED_WITHIN_MS;
  const votes = await ledger.votes({
    ...{ site, since: sentAt, until, limit: LOOKED_THROUGH },
    channel: CHANNELS[version],
  });
  const isIt = ({ claimedAt, castAt, ...vote }: VoteRow): boolean =>
    (claimedAt ?? castAt) === sentAt && playerKey(vote.sentAs ?? vote.recipient) === playerKey(player);
  return votes.find(isIt) ?? null;
}
