import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { importCommand } from '../../src/commands/import.ts';
import { loadConfig } from '../../src/config/load.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loadedDice } from '../support/loaded-dice.ts';
import { runCommand } from './run-command.ts';

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

/** Imports from a plugin's folder into a Teller's folder, both with the files given. */
function setting({ plugin = pluginFiles(), teller = {} }: Setting = {}) {
  const [from, into] = [temporaryFolder(plugin), temporaryFolder(teller)];
  const file = path.join(into, 'config.json');
  const run = async (...flags: string[]) => {
    const terminal = fakeTerminal();
    const words = ['nuvotifier', from, '--config', file, ...flags];
    return await runCommand(importCommand(terminal, loadedDice(0x33)), terminal, words);
  };
  const text = (name: string) => readFileSync(path.join(into, name), 'utf8');
  const results = async () => {
    const { out, exit } = await run('--json');
    const rows = JSON.parse(out) as { what: string; result: string }[];
    return { exit, rows: rows.map(({ what, result }) => `${result} ${what}`) };
  };
  return { from, into, file, run, text, results };
}

const ALL_TAKEN = [
  'taken RSA pair',
  'taken token of default',
  'taken token of My-List.com',
  'taken port 8193',
];

describe('into nothing', () => {
  test('everything is taken, and a first config is made of it', async () => {
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
    for (const name of ['data/keys/private.key', 'data/secrets/default.token']) {
      expect(statSync(path.join(into, name)).mode & 0o777).toBe(0o600);
    }
    expect(existsSync(path.join(into, 'config.schema.json'))).toBe(true);
  });

  test('each token is in a file of its own, and none is printed or in the config', async () => {
    const { run, text } = setting();
    const { out, err } = await run();
    for (const secret of ['0123456789', 'abcdef']) {
      expect(out + err).not.toContain(secret);
      expect(text('config.json')).not.toContain(secret);
    }
    expect(text('data/secrets/default.token')).toBe('0123456789\n');
  });

  test('it says what was taken and what to do next', async () => {
    const { run, from } = setting();
    const { out, err, exit } = await run();
    expect(exit).toBe(0);
    expect(out.split('\n')[0]).toBe(`from ${from}`);
    expect(out).toMatch(/^taken +token of My-List\.com +into .*\.token$/m);
    expect(err).toContain('No listing needs a new key or token.');
    expect(err).toMatch(/^Next: remove the plugin .*`teller run`\.$/m);
  });

  test('a second import finds the same', async () => {
    const { run, results } = setting();
    await run();
    expect(await results()).toEqual({ exit: 0, rows: ALL_TAKEN.map((row) => row.replace('taken', 'same')) });
  });

  test('what the plugin lacks is made fresh', async () => {
    const { results, file, text } = setting({
      plugin: { 'config.yml': 'tokens:\n  "My-List.com": abcdef\n' },
    });
    expect(await results()).toEqual({ exit: 0, rows: ['taken token of My-List.com'] });
    expect((await loadConfig(file)).sites.get('default')?.token?.reveal()).toBe('33'.repeat(16));
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

  test('a proxy that has a config.yml of its own', async () => {
    const plugin = { 'config.yml': 'listeners: []\n', ...pluginFiles(CONFIG_YML, 'plugins/nuvotifier') };
    expect((await setting({ plugin }).results()).rows).toEqual(ALL_TAKEN);
  });
});

describe('what Teller has already is kept', () => {
  const ourKeys = { 'data/keys/public.key': ours.public, 'data/keys/private.key': ours.private };

  test('another RSA pair, and the rest is taken', async () => {
    const { results, text } = setting({ teller: ourKeys });
    expect(await results()).toEqual({ exit: 1, rows: ['kept RSA pair', ...ALL_TAKEN.slice(1)] });
    expect([text('data/keys/public.key'), text('data/keys/private.key')]).toEqual([
      ours.public,
      ours.private,
    ]);
  });

  test('half of another pair', async () => {
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
  ])('another token %s', async (_, token, files) => {
    const config = JSON.stringify({ sites: { default: { token } } });
    const { results, text } = setting({ teller: { 'config.json': config, ...files } });
    expect(await results()).toEqual({ exit: 1, rows: ALL_TAKEN.toSpliced(1, 1, 'kept token of default') });
    expect(JSON.parse(text('config.json')).sites.default).toEqual({ token });
    for (const [name, content] of Object.entries(files)) expect(text(name)).toBe(content);
  });

  test('a token of the same text, wherever it is', async () => {
    const config = JSON.stringify({
      sites: { default: { token: '0123456789' }, 'My-List.com': { token: 'file:t' } },
    });
    const { results } = setting({ teller: { 'config.json': config, t: 'abcdef' } });
    expect((await results()).rows.slice(1, 3)).toEqual([
      'same token of default',
      'same token of My-List.com',
    ]);
  });

  test('a port that somebody chose', async () => {
    const { results, file } = setting({ teller: { 'config.json': '{"listener":{"port":9000}}' } });
    expect(await results()).toEqual({ exit: 1, rows: ALL_TAKEN.toSpliced(3, 1, 'kept port 8193') });
    expect((await loadConfig(file)).listener.port).toBe(9000);
  });

  test('all else in the config, as it is written', async () => {
    const text = '{\n  "//":   "mine",\n  "log": { "level":   "warn" },\n  "keys": "k"\n}\n';
    const { run, text: read } = setting({ teller: { 'config.json': text } });
    await run();
    expect(read('config.json').startsWith(text.slice(0, -'\n}\n'.length))).toBe(true);
  });
});

test('an example text in place of a token is skipped', async () => {
  const plugin = pluginFiles('port: 8192\ntokens:\n  default: "%default_token%"\n  a: ""\n');
  expect(await setting({ plugin }).results()).toEqual({
    exit: 0,
    rows: ['taken RSA pair', 'skipped token of default', 'skipped token of a', 'same port 8192'],
  });
});

test('an address that the plugin was bound to is mentioned', async () => {
  const { err } = await setting({ plugin: pluginFiles('host: 10.0.0.5\ntokens: {}\n') }).run();
  expect(err).toContain('The plugin listened on 10.0.0.5 only; for the same here set listener.host.');
});

describe('nothing is written', () => {
  test.each<[string, string, Setting]>([
    ['from a folder without a plugin', 'import-nothing', { plugin: { 'server.properties': '' } }],
    ['from a config.yml that is not YAML', 'import-unreadable', { plugin: pluginFiles('tokens: [\n') }],
    ['from tokens that are a list', 'import-unreadable', { plugin: pluginFiles('tokens: [a, b]\n') }],
    ['from a port that is none', 'import-unreadable', { plugin: pluginFiles('port: 99999\ntokens: {}\n') }],
    ['from half a pair', 'key-missing', { plugin: { 'rsa/private.key': theirs.private } }],
    [
      'from a pair of two',
      'key-mismatch',
      { plugin: { 'rsa/private.key': theirs.private, 'rsa/public.key': ours.public } },
    ],
    ['from a key that is none', 'key-invalid', { plugin: { 'rsa/private.key': 'x', 'rsa/public.key': 'y' } }],
    ['into a config with problems', 'config-invalid', { teller: { 'config.json': '{"listner":{}}' } }],
    [
      'that would make a config with problems',
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
