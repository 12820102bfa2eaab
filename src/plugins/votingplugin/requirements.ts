import { HOUR_MS } from '../../core/duration.ts';
import type { Options } from '../options.ts';
import { durationWritten, parsePluginDuration } from '../plugin-duration.ts';

/** What a section of rewards requires, in the words of our config. */
export interface Requirements {
  /** From 0 (excluded) to 100; null: always. */
  readonly chance: number | null;
  readonly keys: { readonly when?: 'always'; readonly delay?: string; readonly expiresAfter?: string };
  /** Why the reward cannot be converted: without its requirement it would be paid to others as well. */
  readonly blocked: string | null;
}

const NOT_ASKED =
  'Teller cannot ask a permission plugin; give those players a tag, and write `execute if entity @a[name={player},tag=…] run` before each command';
const NOT_HERE = 'write the reward with `servers`';
const NOT_THIS_WORLD =
  'write `execute in … if entity @a[name={player},distance=0..] run` before each command';

/** Options that narrow down who gets a reward, and cannot be converted. */
const BLOCKING: Readonly<Record<string, string>> = {
  Permission: NOT_ASKED,
  VaultGroup: NOT_ASKED,
  Server: NOT_HERE,
  BlockedServers: NOT_HERE,
  Worlds: NOT_THIS_WORLD,
  BlackListedWorlds: NOT_THIS_WORLD,
  LocationDistance:
    'write the distance into the command, with `execute as {player} at @s if entity @s[distance=…] run …`',
  JavascriptExpression: 'Teller runs no programs of a config; write the reward with conditions',
  DayOfMonth: 'there is no condition for a day of each month',
  Date: 'write the reward with `between` or `weekday`',
  Lucky: 'write it with `oneOf` or `chance`',
  Priority: 'write it with `firstOf`',
  AdvancedPriority: 'write it with `firstOf`',
  Timed: 'a reward cannot be paid at a time of day; write it with `delay` or `hours`',
};

/** Reads them in the names of RewardHandler.java and Reward.java of AdvancedCore 3.8. */
export function requirementsIn(options: Options): Requirements {
  const chance = options.number('Chance');
  const isAlways = options.flag('ForceOffline', false) || options.flag('GiveOffline', false);
  const delay = delayIn(options);
  const expires = options.text('RewardExpiration');
  const expiresMs = expires === null ? 0 : parsePluginDuration(expires, 60_000);
  return {
    chance: chance === null || chance >= 100 ? null : chance,
    keys: {
      ...(isAlways ? { when: 'always' } : {}),
      ...(delay > 0 ? { delay: durationWritten(delay) } : {}),
      ...(expiresMs !== null && expiresMs > 0 ? { expiresAfter: durationWritten(expiresMs) } : {}),
    },
    blocked:
      blockedBy(options) ??
      (chance !== null && chance < LEAST_CHANCE ? 'its Chance is 0' : null) ??
      (expiresMs === null || (expiresMs > 0 && expiresMs < 60_000)
        ? 'its RewardExpiration is not a duration of at least a minute'
        : null),
  };
}

/** Chances here have six digits. */
const LEAST_CHANCE = 0.000001;

function delayIn(options: Options): number {
  const delayed = options.section('Delayed');
  if (delayed === null || !delayed.flag('Enabled', false)) {
    delayed?.skip();
    return 0;
  }
  const part = (key: string): number => delayed.number(key) ?? 0;
  return part('Hours') * HOUR_MS + part('Minutes') * 60_000 + part('Seconds') * 1000 + part('MilliSeconds');
}

function blockedBy(options: Options): string | null {
  const type = options.text('RewardType')?.toUpperCase() ?? 'BOTH';
  if (type === 'OFFLINE')
    return 'it is only for players who are offline, and Teller pays those who are online';
  const isAsked = options.flag('RequirePermission', false);
  for (const [key, why] of Object.entries(BLOCKING)) {
    const isSet = options.has(key) && isNarrowing(options, key);
    if (isSet && (key !== 'Permission' || isAsked)) return `it depends on ${key}: ${why}`;
  }
  return null;
}

function isNarrowing(options: Options, key: string): boolean {
  if (!options.isSection(key)) return options.texts(key).length > 0;
  const section = options.section(key);
  const isOn = section !== null && !section.isEmpty && section.flag('Enabled', true);
  section?.skip();
  return isOn;
}
