import { GAME_VERSION, isVersionAtLeast } from '../core/game-version.ts';
import { usesHexColours } from '../core/message-text.ts';
import type { FaultAtPath, Path } from './fault.ts';
import type { Outline, RewardOutline } from './outline.ts';
import { readServers } from './reward-servers.ts';

/** Since when the game has the syntax that a key needs. */
const SOUND_SINCE = '1.13';
const HEX_SINCE = '1.16';
const TEXTS = ['message', 'title', 'broadcast'] as const;

/** What of a reward needs to know the version of its game servers, because commands differ by version. */
export function versionFaults(
  reward: RewardOutline,
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  const { names } = readServers(reward.servers, Object.keys(gameServers));
  const hexKeys = TEXTS.filter((key) => usesHexColours(reward[key] ?? ''));
  const needed = [
    ...hexKeys.map((key) => ({ key, what: 'colours such as &#ff8800 need', since: HEX_SINCE })),
    ...(reward.sound === undefined ? [] : [{ key: 'sound', what: 'sounds need', since: SOUND_SINCE }]),
  ];
  return needed.flatMap(({ key, what, since }) =>
    names.flatMap((name): FaultAtPath[] => {
      const version = gameServers[name]?.version;
      if (typeof version === 'string' && GAME_VERSION.test(version) && isVersionAtLeast(version, since))
        return [];
      const known = typeof version === 'string' ? `which says ${version}` : 'which is missing';
      const sentence = `${what} Minecraft ${since} or newer: set gameServers.${name}.version, ${known}`;
      return [{ code: 'config-value', path: [...path, key], sentence }];
    }),
  );
}
