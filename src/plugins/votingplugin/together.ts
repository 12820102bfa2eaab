import type { Named } from '../conversion.ts';
import type { Options } from '../options.ts';
import { commandsFrom, messageFrom, type Placeholders, tellraw } from '../plugin-text.ts';
import { asCommands, effectsIn } from './effects.ts';
import { requirementsIn } from './requirements.ts';
import type { RewardKit } from './reward.ts';
import { reportUnread } from './unread.ts';

const PLAYER: Placeholders = new Map([
  ...(['player', 'playername', 'displayname'] as const).map((name) => [name, '{player}'] as const),
  ['uuid', '{uuid}'],
]);

/** The commands of a section of rewards that every player is paid who earns it; empty, with a report, if it narrows that. */
function commandsAt(
  outer: Options,
  key: string,
  known: Placeholders,
  { report }: RewardKit,
): readonly string[] {
  const options = outer.section(key);
  if (options === null || options.isEmpty) return [];
  const { chance, blocked } = requirementsIn(options);
  if (blocked !== null || chance !== null) {
    options.skip();
    const why = blocked ?? 'it depends on Chance, which a party or a top cannot';
    report.left(options.path, `the reward was left out, because ${why}`);
    return [];
  }
  const commands = asCommands(effectsIn(options, known, report));
  reportUnread(options, report);
  return commands;
}

const RESETS = [
  ['ResetEachDay', 'day'],
  ['ResetWeekly', 'week'],
  ['ResetMonthly', 'month'],
] as const;

const PARTY_REASONS: Readonly<Record<string, string>> = {
  IncreaseVotesRequired: 'the number of votes does not grow by itself; change `every`',
  IncreaseVotesRquired: 'the number of votes does not grow by itself; change `every`',
  OnlyOncePerDay: 'the count does not stop; choose `every` so that a party is due about once a day',
  OnlyOncePerWeek: 'the count does not stop; choose `every` so that a party is due about once a week',
  GlobalRandomCommand: 'write a reward with `oneOf`; a party runs all of its commands',
};

/**
 * `VoteParty` of SpecialRewards.yml. What is run once and what each player gets are two entries here. Read from
 * VoteParty.java and SpecialRewardsConfig.java of VotingPlugin 7.1.
 */
export function partyFrom(file: Options, kit: RewardKit): readonly Named[] {
  const { report } = kit;
  const options = file.section('VoteParty');
  if (options === null || options.isEmpty) return [];
  const every = options.number('VotesRequired') ?? 0;
  if (!options.flag('Enabled', false) || !isCount(every)) {
    options.skip();
    report.left(options.path, 'it is not enabled, or has no VotesRequired');
    return [];
  }
  const reset = RESETS.find(([key]) => options.flag(key, false))?.[1];
  const known = new Map([...PLAYER, ['votesrequired', String(every)]]);
  const shared = { every, ...(reset === undefined ? {} : { reset }) };
  const each = commandsAt(options, 'Rewards', known, kit);
  const once = onceIn(options, kit);
  const userVotes = options.number('UserVotesRequired') ?? 0;
  const found = [
    ...(each.length === 0
      ? []
      : [
          {
            name: report.nameFor('vote-party'),
            ...shared,
            for: paidIn(options, kit),
            ...(userVotes > 1 && isCount(userVotes) ? { userVotes } : {}),
            commands: each,
          },
        ]),
    ...(once.length === 0
      ? []
      : [{ name: report.nameFor('vote-party-once'), ...shared, for: 'once', commands: once }]),
  ];
  const [first, ...others] = found;
  const announced = announcedIn(options, kit);
  leaveParty(options, kit);
  if (first === undefined) return [];
  report.became(options.path, found.map(({ name }) => `party ${name}`).join(', '));
  return [{ ...first, ...announced }, ...others.map((other) => ({ ...other, announceLeft: [] }))];
}

const isCount = (votes: number): boolean => Number.isInteger(votes) && votes >= 1 && votes <= 1_000_000;

function paidIn(options: Options, { report }: RewardKit): 'online' | 'voters' {
  const isOnlineOnly = options.flag('GiveOnlinePlayersOnly', true);
  if (!options.flag('GiveAllPlayers', false)) return 'voters';
  if (!isOnlineOnly) {
    report.left(
      options.at('GiveOnlinePlayersOnly'),
      'a party pays those who are online, not everyone who ever joined',
    );
  }
  return 'online';
}

function onceIn(options: Options, { report }: RewardKit): readonly string[] {
  const nobody: Placeholders = new Map();
  const broadcast = options.text('Broadcast');
  const message = broadcast === null ? null : messageFrom(broadcast, nobody, report, options.at('Broadcast'));
  const commands = [...options.texts('GlobalCommands'), ...options.texts('Commands')];
  return [
    ...commandsFrom(commands, nobody, report, options.at('GlobalCommands')),
    ...(message === null ? [] : [tellraw('@a', message)]),
  ];
}

function announcedIn(options: Options, { report }: RewardKit): object {
  const reminder = options.section('VoteReminder') ?? options;
  const prefix = reminder === options ? 'VoteReminder' : '';
  const left = reminder.texts(`${prefix}AtVotes`).map(Number).filter(isCount);
  const known: Placeholders = new Map([['votesrequired', '{partyLeft}']]);
  const text = reminder.text(`${prefix}Broadcast`);
  const message =
    text === null || left.length === 0 ? null : messageFrom(text, known, report, options.at('VoteReminder'));
  const announce = [
    ...commandsFrom(reminder.texts(`${prefix}Commands`), known, report, options.at('VoteReminder')),
    ...(message === null ? [] : [tellraw('@a', message)]),
  ];
  const isTold = left.length > 0 && announce.length > 0;
  return isTold ? { announceLeft: [...new Set(left)].slice(0, 20), announce } : { announceLeft: [] };
}

function leaveParty(options: Options, { report }: RewardKit): void {
  for (const [key, why] of Object.entries(PARTY_REASONS)) {
    const value = options.texts(key);
    const isSet = value.length > 0 && value[0] !== 'false' && value[0] !== '0';
    if (isSet) report.left(options.at(key), why);
  }
  for (const key of ['ResetExtraVotesWeekly', 'ResetExtraVotesMonthly', 'ResetCount']) options.take(key);
  for (const key of ['CountFakeVotes', 'CountOfflineVotes']) {
    if (!options.flag(key, true))
      report.left(options.at(key), 'all votes that are counted count for a party');
  }
  reportUnread(options, report);
}

const TOPS = [
  ['MonthlyAwards', 'EnableMonthlyAwards', 'month', 'Monthly'],
  ['WeeklyAwards', 'EnableWeeklyAwards', 'week', 'Weekly'],
  ['DailyAwards', 'EnableDailyRewards', 'day', 'Daily'],
] as const;

/**
 * `MonthlyAwards`, `WeeklyAwards` and `DailyAwards` of SpecialRewards.yml: a section for each place, or for places such as
 * `2-4`, of which the plugin leaves out the last. Read from TopVoterHandler.java of VotingPlugin 7.1.
 *
 * @param config Config.yml, which says who gets no place and what happens to players with as many votes.
 */
export function topsFrom(file: Options, config: Options, kit: RewardKit): readonly Named[] {
  const exclude = [...new Set(config.texts('BlackList'))]
    .filter((name) => /^[^\s\p{Cc}]{1,32}$/u.test(name))
    .slice(0, 100);
  const ties = config.flag('TopVoterAwardsTies', true) ? 'share' : 'first';
  return TOPS.flatMap(([key, enabled, period, word]) => {
    const isOn = file.flag(enabled, false);
    const awards = file.section(key);
    if (awards === null || awards.isEmpty) return [];
    if (!isOn) {
      awards.skip();
      kit.report.left(awards.path, `${enabled} is not true`);
      return [];
    }
    const prizes = Object.fromEntries(awards.keys.flatMap((place) => prizeAt(awards, place, word, kit)));
    reportUnread(awards, kit.report);
    if (Object.keys(prizes).length === 0) return [];
    const name = kit.report.nameFor(`top-${period}`);
    kit.report.became(awards.path, `tops ${name}`);
    return [{ name, period, prizes, ties, ...(exclude.length === 0 ? {} : { exclude }) }];
  });
}

function prizeAt(
  awards: Options,
  place: string,
  word: string,
  kit: RewardKit,
): readonly (readonly [string, readonly string[]])[] {
  const [, from = '', to] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(place) ?? [];
  const award = awards.section(place);
  const last = to === undefined ? Number(from) : Number(to) - 1;
  if (award === null || from === '' || last < Number(from) || last > 1000) {
    award?.skip();
    kit.report.left(awards.at(place), 'is no place of 1 to 1000');
    return [];
  }
  const isOne = last === Number(from);
  const known = new Map([...PLAYER, ['topvoter', word], ...(isOne ? [['place', from] as const] : [])]);
  const commands = commandsAt(award, 'Rewards', known, kit);
  return commands.length === 0 ? [] : [[isOne ? from : `${from}..${last}`, commands]];
}
