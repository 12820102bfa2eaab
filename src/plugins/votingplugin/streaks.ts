import type { Per } from '../../core/period.ts';
import type { Options } from '../options.ts';
import { type Reward, type RewardKit, rewardsAt } from './reward.ts';

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
  const isOn = group.flag('Enabled', true);
  if (!isOn) group.skip();
  const milestones = isOn ? group.sections('Milestones') : [];
  return milestones.flatMap(([name, each]) => streakFrom(`${id}-${name}`, each, group, group, kit, each));
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
  const isOn = options.flag('Enabled', true);
  const needed = votes.number('VotesRequired') ?? 1;
  const forgive = forgiven(rules);
  const repeat = options.flag('Recurring', true);
  if (!isOn || per === undefined || !isLength(length) || !isVotes(needed)) {
    options.skip();
    const why = per === undefined ? 'its Type is none of DAILY, WEEKLY and MONTHLY' : NO_STREAK;
    kit.report.left(options.path, isOn ? why : 'it is not enabled');
    return [];
  }
  const streak = {
    length,
    ...(per === 'day' ? {} : { per }),
    ...(needed > 1 ? { votes: needed } : {}),
    ...(repeat ? { repeat } : {}),
    ...(forgive === null ? {} : { forgive }),
  };
  return rewardsAt(options, 'Rewards', { name, if: { streak }, known: KNOWN }, kit);
}

const isLength = (length: number): boolean => Number.isInteger(length) && length >= 2 && length <= 10_000;

const isVotes = (votes: number): boolean => Number.isInteger(votes) && votes <= 1000;

const NO_STREAK =
  'a streak has 2 to 10000 periods and needs at most 1000 votes in each; for every day with a vote, write `"firstVote": "day"`';

/** In one period, nothing can be missed. */
function forgiven(rules: Options): object | null {
  const missed = rules.number('AllowMissedAmount') ?? 0;
  const among = rules.number('AllowMissedPeriod') ?? 0;
  const isWhole = Number.isInteger(missed) && Number.isInteger(among);
  return isWhole && missed >= 1 && among >= 2
    ? { missed: Math.min(missed, 30, among - 1), in: Math.min(among, 366) }
    : null;
}

const EARLIER = { Day: 'day', Week: 'week', Month: 'month' } as const;

function earlierStreaks(file: Options, kit: RewardKit): readonly Reward[] {
  const streaks = file.section('VoteStreak');
  const requirement = streaks?.section('Requirement') ?? null;
  const isShare = requirement?.flag('UsePercentage', false) ?? false;
  requirement?.skip();
  if (isShare) {
    kit.report.left(
      'SpecialRewards.yml: VoteStreak.Requirement',
      'a share of the sites; `votes` of a streak is a number',
    );
  }
  return Object.entries(EARLIER).flatMap(([key, per]) =>
    (streaks?.sections(key) ?? []).flatMap(([name, each]) => earlierStreak(name, per, each, kit)),
  );
}

/** A hyphen in the number means that the streak is paid at each multiple of it. */
function earlierStreak(name: string, per: Per, options: Options, kit: RewardKit): readonly Reward[] {
  const length = Number(name.replace('-', ''));
  const isOn = options.flag('Enabled', true);
  if (!isOn || !isLength(length)) {
    options.skip();
    kit.report.left(options.path, isOn ? NO_STREAK : 'it is not enabled');
    return [];
  }
  const streak = {
    length,
    ...(per === 'day' ? {} : { per }),
    ...(name.includes('-') ? { repeat: true } : {}),
  };
  const known = new Map([...KNOWN, ['type', per]]);
  return rewardsAt(options, 'Rewards', { name: `streak-${per}-${length}`, if: { streak }, known }, kit);
}
