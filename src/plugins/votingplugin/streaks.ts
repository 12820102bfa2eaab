import type { Per } from '../../core/period.ts';
import type { Options } from '../options.ts';
import { leave, type Reward, type RewardKit, rewardsBelow, unreadBeside } from './reward.ts';

const PER_OF: Readonly<Record<string, Per>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month' };

const KNOWN = new Map([
  ['streak', '{streak}'],
  ['amount', '{streak}'],
]);

/**
 * `VoteStreaks` of SpecialRewards.yml, with its `ProgressGroups`, and the older `VoteStreak`. Read from
 * VoteStreakHandler.java of VotingPlugin 7.1.
 *
 * @param isEarlierOn `UseVoteStreaks` of Config.yml, which is about the older ones.
 */
export function streaksFrom(file: Options, isEarlierOn: boolean, kit: RewardKit): readonly Reward[] {
  const streaks = file.section('VoteStreaks');
  const single = (streaks?.keys ?? [])
    .filter((id) => id.toLowerCase() !== 'progressgroups')
    .flatMap((id) => {
      const each = streaks?.section(id) ?? null;
      return each === null ? [] : streakFrom(id, each, each, each.section('Requirements') ?? each, kit);
    });
  const groups = streaks?.sections('ProgressGroups') ?? [];
  return [
    ...single,
    ...groups.flatMap(([id, group]) => groupFrom(id, group, kit)),
    ...(isEarlierOn ? earlierStreaks(file, kit) : []),
  ];
}

function groupFrom(id: string, group: Options, kit: RewardKit): readonly Reward[] {
  const lost = group.section('LostRewards');
  if (lost !== null && !lost.isEmpty) {
    lost.skip();
    kit.report.left(lost.path, 'a streak is lost on a day without a vote, and rewards are paid for votes');
  }
  group.take('RequireMilestoneForLostRewards');
  if (!group.flag('Enabled', true)) return leave(group, 'it is not enabled', kit);
  return group
    .sections('Milestones')
    .flatMap(([name, each]) => streakFrom(`${id}-${name}`, each, group, group, kit, each));
}

/**
 * @param rules has the type and what may be missed.
 * @param votes has the votes that a period needs.
 */
function streakFrom(
  name: string,
  options: Options,
  rules: Options,
  votes: Options,
  kit: RewardKit,
  amountIn: Options = votes,
): readonly Reward[] {
  const per = PER_OF[rules.text('Type')?.toUpperCase() ?? ''];
  const length = amountIn.number('Amount') ?? 0;
  const needed = votes.number('VotesRequired') ?? 1;
  const forgive = forgiven(rules);
  const repeat = options.flag('Recurring', true);
  if (!options.flag('Enabled', true)) return leave(options, 'it is not enabled', kit);
  if (per === undefined) return leave(options, 'its Type is none of DAILY, WEEKLY and MONTHLY', kit);
  if (!isLength(length) || !isVotes(needed)) return leave(options, NO_STREAK, kit);
  if (forgive === 'other') return leave(options, NO_FORGIVING, kit);
  const others = rules === options ? [] : unreadBeside(rules, 'Milestones');
  const streak = {
    length,
    ...(per === 'day' ? {} : { per }),
    ...(needed > 1 ? { votes: needed } : {}),
    ...(repeat ? { repeat } : {}),
    ...(forgive === null ? {} : { forgive }),
  };
  return rewardsBelow(options, { name, if: { streak }, known: KNOWN }, kit, others);
}

const isLength = (length: number): boolean => Number.isInteger(length) && length >= 2 && length <= 10_000;

const isVotes = (votes: number): boolean => Number.isInteger(votes) && votes <= 1000;

const NO_STREAK =
  'a streak has 2 to 10000 periods and needs at most 1000 votes in each; for every day with a vote, write `"firstVote": "day"`';

const NO_FORGIVING =
  'at most 30 missed periods in 366 can be forgiven, and never all of them; write it with `forgive`';

/** In one period, nothing can be missed. */
function forgiven(rules: Options): object | null | 'other' {
  const missed = rules.number('AllowMissedAmount') ?? 0;
  const among = rules.number('AllowMissedPeriod') ?? 0;
  if (missed <= 0 || among <= 1) return null;
  const isWhole = Number.isInteger(missed) && Number.isInteger(among);
  return isWhole && missed <= 30 && missed < among && among <= 366 ? { missed, in: among } : 'other';
}

const EARLIER = { Day: 'day', Week: 'week', Month: 'month' } as const;

function earlierStreaks(file: Options, kit: RewardKit): readonly Reward[] {
  const streaks = file.section('VoteStreak');
  const requirement = streaks?.section('Requirement') ?? null;
  const isShare = requirement?.flag('UsePercentage', false) ?? false;
  // Without a share it is not asked for.
  requirement?.skip();
  return Object.entries(EARLIER).flatMap(([key, per]) =>
    (streaks?.sections(key) ?? []).flatMap(([name, each]) =>
      isShare ? leave(each, OF_SITES, kit) : earlierStreak(name, per, each, kit),
    ),
  );
}

const OF_SITES =
  'Requirement.UsePercentage asks for a share of the sites; write it with `votes` of a streak, which is a number';

/** A hyphen in the number means that the streak is paid at each multiple of it. */
function earlierStreak(name: string, per: Per, options: Options, kit: RewardKit): readonly Reward[] {
  const length = Number(name.replace('-', ''));
  if (!options.flag('Enabled', true)) return leave(options, 'it is not enabled', kit);
  if (!isLength(length)) return leave(options, NO_STREAK, kit);
  const streak = {
    length,
    ...(per === 'day' ? {} : { per }),
    ...(name.includes('-') ? { repeat: true } : {}),
  };
  const known = new Map([...KNOWN, ['type', per]]);
  return rewardsBelow(options, { name: `streak-${per}-${length}`, if: { streak }, known }, kit);
}
