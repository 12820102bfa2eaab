import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conditionEntries } from '../../src/rewards/conditions.ts';
import { filterEntries } from '../../src/rewards/filter.ts';

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
export function withValueAt(
  path: readonly (string | number)[],
  value: unknown,
  entries: Entries = FULL,
): Entries {
  const copy = structuredClone(entries);
  let inner: Record<string | number, unknown> = copy;
  for (const step of path.slice(0, -1)) {
    inner[step] ??= {};
    inner = inner[step] as Record<string | number, unknown>;
  }
  inner[path.at(-1) as string] = value;
  return copy;
}

export function writeEntries(folder: string, entries: Entries): string {
  const file = join(folder, 'config.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(entries), { mode: 0o600 });
  return file;
}

type Change = readonly [path: readonly (string | number)[], value: unknown, reported: string];

/** Each condition has an example of its value. */
const conditionChanges: Readonly<Record<string, Change>> = Object.fromEntries(
  conditionEntries.map(([name, { example }]) => [
    `rewards[].if.${name}`,
    [['rewards', 0, 'if', name], example, `rewards.daily.if.${name}`],
  ]),
);

const changedParty = (change: object): Change => [['party'], [{ ...party, ...change }], 'party'];

const top = { name: 'top', servers: ['main'], period: 'month', prizes: { '1': ['give {player} diamond 1'] } };

const changedTop = (change: object): Change => [['tops'], [{ ...top, ...change }], 'tops'];

const shown = { name: 'board', servers: ['main'], commands: ['say {top1} {top1Votes}'] };
const changedPublish = (change: object): Change => [['publish'], [{ ...shown, ...change }], 'publish'];

const reminder = {
  name: 'reminder',
  servers: ['main'],
  commands: ['tell {player} You can vote on {sitesLeft} sites'],
};
const changedRemind = (change: object): Change => [['remind'], [{ ...reminder, ...change }], 'remind'];

const filterExample = (name: string, example: unknown): unknown =>
  name === 'site' ? 'List' : name === 'any' ? [{ weekday: ['sat'] }] : example;

/** An entry with another value is reported as a change of the list. */
const partyChanges: Readonly<Record<string, Change>> = {
  ...Object.fromEntries(
    filterEntries.map(([name, { example }]) => [
      `party[].if.${name}`,
      changedParty({ if: { [name]: filterExample(name, example) } }),
    ]),
  ),
  ...Object.fromEntries(
    filterEntries.map(([name, { example }]) => [
      `tops[].if.${name}`,
      changedTop({ if: { [name]: filterExample(name, example) } }),
    ]),
  ),
  'publish[].name': changedPublish({ name: 'figures' }),
  'publish[].servers': changedPublish({ servers: ['real'] }),
  'publish[].every': changedPublish({ every: '5m' }),
  'publish[].commands': changedPublish({ commands: ['say {top1}'] }),
  'remind[].name': changedRemind({ name: 'vote-now' }),
  'remind[].servers': changedRemind({ servers: ['real'] }),
  'remind[].onJoin': changedRemind({ onJoin: false, every: '1h' }),
  'remind[].every': changedRemind({ every: '1h' }),
  'remind[].commands': changedRemind({ commands: ['tell {player} Vote!'] }),
  'tops[].name': changedTop({ name: 'best' }),
  'tops[].was': changedTop({ was: ['most'] }),
  'tops[].servers': changedTop({ servers: ['real'] }),
  'tops[].safeToRunTwice': changedTop({ safeToRunTwice: true }),
  'tops[].period': changedTop({ period: 'week' }),
  'tops[].prizes': changedTop({ prizes: { '1..2': ['give {player} diamond 1'] } }),
  'tops[].ties': changedTop({ ties: 'share' }),
  'tops[].exclude': changedTop({ exclude: ['Owner'] }),
  'tops[].settle': changedTop({ settle: '2h' }),
  'tops[].when': changedTop({ when: 'always' }),
  'party[].name': changedParty({ name: 'everyone' }),
  'party[].was': changedParty({ was: ['everyone'] }),
  'party[].servers': changedParty({ servers: ['real'] }),
  'party[].safeToRunTwice': changedParty({ safeToRunTwice: true }),
  'party[].every': changedParty({ every: 60 }),
  'party[].for': changedParty({ for: 'online' }),
  'party[].minOnline': changedParty({ for: 'online', minOnline: 2 }),
  'party[].userVotes': changedParty({ userVotes: 2 }),
  'party[].reset': changedParty({ reset: 'month' }),
  'party[].announceLeft': changedParty({ announceLeft: [3] }),
  'party[].announce': changedParty({ announce: ['say {partyLeft}'] }),
  'party[].when': changedParty({ when: 'always' }),
  'party[].commands': changedParty({ commands: ['say {player}'] }),
};

/** For every key with a value: a change of it, and the key under which the change is reported. */
export const CHANGES: Readonly<Record<string, Change>> = {
  'listener.host': [['listener', 'host'], 'localhost', 'listener.host'],
  'listener.port': [['listener', 'port'], 8192, 'listener.port'],
  'listener.protocols': [['listener', 'protocols'], ['v2'], 'listener.protocols'],
  'listener.proxyProtocol': [['listener', 'proxyProtocol'], 'required', 'listener.proxyProtocol'],
  'listener.trustedProxies': [['listener', 'trustedProxies'], ['127.0.0.0/8'], 'listener.trustedProxies'],
  'listener.maxConnections': [['listener', 'maxConnections'], 77, 'listener.maxConnections'],
  'listener.maxConnectionsPerAddress': [
    ['listener', 'maxConnectionsPerAddress'],
    7,
    'listener.maxConnectionsPerAddress',
  ],
  'listener.deadline': [['listener', 'deadline'], '9s', 'listener.deadline'],
  keys: [['keys'], 'data/other-keys', 'keys'],
  'sites.<service name>.token': [
    ['sites', 'List', 'token'],
    'another-token-of-this-list',
    'sites.List.token',
  ],
  'sites.<service name>.cooldown': [['sites', 'List', 'cooldown'], '12h', 'sites.List.cooldown'],
  'sites.<service name>.counts': [['sites', 'List', 'counts'], 'all', 'sites.List.counts'],
  'sites.<service name>.protocols': [['sites', 'List', 'protocols'], ['v2'], 'sites.List.protocols'],
  'sites.<service name>.from': [['sites', 'List', 'from'], ['192.0.2.0/24'], 'sites.List.from'],
  'sites.<service name>.game': [['sites', 'List', 'game'], 'fivem', 'sites.List.game'],
  'sites.<service name>.api.baseUrl': [
    ['sites', 'List', 'api', 'baseUrl'],
    'http://127.0.0.1:9/other/api/v1',
    'sites.List.api.baseUrl',
  ],
  'sites.<service name>.api.token': [['sites', 'List', 'api', 'token'], 'vl_second', 'sites.List.api.token'],
  'sites.<service name>.api.payFrom': [
    ['sites', 'List', 'api', 'payFrom'],
    '2026-06-01',
    'sites.List.api.payFrom',
  ],
  'sites.<service name>.api.maxAge': [['sites', 'List', 'api', 'maxAge'], '24h', 'sites.List.api.maxAge'],
  'sites.<service name>.api.interval': [
    ['sites', 'List', 'api', 'interval'],
    '5m',
    'sites.List.api.interval',
  ],
  'sites.<service name>.webhook.path': [
    ['sites', 'List', 'webhook', 'path'],
    '/other',
    'sites.List.webhook.path',
  ],
  'sites.<service name>.webhook.secret': [
    ['sites', 'List', 'webhook', 'secret'],
    'second-webhook-secret',
    'sites.List.webhook.secret',
  ],
  'sites.<service name>.webhook.listingId': [
    ['sites', 'List', 'webhook', 'listingId'],
    '1078',
    'sites.List.webhook.listingId',
  ],
  'sites.<service name>.url': [['sites', 'List', 'url'], 'https://list.example/vote', 'sites.List.url'],
  'sites.<service name>.label': [['sites', 'List', 'label'], 'The List', 'sites.List.label'],
  'console.host': [['console', 'host'], '::1', 'console.host'],
  'console.port': [['console', 'port'], 8194, 'console.port'],
  'console.password': [['console', 'password'], `${CONSOLE_HASH.slice(0, -4)}eXg=`, 'console.password'],
  'console.publicUrl': [['console', 'publicUrl'], 'https://console.example', 'console.publicUrl'],
  'console.trustedProxies': [['console', 'trustedProxies'], ['10.0.0.0/8'], 'console.trustedProxies'],
  'console.metrics': [['console', 'metrics'], 'open', 'console.metrics'],
  'console.public.host': [['console', 'public', 'host'], '::1', 'console.public.host'],
  'console.public.port': [['console', 'public', 'port'], 8195, 'console.public.port'],
  'console.public.publicUrl': [
    ['console', 'public', 'publicUrl'],
    'https://vote.example',
    'console.public.publicUrl',
  ],
  'console.public.name': [['console', 'public', 'name'], 'Skyblock', 'console.public.name'],
  'console.metricsToken': [['console', 'metricsToken'], 'first-metrics-token', 'console.metricsToken'],
  timeZone: [['timeZone'], 'Pacific/Kiritimati', 'timeZone'],
  'keep.addresses': [['keep', 'addresses'], '30d', 'keep.addresses'],
  'keep.wire': [['keep', 'wire'], '90d', 'keep.wire'],
  'players.bedrockPrefixes': [['players', 'bedrockPrefixes'], ['!'], 'players.bedrockPrefixes'],
  'gameServers.<name>.kind': [
    ['gameServers', 'main'],
    { kind: 'rcon', port: 9, password: 'a-real-password' },
    'gameServers.main.kind',
  ],
  'gameServers.<name>.autoJoin': [['gameServers', 'main', 'autoJoin'], false, 'gameServers.main.autoJoin'],
  'gameServers.<name>.commandPause': [
    ['gameServers', 'main', 'commandPause'],
    '1s',
    'gameServers.main.commandPause',
  ],
  'gameServers.<name>.commandTimeout': [
    ['gameServers', 'main', 'commandTimeout'],
    '3s',
    'gameServers.main.commandTimeout',
  ],
  'gameServers.<name>.joinDelay': [['gameServers', 'main', 'joinDelay'], '3s', 'gameServers.main.joinDelay'],
  'gameServers.<name>.presenceInterval': [
    ['gameServers', 'main', 'presenceInterval'],
    '3s',
    'gameServers.main.presenceInterval',
  ],
  'gameServers.<name>.refusedReplies': [
    ['gameServers', 'main', 'refusedReplies'],
    ['^No!'],
    'gameServers.main.refusedReplies',
  ],
  'gameServers.<name>.deliveredReplies': [
    ['gameServers', 'main', 'deliveredReplies'],
    ['^Sent'],
    'gameServers.main.deliveredReplies',
  ],
  'gameServers.<name>.noReply': [['gameServers', 'real', 'noReply'], 'delivered', 'gameServers.real.noReply'],
  'gameServers.<name>.offlineReplies': [
    ['gameServers', 'main', 'offlineReplies'],
    ['^Gone'],
    'gameServers.main.offlineReplies',
  ],
  'gameServers.<name>.version': [['gameServers', 'main', 'version'], '1.21.4', 'gameServers.main.version'],
  'gameServers.<name>.host': [['gameServers', 'real', 'host'], '127.0.0.2', 'gameServers.real.host'],
  'gameServers.<name>.port': [['gameServers', 'real', 'port'], 10, 'gameServers.real.port'],
  'gameServers.<name>.password': [
    ['gameServers', 'real', 'password'],
    'second-password',
    'gameServers.real.password',
  ],
  'gameServers.<name>.protocol': [['gameServers', 'old', 'protocol'], 'v1', 'gameServers.old.protocol'],
  'gameServers.<name>.token': [
    ['gameServers', 'old', 'token'],
    'next-token-of-the-old-listener',
    'gameServers.old.token',
  ],
  'gameServers.<name>.publicKey': [
    ['gameServers', 'old', 'publicKey'],
    'new/public.key',
    'gameServers.old.publicKey',
  ],
  'gameServers.<name>.pays': [['gameServers', 'old', 'pays'], true, 'gameServers.old.pays'],
  'gameServers.<name>.maxAge': [['gameServers', 'old', 'maxAge'], '7d', 'gameServers.old.maxAge'],
  'gameServers.<name>.url': [
    ['gameServers', 'posted', 'url'],
    'http://127.0.0.1:10/',
    'gameServers.posted.url',
  ],
  'gameServers.<name>.server': [
    ['gameServers', 'paneled', 'server'],
    'ffffffff',
    'gameServers.paneled.server',
  ],
  'gameServers.<name>.apiKey': [
    ['gameServers', 'paneled', 'apiKey'],
    'second-panel-key',
    'gameServers.paneled.apiKey',
  ],
  'gameServers.<name>.console': [['gameServers', 'paneled', 'console'], false, 'gameServers.paneled.console'],
  'gameServers.<name>.answers': [['gameServers', 'posted', 'answers'], true, 'gameServers.posted.answers'],
  'gameServers.<name>.secret': [
    ['gameServers', 'posted', 'secret'],
    'second-http-secret',
    'gameServers.posted.secret',
  ],
  'rewards[].name': [['rewards', 0, 'name'], 'weekly', 'rewards.weekly'],
  'rewards[].was': [['rewards', 0, 'was'], ['weekly'], 'rewards.daily.was'],
  ...conditionChanges,
  'rewards[].if.site': [['rewards', 0, 'if', 'site'], 'List', 'rewards.daily.if.site'],
  'rewards[].when': [['rewards', 0, 'when'], 'always', 'rewards.daily.when'],
  'rewards[].delay': [['rewards', 0, 'delay'], '2h', 'rewards.daily.delay'],
  'rewards[].expiresAfter': [['rewards', 0, 'expiresAfter'], '7d', 'rewards.daily.expiresAfter'],
  'rewards[].servers': [['rewards', 0, 'servers'], ['real'], 'rewards.daily.servers'],
  'rewards[].commands': [['rewards', 0, 'commands'], ['say {player}'], 'rewards.daily.commands'],
  'rewards[].prizes': [
    ['rewards', 0],
    { name: 'daily', servers: ['main'], if: { firstVote: true }, prizes: { '1': ['say hi'] } },
    'rewards.daily.prizes',
  ],
  'rewards[].oneOf': [
    ['rewards', 0, 'oneOf'],
    [{ commands: ['say ha'] }, { commands: ['say he'] }],
    'rewards.daily.oneOf',
  ],
  'rewards[].oneOf[].name': [
    ['rewards', 0, 'oneOf'],
    [{ name: 'rare', commands: ['say hi'] }, { commands: ['say ho'] }],
    'rewards.daily.oneOf',
  ],
  'rewards[].oneOf[].weight': [
    ['rewards', 0, 'oneOf'],
    [{ weight: 7, commands: ['say hi'] }, { commands: ['say ho'] }],
    'rewards.daily.oneOf',
  ],
  'rewards[].oneOf[].commands': [
    ['rewards', 0, 'oneOf'],
    [{ commands: ['say hi'] }, { commands: ['say hello'] }],
    'rewards.daily.oneOf',
  ],
  'rewards[].otherwise': [
    ['rewards', 0],
    {
      name: 'daily',
      servers: ['main'],
      if: { chance: '5%' },
      commands: ['give {player} diamond 1'],
      otherwise: ['say hi'],
    },
    'rewards.daily.otherwise',
  ],
  'rewards[].message': [['rewards', 0, 'message'], '&aThanks', 'rewards.daily.message'],
  'rewards[].broadcast': [['rewards', 0, 'broadcast'], '{player} voted', 'rewards.daily.broadcast'],
  'rewards[].announce': [['rewards', 0, 'announce'], true, 'rewards.daily.announce'],
  'rewards[].atMost.count': [
    ['rewards', 0],
    { ...rewards[0], announce: true, atMost: { count: 3, within: '10m' } },
    'rewards.daily.atMost.count',
  ],
  'rewards[].atMost.within': [
    ['rewards', 0],
    { ...rewards[0], announce: true, atMost: { count: 1, within: '5m' } },
    'rewards.daily.atMost.within',
  ],
  'rewards[].title': [['rewards', 0, 'title'], '&6Thanks', 'rewards.daily.title'],
  'rewards[].sound': [
    ['rewards', 0],
    { ...rewards[0], servers: ['posted'], when: 'always', sound: 'ui.button.click' },
    'rewards.daily.sound',
  ],
  'rewards[].firstOf': [
    ['rewards'],
    [{ firstOf: [{ ...rewards[0] }, { name: 'next', servers: ['main'], commands: ['say hi'] }] }],
    'rewards.daily.firstOf',
  ],
  'rewards[].limit.per': [
    ['rewards', 0, 'limit'],
    { per: 'network', count: 3, within: 'day' },
    'rewards.daily.limit.per',
  ],
  'rewards[].limit.count': [
    ['rewards', 0, 'limit'],
    { per: 'player', count: 7, within: 'day' },
    'rewards.daily.limit.count',
  ],
  'rewards[].limit.within': [
    ['rewards', 0, 'limit'],
    { per: 'player', count: 3, within: 'ever' },
    'rewards.daily.limit.within',
  ],
  'rewards[].stop': [['rewards', 0, 'stop'], true, 'rewards.daily.stop'],
  'rewards[].safeToRunTwice': [['rewards', 0, 'safeToRunTwice'], true, 'rewards.daily.safeToRunTwice'],
  ...partyChanges,
  'pay.mode': [['pay', 'mode'], 'shadow', 'pay.mode'],
  'pay.from': [['pay', 'from'], '2026-12-01T18:00Z', 'pay.from'],
  'alarms.url': [['alarms', 'url'], 'http://127.0.0.1:9/second-hook', 'alarms.url'],
  'alarms.format': [['alarms', 'format'], 'chat', 'alarms.format'],
  'alarms.secret': [['alarms', 'secret'], 'a-secret-for-alarms', 'alarms.secret'],
  'alarms.name': [['alarms', 'name'], 'survival', 'alarms.name'],
  'events[].url': [['events', 0, 'url'], 'http://127.0.0.1:9/second-receiver', 'events[0].url'],
  'events[].on': [['events', 0, 'on'], ['party', 'health'], 'events[0].on'],
  'events[].format': [['events', 0, 'format'], 'json', 'events[0].format'],
  'events[].secret': [['events', 0, 'secret'], 'second-events-secret', 'events[0].secret'],
  'events[].name': [['events', 0, 'name'], 'statistics', 'events[0].name'],
  ledger: [['ledger'], 'data/other.db', 'ledger'],
  'webhook.host': [['webhook', 'host'], 'localhost', 'webhook.host'],
  'webhook.port': [['webhook', 'port'], 8191, 'webhook.port'],
  'webhook.hosts': [['webhook', 'hosts'], ['votes.example.com'], 'webhook.hosts'],
  'log.level': [['log', 'level'], 'warn', 'log.level'],
  'log.format': [['log', 'format'], 'text', 'log.format'],
};
