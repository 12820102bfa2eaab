import type { Section } from './conversion.ts';
import type { Placeholders, RewardBase, RewardConversion } from './votingplugin-rewards.ts';

/** The rewards of SpecialRewards.yml: sections that are rewards themselves, and milestones. @param sites how many are in use. */
export function specialRewards(file: Section, sites: number, rewards: RewardConversion): readonly object[] {
  const almost = { atLeast: Math.max(1, sites - 1) };
  const groups = file.section('VoteMilestonesOptions')?.section('Groups') ?? null;
  const modes = new Map((groups?.keys ?? []).map((key) => [key.toLowerCase(), groups?.text(key) ?? 'ALL']));
  return [
    ...rewards.at(file, 'AnySiteRewards', { name: 'any-site', if: {} }),
    ...rewards.at(file, 'FirstVote', { name: 'first-vote', if: { firstVote: true } }),
    ...rewards.at(file, 'FirstVoteToday', { name: 'first-vote-today', if: { firstVote: 'day' } }),
    ...rewards.at(file, 'AllSites', { name: 'all-sites', if: { allSites: true } }),
    ...rewards.at(file, 'AlmostAllSites', { name: 'almost-all-sites', if: { allSites: almost } }),
    ...file
      .sections('VoteMilestones')
      .flatMap(([id, milestone]) => milestoneFrom(id, milestone, sites, modes, rewards)),
  ];
}

/**
 * A section of `VoteMilestones`. Read from VoteMilestonesConfig.java and AtMatcher.java of VotingPlugin 7.1.
 *
 * @param modes how many of each group of milestones are given.
 */
function milestoneFrom(
  id: string,
  milestone: Section,
  sites: number,
  modes: ReadonlyMap<string, string>,
  rewards: RewardConversion,
): readonly object[] {
  const mode = modes.get(milestone.text('Group')?.toLowerCase() ?? 'default') ?? 'ALL';
  const occasion = /^(?:FIRST|HIGHEST)$/i.test(mode)
    ? 'only one of its group is given; write them with `firstOf`, the highest first'
    : occasionOf(milestone, sites);
  if (typeof occasion !== 'string') return rewards.at(milestone, 'Rewards', { name: id, ...occasion });
  rewards.report.leave(milestone, occasion);
  return [];
}

/** @returns as a string why it cannot be converted. */
function occasionOf(milestone: Section, sites: number): Omit<RewardBase, 'name'> | string {
  const isEnabled = milestone.flag('Enabled', true);
  const of = countedBy(milestone.text('Total'));
  const at = thresholds(milestone);
  const every = milestone.number('Every');
  const within = limitFrom(milestone);
  const unread = milestone.unread().filter((key) => !/^rewards(?:\.|$)/i.test(key));
  if (!isEnabled) return 'it is not enabled';
  if (of === null)
    return 'Teller has no points; count votes instead, or pay points with the command of a plugin';
  if (within === 'other')
    return 'a reward can be limited to once a day, week or month; write it with `limit`';
  if (typeof at === 'string') return at;
  if (at.length > 0 && every !== null)
    return 'it has At and Every; write two rewards, with `at` and with `every`';
  const condition = conditionFor(of, at, every, sites);
  if (condition === null)
    return of === 'sites' ? 'it needs one number of sites in At' : 'it has neither At nor Every';
  if (unread.length > 0) return `it has ${unread.join(', ')}, which Teller does not have`;
  // All sites of a day are paid once a day anyway.
  const isLimited = within !== null && !(of === 'sites' && within === 'day');
  const keys = isLimited ? { limit: { per: 'player', count: 1, within } } : {};
  return { if: condition, known: amounts(of), keys };
}

/** What a milestone counts, in our words; null: points, which Teller does not have. */
type Counted = 'total' | 'day' | 'week' | 'month' | 'sites' | null;

const COUNTED: readonly (readonly [RegExp, Counted])[] = [
  [/^(?:daily|day)(?:_?votes?)?$/i, 'day'],
  [/^(?:weekly|week)(?:_?votes?)?$/i, 'week'],
  [/^(?:monthly|month)(?:_?votes?)?$/i, 'month'],
  [/^all_?sites(?:_?today)?$/i, 'sites'],
  [/^(?:vote)?points$/i, null],
];

const countedBy = (text: string | null): Counted => {
  const found = COUNTED.find(([pattern]) => pattern.test(text ?? ''));
  return found === undefined ? 'total' : found[1];
};

const AT = /^(\d{1,9})\.\.(\d{1,9})(?:\s+step\s+(\d{1,9}))?$/i;

const AT_MAX = 100;

/** `0` is the first vote, like `1`. @returns as a string why they cannot be converted. */
function thresholds(milestone: Section): readonly (number | string)[] | string {
  const found: (number | string)[] = [];
  for (const written of milestone.texts('At')) {
    const text = written.trim();
    const [, from, to = '', step = '1'] = AT.exec(text) ?? [];
    const isRange = from !== undefined && Number(from) < Number(to) && Number(step) >= 1;
    if (/^\d{1,9}$/.test(text)) found.push(Math.max(1, Number(text)));
    else if (isRange) found.push(`${Math.max(1, Number(from))}..${to} step ${step}`);
    else if (text !== '') return `${JSON.stringify(text)} in At is neither a number nor a range`;
  }
  return found.length > AT_MAX
    ? `it has ${found.length} numbers in At, of which a reward can have ${AT_MAX}; write several rewards`
    : found;
}

const COUNT_MAX = 1_000_000_000;

function conditionFor(
  of: Exclude<Counted, null>,
  at: readonly (number | string)[],
  every: number | null,
  sites: number,
): Readonly<Record<string, unknown>> | null {
  if (of === 'sites') {
    const [atLeast] = at;
    if (typeof atLeast !== 'number' || at.length > 1) return null;
    return { allSites: atLeast >= sites || atLeast > 100 ? true : { atLeast } };
  }
  const period = of === 'total' ? {} : { of };
  if (at.length > 0) return { votes: { at, ...period } };
  return every !== null && Number.isInteger(every) && every >= 1 && every <= COUNT_MAX
    ? { votes: { every, ...period } }
    : null;
}

/** null: none. */
function limitFrom(milestone: Section): 'day' | 'week' | 'month' | 'other' | null {
  const limit = milestone.section('Limit');
  const type = limit?.text('Type')?.toUpperCase() ?? 'NONE';
  limit?.skip();
  if (type === 'NONE') return null;
  const [, within] = /^(?:WINDOW_)?(DAY|DAILY|WEEK|MONTH)(?:LY)?$/.exec(type) ?? [];
  return within === undefined ? 'other' : within === 'WEEK' ? 'week' : within === 'MONTH' ? 'month' : 'day';
}

const FIGURES = { total: '{votes}', day: '{votesDay}', week: '{votesWeek}', month: '{votesMonth}' } as const;

const amounts = (of: Exclude<Counted, null>): Placeholders =>
  new Map(
    of === 'sites' ? [] : ['amount', 'milestone', 'cumulative', 'votes'].map((name) => [name, FIGURES[of]]),
  );
