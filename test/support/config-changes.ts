import { conditionEntries, filterEntries } from '../../src/rewards/conditions.ts';

type Entries = Record<string, unknown>;

const rewards = [{ name: 'daily', servers: ['main'], commands: ['give {player} diamond 1'] }];

const party = { name: 'all', servers: ['main'], every: 50, commands: ['give {player} diamond 1'] };

/** Of the password `first password`. */
const CONSOLE_HASH =
  '$scrypt$ln=4,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA==$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g=';

/** A config with every section. Nothing in it is contacted before there is a vote. */
export const FULL: Entries = {
  listener: { host: '127.0.0.1', port: 0 },
  sites: {
    default: { token: 'test-token-of-thirty-two-characters' },
    List: {
      api: { baseUrl: 'http://127.0.0.1:9/api/v1', token: 'vl_first-api-token' },
      webhook: { path: '/list', secret: 'first-webhook-secret', listingId: '1077' },
    },
  },
  gameServers: {
    main: { kind: 'practice' },
    real: { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'first-password' },
    paneled: {
      kind: 'pterodactyl',
      url: 'http://127.0.0.1:9/',
      server: 'd3aac109',
      apiKey: 'first-panel-key',
    },
    posted: { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'first-http-secret', version: '1.21.4' },
    old: { kind: 'votifier', port: 9, token: 'first-token-of-the-old-listener', publicKey: 'old/public.key' },
  },
  pay: { from: '2026-01-02' },
  alarms: { url: 'http://127.0.0.1:9/first-hook' },
  events: [{ url: 'http://127.0.0.1:9/first-receiver', on: ['party'], secret: 'first-events-secret' }],
  rewards,
  party: [party],
  webhook: { host: '127.0.0.1', port: 0 },
  console: { port: 0, password: CONSOLE_HASH, public: { port: 0 } },
};

/** `FULL` with another value at this path. */
export function withValueAt(path: readonly string[], value: unknown, entries: Entries = FULL): Entries {
  const copy = structuredClone(entries);
  let inner: Record<string, unknown> = copy;
  for (const step of path.slice(0, -1)) {
    inner[step] ??= {};
    inner = inner[step] as Record<string, unknown>;
  }
  inner[path.at(-1) as string] = value;
  return copy;
}

type Change = readonly [path: readonly string[], value: unknown, reported: string];

/** A change of each of these keys, reported under their names. An item of a list is its number, or the name of a reward. */
const VALUES: Readonly<Record<string, unknown>> = {
  'listener.host': 'localhost',
  'listener.port': 8192,
  'listener.protocols': ['v2'],
  'listener.proxyProtocol': 'required',
  'listener.trustedProxies': ['127.0.0.0/8'],
  'listener.maxConnections': 77,
  'listener.maxConnectionsPerAddress': 7,
  'listener.deadline': '9s',
  keys: 'data/other-keys',
  'sites.List.token': 'another-token-of-this-list',
  'sites.List.cooldown': '12h',
  'sites.List.counts': 'all',
  'sites.List.protocols': ['v2'],
  'sites.List.from': ['192.0.2.0/24'],
  'sites.List.game': 'fivem',
  'sites.List.api.baseUrl': 'http://127.0.0.1:9/other/api/v1',
  'sites.List.api.token': 'vl_second',
  'sites.List.api.payFrom': '2026-06-01',
  'sites.List.api.maxAge': '24h',
  'sites.List.api.interval': '5m',
  'sites.List.webhook.path': '/other',
  'sites.List.webhook.secret': 'second-webhook-secret',
  'sites.List.webhook.listingId': '1078',
  'sites.List.url': 'https://list.example/vote',
  'sites.List.label': 'The List',
  'console.host': '::1',
  'console.port': 8194,
  'console.password': `${CONSOLE_HASH.slice(0, -4)}eXg=`,
  'console.publicUrl': 'https://console.example',
  'console.trustedProxies': ['10.0.0.0/8'],
  'console.metrics': 'open',
  'console.public.host': '::1',
  'console.public.port': 8195,
  'console.public.publicUrl': 'https://vote.example',
  'console.public.name': 'Skyblock',
  'console.metricsToken': 'first-metrics-token',
  timeZone: 'Pacific/Kiritimati',
  'keep.addresses': '30d',
  'keep.wire': '90d',
  'players.bedrockPrefixes': ['!'],
  'gameServers.main.autoJoin': false,
  'gameServers.main.commandPause': '1s',
  'gameServers.main.commandTimeout': '3s',
  'gameServers.main.joinDelay': '3s',
  'gameServers.main.presenceInterval': '3s',
  'gameServers.main.refusedReplies': ['^No!'],
  'gameServers.main.deliveredReplies': ['^Sent'],
  'gameServers.real.noReply': 'delivered',
  'gameServers.main.offlineReplies': ['^Gone'],
  'gameServers.main.version': '1.21.4',
  'gameServers.real.host': '127.0.0.2',
  'gameServers.real.port': 10,
  'gameServers.real.password': 'second-password',
  'gameServers.old.protocol': 'v1',
  'gameServers.old.token': 'next-token-of-the-old-listener',
  'gameServers.old.publicKey': 'new/public.key',
  'gameServers.old.pays': true,
  'gameServers.old.maxAge': '7d',
  'gameServers.posted.url': 'http://127.0.0.1:10/',
  'gameServers.paneled.server': 'ffffffff',
  'gameServers.paneled.apiKey': 'second-panel-key',
  'gameServers.paneled.console': false,
  'gameServers.posted.answers': true,
  'gameServers.posted.secret': 'second-http-secret',
  'rewards.daily.was': ['weekly'],
  'rewards.daily.when': 'always',
  'rewards.daily.delay': '2h',
  'rewards.daily.expiresAfter': '7d',
  'rewards.daily.servers': ['real'],
  'rewards.daily.commands': ['say {player}'],
  'rewards.daily.message': '&aThanks',
  'rewards.daily.broadcast': '{player} voted',
  'rewards.daily.announce': true,
  'rewards.daily.title': '&6Thanks',
  'rewards.daily.stop': true,
  'rewards.daily.safeToRunTwice': true,
  'pay.mode': 'shadow',
  'pay.from': '2026-12-01T18:00Z',
  'alarms.url': 'http://127.0.0.1:9/second-hook',
  'alarms.format': 'chat',
  'alarms.secret': 'a-secret-for-alarms',
  'alarms.name': 'survival',
  'events[0].url': 'http://127.0.0.1:9/second-receiver',
  'events[0].on': ['party', 'health'],
  'events[0].format': 'json',
  'events[0].secret': 'second-events-secret',
  'events[0].name': 'statistics',
  ledger: 'data/other.db',
  'webhook.host': 'localhost',
  'webhook.port': 8191,
  'webhook.hosts': ['votes.example.com'],
  'log.level': 'warn',
  'log.format': 'text',
};

const keyOf = (reported: string): string =>
  reported
    .replace(/^sites\.List\./, 'sites.<service name>.')
    .replace(/^gameServers\.\w+\./, 'gameServers.<name>.')
    .replace(/^rewards\.daily\./, 'rewards[].')
    .replace(/^events\[0\]\./, 'events[].');

const pathOf = (reported: string): readonly string[] =>
  reported.replace('rewards.daily.', 'rewards.0.').replace('events[0].', 'events.0.').split('.');

const valueChanges = Object.fromEntries(
  Object.entries(VALUES).map(([reported, value]): [string, Change] => [
    keyOf(reported),
    [pathOf(reported), value, reported],
  ]),
);

/** By key: a condition, of which each has an example of its value. */
const conditionsOf = (entries: readonly (readonly [name: string, { readonly example: unknown }])[]) =>
  Object.fromEntries(
    entries.map(([name, { example }]) => {
      const value = name === 'site' ? 'List' : name === 'any' ? [{ weekday: ['sat'] }] : example;
      return [`if.${name}`, { if: { [name]: value } }];
    }),
  );
const filters = conditionsOf(filterEntries);

/** Changes of keys that only a reward with other keys has. */
const rewardChanges = Object.fromEntries(
  Object.entries({
    prizes: { commands: undefined, if: { firstVote: true }, prizes: { '1': ['say hi'] } },
    oneOf: { oneOf: [{ commands: ['say ha'] }, { commands: ['say he'] }] },
    'oneOf[].name': { oneOf: [{ name: 'rare', commands: ['say hi'] }, { commands: ['say ho'] }] },
    'oneOf[].weight': { oneOf: [{ weight: 7, commands: ['say hi'] }, { commands: ['say ho'] }] },
    'oneOf[].commands': { oneOf: [{ commands: ['say hi'] }, { commands: ['say hello'] }] },
    otherwise: { if: { chance: '5%' }, otherwise: ['say hi'] },
    'atMost.count': { announce: true, atMost: { count: 3, within: '10m' } },
    'atMost.within': { announce: true, atMost: { count: 1, within: '5m' } },
    sound: { servers: ['posted'], when: 'always', sound: 'ui.button.click' },
    'limit.per': { limit: { per: 'network', count: 3, within: 'day' } },
    'limit.count': { limit: { per: 'player', count: 7, within: 'day' } },
    'limit.within': { limit: { per: 'player', count: 3, within: 'ever' } },
    ...conditionsOf(conditionEntries),
  }).map(([key, more]): [string, Change] => [
    `rewards[].${key}`,
    [['rewards', '0'], { ...rewards[0], ...more }, `rewards.daily.${key.replace(/\[\].*/, '')}`],
  ]),
);

/**
 * An entry of a list with other values is reported as a change of the list.
 *
 * @param more by key: its value. @param changes by key: all that differs, where that needs other keys beside it.
 */
const listChanges = (list: string, entry: object, more: object, changes: Record<string, object> = {}) =>
  Object.fromEntries(
    Object.entries({
      ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, { [key]: value }])),
      ...changes,
    }).map(([key, change]): [string, Change] => [
      `${list}[].${key}`,
      [[list], [{ ...entry, ...change }], list],
    ]),
  );

const top = { name: 'top', servers: ['main'], period: 'month', prizes: { '1': ['give {player} diamond 1'] } };
const shown = { name: 'board', servers: ['main'], commands: ['say {top1} {top1Votes}'] };
const reminder = {
  name: 'reminder',
  servers: ['main'],
  commands: ['tell {player} You can vote on {sitesLeft} sites'],
};

/** For every key with a value: a change of it, and the key under which the change is reported. */
export const CHANGES: Readonly<Record<string, Change>> = {
  ...valueChanges,
  ...rewardChanges,
  'gameServers.<name>.kind': [
    ['gameServers', 'main'],
    { kind: 'rcon', port: 9, password: 'a-real-password' },
    'gameServers.main.kind',
  ],
  'rewards[].name': [['rewards', '0', 'name'], 'weekly', 'rewards.weekly'],
  'rewards[].firstOf': [
    ['rewards'],
    [{ firstOf: [{ ...rewards[0] }, { name: 'next', servers: ['main'], commands: ['say hi'] }] }],
    'rewards.daily.firstOf',
  ],
  ...listChanges('publish', shown, {
    ...{ name: 'figures', servers: ['real'], every: '5m', commands: ['say {top1}'] },
  }),
  ...listChanges(
    'remind',
    reminder,
    { name: 'vote-now', servers: ['real'], every: '1h', commands: ['tell {player} Vote!'] },
    { onJoin: { onJoin: false, every: '1h' } },
  ),
  ...listChanges(
    'tops',
    top,
    {
      ...{ name: 'best', was: ['most'], servers: ['real'], safeToRunTwice: true, period: 'week' },
      ...{ prizes: { '1..2': ['give {player} diamond 1'] }, ties: 'share', exclude: ['Owner'] },
      ...{ settle: '2h', when: 'always' },
    },
    filters,
  ),
  ...listChanges(
    'party',
    party,
    {
      ...{ name: 'everyone', was: ['everyone'], servers: ['real'], safeToRunTwice: true, every: 60 },
      ...{ for: 'online', userVotes: 2, reset: 'month' },
      ...{ announceLeft: [3], announce: ['say {partyLeft}'], when: 'always', commands: ['say {player}'] },
    },
    { ...filters, minOnline: { for: 'online', minOnline: 2 } },
  ),
};
