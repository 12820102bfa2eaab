import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { makePipe } from '../support/make-pipe.ts';
import { openToOthersIn } from '../support/modes.ts';

const bare = () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    public: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    private: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  };
};
const [theirs, ours] = [bare(), bare()];

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

const pluginFiles = (configYml = CONFIG_YML, at = '') => ({
  [path.join(at, 'config.yml')]: configYml,
  [path.join(at, 'rsa/public.key')]: theirs.public,
  [path.join(at, 'rsa/private.key')]: theirs.private,
});

interface Setting {
  readonly plugin?: Readonly<Record<string, string>>;
  readonly teller?: Readonly<Record<string, string>>;
}

/** Imports from the folder of a plugin into that of a Teller. */
function importing(plugin: Readonly<Record<string, string>>, into: string) {
  const from = temporaryFolder(plugin);
  const file = path.join(into, 'config.json');
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const run = (...flags: string[]) => typed(['import', 'nuvotifier', from, ...flags], file, clock);
  const text = (name: string) => readFileSync(path.join(into, name), 'utf8');
  const results = async (...flags: string[]) => {
    const { json, exit } = await run('--json', ...flags);
    return { exit, rows: json.map(({ what, result }: Row) => `${result} ${what}`) };
  };
  return { from, into, file, run, text, results };
}

interface Row {
  readonly what: string;
  readonly result: string;
}

const setting = ({ plugin = pluginFiles(), teller = {} }: Setting = {}) =>
  importing(plugin, temporaryFolder(teller));

const ALL_TAKEN = [
  'taken RSA pair',
  'taken token of default',
  'taken token of My-List.com',
  'taken port 8193',
];

describe('import into an empty folder', () => {
  test('imports everything and creates a first config', async () => {
    const { results, file, text, into } = setting();
    expect(await results()).toEqual({ exit: 0, rows: ALL_TAKEN });
    expect([text('data/keys/public.key'), text('data/keys/private.key')]).toEqual([
      theirs.public,
      theirs.private,
    ]);
    const config = await loadConfig(file);
    expect(config.listener.port).toBe(8193);
    expect([...config.sites].map(([name, { token }]) => [name, token?.reveal()])).toEqual([
      ['default', '0123456789'],
      ['My-List.com', 'abcdef'],
    ]);
    const forAll = ['config.json', 'config.schema.json', 'data/keys/public.key'];
    expect(forAll.filter((name) => !existsSync(path.join(into, name)))).toEqual([]);
    if (process.platform !== 'win32') expect(openToOthersIn(into)).toEqual(forAll);
  });

  test('writes each token to its own file, and never to the output or the config', async () => {
    const { run, text } = setting();
    const { out, err } = await run();
    for (const secret of ['0123456789', 'abcdef']) {
      expect(out + err).not.toContain(secret);
      expect(text('config.json')).not.toContain(secret);
    }
    expect(text('data/secrets/default.token')).toBe('0123456789\n');
  });

  test('says what was imported and what to do next', async () => {
    const { run, from } = setting();
    const { out, err, exit } = await run();
    expect(exit).toBe(0);
    expect(out.split('\n')[0]).toBe(`importing from ${from}`);
    expect(out).toMatch(/^taken +token of My-List\.com +into .*\.token$/m);
    expect(err).toMatch(/^.*plugin.*`teller run`.*$/m);
  });

  test('finds everything unchanged the second time', async () => {
    const { run, results } = setting();
    await run();
    expect(await results()).toEqual({ exit: 0, rows: ALL_TAKEN.map((row) => row.replace('taken', 'same')) });
  });

  test('creates values that the plugin does not have', async () => {
    const { results, file, text } = setting({
      plugin: { 'config.yml': 'tokens:\n  "My-List.com": abcdef\n' },
    });
    expect(await results()).toEqual({ exit: 0, rows: ['taken token of My-List.com'] });
    expect((await loadConfig(file)).sites.get('default')?.token?.reveal()).toMatch(/^[\da-f]{32}$/);
    expect(text('data/keys/public.key')).toHaveLength(392);
  });
});

describe('the plugin is found in', () => {
  test.each(['', 'plugins/Votifier', 'plugins/NuVotifier', 'Votifier', 'nuvotifier'])('%j', async (at) => {
    expect(await setting({ plugin: pluginFiles(CONFIG_YML, at) }).results()).toEqual({
      exit: 0,
      rows: ALL_TAKEN,
    });
  });

  test('the plugin folder of a proxy that has a config.yml itself', async () => {
    const plugin = { 'config.yml': 'listeners: []\n', ...pluginFiles(CONFIG_YML, 'plugins/nuvotifier') };
    expect((await setting({ plugin }).results()).rows).toEqual(ALL_TAKEN);
  });
});

describe('import does not overwrite', () => {
  const ourKeys = { 'data/keys/public.key': ours.public, 'data/keys/private.key': ours.private };

  const blocked = (rows: readonly string[]) => rows.map((row) => row.replace('taken', 'blocked'));

  test('a different RSA pair, and then writes nothing', async () => {
    const { results, into } = setting({ teller: ourKeys });
    expect(await results()).toEqual({ exit: 1, rows: ['kept RSA pair', ...blocked(ALL_TAKEN.slice(1))] });
    expect(readdirSync(into, { recursive: true }).sort()).toEqual([
      'data',
      'data/keys',
      'data/keys/private.key',
      'data/keys/public.key',
    ]);
  });

  test('a different RSA pair, and imports the rest with --keep-existing', async () => {
    const { results, text } = setting({ teller: ourKeys });
    expect(await results('--keep-existing')).toEqual({
      exit: 1,
      rows: ['kept RSA pair', ...ALL_TAKEN.slice(1)],
    });
    expect([text('data/keys/public.key'), text('data/keys/private.key')]).toEqual([
      ours.public,
      ours.private,
    ]);
    expect(text('data/secrets/default.token')).toBe('0123456789\n');
  });

  test('half of a different pair', async () => {
    const { results, into } = setting({
      teller: { 'config.json': '{}', 'data/keys/private.key': ours.private },
    });
    expect((await results()).rows[0]).toBe('kept RSA pair');
    expect(existsSync(path.join(into, 'data/keys/public.key'))).toBe(false);
  });

  test.each<[string, string, Record<string, string>]>([
    ['in its file', 'file:t', { t: 'another\n' }],
    ['in the config', 'another', {}],
    ['in an environment that is not here', 'env:TELLER_TEST_TOKEN', {}],
  ])('a different token %s', async (_, token, files) => {
    const config = JSON.stringify({ sites: { default: { token } } });
    const { results, text } = setting({ teller: { 'config.json': config, ...files } });
    expect(await results('--keep-existing')).toEqual({
      exit: 1,
      rows: ALL_TAKEN.toSpliced(1, 1, 'kept token of default'),
    });
    expect(JSON.parse(text('config.json')).sites.default).toEqual({ token });
    for (const [name, content] of Object.entries(files)) expect(text(name)).toBe(content);
  });

  test('a token with the same value, in a file or in the config', async () => {
    const config = JSON.stringify({
      sites: { default: { token: '0123456789' }, 'My-List.com': { token: 'file:t' } },
    });
    const { results } = setting({ teller: { 'config.json': config, t: 'abcdef' } });
    expect((await results()).rows.slice(1, 3)).toEqual([
      'same token of default',
      'same token of My-List.com',
    ]);
  });

  test('a port that the operator has set', async () => {
    const { results, file } = setting({ teller: { 'config.json': '{"listener":{"port":9000}}' } });
    expect(await results('--keep-existing')).toEqual({
      exit: 1,
      rows: ALL_TAKEN.toSpliced(3, 1, 'kept port 8193'),
    });
    expect((await loadConfig(file)).listener.port).toBe(9000);
  });

  test('anything else in the config', async () => {
    const text = '{\n  "//":   "mine",\n  "log": { "level":   "warn" },\n  "keys": "k"\n}\n';
    const { run, text: read } = setting({ teller: { 'config.json': text } });
    await run();
    expect(read('config.json').startsWith(text.slice(0, -'\n}\n'.length))).toBe(true);
  });
});

const EVIL = '\u001b[2J\u009b31m\u202e\u0007';
/** Everything that a terminal, or the eye, would take for something else than text. */
const UNPRINTABLE = /[^\P{C}\n]/u;

describe('what a plugin’s files have that a terminal would obey is printed as text', () => {
  const asJson = JSON.stringify(EVIL)
    .slice(1, -1)
    .replaceAll(/[\u007f-\uffff]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const run = (words: readonly string[]) =>
    typed(['import', ...words], path.join(temporaryFolder(), 'config.json'));

  const say = `"say ${asJson} %evil%"`;
  const site = `Enabled: true, ServiceSite: List.net, Rewards: { Commands: [${say}] }`;
  test.each<[string, string, Readonly<Record<string, string>>, readonly string[]]>([
    ['nuvotifier', '.', { 'config.yml': `host: "${asJson}"\ntokens:\n  "${asJson}": {}\n` }, []],
    ['nuvotifier', '.', { 'config.yml': 'tokens:\n  default: *x\u202e\u009b31m\n' }, []],
    ['votingplugin', '.', { 'VoteSites.yml': `VoteSites: { List: { ${site} } }` }, ['--dry-run']],
  ])('%s %s', async (plugin, given, files, flags) => {
    const folder = temporaryFolder(files);
    for (const more of [[], ['--json']]) {
      const { out, err } = await run([plugin, path.join(folder, given), ...flags, ...more]);
      expect(UNPRINTABLE.exec(out + err)).toBeNull();
      expect(out + err).toContain('\\u202e');
    }
  });
});

describe.skipIf(process.platform === 'win32')('a pipe is refused instead of read for ever', () => {
  const config = () => ({ 'config.yml': 'tokens:\n  default: abc\n', 'rsa/public.key': theirs.public });
  test.each<[plugin: string, given: string, pipe: string, Readonly<Record<string, string>>]>([
    ['nuvotifier', '.', 'rsa/private.key', config()],
    ['nuvotifier', '.', 'cached-votes.json', config()],
    ['nuvotifier', '.', 'config.yml', { 'rsa/private.key': theirs.private }],
    ['votingplugin', '.', 'VoteSites.yml', {}],
    ['votingplugin', '.', 'Rewards/a.yml', { 'VoteSites.yml': '', 'Rewards/b.yml': '' }],
  ])('%s %s with %s', async (plugin, given, pipe, files) => {
    const folder = temporaryFolder(files);
    makePipe(path.join(folder, pipe));
    const config = path.join(temporaryFolder(), 'config.json');
    const { exit, err } = await typed(['import', plugin, path.join(folder, given)], config);
    expect([exit, err]).toEqual([2, expect.stringMatching(/\[import-unreadable\]$/)]);
  });
});

test('import skips an example value instead of a token', async () => {
  const plugin = pluginFiles('port: 8192\ntokens:\n  default: "%default_token%"\n  a: ""\n');
  expect(await setting({ plugin }).results()).toEqual({
    exit: 0,
    rows: ['taken RSA pair', 'skipped token of default', 'skipped token of a', 'same port 8192'],
  });
});

describe('a proxy', () => {
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
  const BUNGEE = `host: 0.0.0.0
port: 8193
tokens:
  default: 0123456789
  My-List.com: abcdef
disable-v1-protocol: false
forwarding:
  method: none
  proxy:
    Hub: { address: 127.0.0.1, port: 8193, token: MyKeyHere }
`;
  const withToml = (toml: string, at = '') => ({
    [path.join(at, 'config.toml')]: toml,
    [path.join(at, 'rsa/public.key')]: theirs.public,
    [path.join(at, 'rsa/private.key')]: theirs.private,
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['Velocity', withToml(VELOCITY)],
    [
      'Velocity, from the folder of the proxy',
      { 'velocity.toml': '', ...withToml(VELOCITY, 'plugins/nuvotifier') },
    ],
    ['BungeeCord', pluginFiles(BUNGEE)],
    ['Sponge, from the folder of the server', pluginFiles(CONFIG_YML, 'config/nuvotifier')],
  ])('of %s is read like a game server', async (_, plugin) => {
    const { results, text, file } = setting({ plugin });
    expect(await results()).toEqual({ exit: 0, rows: ALL_TAKEN });
    expect(text('data/secrets/default.token')).toBe('0123456789\n');
    expect((await loadConfig(file)).listener.protocols).toEqual(['v1', 'v2']);
  });

  test('reports forwarding, and a name that TOML reads as tables, as not imported', async () => {
    const toml = VELOCITY.replace('"My-List.com" =', 'My-List.com =').replace('"none"', '"pluginMessaging"');
    const { results } = setting({ plugin: withToml(toml) });
    expect((await results()).rows).toEqual([
      ...['taken RSA pair', 'taken token of default', 'taken port 8193'],
      ...['not-imported token of My-List', 'not-imported forwarding by pluginMessaging'],
    ]);
  });

  test('reports votes that it keeps for offline players as not imported', async () => {
    const cache = {
      'cached-votes.json': '{"version":2,"players":{"Steve":[{"serviceName":"a"}]},"servers":{}}',
    };
    const { results } = setting({ plugin: { ...withToml(VELOCITY), ...cache } });
    expect((await results()).rows).toEqual([...ALL_TAKEN, 'not-imported cached-votes.json']);
  });
});

describe('protocol version 1', () => {
  const NO_V1 = pluginFiles(CONFIG_YML.replace('debug: true', 'disable-v1-protocol: true'));

  test('stays off if it is off in the plugin', async () => {
    const { results, file } = setting({ plugin: NO_V1 });
    expect(await results()).toEqual({ exit: 0, rows: [...ALL_TAKEN, 'taken protocol v1 off'] });
    expect((await loadConfig(file)).listener.protocols).toEqual(['v2']);
    expect((await results()).rows.at(-1)).toBe('same protocol v1 off');
  });

  test('is a conflict if it is off in Teller and on in the plugin', async () => {
    const { results } = setting({ teller: { 'config.json': '{"listener":{"protocols":["v2"]}}' } });
    expect((await results()).rows.at(-1)).toBe('kept protocol v1 on');
  });
});

describe('import after a first start without votes', () => {
  const OLD_TOKEN = '44'.repeat(16);
  const FIRST = { listener: undefined, sites: { default: { token: 'file:data/secrets/default.token' } } };

  /** The folder of a Teller that was started once. */
  function startedOnce() {
    const files = { 'data/secrets/default.token': `${OLD_TOKEN}\n`, 'config.schema.json': '{}' };
    const scene = importing(pluginFiles(), desk(FIRST, files).folder);
    return { ...scene, key: scene.text('data/keys/private.key') };
  }
  const REPLACED = ['replaced RSA pair', 'replaced token of default', ...ALL_TAKEN.slice(2)];

  test('replaces the key pair and the token, and keeps the old files under other names', async () => {
    const { results, text, key } = startedOnce();
    expect(await results()).toEqual({ exit: 0, rows: REPLACED });
    expect([text('data/keys/private.key'), text('data/secrets/default.token')]).toEqual([
      theirs.private,
      '0123456789\n',
    ]);
    const mark = '2026-06-01T12-00-00-000Z';
    expect(text(`data/keys/private.${mark}.key`)).toBe(key);
    expect(text(`data/secrets/default.${mark}.token`)).toBe(`${OLD_TOKEN}\n`);
  });

  test.each([
    ['v1', 'My-List.com', ['kept RSA pair']],
    ['v2', 'My-List.com', ['kept token of default']],
    ['v1', 'Teller test', []],
    ['v2', 'Teller test', []],
  ] as const)('keeps a credential that a vote by %s of %s has used: %j', async (via, site, kept) => {
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
    expect(rows.filter((row: string) => /^kept (?:RSA|token)/.test(row))).toEqual(kept);
    const isKept = kept.some((row) => row.includes('token'));
    expect(readFileSync(token, 'utf8')).toBe(isKept ? `${OLD_TOKEN}\n` : '0123456789\n');
    const { err } = await run();
    expect([err.includes('`teller run`'), err.includes('--keep-existing')]).toEqual([false, true]);
  });

  test('keeps a key pair that the operator supplied', async () => {
    const { results, into } = startedOnce();
    const old = new Date('2020-01-01');
    for (const name of ['public.key', 'private.key'])
      utimesSync(path.join(into, 'data/keys', name), old, old);
    expect((await results()).rows[0]).toBe('kept RSA pair');
  });

  test('finishes an import that was killed between the two files of the key pair', async () => {
    const { results, into, text } = startedOnce();
    writeFileSync(path.join(into, 'data/keys/private.key'), theirs.private);
    const old = new Date('2020-01-01');
    utimesSync(path.join(into, 'config.schema.json'), old, old);
    expect((await results('--keep-existing')).rows[0]).toBe('taken RSA pair');
    expect([text('data/keys/private.key'), text('data/keys/public.key')]).toEqual([
      theirs.private,
      theirs.public,
    ]);
  });

  test.each([
    ['the last draft', () => `config.json.${process.pid}.draft`],
    ['the second old file', (mark: string) => `data/keys/public.${mark}.key`],
  ])('changes nothing if %s cannot be written', async (_, inTheWay) => {
    const { run, into, key, text } = startedOnce();
    const config = text('config.json');
    const mark = '2026-06-01T12-00-00-000Z';
    mkdirSync(path.join(into, inTheWay(mark), 'x'), { recursive: true });
    const { exit, err } = await run();
    expect([exit, err.endsWith('[data-unwritable]')]).toEqual([1, true]);
    expect([text('data/keys/private.key'), text('config.json')]).toEqual([key, config]);
    expect(text('data/secrets/default.token')).toBe(`${OLD_TOKEN}\n`);
    expect(existsSync(path.join(into, `data/keys/private.${mark}.key`))).toBe(false);
  });
});

test('reports an address that the plugin was bound to as not imported', async () => {
  const { results } = setting({ plugin: pluginFiles('host: 10.0.0.5\ntokens: {}\n') });
  expect((await results()).rows).toContain('not-imported host 10.0.0.5');
});

describe('import writes nothing', () => {
  test.each<[string, string, Setting]>([
    ['from a folder without a plugin', 'import-nothing', { plugin: { 'server.properties': '' } }],
    ['from a config.yml that is not YAML', 'import-unreadable', { plugin: pluginFiles('tokens: [\n') }],
    [
      'from a config.toml that is not TOML',
      'import-unreadable',
      { plugin: { 'config.toml': '[tokens]\na = \n' } },
    ],
    [
      'from a folder with both formats',
      'import-unreadable',
      { plugin: { ...pluginFiles(), 'config.toml': '[tokens]\n' } },
    ],
    ['from tokens that are a list', 'import-unreadable', { plugin: pluginFiles('tokens: [a, b]\n') }],
    [
      'from a port that is not a number from 1 to 65535',
      'import-unreadable',
      { plugin: pluginFiles('port: 99999\ntokens: {}\n') },
    ],
    ['from half a key pair', 'key-missing', { plugin: { 'rsa/private.key': theirs.private } }],
    [
      'from two keys that do not belong together',
      'key-mismatch',
      { plugin: { 'rsa/private.key': theirs.private, 'rsa/public.key': ours.public } },
    ],
    [
      'from a file that is not a key',
      'key-invalid',
      { plugin: { 'rsa/private.key': 'x', 'rsa/public.key': 'y' } },
    ],
    ['into a config with problems', 'config-invalid', { teller: { 'config.json': '{"listner":{}}' } }],
    [
      'if the new config would have problems',
      'config-invalid',
      { plugin: pluginFiles(`tokens:\n  ${'x'.repeat(300)}: abc\n`) },
    ],
  ])('%s: %s', async (_, code, files) => {
    const { run, into } = setting(files);
    const { exit, out, err } = await run();
    expect([exit, out]).toEqual([2, '']);
    expect(err.endsWith(`[${code}]`)).toBe(true);
    expect(existsSync(path.join(into, 'data'))).toBe(false);
  });
});
