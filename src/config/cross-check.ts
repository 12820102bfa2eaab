import { normalize } from 'node:path';
import { isForEachPlayer } from '../core/figure-template.ts';
import { FORWARD } from '../core/forward.ts';
import { GAME_VERSION, isVersionAtLeast } from '../core/game-version.ts';
import { usesHexColours } from '../core/message-text.ts';
import { needs } from '../core/placeholders.ts';
import { serviceNameOf } from '../core/service-name.ts';
import { kindNamed } from '../delivery/kinds.ts';
import { namedSites } from './condition-schemas.ts';
import { type FaultAtPath, type Path, unknownName } from './fault.ts';
import { commandsIn, type Outline, type RewardOutline } from './outline.ts';
import { payingOf, readServers, serverFaults, silentKindOf } from './reward-servers.ts';

/** Checks rules that concern more than one key: rewards name existing sites and game servers, and names are unique. */
export function crossCheck(outline: Outline): readonly FaultAtPath[] {
  const { sites, gameServers } = outline;
  const paying = payingOf(gameServers);
  const siteNames = [...new Set(['default', ...Object.keys(sites)])];
  const placed = placedRewards(outline);
  const partyFaults = outline.party.flatMap((entry, at) => presenceFaults(entry, ['party', at], paying));
  const rewardFaults = placed.flatMap(({ reward, path }, at) => [
    ...unknownSites(reward, path, siteNames),
    ...serverFaults(reward, path, gameServers),
    ...recipientFaults(reward, path, paying),
    ...versionFaults(reward, path, paying),
    ...sharedName(reward, path, placed.slice(0, at)),
  ]);
  return [
    ...siteFaults(sites),
    ...rewardFaults,
    ...partyFaults,
    ...toldFaults({ ...outline, gameServers: paying }),
    ...kindFaults(outline),
    ...chatFaults(outline),
    ...sharedFiles(outline),
  ];
}

export interface PlacedReward {
  readonly reward: RewardOutline;
  readonly path: Path;
}

/** Everything that is paid: the rewards of the list and of each `firstOf`, and parties. */
export const placedRewards = ({
  rewards,
  party,
  tops,
  publish,
  remind,
}: Outline): readonly PlacedReward[] => [
  ...rewards.flatMap((entry, at): readonly PlacedReward[] => {
    if (entry === undefined) return [];
    const path = ['rewards', at];
    if (entry.firstOf === undefined) return [{ reward: entry, path }];
    return entry.firstOf.flatMap((reward, place) =>
      reward === undefined ? [] : [{ reward, path: [...path, 'firstOf', place] }],
    );
  }),
  ...party.flatMap((entry, at): readonly PlacedReward[] =>
    entry === undefined
      ? []
      : // Commands that are run once wait for no player.
        [{ reward: entry.for === 'once' ? { ...entry, when: 'always' } : entry, path: ['party', at] }],
  ),
  ...tops.flatMap((entry, at): readonly PlacedReward[] =>
    entry === undefined ? [] : [{ reward: entry, path: ['tops', at] }],
  ),
  // What is told waits for nobody.
  ...publish.flatMap((entry, at): readonly PlacedReward[] =>
    entry === undefined ? [] : [{ reward: { ...entry, when: 'always' }, path: ['publish', at] }],
  ),
  ...remind.flatMap((entry, at): readonly PlacedReward[] =>
    entry === undefined ? [] : [{ reward: { ...entry, when: 'always' }, path: ['remind', at] }],
  ),
];

function siteFaults(sites: Outline['sites']): FaultAtPath[] {
  const paths = Object.entries(sites).flatMap(([name, site]) =>
    site?.webhook?.path === undefined ? [] : [{ name, path: site.webhook.path }],
  );
  const shared = paths.filter(({ path }, at) => paths.slice(0, at).some((other) => other.path === path));
  return [
    ...sameNames(sites),
    ...(['api', 'webhook'] as const).flatMap((channel) => notForDefault(sites, channel)),
    ...shared.map(({ name, path }) => ({
      code: 'config-value' as const,
      path: ['sites', name, 'webhook', 'path'],
      sentence: `another site already has the path '${path}'; each site needs its own, because it identifies the sender`,
    })),
  ];
}

/** White space around service names is ignored, so two names that differ only in it match the same votes. */
function sameNames(sites: Outline['sites']): FaultAtPath[] {
  const names = ['default', ...Object.keys(sites).filter((name) => name !== 'default')];
  return names.flatMap((name, at) => {
    const other = names.slice(0, at).find((earlier) => serviceNameOf(earlier) === serviceNameOf(name));
    if (other === undefined) return [];
    const sentence = `is the same service as ${JSON.stringify(other)}, because white space around a name is ignored; merge the two entries`;
    return [{ code: 'config-value' as const, path: ['sites', name], sentence }];
  });
}

/** These channels do not send a service name, so the key of the entry is used as the service name. */
const notForDefault = (sites: Outline['sites'], channel: 'api' | 'webhook'): FaultAtPath[] =>
  sites.default?.[channel] === undefined
    ? []
    : [
        {
          code: 'config-value',
          path: ['sites', 'default', channel],
          sentence:
            "is not allowed here because it belongs to one listing; move it to an entry named after that listing's service",
        },
      ];

const unknownSites = (reward: RewardOutline, path: Path, known: readonly string[]): FaultAtPath[] =>
  namedSites(reward.if ?? {})
    .filter(({ site }) => !known.includes(site))
    .map(({ condition, site }) => unknownName([...path, 'if', condition], site, known, 'sites'));

/** Game servers list players and not user IDs, and some kinds cannot list players at all. */
function recipientFaults(
  reward: RewardOutline,
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  const { when = 'online' } = reward;
  const templates = commandsIn(reward).map((command) =>
    typeof command === 'string' ? command : JSON.stringify(command),
  );
  const [forUsers, withPlayer, withUuid] = (['userId', 'player', 'uuid'] as const).map((name) =>
    templates.some((template) => needs(template, name)),
  );
  const forPlayers = withPlayer || withUuid;
  const silent = silentKindOf(reward, gameServers);
  const fault = (key: string, sentence: string): FaultAtPath => ({
    code: 'config-value',
    path: [...path, key],
    sentence,
  });
  return [
    ...(forUsers && forPlayers
      ? [
          fault(
            'commands',
            'need a player and a user ID, but a vote has only one of them; split it into two rewards',
          ),
        ]
      : []),
    ...(when !== 'always' && forUsers
      ? [
          fault(
            'when',
            'must be "always" because its commands use {userId}: game servers cannot report when a user ID is online',
          ),
        ]
      : []),
    ...(when === 'always' && withUuid
      ? [
          fault(
            'when',
            'must be "online" because its commands use {uuid}, which comes from the player list of the game server',
          ),
        ]
      : []),
    ...(when !== 'always' && silent !== null
      ? [
          fault(
            'when',
            `must be "always" because a game server of kind ${silent} cannot report who is online`,
          ),
        ]
      : []),
  ];
}

/** Who is online has to be known where everyone who is online is paid. */
function presenceFaults(
  party: Outline['party'][number],
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  const silent = party?.for === 'online' ? silentKindOf(party, gameServers) : null;
  if (silent === null) return [];
  const sentence = `must be "voters" or "once" because a game server of kind ${silent} cannot report who is online`;
  return [{ code: 'config-value', path: [...path, 'for'], sentence }];
}

function sharedName({ name }: RewardOutline, path: Path, earlier: readonly PlacedReward[]): FaultAtPath[] {
  if (name === FORWARD) {
    const sentence = `must not be '${FORWARD}', which stands for votes that are forwarded; choose another name`;
    return [{ code: 'config-value', path: [...path, 'name'], sentence }];
  }
  if (name === undefined || !earlier.some(({ reward }) => reward.name === name)) return [];
  const sentence = `another reward already has the name '${name}'; all entries of rewards, party, tops, publish and remind share their names`;
  return [{ code: 'config-value', path: [...path, 'name'], sentence }];
}

/** A chat takes its messages without a signature. */
const chatFaults = ({ alarms, events }: Outline): FaultAtPath[] => {
  const receivers = [
    [alarms, ['alarms']] as const,
    ...events.map((receiver, at) => [receiver, ['events', at]] as const),
  ];
  return receivers.flatMap(([receiver, path]) =>
    receiver?.format === 'chat' && receiver.secret !== undefined
      ? [
          {
            code: 'config-value' as const,
            path: [...path, 'secret'],
            sentence: 'signs JSON events, and `"format": "chat"` sends none; remove one of the two',
          },
        ]
      : [],
  );
};

/** Who is online has to be known where players are told, and where a command is run for each of them. */
function toldFaults({ publish, remind, gameServers }: Outline): readonly FaultAtPath[] {
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

/** What each kind says about its own entries. */
const kindFaults = ({ gameServers, listener, pay }: Outline): FaultAtPath[] =>
  Object.entries(gameServers).flatMap(([name, server]) =>
    (
      kindNamed(server?.kind)?.faultsOf?.(server ?? {}, {
        listener,
        isAllPaidHere: pay.mode === 'real' && pay.from === undefined,
      }) ?? []
    ).map(({ key, sentence }) => ({
      code: 'config-value' as const,
      path: ['gameServers', name, key],
      sentence,
    })),
  );

/** Each of these, after a database's name, is a file that belongs to the database. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '.lock', '.mark', '.alarms'];

/** No game server of a kind that writes a file, and not the other database, may use the file of a database. */
function sharedFiles(
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
      .filter(
        (user) =>
          file !== '' &&
          DATABASE_SUFFIXES.some((suffix) => normalize(user.file) === normalize(file) + suffix),
      )
      .map(({ path }) => ({
        code: 'config-value' as const,
        path,
        sentence: `must not be the file of \`${key}\``,
      })),
  );
}

/** Since when the game has the syntax that a key needs. */
const SOUND_SINCE = '1.13';
const HEX_SINCE = '1.16';
const TEXTS = ['message', 'title', 'broadcast'] as const;

/** What of a reward needs to know the version of its game servers, because commands differ by version. */
function versionFaults(
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
