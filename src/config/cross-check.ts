import { normalize } from 'node:path';
import { nearestWord } from '../core/nearest-word.ts';
import { serviceNameOf } from '../core/service-name.ts';
import { needs } from '../core/template.ts';
import { kindNamed } from '../delivery/kinds.ts';
import { namedSites } from '../rewards/conditions.ts';
import type { FaultAtPath, Path } from './fault.ts';
import type { Outline } from './outline.ts';

type RewardOutline = NonNullable<Outline['rewards'][number]>;

/** What one key asks of another: rewards name sites and game servers that are there, and each has its own name. */
export function crossCheck(outline: Outline): readonly FaultAtPath[] {
  const { sites, gameServers, rewards } = outline;
  const siteNames = [...new Set(['default', ...Object.keys(sites)])];
  const serverNames = Object.keys(gameServers);
  const rewardFaults = rewards.flatMap((reward, at) => {
    if (reward === undefined) return [];
    const path = ['rewards', at];
    return [
      ...unknownSites(reward, path, siteNames),
      ...serverFaults(reward, path, serverNames),
      ...recipientFaults(reward, path, gameServers),
      ...sharedName(reward, path, rewards.slice(0, at)),
    ];
  });
  return [...siteFaults(sites), ...rewardFaults, ...sharedFiles(outline)];
}

function siteFaults(sites: Outline['sites']): FaultAtPath[] {
  const paths = Object.entries(sites).flatMap(([name, site]) =>
    site?.webhook?.path === undefined ? [] : [{ name, path: site.webhook.path }],
  );
  const shared = paths.filter(({ path }, at) => paths.slice(0, at).some((other) => other.path === path));
  return [
    ...sameNames(sites),
    ...(['api', 'webhook'] as const).flatMap((road) => notForDefault(sites, road)),
    ...shared.map(({ name, path }) => ({
      code: 'config-value' as const,
      path: ['sites', name, 'webhook', 'path'],
      sentence: `another site has the path '${path}' already; the path tells whose delivery it is`,
    })),
  ];
}

/** White space around a service name is no part of it, so two such entries would be for the same votes. */
function sameNames(sites: Outline['sites']): FaultAtPath[] {
  const names = ['default', ...Object.keys(sites).filter((name) => name !== 'default')];
  return names.flatMap((name, at) => {
    const other = names.slice(0, at).find((earlier) => serviceNameOf(earlier) === serviceNameOf(name));
    if (other === undefined) return [];
    const sentence = `is the same service as ${JSON.stringify(other)}, because white space around a name is ignored; make one entry of the two`;
    return [{ code: 'config-value' as const, path: ['sites', name], sentence }];
  });
}

/** Neither channel carries a service name: the entry's key is used as it. */
const notForDefault = (sites: Outline['sites'], road: 'api' | 'webhook'): FaultAtPath[] =>
  sites.default?.[road] === undefined
    ? []
    : [
        {
          code: 'config-value',
          path: ['sites', 'default', road],
          sentence: 'belongs to one listing: put it into an entry with the service name of that listing',
        },
      ];

const unknownSites = (reward: RewardOutline, path: Path, known: readonly string[]): FaultAtPath[] =>
  namedSites(reward.if ?? {})
    .filter(({ site }) => !known.includes(site))
    .map(({ condition, site }) => unknownName([...path, 'if', condition], site, known, 'sites'));

function serverFaults({ servers }: RewardOutline, path: Path, known: readonly string[]): FaultAtPath[] {
  const at = [...path, 'servers'];
  if (servers === undefined) return known.length > 1 ? [serversRequired(at, known)] : [];
  if (!Array.isArray(servers) || known.length === 0) return [];
  return servers
    .filter((name) => typeof name === 'string' && !known.includes(name))
    .map((name) => unknownName(at, name, known, 'gameServers'));
}

const serversRequired = (path: Path, known: readonly string[]): FaultAtPath => ({
  code: 'config-value',
  path,
  sentence: `is required because there are ${known.length} game servers: ${JSON.stringify(known)}, some of them, or "all"`,
});

function unknownName(path: Path, name: string, known: readonly string[], where: string): FaultAtPath {
  const meant = nearestWord(name, known);
  const hint = meant === null ? `there are ${known.join(', ')}` : `perhaps you meant '${meant}'`;
  return { code: 'config-unknown-name', path, sentence: `'${name}' is not in \`${where}\`; ${hint}` };
}

/** A user ID is on no game server's list, and some kinds of game server have none. */
function recipientFaults(
  { commands = [], when = 'online', servers }: RewardOutline,
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  const templates = commands.map((command) =>
    typeof command === 'string' ? command : JSON.stringify(command),
  );
  const [forUsers, withPlayer, withUuid] = (['userId', 'player', 'uuid'] as const).map((name) =>
    templates.some((template) => needs(template, name)),
  );
  const forPlayers = withPlayer || withUuid;
  const named = Array.isArray(servers) ? servers : Object.keys(gameServers);
  const kinds = named.map((name) => kindNamed(gameServers[String(name)]?.kind));
  const silent = kinds.find((kind) => kind?.reportsPresence === false);
  const fault = (key: string, sentence: string): FaultAtPath => ({
    code: 'config-value',
    path: [...path, key],
    sentence,
  });
  return [
    ...(forUsers && forPlayers
      ? [fault('commands', 'need a player and a user ID, and no vote has both; make two rewards of it')]
      : []),
    ...(when === 'online' && forUsers
      ? [
          fault(
            'when',
            'must be "always": {userId} stands in its commands, and nobody knows when a user ID is online',
          ),
        ]
      : []),
    ...(when === 'always' && withUuid
      ? [
          fault(
            'when',
            'must be "online": {uuid} stands in its commands, and only the player list of a game server tells it',
          ),
        ]
      : []),
    ...(when === 'online' && silent
      ? [fault('when', `must be "always": a game server of kind ${silent.name} cannot report who is online`)]
      : []),
  ];
}

function sharedName({ name }: RewardOutline, path: Path, earlier: readonly (RewardOutline | undefined)[]) {
  if (name === undefined || !earlier.some((other) => other?.name === name)) return [];
  const sentence = `another reward has the name '${name}' already`;
  return [{ code: 'config-value', path: [...path, 'name'], sentence } satisfies FaultAtPath];
}

/** No game server of a kind that writes a file, and not the other database, may use the file of a database. */
export function sharedFiles(
  { ledger, listing: { database }, gameServers }: Pick<Outline, 'ledger' | 'listing' | 'gameServers'>,
  pathKeysOf = (kind: string | undefined) => kindNamed(kind)?.pathKeys ?? [],
): FaultAtPath[] {
  const written = Object.entries(gameServers).flatMap(([name, server]) =>
    pathKeysOf(server?.kind).map((key) => ({
      path: ['gameServers', name, key],
      file: String(server?.[key] ?? ''),
    })),
  );
  const databases = [
    { key: 'ledger', file: ledger, users: [{ path: ['listing', 'database'], file: database }, ...written] },
    { key: 'listing.database', file: database, users: written },
  ];
  return databases.flatMap(({ key, file, users }) =>
    users
      .filter((user) => file !== '' && normalize(user.file) === normalize(file))
      .map(({ path }) => ({
        code: 'config-value' as const,
        path,
        sentence: `must not be the file of \`${key}\``,
      })),
  );
}
