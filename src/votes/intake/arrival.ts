import type { RefusalCode } from '../../../protocol/votifier/refusals.ts';
import { claimedTime } from '../../../protocol/votifier/vote.ts';
import type { SiteConfig } from '../../config/config.ts';
import type { JudgedArrival } from '../../core/decide.ts';
import { type PlayerName, parseVotedName, playerKey } from '../../core/player-name.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../../core/service-name.ts';
import { castTime, type Vote } from '../../core/vote.ts';
import type { ReceivedVote } from '../listener/vote-intake.ts';
import { matchSite } from './sites.ts';

/** Finds a received vote's site, player name and cast time, or why the vote is refused. */
export function judgeArrival(
  received: ReceivedVote,
  sites: ReadonlyMap<string, SiteConfig>,
  bedrockPrefixes: readonly string[],
): JudgedArrival | RefusalCode {
  const { serviceName, username } = received.wire;
  if (serviceNameOf(serviceName).length > SERVICE_NAME_MAX) return 'service-not-allowed';
  const site = matchSite(sites, serviceName);
  const refusal = siteRefusal(received, site.entry);
  if (refusal !== null) return refusal;
  const name = parseVotedName(username, bedrockPrefixes);
  if (name.kind !== 'name') return `name-${name.kind}`;
  return {
    vote: voteFrom(received, site.key, name.name),
    cooldown: site.entry.cooldown,
    countsAll: site.entry.countsAll,
  };
}

/** Anyone who has seen a public key can send v1 votes in any service's name, so the operator can restrict what a site accepts. */
function siteRefusal(
  { channel, address }: ReceivedVote,
  { protocols, isFrom }: SiteConfig,
): 'site-protocol' | 'site-address' | null {
  const version = channel === 'listener-v1' ? 'v1' : 'v2';
  if (protocols !== null && !protocols.includes(version)) return 'site-protocol';
  return isFrom === null || isFrom(address) ? null : 'site-address';
}

function voteFrom(received: ReceivedVote, site: string, player: PlayerName): Vote {
  const { wire, channel, address, receivedAt, blockDigest, text } = received;
  const claim = claimedTime(wire.timestamp);
  return {
    service: serviceNameOf(wire.serviceName),
    site,
    recipient: { kind: 'player', key: playerKey(player), player },
    ...(wire.username.trim() === player ? {} : { sentAs: wire.username.trim() }),
    castAt: castTime(claim, receivedAt),
    claim,
    receivedAt,
    channel,
    address: address === '' ? null : address,
    eventId: null,
    blockDigest,
    wire: text,
  };
}
