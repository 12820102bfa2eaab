/**
 * Which votes are accepted, and as what: every vote that can be recorded is made here, whether it came to the listener, its listing
 * reported it, or the operator added it. A vote that is accepted has a site, a recipient, a cast time (rule 4) and what identifies it
 * (rule 2); any other has the code of a refusal. Everything here is pure.
 */
import type { nameFaults, RefusalCode } from '../../protocol/votifier/refusals.ts';
import { claimedTime } from '../../protocol/votifier/wire.ts';
import type { SiteConfig, SiteGame } from '../config/config.ts';
import type { JudgedArrival, UnrewardedReason } from '../core/decide.ts';
import { forwardText } from '../core/forward.ts';
import { parseVotedName, playerKey } from '../core/player-name.ts';
import { identifyingTime } from '../core/same-vote.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';
import { castTime, type Recipient, type Vote } from '../core/vote.ts';
import type { Arrival, Draws, Rules } from '../rewards/reward.ts';
import type { ReceivedVote } from './listener.ts';
import { matchSite } from './sites.ts';

/** Judges a vote of the listener. Its site is the entry that its service name falls to. */
export function judgeArrival(
  received: ReceivedVote,
  sites: ReadonlyMap<string, SiteConfig>,
  bedrockPrefixes: readonly string[],
): JudgedArrival | RefusalCode {
  const { wire, channel, address, receivedAt, blockDigest, text } = received;
  const service = serviceNameOf(wire.serviceName);
  if (service.length > SERVICE_NAME_MAX) return 'service-not-allowed';
  const { key: site, entry } = matchSite(sites, service);
  // Anyone who has seen a public key can send v1 votes in any service's name, so the operator can restrict what a site accepts.
  if (entry.protocols?.includes(channel === 'listener-v1' ? 'v1' : 'v2') === false) return 'site-protocol';
  if (entry.isFrom?.(address) === false) return 'site-address';
  const named = namedPlayer(wire.username, bedrockPrefixes);
  if (typeof named === 'string') return named;
  const { recipient, sentAs } = named;
  const claim = claimedTime(wire.timestamp);
  const vote: Vote = {
    service,
    site,
    recipient,
    castAt: castTime(claim, receivedAt),
    claim,
    receivedAt,
    channel,
    address: address === '' ? null : address,
    eventId: null,
    blockDigest,
    wire: text,
  };
  return {
    vote: sentAs === undefined ? vote : { ...vote, sentAs },
    cooldown: entry.cooldown,
    countsAll: entry.countsAll,
  };
}

type NameRefusal = keyof typeof nameFaults;

/** The player that a vote names, and how the site spelt the name if that differs. */
function namedPlayer(
  sent: string,
  bedrockPrefixes: readonly string[],
): Pick<Vote, 'recipient' | 'sentAs'> | NameRefusal {
  const parsed = parseVotedName(sent, bedrockPrefixes);
  if (parsed.kind !== 'name') return `name-${parsed.kind}`;
  const player = parsed.name;
  const recipient: Recipient = { kind: 'player', key: playerKey(player), player };
  return sent.trim() === player ? { recipient } : { recipient, sentAs: sent.trim() };
}

/** A vote that its listing reports, by its signed webhook or its API. The listing's cast time counts (rule 4). */
export interface VoteReport extends Pick<Vote, 'receivedAt' | 'address'> {
  readonly channel: 'webhook' | 'api';
  /** The key of its entry in `sites`, which is also the service name in the listing's votes to the listener. */
  readonly site: string;
  readonly eventId: string;
  readonly userId: string;
  /** As the voter entered it; null if they entered none. */
  readonly player: string | null;
  readonly game: SiteGame;
  readonly votedAt: number;
  /** Why it cannot be rewarded, if that is known already. */
  readonly unrewarded: Exclude<UnrewardedReason, 'no-player'> | null;
  /** What was received, for the trace. */
  readonly text: string;
}

export type ReportRefusal = 'user-not-allowed' | NameRefusal;

export const isUserId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

/** Judges a report. A Minecraft vote that names no player is stored under the voter's user ID, and nobody is paid for it. */
export function judgeReport(
  report: VoteReport,
  sites: ReadonlyMap<string, SiteConfig>,
  bedrockPrefixes: readonly string[],
): JudgedArrival | ReportRefusal {
  const { site, game, player, userId, votedAt, receivedAt, channel, address, eventId } = report;
  const entry = sites.get(site);
  if (entry === undefined) throw new Error(`no entry ${site} in sites`);
  if (!isUserId(userId)) return 'user-not-allowed';
  const named =
    game === 'minecraft' && player !== null
      ? namedPlayer(player, bedrockPrefixes)
      : { recipient: { kind: 'user', key: userId } as const };
  if (typeof named === 'string') return named;
  const isNameless = game === 'minecraft' && player === null;
  return {
    vote: {
      ...named,
      service: serviceNameOf(site),
      site,
      castAt: votedAt,
      claim: { at: votedAt, precision: 'ms' },
      receivedAt,
      channel,
      address,
      eventId,
      blockDigest: null,
      wire: report.text,
    },
    cooldown: entry.cooldown,
    countsAll: entry.countsAll,
    unrewarded: isNameless ? 'no-player' : (report.unrewarded ?? undefined),
  };
}

/** A vote that the operator adds, besides its player and service. */
export interface AddedVote {
  /** When it was cast; null: now. */
  readonly at: number | null;
  /** A listing's ID of the vote, or the operator's own; null: none. */
  readonly eventId: string | null;
  /** The account on this machine. */
  readonly by: string;
  readonly now: number;
}

/**
 * Makes a vote that would be accepted one that the operator adds, or one of the time before Teller that they import. Its time
 * identifies it, as that of a listener vote does, so that it is the same vote if it is added again or found in a listing's API.
 */
export function addedVote(
  judged: JudgedArrival,
  { at, eventId, by, now }: AddedVote,
  channel: 'operator' | 'import' = 'operator',
): JudgedArrival {
  // A vote with an ID is found by it: if it also took the place of a listener vote of that time, that one could no
  // longer be paired with the listing's own ID (rule 2).
  const claim =
    at === null || eventId !== null ? null : ({ at, precision: at % 1000 === 0 ? 's' : 'ms' } as const);
  const made = { castAt: at ?? now, claim, receivedAt: now, channel, eventId };
  const wire = JSON.stringify({ addedBy: by });
  return { ...judged, vote: { ...judged.vote, ...made, address: null, blockDigest: null, wire } };
}

/** Who added or imported a vote, from its stored text. */
export const adderOf = (wire: string): string => (JSON.parse(wire) as { readonly addedBy: string }).addedBy;

/**
 * A vote with everything else that the decision on it depends on, so that a later or repeated attempt to store it decides the same. It
 * is forwarded if the config has a target and the vote names a player.
 *
 * @param voterAddress as the site stated it; empty if it did not.
 */
export function arrivalOf(judged: JudgedArrival, rules: Rules, draws: Draws, voterAddress: string): Arrival {
  const { vote, cooldown, countsAll, unrewarded } = judged;
  const { service, recipient, claim, receivedAt } = vote;
  // Spreading an object into a larger one costs some 2 µs for each vote.
  const arrival: Arrival = { vote, cooldown, countsAll, unrewarded, draws, rules };
  if (rules.targets === undefined || recipient.kind !== 'player') return arrival;
  const at = identifyingTime(claim, receivedAt);
  return {
    ...arrival,
    forward: forwardText({ service, player: recipient.player, address: voterAddress, at }),
  };
}
