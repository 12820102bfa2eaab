import type { Config } from '../config/config.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { NO_OCCASION } from '../core/occasion.ts';
import { parseVotedName } from '../core/player-name.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import type { GrantRow, Ledger } from '../ledger/ledger.ts';
import { parseOccasion } from '../rewards/condition.ts';
import { needsVote } from '../rewards/grants.ts';
import { drawFor } from '../rewards/reward.ts';
import { rulesOf } from '../votes/sites.ts';

/** What the operator asks for, as it was typed. */
export interface GiftOrder {
  readonly reward: string;
  readonly player: string;
  /** Spent by it; null: none is. */
  readonly occasion: string | null;
  /** The only game server to grant it on; null: all of the reward's. */
  readonly server: string | null;
  readonly by: string;
  readonly now: number;
}

export type Gift = { readonly kind: 'given'; readonly grants: readonly GrantRow[] } | NotGiven;

export interface NotGiven {
  readonly kind: 'refused';
  readonly code: Extract<
    ProblemCode,
    'reward-unknown' | 'reward-unfit' | 'occasion-unknown' | 'occasion-spent' | 'player-not-allowed' | 'usage'
  >;
  /** What is wrong and what to do. */
  readonly sentence: string;
}

/** Grants a reward of the config without a vote. */
export async function giveReward(
  ledger: Ledger,
  config: Config,
  order: GiftOrder,
  random: Random,
): Promise<Gift> {
  const read = readOrder(config, order);
  if ('code' in read) return read;
  const given = {
    ...read,
    by: order.by,
    rules: rulesOf(config, await ledger.timeZone()),
    draws: drawFor(random),
  };
  const result = await ledger.giveReward(given, order.now);
  if (result.kind === 'refused') return refused(result.code, notGiven[result.code](order));
  const grants: GrantRow[] = [];
  for (const id of result.grantIds) grants.push(...(await ledger.grants({ id, limit: 1 })));
  return { kind: 'given', grants };
}

function readOrder({ rewards, players }: Config, order: GiftOrder) {
  const reward = rewards.find(({ name }) => name === order.reward);
  if (reward === undefined)
    return unknownReward(
      order,
      rewards.map(({ name }) => name),
    );
  const name = parseVotedName(order.player, players.bedrockPrefixes);
  if (name.kind !== 'name')
    return refused('player-not-allowed', `${JSON.stringify(order.player)} cannot be the name of a player`);
  const occasion = order.occasion === null ? NO_OCCASION : parseOccasion(order.occasion);
  if (occasion === null)
    return refused(
      'occasion-unknown',
      `${JSON.stringify(order.occasion)} is not an occasion; one looks like "total 25", "month 2026-11 total 10", "streak 7 reached 2026-11-21" or "day 2026-11-21"`,
    );
  const servers = reward.servers.filter((server) => order.server === null || server === order.server);
  if (servers.length === 0)
    return refused('usage', `--server must be one of the reward's servers: ${reward.servers.join(', ')}`);
  const needed = needsVote(reward);
  if (needed !== null)
    return refused(
      'reward-unfit',
      `the reward ${reward.name} uses {${needed}}, which only a vote has; \`teller votes add\` adds one`,
    );
  return { reward: { ...reward, servers }, player: name.name, occasion };
}

function unknownReward({ reward }: GiftOrder, names: readonly string[]): NotGiven {
  const meant = nearestWord(reward, names);
  const hint = meant === null ? '' : `; did you mean "${meant}"?`;
  return refused('reward-unknown', `no reward in the config is called ${JSON.stringify(reward)}${hint}`);
}

const refused = (code: NotGiven['code'], sentence: string): NotGiven => ({ kind: 'refused', code, sentence });

const notGiven: Readonly<Record<'occasion-spent' | 'reward-unfit', (order: GiftOrder) => string>> = {
  'occasion-spent': ({ reward, player, occasion }) =>
    `${reward} was already decided for ${player} and ${JSON.stringify(occasion)}, so nothing was granted; leave out --occasion to grant it all the same`,
  'reward-unfit': ({ reward, occasion }) =>
    occasion === null
      ? `${reward} has commands only for totals or streaks that were reached: name one with --occasion`
      : `${reward} has no commands for ${JSON.stringify(occasion)}`,
};
