import { type Conversion, ConversionReport, type Fragment, NO_FRAGMENT } from '../conversion.ts';
import { Options } from '../options.ts';
import { durationWritten } from '../plugin-duration.ts';
import { commandsFrom, messageFrom, type Placeholders, tellraw } from '../plugin-text.ts';
import { conditionsIn } from './matchers.ts';

type Fields = Readonly<Record<string, unknown>>;
type Reward = Readonly<Record<string, unknown>>;

const OF_VOTES: Placeholders = new Map([
  ['player', '{player}'],
  ['service', '{service}'],
  ['player_uuid', '{uuid}'],
  ['uuid', '{uuid}'],
  ['votes', '{votes}'],
  ['streak_days', '{streak}'],
]);

const OF_REMINDERS: Placeholders = new Map([['player', '{player}']]);

const REASONS: Readonly<Record<string, string>> = {
  storage: 'is about where the plugin stores its votes; these are imported as balances',
  streaks: 'Teller counts days in a row for every player; use `{streak}`, and rewards with `streak`',
  'vote-command': 'Teller adds no commands to the game; `{voteLinks}` shows the pages on which to vote',
  leaderboard: 'show top voters with `publish`',
  'top-player-signs': 'show top voters with `publish`',
  broadcast: 'a `broadcast` is sent within two minutes or not at all; `atMost` limits how often',
  votes: 'fake votes are those of `teller votes add`',
};

/**
 * The config of SuperbVote in ours: an ordered list of rewards, of which a vote gets the first that matches, and the ones
 * after it as well while they have `allow-cascading`. Read from config.yml, SuperbVoteConfiguration.java and the matchers
 * of SuperbVote 0.5.5.
 */
export function convertSuperbVote(fields: Fields): Conversion {
  const report = new ConversionReport();
  const config = new Options(fields, 'config.yml: ');
  const seconds = config.section('votes')?.number('cooldown-per-service') ?? 3600;
  const cooldown = durationWritten(Math.min(Math.max(1, Math.floor(seconds)), YEAR_S) * 1000);
  const isQueued = config.flag('require-online', false);
  const { rewards, services } = rewardsIn(config, isQueued, report);
  report.became('config.yml: votes.cooldown-per-service', 'cooldown of each site');
  const fragment: Fragment = {
    ...NO_FRAGMENT,
    sites: Object.fromEntries([...services, 'default'].map((service) => [service, { cooldown }])),
    rewards,
    remind: reminderIn(config, report),
  };
  if (isQueued && !config.flag('queue-votes', true)) {
    const why =
      'votes for players who are offline were lost; here they wait, unless a reward has `expiresAfter`';
    report.left('config.yml: queue-votes', why);
  }
  leaveRest(config, report);
  return { fragment, converted: report.converted, notConverted: report.notConverted };
}

const YEAR_S = 366 * 86_400;

interface Found {
  readonly rewards: readonly object[];
  /** Service names that rewards are for. They need entries in `sites`. */
  readonly services: readonly string[];
}

function rewardsIn(config: Options, isQueued: boolean, report: ConversionReport): Found {
  const list = config.take('rewards');
  const written = (Array.isArray(list) ? list : []).map(
    (each: unknown, index) => new Options(fieldsOf(each), `config.yml: rewards.${index + 1}`),
  );
  const found = written.flatMap((options) => rewardFrom(options, isQueued, report) ?? []);
  const isPlain = found.every(({ isCascading }) => !isCascading);
  const rewards = found.map(({ reward }) => reward);
  const stopping = found.map(({ reward, isCascading }) => (isCascading ? reward : { ...reward, stop: true }));
  return {
    rewards: rewards.length < 2 ? rewards : isPlain ? [{ firstOf: rewards }] : stopping,
    services: [...new Set(found.flatMap(({ services }) => services))],
  };
}

const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};

interface FoundReward {
  readonly reward: Reward;
  readonly isCascading: boolean;
  readonly services: readonly string[];
}

function rewardFrom(options: Options, isQueued: boolean, report: ConversionReport): FoundReward | null {
  const matchers = options.section('if') ?? new Options({}, options.at('if'));
  const { conditions, services, blocked } = conditionsIn(matchers);
  if (blocked !== null) {
    options.skip();
    report.left(
      options.path,
      `the reward was left out, because ${blocked}; votes that it matched get the next one`,
    );
    return null;
  }
  const isCascading = options.flag('allow-cascading', false);
  const text = (key: string): string | null => {
    const written = options.text(key);
    return written === null ? null : messageFrom(written, OF_VOTES, report, options.at(key));
  };
  const commands = commandsFrom(options.texts('commands'), OF_VOTES, report, options.path);
  const [message, broadcast] = [text('player-message'), text('broadcast-message')];
  for (const path of options.unread()) report.left(path, 'is no option of a reward');
  if (commands.length === 0 && message === null && broadcast === null) {
    report.left(options.path, 'nothing of the reward could be converted');
    return null;
  }
  const name = report.nameFor(options.path.replace('config.yml: rewards.', 'reward-'));
  report.became(options.path, `rewards ${name}`);
  const reward = {
    name,
    ...(Object.keys(conditions).length === 0 ? {} : { if: conditions }),
    ...(isQueued ? {} : { when: 'always' }),
    ...(commands.length === 0 ? {} : { commands }),
    ...(message === null ? {} : { message }),
    ...(broadcast === null ? {} : { broadcast }),
  };
  return { reward, isCascading, services };
}

function reminderIn(config: Options, report: ConversionReport): Fragment['remind'] {
  const options = config.section('vote-reminder');
  const text = options?.text('message') ?? null;
  if (options === null || text === null) return [];
  const onJoin = options.flag('on-join', false);
  const seconds = options.number('repeat') ?? 0;
  const message = messageFrom(text, OF_REMINDERS, report, options.at('message'));
  if (message === null || (!onJoin && seconds < 1)) return [];
  const every = seconds < 1 ? {} : { every: durationWritten(Math.min(Math.max(60, seconds), WEEK_S) * 1000) };
  const name = report.nameFor('vote-reminder');
  report.became(options.path, `remind ${name}`);
  const entry = { name, ...(onJoin ? {} : { onJoin }), ...every, commands: [tellraw('{player}', message)] };
  return [entry];
}

const WEEK_S = 7 * 86_400;

function leaveRest(config: Options, report: ConversionReport): void {
  for (const path of config.unread()) {
    const [, key = ''] = /^config\.yml: ([^.]+)/.exec(path) ?? [];
    report.left(path, REASONS[key] ?? 'has no counterpart in Teller');
  }
}
