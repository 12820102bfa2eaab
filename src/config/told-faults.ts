import { isForEachPlayer } from '../core/figure-template.ts';
import type { FaultAtPath } from './fault.ts';
import { commandsIn, type Outline } from './outline.ts';
import { silentKindOf } from './reward-servers.ts';

/** Who is online has to be known where players are told, and where a command is run for each of them. */
export function toldFaults({ publish, remind, gameServers }: Outline): readonly FaultAtPath[] {
  const perPlayer = publish.map((entry) => {
    const written = entry === undefined ? [] : commandsIn(entry);
    return written.some((each) => isForEachPlayer(typeof each === 'string' ? each : JSON.stringify(each)))
      ? entry
      : undefined;
  });
  return [
    ...perPlayer.map((entry, at) => [entry, ['publish', at, 'servers']] as const),
    ...remind.map((entry, at) => [entry, ['remind', at, 'servers']] as const),
  ].flatMap(([entry, path]) => {
    const silent = entry === undefined ? null : silentKindOf(entry, gameServers);
    if (silent === null) return [];
    const sentence = `must not name a game server of kind ${silent}, which cannot report who is online`;
    return [{ code: 'config-value' as const, path, sentence }];
  });
}
