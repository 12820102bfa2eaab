import { isForEachPlayer } from '../core/figure-template.ts';
import { type FaultAtPath, unknownName } from './fault.ts';
import { commandsIn, type Outline } from './outline.ts';
import { silentKindOf } from './reward-servers.ts';

/** Rules of `publish` and `remind` that concern more than one key. */
export const toldFaults = (outline: Outline): readonly FaultAtPath[] => [
  ...unknownParties(outline),
  ...unseenPlayers(outline),
];

function unknownParties({ publish, party }: Outline): readonly FaultAtPath[] {
  const known = party.flatMap((entry) => entry?.name ?? []);
  return publish.flatMap((entry, at) =>
    entry?.party === undefined || known.includes(entry.party)
      ? []
      : [unknownName(['publish', at, 'party'], entry.party, known, 'party')],
  );
}

/** Who is online has to be known where a command is run for each of them. */
function unseenPlayers({ publish, remind, gameServers }: Outline): readonly FaultAtPath[] {
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
