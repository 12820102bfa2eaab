import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { makePipe, openToOthersIn, temporaryFolder } from '../support/folder.ts';

const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    public: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    private: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  };
};
const [theirs, ours] = [pair(), pair()];

type Files = Readonly<Record<string, string>>;

const CONFIG_YML = `# The IP to listen to.
host: 0.0.0.0
port: 8193
debug: true
tokens:
  default: 0123456789
  "My-List.com": abcdef
forwarding:
  method: none
`;
const VELOCITY = `host = "0.0.0.0"
port = 8193
debug = false
disable-v1-protocol = false

[tokens]
default = "0123456789"
"My-List.com" = "abcdef"

[forwarding]
method = "none"
`;
const BUNGEE = `${CONFIG_YML.replace('debug: true', 'disable-v1-protocol: false')}  proxy:
    Hub: { address: 127.0.0.1, port: 8193, token: MyKeyHere }
`;

/** The folder of a plugin, with a config and a key pair. */
const pluginFiles = (config = CONFIG_YML, at = '', name = 'config.yml'): Files => ({
  [path.join(at, name)]: config,
  [path.join(at, 'rsa/public.key')]: theirs.public,
  [path.join(at, 'rsa/private.key')]: theirs.private,
});
const withToml = (toml = VELOCITY, at = '') => pluginFiles(toml, at, 'config.toml');

/** Imports from the folder of a plugin into that of a Teller. */
function importing(plugin: Files, into: string) {
  const from = temporaryFolder(plugin);
  const file = path.join(into, 'config.json');
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const run = (...flags: string[]) => typed(['import', 'nuvotifier', from, ...flags], file, clock);
  const text = (name: string) => readFileSync(path.join(into, name), 'utf8');
  const results = async (...flags: string[]) => {
    const { json, exit } = await run('--json', ...flags);
    const rows: string[] = json.map(({ what, result }: Record<string, string>) => `${result} ${what}`);
    return { exit, rows };
  };
  const keys = () => [text('data/keys/public.key'), text('data/keys/private.key')];
  return { from, into, file, run, text, results, keys };
}

const setting = ({ plugin = pluginFiles(), teller = {} }: { plugin?: Files; teller?: Files } = {}) =>
  importing(plugin, temporaryFolder(teller));

const ALL_TAKEN = [
  'taken RSA pair',
  'taken token of default',
  'taken token of My-List.com',
  'taken port 8193',
];

test('import into an empty folder takes everything, creates a first config, and finds everything unchanged the second time; no token is printed or in the config', async () => {
  const { run, results, from, file, into, keys, text } = setting();
  const { out, err, exit } = await run();
  expect([exit, out.split('\n')[0]]).toEqual([0, `importing from ${from}`]);
  expect(out).toMatch(/^taken +token of My-List\.com +into .*\.token$/m);
  expect(err).toMatch(/^.*plugin.*`teller run`.*$/m);
  for (const secret of ['0123456789', 'abcdef'])
    expect(out + err + text('config.json')).not.toContain(secret);
  expect(text('data/secrets/default.token')).toBe('0123456789\n');
  expect(keys()).toEqual([theirs.public, theirs.private]);
  const config = await loadConfig(file);
  expect(config.listener.port).toBe(8193);
  expect([...config.sites].map(([name, { token }]) => [name, token?.reveal()])).toEqual([
    ['default', '0123456789'],
    ['My-List.com', 'abcdef'],
  ]);
  const forAll = ['config.json', 'config.schema.json', 'data/keys/public.key'];
  expect(forAll.filter((name) => !existsSync(path.join(into, name)))).toEqual([]);
  if (process.platform !== 'win32') expect(openToOthersIn(into)).toEqual(forAll);
  expect(await results()).toEqual({ exit: 0, rows: ALL_TAKEN.map((row) => row.replace('taken', 'same')) });
});

test('import into an empty folder creates values that the plugin does not have, and skips an example value', async () => {
  const { results, file, text } = setting({
    plugin: { 'config.yml': 'tokens:\n  "My-List.com": abcdef\n' },
  });
  expect(await results()).toEqual({ exit: 0, rows: ['taken token of My-List.com'] });
  expect((await loadConfig(file)).sites.get('default')?.token?.reveal()).toMatch(/^[\da-f]{32}$/);
  expect(text('data/keys/public.key')).toHaveLength(392);
  const plugin = pluginFiles('port: 8192\ntokens:\n  default: "%default_token%"\n  a: ""\n');
  expect(await setting({ plugin }).results()).toEqual({
    exit: 0,
    rows: ['taken RSA pair', 'skipped token of default', 'skipped token of a', 'same port 8192'],
  });
});

test.each<[string, Files]>([
  ['its own folder', pluginFiles()],
  ['plugins/Votifier', pluginFiles(CONFIG_YML, 'plugins/Votifier')],
  ['plugins/NuVotifier', pluginFiles(CONFIG_YML, 'plugins/NuVotifier')],
  ['Votifier', pluginFiles(CONFIG_YML, 'Votifier')],
  ['nuvotifier', pluginFiles(CONFIG_YML, 'nuvotifier')],
  [
    'that of a proxy with a config.yml itself',
    { 'config.yml': 'listeners: []\n', ...pluginFiles(CONFIG_YML, 'plugins/nuvotifier') },
  ],
  ['Velocity', withToml()],
  ['the folder of Velocity', { 'velocity.toml': '', ...withToml(VELOCITY, 'plugins/nuvotifier') }],
  ['BungeeCord', pluginFiles(BUNGEE)],
  ['the folder of Sponge', pluginFiles(CONFIG_YML, 'config/nuvotifier')],
])('import into an empty folder finds the plugin in %s', async (_, plugin) => {
  const { results, text, file } = setting({ plugin });
  expect(await results()).toEqual({ exit: 0, rows: ALL_TAKEN });
  expect(text('data/secrets/default.token')).toBe('0123456789\n');
  expect((await loadConfig(file)).listener.protocols).toEqual(['v1', 'v2']);
});

test.each<[string, Files, readonly string[]]>([
  [
    'forwarding, and a name that TOML reads as tables',
    withToml(VELOCITY.replace('"My-List.com" =', 'My-List.com =').replace('"none"', '"pluginMessaging"')),
    ['not-imported token of My-List', 'not-imported forwarding by pluginMessaging'],
  ],
  [
    'votes that it keeps for offline players',
    {
      ...withToml(),
      'cached-votes.json': '{"version":2,"players":{"Steve":[{"serviceName":"a"}]},"servers":{}}',
    },
    ['not-imported cached-votes.json'],
  ],
  [
    'an address that it was bound to',
    pluginFiles('host: 10.0.0.5\ntokens: {}\n'),
    ['not-imported host 10.0.0.5'],
  ],
])('import reports %s as not imported', async (_, plugin, expected) => {
  const { rows } = await setting({ plugin }).results();
  expect(rows.filter((row) => row.startsWith('not-imported'))).toEqual(expected);
});

test('protocol version 1 stays off if it is off in the plugin, and is a conflict if it is off only in Teller', async () => {
  const plugin = pluginFiles(CONFIG_YML.replace('debug: true', 'disable-v1-protocol: true'));
  const { results, file } = setting({ plugin });
  expect(await results()).toEqual({ exit: 0, rows: [...ALL_TAKEN, 'taken protocol v1 off'] });
  expect((await loadConfig(file)).listener.protocols).toEqual(['v2']);
  expect((await results()).rows.at(-1)).toBe('same protocol v1 off');
  const other = setting({ teller: { 'config.json': '{"listener":{"protocols":["v2"]}}' } });
  expect((await other.results()).rows.at(-1)).toBe('kept protocol v1 on');
});

const withToken = (token: string): Files => ({
  'config.json': JSON.stringify({ sites: { default: { token } } }),
});

test.each<[string, Files, number, string]>([
  [
    'a different RSA pair',
    { 'data/keys/public.key': ours.public, 'data/keys/private.key': ours.private },
    ...([0, 'kept RSA pair'] as const),
  ],
  ['a different token in a file', { ...withToken('file:t'), t: 'another\n' }, 1, 'kept token of default'],
  ['a different token in the config', withToken('another'), 1, 'kept token of default'],
  ['a token of the environment', withToken('env:TELLER_TEST_TOKEN'), 1, 'kept token of default'],
  ['a port that the operator has set', { 'config.json': '{"listener":{"port":9000}}' }, 3, 'kept port 8193'],
])(
  'import does not overwrite %s: it writes nothing, or the rest with --keep-existing',
  async (_, teller, at, kept) => {
    const { results, into, text } = setting({ teller });
    const before = readdirSync(into, { recursive: true }).sort();
    const blocked = ALL_TAKEN.map((row) => row.replace('taken', 'blocked'));
    expect(await results()).toEqual({ exit: 1, rows: blocked.toSpliced(at, 1, kept) });
    expect(readdirSync(into, { recursive: true }).sort()).toEqual(before);
    expect(await results('--keep-existing')).toEqual({ exit: 1, rows: ALL_TAKEN.toSpliced(at, 1, kept) });
    const { 'config.json': config = '{}', ...files } = teller;
    expect(JSON.parse(text('config.json'))).toMatchObject(JSON.parse(config));
    for (const [name, content] of Object.entries(files)) expect(text(name)).toBe(content);
    if (at !== 1) expect(text('data/secrets/default.token')).toBe('0123456789\n');
  },
);

test('import finds a token unchanged that has the same value, in a file or in the config', async () => {
  const config = JSON.stringify({
    sites: { default: { token: '0123456789' }, 'My-List.com': { token: 'file:t' } },
  });
  const { rows } = await setting({ teller: { 'config.json': config, t: 'abcdef' } }).results();
  expect(rows.slice(1, 3)).toEqual(['same token of default', 'same token of My-List.com']);
});

const EVIL = '\u001b[2J\u009b31m\u202e\u0007';
/** Everything that a terminal, or the eye, would take for something else than text. */
const UNPRINTABLE = /[^\P{C}\n]/u;

test('what a plugin’s files have that a terminal would obey is printed as text', async () => {
  const asJson = JSON.stringify(EVIL)
    .slice(1, -1)
    .replaceAll(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const say = `"say ${asJson} %evil%"`;
  const site = `Enabled: true, ServiceSite: List.net, Rewards: { Commands: [${say}] }`;
  for (const [plugin, files, ...flags] of [
    ['nuvotifier', { 'config.yml': `host: "${asJson}"\ntokens:\n  "${asJson}": {}\n` }],
    ['nuvotifier', { 'config.yml': 'tokens:\n  default: *x\u202e\u009b31m\n' }],
    ['votingplugin', { 'VoteSites.yml': `VoteSites: { List: { ${site} } }` }, '--dry-run'],
  ] as const) {
    const words = ['import', plugin, temporaryFolder(files), ...flags];
    for (const more of [[], ['--json']]) {
      const { out, err } = await typed([...words, ...more], path.join(temporaryFolder(), 'config.json'));
      expect(UNPRINTABLE.exec(out + err)).toBeNull();
      expect(out + err).toContain('\\u202e');
    }
  }
});

test.skipIf(process.platform === 'win32')('a pipe is refused instead of read for ever', async () => {
  const config = { 'config.yml': 'tokens:\n  default: abc\n', 'rsa/public.key': theirs.public };
  for (const [plugin, pipe, files] of [
    ['nuvotifier', 'rsa/private.key', config],
    ['nuvotifier', 'cached-votes.json', config],
    ['nuvotifier', 'config.yml', { 'rsa/private.key': theirs.private }],
    ['votingplugin', 'VoteSites.yml', {}],
    ['votingplugin', 'Rewards/a.yml', { 'VoteSites.yml': '', 'Rewards/b.yml': '' }],
  ] as const) {
    const folder = temporaryFolder(files);
    makePipe(path.join(folder, pipe));
    const { exit, err } = await typed(
      ['import', plugin, folder],
      path.join(temporaryFolder(), 'config.json'),
    );
    expect([pipe, exit, err]).toEqual([pipe, 2, expect.stringMatching(/\[import-unreadable\]$/)]);
  }
});

const OLD_TOKEN = '44'.repeat(16);
const FIRST = { listener: undefined, sites: { default: { token: 'file:data/secrets/default.token' } } };
const MARK = '2026-06-01T12-00-00-000Z';

/** The folder of a Teller that was started once. */
function startedOnce() {
  const files = { 'data/secrets/default.token': `${OLD_TOKEN}\n`, 'config.schema.json': '{}' };
  const scene = importing(pluginFiles(), desk(FIRST, files).folder);
  return { ...scene, key: scene.text('data/keys/private.key') };
}

test('import after a first start without votes replaces the key pair and the token, and keeps the old files under other names', async () => {
  const { results, text, key } = startedOnce();
  expect(await results()).toEqual({
    exit: 0,
    rows: ['replaced RSA pair', 'replaced token of default', ...ALL_TAKEN.slice(2)],
  });
  expect(text('data/keys/private.key')).toBe(theirs.private);
  expect(text('data/secrets/default.token')).toBe('0123456789\n');
  expect(text(`data/keys/private.${MARK}.key`)).toBe(key);
  expect(text(`data/secrets/default.${MARK}.token`)).toBe(`${OLD_TOKEN}\n`);
});

test.each([
  ['v1', 'My-List.com', ['kept RSA pair']],
  ['v2', 'My-List.com', ['kept token of default']],
  ['v1', 'Teller test', []],
  ['v2', 'Teller test', []],
] as const)('import keeps a credential that a vote by %s of %s has used: %j', async (via, site, kept) => {
  const teller = await here();
  const token = path.join(teller.folder, 'data/secrets/default.token');
  await teller.restart(async () => {
    mkdirSync(path.dirname(token));
    writeFileSync(token, `${OLD_TOKEN}\n`);
    writeFileSync(path.join(teller.folder, 'config.schema.json'), '{}');
    rewrite(teller, { sites: FIRST.sites });
  });
  await teller.vote({ player: 'Steve', site, via, token: OLD_TOKEN });
  const { results, run } = importing(pluginFiles(), teller.folder);
  const { rows } = await results('--keep-existing');
  expect(rows.filter((row) => /^kept (?:RSA|token)/.test(row))).toEqual(kept);
  const isKept = kept.some((row) => row.includes('token'));
  expect(readFileSync(token, 'utf8')).toBe(isKept ? `${OLD_TOKEN}\n` : '0123456789\n');
  const { err } = await run();
  expect([err.includes('`teller run`'), err.includes('--keep-existing')]).toEqual([false, true]);
});

test('import after a first start without votes keeps a key pair that the operator supplied, and finishes an import that was killed between its two files', async () => {
  const old = new Date('2020-01-01');
  const supplied = startedOnce();
  for (const name of ['public.key', 'private.key'])
    utimesSync(path.join(supplied.into, 'data/keys', name), old, old);
  expect((await supplied.results()).rows[0]).toBe('kept RSA pair');
  const { results, into, keys } = startedOnce();
  writeFileSync(path.join(into, 'data/keys/private.key'), theirs.private);
  utimesSync(path.join(into, 'config.schema.json'), old, old);
  expect((await results('--keep-existing')).rows[0]).toBe('taken RSA pair');
  expect(keys()).toEqual([theirs.public, theirs.private]);
});

test.each([
  ['the last draft', `config.json.${process.pid}.draft`],
  ['the second old file', `data/keys/public.${MARK}.key`],
])(
  'import after a first start without votes changes nothing if %s cannot be written',
  async (_, inTheWay) => {
    const { run, into, key, text } = startedOnce();
    const config = text('config.json');
    mkdirSync(path.join(into, inTheWay, 'x'), { recursive: true });
    const { exit, err } = await run();
    expect([exit, err.endsWith('[data-unwritable]')]).toEqual([1, true]);
    expect([text('data/keys/private.key'), text('config.json')]).toEqual([key, config]);
    expect(text('data/secrets/default.token')).toBe(`${OLD_TOKEN}\n`);
    expect(existsSync(path.join(into, `data/keys/private.${MARK}.key`))).toBe(false);
  },
);

test.each<[string, string, Files, Files?]>([
  ['from a folder without a plugin', 'import-nothing', { 'server.properties': '' }],
  ['from a config.yml that is not YAML', 'import-unreadable', pluginFiles('tokens: [\n')],
  ['from a config.toml that is not TOML', 'import-unreadable', { 'config.toml': '[tokens]\na = \n' }],
  ['from a folder with both formats', 'import-unreadable', { ...pluginFiles(), 'config.toml': '[tokens]\n' }],
  ['from tokens that are a list', 'import-unreadable', pluginFiles('tokens: [a, b]\n')],
  ['from a port above 65535', 'import-unreadable', pluginFiles('port: 99999\ntokens: {}\n')],
  ['from half a key pair', 'key-missing', { 'rsa/private.key': theirs.private }],
  [
    'from two keys that do not belong together',
    'key-mismatch',
    { 'rsa/private.key': theirs.private, 'rsa/public.key': ours.public },
  ],
  ['from a file that is not a key', 'key-invalid', { 'rsa/private.key': 'x', 'rsa/public.key': 'y' }],
  ['into a config with problems', 'config-invalid', pluginFiles(), { 'config.json': '{"listner":{}}' }],
  [
    'if the new config would have problems',
    'config-invalid',
    pluginFiles(`tokens:\n  ${'x'.repeat(300)}: abc\n`),
  ],
])('import writes nothing %s: %s', async (_, code, plugin, teller = {}) => {
  const { run, into } = setting({ plugin, teller });
  const { exit, out, err } = await run();
  expect([exit, out, err.endsWith(`[${code}]`)]).toEqual([2, '', true]);
  expect(existsSync(path.join(into, 'data'))).toBe(false);
});
