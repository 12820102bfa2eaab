import { type Finding, ok, warning } from '../../core/finding.ts';
import { countText } from '../../core/list-text.ts';
import { readUserCache } from '../../platform/user-cache-file.ts';
import type { Subject } from './subject.ts';

/** The files in which game servers keep who has played there. */
export async function checkUserCaches({ config: { gameServers } }: Subject): Promise<readonly Finding[]> {
  const files = [...gameServers].flatMap(([name, { userCache }]) =>
    userCache === null ? [] : [[name, userCache] as const],
  );
  return Promise.all(files.map(([name, file]) => checkUserCache(name, file)));
}

async function checkUserCache(name: string, file: string): Promise<Finding> {
  const reading = await readUserCache(file, null);
  return reading.kind === 'players'
    ? ok('user-cache', `${name}: ${countText(reading.players.length, 'player')} in ${file}`)
    : warning(
        'user-cache-unusable',
        `${name}: ${file} is not used: ${reading.kind === 'fault' ? reading.sentence : 'it is empty'}`,
        `correct gameServers.${name}.userCache; renamed players are then known only by the list of players`,
      );
}
