import type { Config, SiteGame } from '../../config/config.ts';
import type { JudgedArrival } from '../../core/decide.ts';
import { DEFAULT_SITE } from '../../core/service-name.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import { judgeArrival, judgeReport } from '../../votes/judge-vote.ts';
import { refusalCauses } from '../../votes/refusals.ts';
import { matchSite } from '../../votes/sites.ts';

/** Such a vote would be refused. */
export interface VoteRefused {
  readonly kind: 'refused';
  readonly code: string;
  /** What the sender does wrong, as the end of a sentence that starts with the sender. */
  readonly cause: string;
}

export type HypotheticalVotes =
  | VoteRefused
  | { readonly kind: 'votes'; readonly arrivals: readonly JudgedArrival[] };

/**
 * Votes that nobody cast, judged like real ones: for the given service, or for each listed service that could send such a
 * vote, because a valid user ID on one listing may not be a player name on another. Refused if no service could.
 */
export function hypotheticalVotes(
  name: string,
  service: string | undefined,
  at: number,
  config: Config,
): HypotheticalVotes {
  const judged = servicesToPreview(config, service).map((each) => hypotheticalVote(name, each, at, config));
  const arrivals = judged.filter((each): each is JudgedArrival => !isRefused(each));
  const refusal = judged.find(isRefused);
  return arrivals.length > 0 || refusal === undefined ? { kind: 'votes', arrivals } : refusal;
}

export const isRefused = (judged: JudgedArrival | VoteRefused): judged is VoteRefused => 'kind' in judged;

const servicesToPreview = (config: Config, site: string | undefined): readonly string[] =>
  site === undefined ? servicesOf(config) : [site];

/** The services that votes of this config come from: a stand-in if none is listed. */
function servicesOf({ sites }: Pick<Config, 'sites'>): readonly string[] {
  const listed = [...sites.keys()].filter((name) => name !== DEFAULT_SITE);
  return listed.length === 0 ? [STAND_IN_SERVICE] : listed;
}

export type VoteConfig = Pick<Config, 'sites' | 'players'>;

/** A vote that nobody cast, judged like a real one. */
export function hypotheticalVote(
  name: string,
  service: string,
  at: number,
  config: VoteConfig,
): JudgedArrival | VoteRefused {
  const { entry, isListed } = matchSite(config.sites, service);
  return isListed && entry.game !== 'minecraft'
    ? byUser(name, service, at, entry.game, config)
    : byPlayer(name, service, at, config);
}

/** As if received by the listener; restrictions on address and protocol version are ignored. */
function byPlayer(
  name: string,
  service: string,
  at: number,
  { sites, players }: VoteConfig,
): JudgedArrival | VoteRefused {
  const wire = { serviceName: service, username: name, address: '', timestamp: String(at) };
  const received = { wire, address: '', receivedAt: at, blockDigest: null, text: '' };
  const judged = judgeArrival(
    { ...received, channel: 'listener-v2' },
    fromAnywhere(sites),
    players.bedrockPrefixes,
  );
  return typeof judged === 'string'
    ? { kind: 'refused', code: judged, cause: refusalCauses[judged] }
    : judged;
}

type Sites = Config['sites'];

const known = new WeakMap<Sites, Sites>();

/** The sites without their restrictions, computed once for many votes. */
function fromAnywhere(sites: Sites): Sites {
  const open =
    known.get(sites) ??
    new Map([...sites].map(([key, site]) => [key, { ...site, protocols: null, isFrom: null }]));
  known.set(sites, open);
  return open;
}

/** As if found in the listing's API, because the listener carries no user IDs. */
function byUser(
  userId: string,
  site: string,
  at: number,
  game: SiteGame,
  config: VoteConfig,
): JudgedArrival | VoteRefused {
  // Two votes with the same event ID would be the same vote (rule 2).
  const voter = { channel: 'api', site, eventId: `${userId} ${at}`, userId, player: null, game } as const;
  const judged = judgeReport(
    { ...voter, votedAt: at, receivedAt: at, address: null, unrewarded: null, text: '' },
    config.sites,
    config.players.bedrockPrefixes,
  );
  return typeof judged === 'string'
    ? { kind: 'refused', code: judged, cause: refusalCauses[`api-${judged}`] }
    : judged;
}
