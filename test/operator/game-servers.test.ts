import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import {
  type GameServerAddition,
  planGameServer,
  writeGameServer,
} from '../../src/operator/game-servers/add.ts';
import { type EnteredGameServer, entryFaultCodes } from '../../src/operator/game-servers/fields.ts';
import { tryGameServer } from '../../src/operator/game-servers/try.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { TOKEN } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { PASSWORD, practice } from '../support/rcon.ts';

const SECRET = 'the-password-of-the-game-server';

const ENTERED: EnteredGameServer = {
  ...{ name: 'main', host: '127.0.0.1', port: 25_575, password: SECRET, replaces: 'main' },
};

const FIRST_START = `{
  // mine
  "sites": { "default": { "token": "${TOKEN}" } },
  "gameServers": { "main": { "kind": "practice" } }, // the practice server
  "rewards": [{ "name": "daily", "commands": ["give {player} diamond 1"] }],
}
`;

function configWith(text: string, name = 'config.json', more: Record<string, string> = {}): string {
  const file = join(temporaryFolder(more), name);
  writeFileSync(file, text, { mode: 0o640 });
  return file;
}

const plan = (file: string, entered: Partial<EnteredGameServer> = {}) =>
  planGameServer({ file }, { ...ENTERED, ...entered });

async function planned(file: string, entered: Partial<EnteredGameServer> = {}): Promise<GameServerAddition> {
  const found = await plan(file, entered);
  if (found.kind !== 'planned') throw new Error(JSON.stringify(found));
  return found;
}

describe('a game server with RCON', () => {
  test('takes the place of the practice server of a first start, and the rest of the file stays', async () => {
    const file = configWith(FIRST_START);
    const addition = await planned(file);
    const line =
      '"main": { "kind": "rcon", "host": "127.0.0.1", "port": 25575, "password": "file:data/secrets/main.rcon" }';
    expect(addition.diff).toEqual([
      '-   "gameServers": { "main": { "kind": "practice" } }, // the practice server',
      '+   "gameServers": {',
      `+     ${line}`,
      '+   }, // the practice server',
    ]);
    expect(readFileSync(file, 'utf8')).toBe(FIRST_START);
    await writeGameServer(addition);
    const { gameServers } = await loadConfig(file);
    expect(gameServers.get('main')).toMatchObject({ kind: 'rcon', host: '127.0.0.1', port: 25_575 });
    expect(readFileSync(file, 'utf8')).toBe(
      FIRST_START.replace('{ "main": { "kind": "practice" } }', `{\n    ${line}\n  }`),
    );
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test('has its password in a file that only its owner can read, and nowhere else', async () => {
    const file = configWith(FIRST_START);
    const addition = await planned(file, { password: ` ${SECRET}\n` });
    expect(JSON.stringify(addition)).not.toContain(SECRET);
    await writeGameServer(addition);
    const { passwordFile } = addition;
    expect(passwordFile).toBe(join(dirname(file), 'data/secrets/main.rcon'));
    expect([readFileSync(passwordFile, 'utf8'), statSync(passwordFile).mode & 0o777]).toEqual([
      `${SECRET}\n`,
      0o600,
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
  });

  test('can have another name than the game server whose place it takes', async () => {
    const file = configWith(FIRST_START);
    await writeGameServer(await planned(file, { name: 'survival' }));
    expect([...(await loadConfig(file)).gameServers.keys()]).toEqual(['survival']);
  });

  test('takes the place of the practice server of a config that names no game server', async () => {
    const file = configWith(`{ "sites": { "default": { "token": "${TOKEN}" } } }`);
    for (const name of ['main', 'survival']) {
      const { replaced, planned: after } = await planned(file, {
        name,
        replaces: name === 'main' ? name : null,
      });
      expect([replaced, [...after.gameServers.keys()]]).toEqual(['main', [name]]);
    }
  });

  test('is added beside others if every reward says where it is paid', async () => {
    const file = configWith(FIRST_START.replace('"daily", ', '"daily", "servers": ["main"], '));
    const addition = await planned(file, { name: 'sky', replaces: null });
    expect([addition.replaced, [...addition.planned.gameServers.keys()]]).toEqual([null, ['main', 'sky']]);
  });

  test('is added beside the only one, on which rewards stay that named none', async () => {
    const text = `{
  "sites": { "default": { "token": "${TOKEN}" } },
  "gameServers": { "main": { "kind": "practice" } },
  "rewards": [
    { "name": "daily", "commands": ["give {player} diamond 1"] },
    { "firstOf": [{ "name": "rare", "if": { "chance": "10%" }, "commands": ["give {player} elytra 1"] }, { "name": "common", "servers": ["main"], "commands": ["give {player} apple 1"] }] },
    { "name": "everywhere", "servers": "all", "commands": ["say {player} voted"] }
  ],
  "party": [{ "name": "crowd", "every": 100, "commands": ["give {player} cake 1"] }]
}
`;
    const file = configWith(text);
    const addition = await planned(file, { name: 'sky', replaces: null });
    expect(addition.keptOn).toBe('main');
    await writeGameServer(addition);
    const { gameServers, rewards, party } = await loadConfig(file);
    expect([...gameServers.keys()]).toEqual(['main', 'sky']);
    expect([...rewards, ...party].map(({ name, servers }) => [name, servers])).toEqual([
      ['daily', ['main']],
      ['rare', ['main']],
      ['common', ['main']],
      ['everywhere', ['main', 'sky']],
      ['crowd', ['main']],
    ]);
  });

  test('leaves rewards alone that name their game servers, and those of a game server that it replaces', async () => {
    const named = configWith(FIRST_START.replace('"daily", ', '"daily", "servers": ["main"], '));
    expect((await planned(named, { name: 'sky', replaces: null })).keptOn).toBeNull();
    expect((await planned(configWith(FIRST_START))).keptOn).toBeNull();
  });

  test('is added to a YAML config, which keeps its comments', async () => {
    const text = `# mine\nsites:\n  default: { token: ${TOKEN} }\ngameServers:\n  main: { kind: practice } # for now\n\nkeys: data/keys\n`;
    const file = configWith(text, 'teller.yml');
    await writeGameServer(await planned(file, { name: 'sky' }));
    expect(readFileSync(file, 'utf8')).toBe(
      text.replace(
        'main: { kind: practice }',
        'sky: { "kind": "rcon", "host": "127.0.0.1", "port": 25575, "password": "file:data/secrets/sky.rcon" }',
      ),
    );
    expect((await loadConfig(file)).gameServers.get('sky')?.kind).toBe('rcon');
  });
});

describe('a game server that takes the place of another one with RCON', () => {
  const WITH_RCON = FIRST_START.replace(
    '{ "kind": "practice" }',
    '{ "kind": "rcon", "port": 9, "password": "file:data/secrets/main.rcon", "version": "1.21.4" }',
  );

  test('keeps what else the config says about it, and its file for the password', async () => {
    const file = configWith(WITH_RCON, 'config.json', { 'data/secrets/main.rcon': 'old-password' });
    const addition = await planned(file);
    await writeGameServer(addition);
    const [server] = (await loadConfig(file)).gameServers.values();
    expect(server).toMatchObject({ port: 25_575, version: '1.21.4' });
    expect(readFileSync(addition.passwordFile, 'utf8')).toBe(`${SECRET}\n`);
    expect(addition.unusedFile).toBeNull();
  });

  test('under another name has a file of its own, and says which one is not named any more', async () => {
    const file = configWith(WITH_RCON, 'config.json', { 'data/secrets/main.rcon': 'old-password' });
    const { passwordFile, unusedFile } = await planned(file, { name: 'sky' });
    expect([passwordFile, unusedFile]).toEqual(
      ['sky', 'main'].map((name) => join(dirname(file), `data/secrets/${name}.rcon`)),
    );
  });

  test('never writes over a file that may hold another secret', async () => {
    const file = configWith(FIRST_START, 'config.json', { 'data/secrets/main.rcon': 'of-something-else' });
    expect((await planned(file)).passwordFile).toMatch(/\/main\.2\.rcon$/);
    expect((await planned(file, { password: 'of-something-else' })).passwordFile).toMatch(/\/main\.rcon$/);
  });
});

describe('what is entered for a game server', () => {
  test.each<[string, Partial<EnteredGameServer>, keyof typeof entryFaultCodes]>([
    ['a name with a space', { name: 'my server', replaces: null }, 'game-server-name'],
    ['a name that the config has', { replaces: null }, 'game-server-taken'],
    ['a host with its port', { host: '10.0.0.1:25575' }, 'game-server-host'],
    ['port 0', { port: 0 }, 'game-server-port'],
    ['a port that is no number', { port: Number.NaN }, 'game-server-port'],
    ['no password', { password: ' ' }, 'game-server-password'],
    ['an example of a password', { password: 'your-rcon-password' }, 'game-server-password'],
    ['a password of two lines', { password: 'one\ntwo' }, 'game-server-password'],
    ['an unknown game server to replace', { replaces: 'nain' }, 'game-server-replaced'],
  ])('is refused with a stable code: %s', async (_, entered, code) => {
    const found = await plan(configWith(FIRST_START), entered);
    const codes = found.kind === 'refused' ? found.faults.map((each) => each.code) : found.kind;
    expect(codes).toContain(code);
  });

  test('is refused with all of its faults at once', async () => {
    const found = await plan(configWith(FIRST_START), {
      name: '',
      host: '',
      port: -1,
      password: '',
      replaces: 'x',
    });
    expect(found.kind === 'refused' && new Set(found.faults.map(({ code }) => code))).toEqual(
      new Set(Object.keys(entryFaultCodes).filter((code) => code !== 'game-server-taken')),
    );
  });

  test('is unfit if the config would have faults with it, such as a reward that is paid in practice or for real', async () => {
    const text = FIRST_START.replace('"daily", ', '"daily", "servers": "where-online", ');
    const found = await plan(configWith(text), { name: 'sky', replaces: null });
    expect(found).toMatchObject({ kind: 'unfit', faults: [{ path: 'rewards[0].servers' }] });
  });

  test('is not written if the config was changed meanwhile, and no password is left behind', async () => {
    const file = configWith(FIRST_START);
    const addition = await planned(file);
    writeFileSync(file, `${FIRST_START}\n`);
    await expect(writeGameServer(addition)).rejects.toMatchObject({ code: 'config-changed' });
    expect(existsSync(addition.passwordFile)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe(`${FIRST_START}\n`);
  });

  test('is a ConfigProblem if the config has faults already', async () => {
    await expect(plan(configWith('{ "listner": {} }'))).rejects.toMatchObject({ code: 'config-invalid' });
  });
});

describe('a game server that is tried before it is written', () => {
  const tried = async (entered: Partial<EnteredGameServer>) =>
    tryGameServer(await planned(configWith(FIRST_START), entered), {
      clock: systemClock,
      random: systemRandom,
    });

  test('accepts the login and reports who is online', async () => {
    const { host, port } = await practice();
    expect(await tried({ host, port, password: PASSWORD })).toMatchObject([
      { mark: 'ok', code: 'game-server' },
    ]);
  });

  test('refuses a wrong password', async () => {
    const { host, port } = await practice();
    expect(await tried({ host, port })).toMatchObject([{ mark: 'problem', code: 'wrong-password' }]);
  });
});
