import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { examined } from './examined.ts';

const loaded = async (config: object, env: Record<string, string> = {}) => {
  const { config: result, faults } = await examined(config, env);
  expect(faults).toEqual([]);
  return result ?? expect.fail();
};

const EXAMPLE = readFileSync(new URL('../../config.example.json', import.meta.url), 'utf8');

const EMPTY_SITE = {
  ...{ token: null, cooldown: { kind: 'span', ms: 86_400_000 }, countsAll: false, label: null, url: null },
  ...{ protocols: null, isFrom: null, game: 'minecraft', api: null, webhook: null },
};

const PLAIN_REWARD = {
  ...{ was: [], if: {}, when: 'online', servers: ['main'], safeToRunTwice: false, limit: null, stop: false },
  ...{ terms: null, prizes: [], oneOf: [], otherwise: [], messages: [], announcement: null },
  ...{ firstOf: null, whereOnline: false },
};
const says = (...commands: readonly string[]) => ({ commands });
const SAFE = { safeToRunTwice: true };

test('an empty config loads with all defaults', async () => {
  // `settings` has the same values one by one: see `control.test.ts`.
  const { settings: _, written: __, ...values } = await loaded({});
  expect(values).toEqual({
    alarms: null,
    events: [],
    file: '/srv/teller/config.json',
    listener: {
      ...{ host: '::', port: 8192, protocols: ['v1', 'v2'], proxyProtocol: 'off', isTrustedProxy: null },
      ...{ maxConnections: 1024, maxConnectionsPerAddress: 32, deadlineMs: 5000 },
    },
    keys: '/srv/teller/data/keys',
    sites: new Map([['default', EMPTY_SITE]]),
    timeZone: null,
    players: { bedrockPrefixes: ['.', '*'] },
    keep: { addressesMs: null, wireMs: null },
    pay: { mode: 'real', from: null },
    gameServers: new Map([
      [
        'main',
        {
          ...{ kind: 'practice', autoJoin: true, commandPauseMs: 0, commandTimeoutMs: 10_000 },
          ...{ joinDelayMs: 1000, presenceIntervalMs: 10_000 },
          ...{ refusedReplies: [], offlineReplies: [], deliveredReplies: [] },
        },
      ],
    ]),
    rewards: [
      { ...PLAIN_REWARD, name: 'thanks', when: 'always', ...says('say {player} voted on {site}'), ...SAFE },
      { ...PLAIN_REWARD, name: 'each-vote', ...says('give {player} diamond 1') },
      { ...PLAIN_REWARD, name: 'daily', if: { firstVote: 'day' }, ...says('xp add {player} 100') },
    ],
    party: [],
    tops: [],
    publish: [],
    remind: [],
    ledger: '/srv/teller/data/teller.db',
    webhook: { host: '::', port: 8191, hosts: [] },
    listing: {
      ...{ host: '127.0.0.1', port: 8190, database: '/srv/teller/data/listing.db' },
      ...{ allowTargets: [], trustedProxies: [] },
      retryScheduleMs: [10_000, 60_000, 600_000, 3_600_000, 21_600_000],
      channelHosts: ['discord.com', 'discordapp.com', 'canary.discord.com', 'ptb.discord.com'],
    },
    console: {
      ...{ host: '127.0.0.1', port: 8193, password: null, publicUrl: null, trustedProxies: [] },
      ...{ metrics: 'token', metricsToken: null, public: null },
    },
    log: { level: 'info', format: 'auto' },
  });
});

test('config.example.json equals the defaults plus a token', async () => {
  const token = { 'data/secrets/default.token': 'fedcba9876543210\n' };
  const folder = temporaryFolder({ 'config.json': EXAMPLE, ...token, 'empty.json': '{}' });
  const { sites, file: _, settings: __, ...rest } = await loadConfig(path.join(folder, 'config.json'));
  const empty = await loadConfig(path.join(folder, 'empty.json'));
  const { sites: noSites, file: _f, settings: _s, ...defaults } = empty;
  expect(rest).toEqual(defaults);
  expect(sites.get('default')?.token?.reveal()).toBe('fedcba9876543210');
  expect({ ...sites.get('default'), token: null }).toEqual(noSites.get('default'));
});

test('a site inherits what it leaves out, including the token', async () => {
  const { sites } = await loaded({
    sites: {
      default: { token: 'd3fault', cooldown: '12h', label: 'a listing', counts: 'all' },
      'My-List.com': {},
      other: { token: 'its-own', cooldown: '1d', label: 'Other', counts: 'rewarded' },
    },
  });
  const read = (name: string) => {
    const site = sites.get(name);
    return [site?.token?.reveal(), site?.cooldown, site?.label, site?.countsAll];
  };
  expect(read('My-List.com')).toEqual(['d3fault', { kind: 'span', ms: 43_200_000 }, 'a listing', true]);
  expect(read('other')).toEqual(['its-own', { kind: 'span', ms: 86_400_000 }, 'Other', false]);
});

test('webhook hosts are in lower case without a final dot, and a default site is added if there is none', async () => {
  const hosts = ['Votes.Example.com.', 'votes.example.net'];
  const { webhook, sites } = await loaded({ webhook: { hosts }, sites: { List: { token: 'its-own' } } });
  expect(webhook.hosts).toEqual(['votes.example.com', 'votes.example.net']);
  expect(sites.get('default')).toEqual(EMPTY_SITE);
});

test('an RCON game server has its password and patterns', async () => {
  const settings = { commandPause: '250ms', refusedReplies: ['^no such'] };
  const main = { kind: 'rcon', password: 'env:RCON_PASSWORD', ...settings };
  const { gameServers } = await loaded({ gameServers: { main } }, { RCON_PASSWORD: ' hunter2 \n' });
  const server = gameServers.get('main');
  expect(server).toMatchObject({ kind: 'rcon', host: '127.0.0.1', port: 25_575, commandPauseMs: 250 });
  expect((server as { password?: { reveal(): string } } | undefined)?.password?.reveal()).toBe('hunter2');
  expect(server?.refusedReplies[0]?.test('No such player')).toBe(true);
});

test('a reward has its conditions, servers and commands', async () => {
  const gameServers = { hub: { kind: 'practice' }, survival: { kind: 'practice', autoJoin: false } };
  const parts = [['tellraw @a', { text: '{player}' }]];
  const written = [
    { name: 'rare', if: { site: ['a', 'default'], chance: '2.5%' }, servers: 'all', commands: ['/say hi'] },
    { name: 'text', if: { site: 'b' }, servers: ['survival'], commands: parts },
  ];
  const { rewards } = await loaded({ sites: { a: {}, b: {} }, gameServers, rewards: written });
  expect(rewards[0]).toEqual({
    ...{ ...PLAIN_REWARD, name: 'rare', if: { site: ['a', 'default'], chance: 0.025 } },
    ...{ servers: ['hub', 'survival'], commands: ['say hi'] },
  });
  expect(rewards[1]).toMatchObject({ if: { site: ['b'] }, servers: ['survival'] });
  expect(rewards[1]?.commands).toEqual(['tellraw @a {"text":"{player}"}']);
});

test('allows comments and $schema in every object, and a BOM', async () => {
  const text = `\uFEFF{"$schema":"x","//":"a","// b":"b","listener":{"//":"c","//":"d","port":1},"sites":{"//":"e"}}`;
  const { config, faults } = await examined(text);
  expect(faults).toEqual([]);
  expect(config?.listener.port).toBe(1);
  expect([...(config?.sites.keys() ?? [])]).toEqual(['default']);
});

test('loadConfig reports all faults at once, in the order of the file', async () => {
  const text =
    '{\n  "listner": {},\n  "listener": { "port": -1 },\n  "sites": { "a": { "token": "env:NO" } }\n}';
  const file = path.join(temporaryFolder({ 'config.json': text }), 'config.json');
  const problem = await loadConfig(file, { env: {} }).catch((error: unknown) => error);
  expect(problem).toMatchObject({
    code: 'config-invalid',
    exit: 2,
    faults: [
      { code: 'config-unknown-key', path: 'listner', line: 2, column: 3 },
      { code: 'config-value', path: 'listener.port', line: 3, column: 25 },
      { code: 'secret-missing', path: 'sites.a.token', line: 4, column: 30 },
    ],
  });
  expect((problem as Error).message.split('\n')).toEqual([
    naming(`${file}:2:3 listner: `, "'listener'", /\[config-unknown-key\]$/),
    naming(`${file}:3:25 listener.port: `, '0', '65535', /\[config-value\]$/),
    naming(`${file}:4:30 sites.a.token: `, 'NO', /\[secret-missing\]$/),
    naming('3 problems', file),
  ]);
});

test('loadConfig with `defer`, a missing secret fails only when it is revealed', async () => {
  const file = path.join(temporaryFolder({ 'config.json': EXAMPLE }), 'config.json');
  const { sites } = await loadConfig(file, { missingSecrets: 'defer' });
  expect(() => sites.get('default')?.token?.reveal()).toThrowError(
    expect.objectContaining({ code: 'secret-missing' }),
  );
});

test('loadConfig refuses a file that is not UTF-8', async () => {
  const file = path.join(temporaryFolder(), 'config.json');
  writeFileSync(file, Buffer.from('{}', 'utf16le').fill(0xff, 0, 1));
  const faults = [{ code: 'config-syntax', line: 1, column: 1 }];
  await expect(loadConfig(file)).rejects.toMatchObject({ code: 'config-invalid', faults });
});
