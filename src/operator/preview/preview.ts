import type { Config, SiteGame } from '../../config/config.ts';
import type { RewardedVote } from '../../core/cooldown.ts';
import type { Decision, JudgedArrival, RewardReasons } from '../../core/decide.ts';
import { Problem } from '../../core/problem.ts';
import { seededDice } from '../../core/seeded-dice.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import { judgeArrival } from '../../intake/arrival.ts';
import { judgeListed } from '../../intake/listed-vote.ts';
import { refusalCauses } from '../../intake/refusal-codes.ts';
import { DEFAULT_SITE, matchSite } from '../../intake/sites.ts';
import { decide } from '../../rewards/decide.ts';
import { drawFor, winningDraws } from '../../rewards/draws.ts';
import type { Rules } from '../../rewards/reward.ts';
import { type Roll, rollsIn, withoutRolls } from '../../rewards/rolls.ts';

/** What a vote would come to. */
export interface Preview {
  readonly arrival: JudgedArrival;
  readonly decision: Decision;
  /** By reward, for those with a chance; without `drawn` the decision has them all won. */
  readonly chances: ReadonlyMap<string, number>;
  /** Of every reward; without `drawn` as if every chance were won. */
  readonly reasons: RewardReasons;
  /** What a seed made of the chances. */
  readonly drawn: { readonly seed: number; readonly rolls: readonly Roll[] } | null;
}

/**
 * Votes that nobody cast, through the same doors as every other: for the service that is asked for, else for each
 * listed one where there can be such a vote, since what is a user ID on one listing may be no player on another.
 * @throws Problem `vote-refused` where there can be none.
 */
export function imaginedVotes(
  name: string,
  service: string | undefined,
  at: number,
  config: Config,
): readonly JudgedArrival[] {
  const judged = servicesToPreview(config, service).map((each) => imagined(name, each, at, config));
  const arrivals = judged.filter((each): each is JudgedArrival => typeof each !== 'string');
  const [refusal] = judged;
  if (arrivals.length > 0 || typeof refusal !== 'string') return arrivals;
  throw new Problem('vote-refused', `whoever sends this ${refusal}, so it would be refused`);
}

function servicesToPreview({ sites }: Config, site: string | undefined): readonly string[] {
  if (site !== undefined) return [site];
  const listed = [...sites.keys()].filter((name) => name !== DEFAULT_SITE);
  return listed.length === 0 ? [STAND_IN_SERVICE] : listed;
}

/** The vote, or what whoever sends it does wrong. */
function imagined(name: string, service: string, at: number, config: Config): JudgedArrival | string {
  const { entry, isListed } = matchSite(config.sites, service);
  return isListed && entry.game !== 'minecraft'
    ? byUser(name, service, at, entry.game, config)
    : byPlayer(name, service, at, config);
}

/** By the listener; where it comes from and how is nobody's question here. */
function byPlayer(
  name: string,
  service: string,
  at: number,
  { sites, players }: Config,
): JudgedArrival | string {
  const wire = { serviceName: service, username: name, address: '', timestamp: String(at) };
  const received = { wire, address: '', receivedAt: at, blockDigest: null, text: '' };
  const fromAnywhere = [...sites].map(
    ([key, site]) => [key, { ...site, protocols: null, isFrom: null }] as const,
  );
  const judged = judgeArrival(
    { ...received, channel: 'listener-v2' },
    new Map(fromAnywhere),
    players.bedrockPrefixes,
  );
  return typeof judged === 'string' ? `${refusalCauses[judged]} (${judged})` : judged;
}

/** By the listing's own word, as nothing else names user IDs. */
function byUser(
  userId: string,
  site: string,
  at: number,
  game: SiteGame,
  config: Config,
): JudgedArrival | string {
  const voter = { channel: 'api', site, eventId: '', userId, player: null, game } as const;
  const judged = judgeListed(
    { ...voter, votedAt: at, receivedAt: at, address: null, ruling: null, text: '' },
    config.sites,
    config.players.bedrockPrefixes,
  );
  return typeof judged === 'string' ? `${refusalCauses[`api-${judged}`]} (${judged})` : judged;
}

/** @param seed draws the chances as a real vote's are drawn; without one all are won, so that all is shown that can be paid. */
export function previewVote(
  arrival: JudgedArrival,
  rewarded: readonly RewardedVote[],
  rules: Rules,
  seed?: number,
): Preview {
  const { rewards } = rules;
  const draws = seed === undefined ? winningDraws(rewards) : drawFor(rewards, seededDice(seed));
  const decision = decide({ ...arrival, draws }, rewarded, rules);
  const reasons: RewardReasons = decision.kind === 'rewarded' ? decision.reasons : new Map();
  const rolls = rollsIn(reasons);
  const chances = new Map(rolls.map(({ reward, chance }) => [reward, chance]));
  const drawn = seed === undefined ? null : { seed, rolls };
  return { arrival, decision, chances, drawn, reasons: drawn === null ? withoutRolls(reasons) : reasons };
}
