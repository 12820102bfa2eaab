import { DAY_MS } from '../../core/duration.ts';
import type { Options } from '../options.ts';
import { parsePluginDuration } from '../plugin-duration.ts';
import type { Placeholders } from '../plugin-text.ts';
import { leave, type Reward, type RewardKit, rewardsAt, rewardsBelow } from './reward.ts';

/** What a milestone counts, in our words; null: nothing that Teller has. */
type Counted = 'total' | 'day' | 'week' | 'month' | 'sites' | null;

const COUNTED: readonly (readonly [RegExp, Counted])[] = [
  [/^(?:all_?time(?:_?votes?)?|votes)$/, 'total'],
  [/^(?:daily|day)(?:_?votes?)?$/, 'day'],
  [/^(?:weekly|week)(?:_?votes?)?$/, 'week'],
  [/^(?:monthly|month)(?:_?votes?)?$/, 'month'],
  [/^all_?sites(?:_?today)?$/, 'sites'],
  [/^(?:vote)?points$/, null],
];

const counted = (text: string | null): Counted => {
  const found = COUNTED.find(([pattern]) => pattern.test((text ?? 'alltime').toLowerCase()));
  return found === undefined ? 'total' : found[1];
};

const FIGURES = { total: '{votes}', day: '{votesDay}', week: '{votesWeek}', month: '{votesMonth}' } as const;

/**
 * `VoteMilestones` of SpecialRewards.yml, and the options that came before it. Read from VoteMilestonesConfig.java,
 * AtMatcher.java and VoteMilestonesMigrator.java of VotingPlugin 7.1.
 *
 * @param sites how many sites are in use.
 */
export function milestonesFrom(file: Options, sites: number, kit: RewardKit): readonly Reward[] {
  const modes = modesIn(file);
  const found = file.sections('VoteMilestones').flatMap(([id, each]) => {
    const group = each.text('Group')?.toLowerCase() ?? 'default';
    return isOneOf(modes.get(group)) ? leave(each, ONE_OF, kit) : milestoneFrom(id, each, sites, kit);
  });
  return [...found, ...earlierMilestones(file, sites, kit)];
}

const isOneOf = (mode: string | undefined): boolean => mode === 'FIRST' || mode === 'HIGHEST';

const ONE_OF = 'only one of its group is given; write them with `firstOf`, the highest first';

function modesIn(file: Options): ReadonlyMap<string, string> {
  const groups = file.section('VoteMilestonesOptions')?.section('Groups');
  return new Map(
    (groups?.keys ?? []).map((key) => [key.toLowerCase(), groups?.text(key)?.toUpperCase() ?? 'ALL']),
  );
}

function milestoneFrom(id: string, options: Options, sites: number, kit: RewardKit): readonly Reward[] {
  if (!options.flag('Enabled', true)) return leave(options, 'it is not enabled', kit);
  const of = counted(options.text('Total'));
  const at = thresholds(options);
  const every = options.number('Every');
  const limit = limitFrom(options, of);
  if (of === null)
    return leave(
      options,
      'Teller has no points; count votes instead, or pay points with the command of a plugin',
      kit,
    );
  if (limit === 'other')
    return leave(
      options,
      'a reward can be limited to once a day, week, month or 24 hours; write it with `limit`',
      kit,
    );
  if (typeof at === 'string') return leave(options, at, kit);
  if (at.length > 0 && every !== null)
    return leave(options, 'it has At and Every; write two rewards, with `at` and with `every`', kit);
  const condition = conditionFor(of, at, every, sites);
  if (condition === null)
    return leave(
      options,
      of === 'sites' ? 'it needs one number of sites in At' : 'it has neither At nor Every',
      kit,
    );
  const base = { name: id, if: condition, known: amounts(of), keys: limit === null ? {} : { limit } };
  return rewardsBelow(options, base, kit);
}

const AT = /^(\d{1,9})\.\.(\d{1,9})(?:\s+step\s+(\d{1,9}))?$/i;

const AT_MAX = 100;

/** `0` is the first vote, like `1`. @returns as a string why they cannot be converted. */
function thresholds(options: Options): readonly (number | string)[] | string {
  const found: (number | string)[] = [];
  for (const written of options.texts('At')) {
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

const COUNT_MAX = 1_000_000_000;

const amounts = (of: Exclude<Counted, null>): Placeholders =>
  new Map(
    of === 'sites' ? [] : ['amount', 'milestone', 'cumulative', 'votes'].map((name) => [name, FIGURES[of]]),
  );

const WINDOWS: readonly (readonly [RegExp, string])[] = [
  [/^(?:WINDOW_)?(?:DAY|DAILY)$/i, 'day'],
  [/^(?:WINDOW_)?(?:WEEK|WEEKLY)$/i, 'week'],
  [/^(?:WINDOW_)?(?:MONTH|MONTHLY)$/i, 'month'],
];

/** null: none. All sites of a day are paid once a day anyway. */
function limitFrom(options: Options, of: Counted): object | 'other' | null {
  const limit = options.section('Limit');
  const type = limit?.text('Type') ?? 'NONE';
  const duration = limit?.text('Duration') ?? null;
  if (/^NONE$/i.test(type)) return null;
  const [, within] = WINDOWS.find(([pattern]) => pattern.test(type)) ?? [];
  if (within === 'day' && of === 'sites') return null;
  if (within !== undefined) return { per: 'player', count: 1, within };
  const isDay = duration !== null && parsePluginDuration(duration, 60_000) === DAY_MS;
  return isDay ? { per: 'player', count: 1, within: '24h' } : 'other';
}

function earlierMilestones(file: Options, sites: number, kit: RewardKit): readonly Reward[] {
  const isOne = file.flag('OnlyOneCumulative', false);
  const month = file.flag('ResetMilestonesMonthly', false) ? ({ of: 'month' } as const) : {};
  const cumulative = file.sections('Cumulative').flatMap(([key, each]) => {
    if (isOne) return leave(each, ONE_OF, kit);
    const of = counted(each.text('TotalToUse'));
    const period = of === 'total' || of === null || of === 'sites' ? {} : { of };
    return numbered(key, each, 'cumulative', (every) => ({ votes: { every, ...period } }), kit);
  });
  return [
    ...rewardsAt(file, 'FirstVote', { name: 'first-vote', if: { firstVote: true } }, kit),
    ...rewardsAt(file, 'FirstVoteToday', { name: 'first-vote-today', if: { firstVote: 'day' } }, kit),
    ...cumulative,
    ...file
      .sections('MileStones')
      .flatMap(([key, each]) =>
        numbered(key, each, 'milestone', (at) => ({ votes: { at: [at], ...month } }), kit),
      ),
    ...rewardsAt(file, 'AllSites', { name: 'all-sites', if: { allSites: true } }, kit),
    ...rewardsAt(
      file,
      'AlmostAllSites',
      { name: 'almost-all-sites', if: { allSites: { atLeast: Math.max(1, sites - 1) } } },
      kit,
    ),
  ];
}

/** A section whose name is the number of votes. */
function numbered(
  key: string,
  options: Options,
  name: string,
  condition: (number: number) => Readonly<Record<string, unknown>>,
  kit: RewardKit,
): readonly Reward[] {
  const number = Number(key.replaceAll("'", ''));
  if (!options.flag('Enabled', true)) return leave(options, 'it is not enabled', kit);
  if (!Number.isInteger(number) || number < 1 || number > COUNT_MAX)
    return leave(options, 'its name is not a number of votes', kit);
  const written = condition(number);
  const { of = 'total' } = written.votes as { readonly of?: 'total' | 'day' | 'week' | 'month' };
  const base = { name: `${name}-${number}`, if: written, known: amounts(of) };
  return rewardsBelow(options, base, kit);
}
