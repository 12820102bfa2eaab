import { describe, expect, test } from 'vitest';
import { naming } from '../support/naming.ts';
import { examined, faultsOf } from './examined.ts';

const sentencesOf = async (config: object) => (await examined(config)).faults.map(({ sentence }) => sentence);

const reward = { name: 'a', commands: ['say hi'] };
const rewardWith = (keys: object) => ({ rewards: [{ ...reward, ...keys }] });
const rcon = { kind: 'rcon', password: 'hunter2' };

describe('refuses a value of the wrong type or out of bounds', () => {
  test.each<[string, object]>([
    ['', []],
    ['listener', { listener: [] }],
    ['listener.host', { listener: { host: 'http://example.org' } }],
    ['listener.host', { listener: { host: '0.0.0.0:8192' } }],
    ['webhook.hosts[0]', { webhook: { hosts: ['votes.example.com:8191'] } }],
    ['webhook.hosts[0]', { webhook: { hosts: ['[2001:db8::1]'] } }],
    ...[
      'my-list.com/vote',
      'ftp://my-list.com',
      'https://user:word@my-list.com/',
      'https://my-list.com/a b',
      'https://my-list.com/"',
      'https://my-list.com/{player}',
      `https://my-list.com/${'x'.repeat(481)}`,
    ].map((url): [string, object] => ['sites.a.url', { sites: { a: { url } } }]),
    ['listener.port', { listener: { port: 65_536 } }],
    ['listener.port', { listener: { port: -1 } }],
    ['listener.port', { listener: { port: 80.5 } }],
    ['listener.port', { listener: { port: '8192' } }],
    ['listener.protocols', { listener: { protocols: [] } }],
    ['listener.protocols', { listener: { protocols: ['v1', 'v1'] } }],
    ['listener.protocols[1]', { listener: { protocols: ['v1', 'v3'] } }],
    ['listener.proxyProtocol', { listener: { proxyProtocol: 'on' } }],
    ['listener.maxConnections', { listener: { maxConnections: 0 } }],
    ['listener.maxConnectionsPerAddress', { listener: { maxConnectionsPerAddress: 100_001 } }],
    ['listener.deadline', { listener: { deadline: 5 } }],
    ['listener.deadline', { listener: { deadline: '5' } }],
    ['listener.deadline', { listener: { deadline: '49ms' } }],
    ['listener.deadline', { listener: { deadline: '6m' } }],
    ['keys', { keys: '' }],
    ['ledger', { ledger: ' ' }],
    ['ledger', { ledger: null }],
    ['sites.a.cooldown', { sites: { a: { cooldown: '0s' } } }],
    ['sites.a.cooldown', { sites: { a: { cooldown: '367d' } } }],
    ['sites.a.token', { sites: { a: { token: 12 } } }],
    ['sites.a.label', { sites: { a: { label: '{player}' } } }],
    ['sites.a.label', { sites: { a: { label: 'My "List"' } } }],
    ['sites.a.label', { sites: { a: { label: 'two\nlines' } } }],
    ['sites.a.label', { sites: { a: { label: 'é'.repeat(33) } } }],
    ['sites["List "]', { sites: { List: {}, 'List ': {} } }],
    ['sites[" default"]', { sites: { ' default': {} } }],
    [`sites.${'x'.repeat(129)}`, { sites: { ['x'.repeat(129)]: {} } }],
    ['players.bedrockPrefixes', { players: { bedrockPrefixes: '.' } }],
    ['players.bedrockPrefixes[0]', { players: { bedrockPrefixes: [''] } }],
    ['players.bedrockPrefixes[0]', { players: { bedrockPrefixes: ['....'] } }],
    ['gameServers', { gameServers: {} }],
    ['gameServers.a.kind', { gameServers: { a: {} } }],
    ['gameServers.a.kind', { gameServers: { a: { kind: 'telnet' } } }],
    ['gameServers.a.password', { gameServers: { a: { kind: 'rcon' } } }],
    ['gameServers.a.port', { gameServers: { a: { ...rcon, port: 0 } } }],
    ['gameServers.a.autoJoin', { gameServers: { a: { kind: 'practice', autoJoin: 'yes' } } }],
    ['gameServers.a.commandPause', { gameServers: { a: { ...rcon, commandPause: '2m' } } }],
    ['gameServers.a.commandTimeout', { gameServers: { a: { ...rcon, commandTimeout: '0s' } } }],
    ['gameServers.a.joinDelay', { gameServers: { a: { ...rcon, joinDelay: '2h' } } }],
    ['gameServers.a.presenceInterval', { gameServers: { a: { ...rcon, presenceInterval: '1ms' } } }],
    ['gameServers.a.refusedReplies[0]', { gameServers: { a: { ...rcon, refusedReplies: ['('] } } }],
    ['gameServers.a.offlineReplies[0]', { gameServers: { a: { ...rcon, offlineReplies: [''] } } }],
    ['gameServers["a b"]', { gameServers: { 'a b': { kind: 'practice' } } }],
    ['rewards', { rewards: {} }],
    ['rewards[0].name', { rewards: [{ commands: ['say hi'] }] }],
    ['rewards[0].name', rewardWith({ name: '' })],
    ['rewards[0].commands', { rewards: [{ name: 'a' }] }],
    ['rewards[0].commands', rewardWith({ commands: [] })],
    ['rewards[0].commands', rewardWith({ commands: 'say hi' })],
    ['rewards[0].commands[0]', rewardWith({ commands: [{ text: 'hi' }] })],
    ['rewards[0].commands[0][1]', rewardWith({ commands: [['tellraw @a', 5]] })],
    ['rewards[0].commands[0]', rewardWith({ commands: [[]] })],
    ['rewards[0].when', rewardWith({ when: 'offline' })],
    ['rewards[0].safeToRunTwice', rewardWith({ safeToRunTwice: 1 })],
    ['rewards[0].servers', rewardWith({ servers: 'main' })],
    ['rewards[0].servers', rewardWith({ servers: [] })],
    ['rewards[0].if.site', rewardWith({ if: { site: [] } })],
    ['rewards[0].if.chance', rewardWith({ if: { chance: '0%' } })],
    ['rewards[0].if.chance', rewardWith({ if: { chance: '100.1%' } })],
    ['rewards[0].if.chance', rewardWith({ if: { chance: '5' } })],
    ['rewards[0].if.chance', rewardWith({ if: { chance: 0.05 } })],
    ['listing.allowTargets[0]', { listing: { allowTargets: ['10.0.0.1'] } }],
    ['listing.allowTargets[0]', { listing: { allowTargets: ['10.0.0.0/33'] } }],
    // inet_aton would read these as 0.0.0.0/8, 203.0.0.0/24 and 8.0.0.0/8.
    ['listing.allowTargets[0]', { listing: { allowTargets: ['10/8'] } }],
    ['sites.a.from[0]', { sites: { a: { from: ['203.0.113/24'] } } }],
    ['listener.trustedProxies[0]', { listener: { trustedProxies: ['010.0.0.0/8'] } }],
    ['listing.retrySchedule', { listing: { retrySchedule: [] } }],
    ['listing.retrySchedule', { listing: { retrySchedule: ['1m', '10s'] } }],
    ['listing.retrySchedule', { listing: { retrySchedule: ['10s', '10s'] } }],
    ['listing.retrySchedule', { listing: { retrySchedule: ['1s', '2s', '3s', '4s', '5s', '6s'] } }],
    ['listing.trustedProxies[0]', { listing: { trustedProxies: ['10.0.0.1'] } }],
    ['listing.retrySchedule[0]', { listing: { retrySchedule: ['8d'] } }],
    ['listing.channelHosts[0]', { listing: { channelHosts: ['https://discord.com'] } }],
    ['log.level', { log: { level: 'verbose' } }],
  ])('%s of %j', async (path, config) => {
    expect(await faultsOf(config)).toEqual([`config-value ${path}`]);
  });

  test.each([...'@"\'\\/#; \t\u0000\u200b\u212aé'])('a Bedrock prefix that contains %j', async (mark) => {
    expect(await faultsOf({ players: { bedrockPrefixes: [mark] } })).toEqual([
      'config-value players.bedrockPrefixes[0]',
    ]);
  });
});

const HOSTS = ['::', '2001:db8::1', '::ffff:192.0.2.1', 'fe80::1%eth0', '1:2:3:4:5:6:7::', 'a-b_c.example.'];

test.each<object>([
  { listener: { port: 0, maxConnections: 1, deadline: '50ms' } },
  { listener: { port: 65_535, maxConnections: 100_000, deadline: '5m', protocols: ['v2'] } },
  { sites: { a: { cooldown: '1s', label: 'é'.repeat(32) }, 'Bob\'s "list" {x}': {} } },
  { sites: { '': {}, 'a\tb': {}, '\u{1f469}\u200d\u{1f680}': {} } },
  { sites: { a: { url: `https://my-list.com/${'x'.repeat(480)}` } } },
  { sites: { b: { url: 'http://[::1]:8/?a=1&b#c' } } },
  { players: { bedrockPrefixes: ['.', '*', '!', 'BE_', '★★★'] } },
  { players: { bedrockPrefixes: [] } },
  { gameServers: { a: { ...rcon, port: 65_535, commandPause: '1m' } } },
  rewardWith({ if: { chance: '100%' } }),
  rewardWith({ if: { chance: '0.0001%' }, commands: ['say hi', 'say hi'] }),
  { rewards: [] },
  ...HOSTS.map((host) => ({ listener: { host } })),
  { listing: { port: 0, allowTargets: ['127.0.0.0/8', '::1/128'], retrySchedule: ['10s', '11s'] } },
])('values at their bounds are accepted: %j', async (config) => {
  expect(await faultsOf(config)).toEqual([]);
});

test.each<[string, string, object]>([
  ['listner', "'listener'", { listner: {} }],
  ['listener.prot', "'port'", { listener: { prot: 1 } }],
  ['sites.a.coolDown', "'cooldown'", { sites: { a: { coolDown: '1h' } } }],
  ['players.bedrockPrefix', "'bedrockPrefixes'", { players: { bedrockPrefix: [] } }],
  ['gameServers.a.pasword', "'password'", { gameServers: { a: { ...rcon, pasword: 'x' } } }],
  ['rewards[0].command', "'commands'", rewardWith({ command: 'say hi' })],
  ['rewards[0].if.chanse', "'chance'", rewardWith({ if: { chanse: '5%' } })],
  ['listing.retryschedule', "'retrySchedule'", { listing: { retryschedule: [] } }],
  ['log.lvel', "'level'", { log: { lvel: 'info' } }],
])('refuses an unknown key %s, and suggests the nearest key', async (path, meant, config) => {
  expect(await faultsOf(config)).toEqual([`config-unknown-key ${path}`]);
  expect(await sentencesOf(config)).toEqual([naming(meant)]);
});

test('refuses an unknown key and lists all keys if none is near', async () => {
  expect(await sentencesOf({ log: { colour: true } })).toEqual([naming('level, format')]);
});

test('refuses an unknown key that belongs to a different kind of game server', async () => {
  const config = { gameServers: { a: { kind: 'practice', host: 'x' } } };
  expect(await faultsOf(config)).toEqual(['config-unknown-key gameServers.a.host']);
});

test.each<[string, unknown, readonly (string | RegExp)[]]>([
  ['a misspelt placeholder', 'give {palyer} diamond', ['{palyer}', '{player}']],
  ['a placeholder of another plugin', 'give %player_name% diamond', ['%player_name%', '{player}']],
  ['a misspelt placeholder in an object', ['tellraw @a', { text: '{name}' }], ['{name}', '{player}']],
  ['two lines', 'say a\nop b', [/one line/]],
  ['an empty command', '/', [/empty/]],
  ['a line that is too long', `say ${'x'.repeat(1400)}{site}`, ['1468 bytes', '1446']],
])('refuses a command that cannot be rendered: %s', async (_, command, facts) => {
  const config = rewardWith({ commands: ['say fine', command] });
  expect(await faultsOf(config)).toEqual(['config-template rewards[0].commands[1]']);
  expect((await sentencesOf(config))[0]).toEqual(naming(...facts));
});

test('refuses a command that cannot be rendered and reports all reasons at once', async () => {
  const config = rewardWith({ commands: ['say {palyer} {nick}\n'.concat('x')] });
  expect(await faultsOf(config)).toHaveLength(3);
});

const servers = { hub: { kind: 'practice' }, survival: { kind: 'practice' } };
const sky = rcon;
const posted = { kind: 'http', url: 'http://127.0.0.1:9/', secret: 'hunter2' };
const NEEDS_UUID = ['lp user {uuid} parent add voter'];
/** A reward for the game server that its player is on, which is one of these. */
const pool = (gameServers: object, names?: readonly string[], more: object = {}) => ({
  gameServers,
  ...rewardWith({ servers: names === undefined ? 'where-online' : { whereOnline: names }, ...more }),
});

test.each<[string, object]>([
  // {uuid} is known of players who are online.
  ['config-value rewards[0].when', rewardWith({ when: 'always', commands: NEEDS_UUID })],
  ['config-unknown-name rewards[0].servers', rewardWith({ servers: ['hub'] })],
  // A reward without servers, if there is more than one: this one, and the default ones.
  ['config-value rewards[0].servers', { gameServers: servers, rewards: [reward] }],
  ['config-value rewards[0].servers', { gameServers: servers }],
  ['config-value rewards[1].name', { rewards: [reward, { ...reward, when: 'always' }] }],
  ['config-value listing.database', { ledger: 'a.db', listing: { database: './a.db' } }],
  ['config-value listing.database', { ledger: 'a.db', listing: { database: 'b/../a.db' } }],
  ['config-unknown-name rewards[0].servers.whereOnline', pool({ sky }, ['sly'])],
  ['config-value rewards[0].servers.whereOnline', pool({ sky }, [])],
  // Rule 9: practice servers are not mixed with real ones.
  ['config-value rewards[0].servers', pool({ sky, hub: servers.hub })],
  ['config-value rewards[0].servers.whereOnline', pool({ sky, hub: servers.hub }, ['sky', 'hub'])],
  // One that does not report who is online.
  ['config-value rewards[0].servers', pool({ sky, posted })],
  ['config-value rewards[0].servers.whereOnline', pool({ sky, posted }, ['sky', 'posted'])],
  ['config-value rewards[0].when', pool({ sky }, undefined, { when: 'always' })],
])('refuses keys that contradict each other: %s of %j', async (fault, config) => {
  expect(await faultsOf(config)).toEqual([fault]);
});

test.each<object>([
  rewardWith({ when: 'online', commands: NEEDS_UUID }),
  { gameServers: servers, ...rewardWith({ servers: 'all' }) },
  pool({ sky, survival: sky }),
  pool(servers),
  pool({ sky, survival: sky, posted }, ['sky', 'survival']),
  pool({ sky, survival: sky, hub: servers.hub }, ['sky', 'survival']),
])('refuses keys that contradict each other but not %j', async (config) => {
  expect(await faultsOf(config)).toEqual([]);
});

test('refuses keys that contradict each other: {uuid} beside {userId}, at the commands', async () => {
  const commands = [...NEEDS_UUID, 'say {userId}'];
  expect(await faultsOf(rewardWith({ when: 'always', commands }))).toContain(
    'config-value rewards[0].commands',
  );
});

test('refuses a site or a game server that has no entry, and says which was meant', async () => {
  const sites = { 'My-List.com': {} };
  const site = { sites, ...rewardWith({ if: { site: ['default', 'MyList.com', 'zzz'] } }) };
  expect(await faultsOf(site)).toEqual(Array(2).fill('config-unknown-name rewards[0].if.site'));
  expect(await sentencesOf(site)).toEqual([
    naming("'MyList.com'", '`sites`', "'My-List.com'"),
    naming("'zzz'", '`sites`', 'default, My-List.com'),
  ]);
  const server = { gameServers: servers, ...rewardWith({ servers: ['hub', 'survial'] }) };
  expect(await faultsOf(server)).toEqual(['config-unknown-name rewards[0].servers']);
  expect(await sentencesOf(server)).toEqual([naming("'survial'", '`gameServers`', "'survival'")]);
});

test('refuses keys that contradict each other and reports this together with invalid values', async () => {
  const x = { name: 'x', if: { site: 'b' }, commands: [] };
  const rewards = [x, { name: 'x', commands: ['say hi'] }];
  const config = { log: 5, sites: { a: { cooldown: 1 } }, rewards };
  expect((await faultsOf(config)).toSorted()).toEqual([
    'config-unknown-name rewards[0].if.site',
    'config-value log',
    'config-value rewards[0].commands',
    'config-value rewards[1].name',
    'config-value sites.a.cooldown',
  ]);
});

const second = (more: object) => ({ rewards: [{ firstOf: [reward, { ...reward, name: 'b', ...more }] }] });
const board = (more: object) => ({ publish: [{ name: 'board', commands: ['say {top1}'], ...more }] });
const main = (kind: string, more: object) => ({
  gameServers: { main: { ...(kind === 'rcon' ? rcon : { kind }), ...more } },
});

/** What an earlier config could have, and where it is refused. */
test.each<[where: string, config: object]>([
  ['rewards', { rewards: 'rewards.yml' }],
  ['rewards[0].when', rewardWith({ when: 'join' })],
  ['rewards[0].strangers', rewardWith({ announce: true, strangers: true })],
  ['rewards[0].maxWaiting', rewardWith({ maxWaiting: 5 })],
  ['rewards[0].firstOf[1].maxWaiting', second({ maxWaiting: 5 })],
  ['players.test', { players: { test: ['Steve'] } }],
  ['publish[0].if', board({ if: { site: 'default' } })],
  ['publish[0].party', board({ commands: ['say {partyLeft}'], party: 'all' })],
  ['gameServers.main.userCache', main('practice', { userCache: 'usercache.json' })],
  ['rewards[0].payIf', rewardWith({ payIf: { tag: 'vip', orElse: ['say {player} is no VIP'] } })],
  ['rewards[0].firstOf[1].payIf', second({ payIf: { team: 'red' } })],
  ['rewards[0].combine', rewardWith({ combine: true })],
  ['rewards[0].firstOf[1].combine', second({ combine: false })],
  ['rewards[0].verify', rewardWith({ verify: { command: 'list', reply: '{player}' } })],
  ['rewards[0].firstOf[1].verify', second({ verify: {} })],
  ['gameServers.main.management', main('rcon', { management: 'ws://127.0.0.1:25585' })],
  ['gameServers.main.managementSecret', main('rcon', { managementSecret: 'env:IT' })],
  ['gameServers.main.managementCertificate', main('rcon', { managementCertificate: 'a.pem' })],
  ['gameServers.main.proof', main('practice', { proof: 'storage' })],
])('a config that still has what %s was is refused at its line', async (where, config) => {
  const { faults } = await examined(config);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatchObject({ code: 'config-removed-key', path: where, line: 1 });
});

const party = (more: object) => ({ party: [{ ...reward, every: 5, for: 'once', ...more }] });
const drawn = { oneOf: [{ commands: ['say %count%'] }, { commands: ['say no'] }] };

/** What an earlier Teller filled in, and would be sent as text now. */
test.each<[where: string, config: object]>([
  ['rewards[0].broadcast', rewardWith({ broadcast: '{voters} voted' })],
  ['rewards[0].commands[1]', rewardWith({ commands: ['say hi', 'say %voters%'] })],
  ['party[0].announce[0]', party({ announce: ['say {voters}'] })],
  ['rewards[0].commands[0]', rewardWith({ commands: ['eco give {player} {count}'] })],
  ['rewards[0].message', rewardWith({ message: '{count} votes' })],
  ['rewards[0].oneOf[0].commands[0]', rewardWith(drawn)],
  ['party[0].commands[0]', party({ commands: ['say {count}'] })],
])('a placeholder of before in %s is refused', async (where, config) => {
  expect(await faultsOf(config)).toEqual([`config-template ${where}`]);
});

test('the rest of such a config is checked too', async () => {
  const { faults } = await examined('{\n  "rewards": "rewards.yml",\n  "kees": 1\n}');
  const found = faults.map(({ code, line }) => `${code} ${line}`);
  expect(found).toEqual(['config-removed-key 2', 'config-unknown-key 3']);
});
