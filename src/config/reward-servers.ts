import { kindNamed, reportsPresence, takesCommands } from '../delivery/kinds.ts';
import { type FaultAtPath, type Path, unknownName } from './fault.ts';
import type { Outline, RewardOutline } from './outline.ts';

/** The game servers of a reward, as far as they can be read. */
interface WrittenServers {
  /** The key of the reward that names them. */
  readonly at: Path;
  readonly names: readonly string[];
  readonly isWhereOnline: boolean;
}

/** The game servers on which rewards can be paid. */
export const payingOf = (gameServers: Outline['gameServers']): Outline['gameServers'] =>
  Object.fromEntries(Object.entries(gameServers).filter(([, server]) => takesCommands(server?.kind)));

/** @param known the game servers on which rewards can be paid, all of which a reward means if it names none. */
export function readServers(servers: unknown, known: readonly string[]): WrittenServers {
  const pool = whereOnlineOf(servers);
  if (pool !== undefined)
    return { at: ['servers', 'whereOnline'], names: namesIn(pool), isWhereOnline: true };
  const isNamed = Array.isArray(servers);
  return {
    at: ['servers'],
    names: isNamed ? namesIn(servers) : known,
    isWhereOnline: servers === 'where-online',
  };
}

const whereOnlineOf = (servers: unknown): unknown =>
  typeof servers === 'object' && servers !== null && 'whereOnline' in servers
    ? servers.whereOnline
    : undefined;

const namesIn = (written: unknown): readonly string[] =>
  Array.isArray(written) ? written.filter((name) => typeof name === 'string') : [];

/** Whether each named game server exists, and whether a reward for the one that the player is on can be paid there. */
export function serverFaults(
  reward: RewardOutline,
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  const paying = payingOf(gameServers);
  const known = Object.keys(paying);
  if (known.length === 0) return Object.keys(gameServers).length === 0 ? [] : [nonePays(path)];
  if (reward.servers === undefined) return known.length > 1 ? [serversRequired(path, known)] : [];
  const written = readServers(reward.servers, known);
  const at = [...path, ...written.at];
  const unpaying = written.names
    .filter((name) => !known.includes(name))
    .map((name) =>
      name in gameServers ? takesVotes(at, name) : unknownName(at, name, known, 'gameServers'),
    );
  return [...unpaying, ...(written.isWhereOnline ? whereOnlineFaults(reward, written, path, paying) : [])];
}

const nonePays = (path: Path): FaultAtPath => ({
  code: 'config-value',
  path: [...path, 'servers'],
  sentence:
    'has nothing to name, because no game server in `gameServers` takes commands; add one that does, or write `"rewards": []`',
});

const takesVotes = (path: Path, name: string): FaultAtPath => ({
  code: 'config-value',
  path,
  sentence: `must leave out ${name}, which takes votes and no commands: every vote is forwarded to it without a reward`,
});

const serversRequired = (path: Path, known: readonly string[]): FaultAtPath => ({
  code: 'config-value',
  path: [...path, 'servers'],
  sentence: `is required because there are ${known.length} game servers; name some of ${JSON.stringify(known)}, or write "all" or "where-online"`,
});

function whereOnlineFaults(
  { when }: RewardOutline,
  { names, at }: WrittenServers,
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  const kinds = names.map((name) => ({ name, kind: kindNamed(gameServers[name]?.kind) }));
  const silent = kinds.find(({ name }) => reportsPresence(gameServers[name]) === false);
  const practice = kinds.filter(({ kind }) => kind?.isPractice === true);
  const real = kinds.filter(({ kind }) => kind?.isPractice === false);
  const fault = (key: Path, sentence: string): FaultAtPath => ({
    code: 'config-value',
    path: [...path, ...key],
    sentence,
  });
  return [
    ...(when === 'always'
      ? [
          fault(
            ['when'],
            'must not be "always" because the reward is paid where the player is online; leave it out, or name its `servers`',
          ),
        ]
      : []),
    ...(silent === undefined
      ? []
      : [
          fault(
            at,
            `must leave out ${silent.name}, because a game server of kind ${silent.kind?.name} cannot report who is online; write {"whereOnline": […]} with the others`,
          ),
        ]),
    ...(practice.length > 0 && real.length > 0
      ? [
          fault(
            at,
            `mixes the practice server ${practice[0]?.name} with the real one ${real[0]?.name}; write {"whereOnline": […]} with only one of these kinds`,
          ),
        ]
      : []),
  ];
}

/** A kind of its game servers that cannot report who is online. Where a player is looked for is checked above. */
export function silentKindOf({ servers }: RewardOutline, gameServers: Outline['gameServers']): string | null {
  const { names, isWhereOnline } = readServers(servers, Object.keys(gameServers));
  if (isWhereOnline) return null;
  const silent = names.find((name) => reportsPresence(gameServers[name]) === false);
  return silent === undefined ? null : (gameServers[silent]?.kind ?? null);
}
