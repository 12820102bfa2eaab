import type { SiteConfig, SiteGame } from '../config/config.ts';
import type { JudgedArrival, UnrewardedReason } from '../core/decide.ts';
import { parseVotedName, playerKey } from '../core/player-name.ts';
import { serviceNameOf } from '../core/service-name.ts';
import type { Recipient, Vote } from '../core/vote.ts';

/** A vote that its listing told of itself: by its signed webhook, or by its API. Its own time counts (rule 4). */
export interface VoteReport {
  readonly channel: 'webhook' | 'api';
  /** The key of its entry in `sites`, which is the service name of the same listing's votes by listener. */
  readonly site: string;
  readonly eventId: string;
  readonly userId: string;
  /** As the voter entered it; null where he named none. */
  readonly player: string | null;
  readonly game: SiteGame;
  readonly votedAt: number;
  readonly receivedAt: number;
  readonly address: string | null;
  /** Why it cannot be rewarded, if that is known before it is looked at. */
  readonly unrewarded: Exclude<UnrewardedReason, 'no-player'> | null;
  /** What was received, for the trace. */
  readonly text: string;
}

export type ReportRefusal = 'user-not-allowed' | 'name-too-long' | 'name-not-allowed' | 'name-unknown-prefix';

const USER_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const isUserId = (text: string): boolean => USER_ID.test(text);

/** What such a vote is, or why it is none. */
export function judgeReport(
  listed: VoteReport,
  sites: ReadonlyMap<string, SiteConfig>,
  bedrockPrefixes: readonly string[],
): JudgedArrival | ReportRefusal {
  const site = sites.get(listed.site);
  if (site === undefined) throw new Error(`no entry ${listed.site} in sites`);
  if (!isUserId(listed.userId)) return 'user-not-allowed';
  const recipient = recipientOf(listed, bedrockPrefixes);
  if (typeof recipient === 'string') return recipient;
  const paysNobody = listed.game === 'minecraft' && recipient.kind === 'user';
  const unrewarded = paysNobody ? 'no-player' : (listed.unrewarded ?? undefined);
  return { vote: voteFrom(listed, recipient), cooldownMs: site.cooldownMs, unrewarded };
}

/** A Minecraft vote that names no player is its voter's, and nobody is paid for it. */
function recipientOf(
  { game, player, userId }: VoteReport,
  bedrockPrefixes: readonly string[],
): Recipient | ReportRefusal {
  if (game !== 'minecraft' || player === null) return { kind: 'user', key: userId };
  const name = parseVotedName(player, bedrockPrefixes);
  if (name.kind !== 'name') return `name-${name.kind}`;
  return { kind: 'player', key: playerKey(name.name), player: name.name };
}

const voteFrom = (listed: VoteReport, recipient: Recipient): Vote => ({
  service: serviceNameOf(listed.site),
  site: listed.site,
  recipient,
  ...sentAs(listed.player, recipient),
  castAt: listed.votedAt,
  claim: { at: listed.votedAt, precision: 'ms' },
  receivedAt: listed.receivedAt,
  channel: listed.channel,
  address: listed.address,
  eventId: listed.eventId,
  blockDigest: null,
  wire: listed.text,
});

const sentAs = (sent: string | null, recipient: Recipient): Pick<Vote, 'sentAs'> =>
  sent === null || recipient.kind === 'user' || recipient.player === sent.trim()
    ? {}
    : { sentAs: sent.trim() };
