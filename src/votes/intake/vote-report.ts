import type { SiteConfig, SiteGame } from '../../config/config.ts';
import type { JudgedArrival, UnrewardedReason } from '../../core/decide.ts';
import { parseVotedName, playerKey } from '../../core/player-name.ts';
import { serviceNameOf } from '../../core/service-name.ts';
import type { Recipient, Vote } from '../../core/vote.ts';

/** A vote that its listing reports, by its signed webhook or its API. The listing's cast time counts (rule 4). */
export interface VoteReport {
  readonly channel: 'webhook' | 'api';
  /** The key of its entry in `sites`, which is also the service name in the listing's votes to the listener. */
  readonly site: string;
  readonly eventId: string;
  readonly userId: string;
  /** As the voter entered it; null if they entered none. */
  readonly player: string | null;
  readonly game: SiteGame;
  readonly votedAt: number;
  readonly receivedAt: number;
  readonly address: string | null;
  /** Why it cannot be rewarded, if that is known already. */
  readonly unrewarded: Exclude<UnrewardedReason, 'no-player'> | null;
  /** What was received, for the trace. */
  readonly text: string;
}

export type ReportRefusal = 'user-not-allowed' | 'name-too-long' | 'name-not-allowed' | 'name-unknown-prefix';

const USER_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const isUserId = (text: string): boolean => USER_ID.test(text);

/** Makes a report a vote that can be recorded, or says why it is refused. */
export function judgeReport(
  report: VoteReport,
  sites: ReadonlyMap<string, SiteConfig>,
  bedrockPrefixes: readonly string[],
): JudgedArrival | ReportRefusal {
  const site = sites.get(report.site);
  if (site === undefined) throw new Error(`no entry ${report.site} in sites`);
  if (!isUserId(report.userId)) return 'user-not-allowed';
  const recipient = recipientOf(report, bedrockPrefixes);
  if (typeof recipient === 'string') return recipient;
  const namesNoPlayer = report.game === 'minecraft' && recipient.kind === 'user';
  const unrewarded = namesNoPlayer ? 'no-player' : (report.unrewarded ?? undefined);
  return {
    vote: voteFrom(report, recipient),
    cooldown: site.cooldown,
    countsAll: site.countsAll,
    unrewarded,
  };
}

/** A Minecraft vote that names no player is stored under the voter's user ID, and nobody is paid for it. */
function recipientOf(
  { game, player, userId }: VoteReport,
  bedrockPrefixes: readonly string[],
): Recipient | ReportRefusal {
  if (game !== 'minecraft' || player === null) return { kind: 'user', key: userId };
  const name = parseVotedName(player, bedrockPrefixes);
  if (name.kind !== 'name') return `name-${name.kind}`;
  return { kind: 'player', key: playerKey(name.name), player: name.name };
}

const voteFrom = (report: VoteReport, recipient: Recipient): Vote => ({
  service: serviceNameOf(report.site),
  site: report.site,
  recipient,
  ...sentAs(report.player, recipient),
  castAt: report.votedAt,
  claim: { at: report.votedAt, precision: 'ms' },
  receivedAt: report.receivedAt,
  channel: report.channel,
  address: report.address,
  eventId: report.eventId,
  blockDigest: null,
  wire: report.text,
});

const sentAs = (sent: string | null, recipient: Recipient): Pick<Vote, 'sentAs'> =>
  sent === null || recipient.kind === 'user' || recipient.player === sent.trim()
    ? {}
    : { sentAs: sent.trim() };
