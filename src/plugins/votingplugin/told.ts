import type { Named } from '../conversion.ts';
import type { Options } from '../options.ts';
import { durationWritten, parsePluginDuration } from '../plugin-duration.ts';
import { messageFrom, type Placeholders } from '../plugin-text.ts';
import { asCommands, effectsIn } from './effects.ts';
import { requirementsIn } from './requirements.ts';
import type { RewardEntry, RewardKit } from './reward.ts';
import { reportUnread } from './unread.ts';

const OF_REMINDERS: Placeholders = new Map([
  ['player', '{player}'],
  ['sitesavailable', '{sitesLeft}'],
  ['sitesleft', '{sitesLeft}'],
]);

const MINUTE_MS = 60_000;

/**
 * `VoteReminders` of Config.yml, and `VoteReminding` before it. Reminders here go to players who are online and may vote;
 * their other conditions and priorities are left out. Read from VoteRemindersManager.java of VotingPlugin 7.1.
 */
export function remindersFrom(config: Options, kit: RewardKit): readonly Named[] {
  const general = config.section('VoteReminderOptions');
  const isOn = general?.flag('Enabled', true) ?? true;
  general?.skip();
  const written = config.sections('VoteReminders');
  if (!isOn) {
    for (const [, each] of written) each.skip();
    if (written.length > 0) kit.report.left(config.at('VoteReminders'), 'they are not enabled');
    return [];
  }
  return [
    ...written.flatMap(([name, each]) => reminderFrom(name, each, kit)),
    ...earlierReminder(config, kit),
  ];
}

function reminderFrom(name: string, options: Options, kit: RewardKit): readonly Named[] {
  const type = options.text('Type')?.toUpperCase() ?? 'INTERVAL';
  if (type !== 'LOGIN' && type !== 'INTERVAL') {
    options.skip();
    kit.report.left(
      options.path,
      `reminders of the type ${type} do not exist here: they are sent when a player joins, and at intervals`,
    );
    return [];
  }
  const pauseMs = Math.max(msOf(options, 'Cooldown'), msOf(options, 'Interval'), MINUTE_MS);
  const times = type === 'LOGIN' ? {} : { onJoin: false, every: durationWritten(Math.min(pauseMs, WEEK_MS)) };
  for (const key of ['Priority', 'Delay']) options.take(key);
  leaveConditions(options, kit);
  return told(name, options, times, kit);
}

const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

const msOf = (options: Options, key: string): number =>
  parsePluginDuration(options.text(key) ?? '0', MINUTE_MS) ?? 0;

function leaveConditions(options: Options, { report }: RewardKit): void {
  const conditions = options.section('Conditions');
  conditions?.take('CanVoteAny');
  for (const path of conditions?.unread() ?? []) {
    report.left(path, 'reminders go to every player who is online and may vote on a site');
  }
  conditions?.skip();
}

function earlierReminder(config: Options, kit: RewardKit): readonly Named[] {
  const options = config.section('VoteReminding');
  if (options === null || options.isEmpty) return [];
  if (!options.flag('Enabled', false)) {
    options.skip();
    kit.report.left(options.path, 'it is not enabled');
    return [];
  }
  const onJoin = options.flag('RemindOnLogin', true);
  const minutes = options.number('RemindDelay') ?? 0;
  const every = minutes >= 1 ? { every: durationWritten(Math.min(minutes * MINUTE_MS, WEEK_MS)) } : {};
  return told('vote-reminding', options, { ...(onJoin ? {} : { onJoin }), ...every }, kit);
}

function told(name: string, options: Options, times: object, { report }: RewardKit): readonly Named[] {
  const rewards = options.section('Rewards');
  if (rewards === null) return [];
  const { blocked } = requirementsIn(rewards);
  const commands = blocked === null ? asCommands(effectsIn(rewards, OF_REMINDERS, report)) : [];
  if (blocked !== null) report.left(rewards.path, `it was left out, because ${blocked}`);
  reportUnread(options, report);
  if (commands.length === 0) return [];
  const entry = { name: report.nameFor(`remind-${name}`), ...times, commands };
  report.became(options.path, `remind ${entry.name}`);
  return [entry];
}

const OF_BROADCASTS: Placeholders = new Map([
  ['player', '{player}'],
  ['site', '{site}'],
  ['sitename', '{site}'],
  ['servicesite', '{service}'],
]);

const BROADCAST_IF: Readonly<Record<string, object>> = {
  EVERY_VOTE: {},
  EVERY_VOTE_ONLINE_ONLY: {},
  FIRST_VOTE_OF_DAY: { if: { firstVote: 'day' } },
};

/**
 * `VoteBroadcast` of Config.yml as a reward that says it to everyone. Broadcasts that are collected have no
 * counterpart, apart from `atMost`. Read from BroadcastHandler.java of VotingPlugin 7.1.
 */
export function broadcastFrom(config: Options, { report }: RewardKit): readonly RewardEntry[] {
  const options = config.section('VoteBroadcast');
  if (options === null) return [];
  const type = options.text('Type')?.toUpperCase() ?? 'EVERY_VOTE';
  const text = options.section('Format')?.text('BroadcastMsg') ?? null;
  const conditions = BROADCAST_IF[type];
  options.skip();
  if (conditions === undefined || text === null) {
    if (type !== 'NONE') {
      report.left(
        options.path,
        `broadcasts of the type ${type} do not exist here; write a reward with \`broadcast\` and \`atMost\``,
      );
    }
    return [];
  }
  const broadcast = messageFrom(text, OF_BROADCASTS, report, options.path);
  if (broadcast === null) return [];
  const name = report.nameFor('vote-broadcast');
  report.became(options.path, `rewards ${name}`);
  return [{ name, ...conditions, broadcast }];
}
