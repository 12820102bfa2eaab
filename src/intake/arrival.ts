import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import { claimedTime } from '../../protocol/votifier/vote.ts';
import type { SiteConfig } from '../config/config.ts';
import type { Arrival } from '../core/decide.ts';
import { type PlayerName, parsePlayerName, playerKey } from '../core/player-name.ts';
import { castTime, SERVICE_NAME_MAX, type Vote } from '../core/vote.ts';
import type { ReceivedVote } from '../listener/vote-intake.ts';
import { matchSite } from './sites.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** What a received vote is: site, player name and cast time found, or why it is none. */
export function judgeArrival(
  received: ReceivedVote,
  sites: ReadonlyMap<string, SiteConfig>,
  bedrockPrefixes: readonly string[],
): Arrival | RefusalCode {
  const { serviceName, username } = received.wire;
  if (serviceName === '' || serviceName.length > SERVICE_NAME_MAX || CONTROL.test(serviceName)) {
    return 'service-not-allowed';
  }
  const name = parsePlayerName(username, bedrockPrefixes);
  if (name.kind !== 'name') return `name-${name.kind}`;
  const site = matchSite(sites, serviceName);
  return { vote: voteFrom(received, site.key, name.name), cooldownMs: site.entry.cooldownMs };
}

function voteFrom(received: ReceivedVote, site: string, player: PlayerName): Vote {
  const { wire, channel, address, receivedAt, blockDigest, text } = received;
  const claim = claimedTime(wire.timestamp);
  return {
    service: wire.serviceName,
    site,
    recipient: { kind: 'player', key: playerKey(player), player },
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
