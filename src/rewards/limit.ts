import { DAY_MS } from '../core/duration.ts';
import { daysOf, periodOf } from '../core/period.ts';
import type { Facts } from '../core/reason.ts';
import type { JudgedVote } from './condition.ts';
import type { GrantedScope, RewardHistory } from './history.ts';

export const LIMIT_PER = ['player', 'network'] as const;
export const LIMIT_WITHIN = ['day', 'week', 'month', '24h', 'ever'] as const;

/** How many votes may be granted a reward in a span of time, by their cast times. */
export interface Limit {
  readonly per: (typeof LIMIT_PER)[number];
  readonly count: number;
  readonly within: (typeof LIMIT_WITHIN)[number];
}

/** null: there is a place for the vote. */
export function fullLimit(limit: Limit, vote: JudgedVote, reward: RewardHistory): Facts | null {
  const { per, count, within } = limit;
  const of: GrantedScope['of'] = per === 'player' ? 'recipient' : 'network';
  const granted =
    within === '24h' ? inFullestSpan(vote, of, reward) : reward.countGranted(scopeOf(limit, of, vote));
  return granted < count ? null : { granted, count, per, within };
}

const scopeOf = ({ within }: Limit, of: GrantedScope['of'], { day }: JudgedVote): GrantedScope =>
  within === 'ever' || within === '24h' ? { of } : { of, days: daysOf(within, periodOf(within, day)) };

/** In the fullest span of 24 hours with the vote. Votes exactly 24 hours apart do not share one. */
function inFullestSpan({ castAt }: JudgedVote, of: GrantedScope['of'], reward: RewardHistory): number {
  const near = reward.castTimesGranted(of, { start: castAt - DAY_MS + 1, end: castAt + DAY_MS });
  const starts = [castAt, ...near.filter((start) => start <= castAt)];
  return Math.max(...starts.map((start) => near.filter((at) => at >= start && at < start + DAY_MS).length));
}

const SPANS: Readonly<Record<string, string>> = {
  day: 'today',
  week: 'this week',
  month: 'this month',
  '24h': 'in 24 hours',
};

const WITHIN: Readonly<Record<Limit['within'], string>> = {
  day: ' a day',
  week: ' a week',
  month: ' a month',
  '24h': ' in any 24 hours',
  ever: ' ever',
};

/** In everyday words: `at most 3 times a day for each player`. */
export const limitPhrase = ({ per, count, within }: Limit): string =>
  `at most ${count === 1 ? 'once' : `${count.toLocaleString('en')} times`}${WITHIN[within]} for ${per === 'player' ? 'each player' : 'all players together'}`;

/** `3 of 3 today` */
export const limitText = ({ granted, count, per, within }: Facts): string =>
  [`${granted} of ${count}`, SPANS[String(within)], per === 'network' ? 'for all players' : '']
    .filter(Boolean)
    .join(' ');
