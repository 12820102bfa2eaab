import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import type { Person } from '../kit/typed.ts';
import { TOKEN } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const FIRST_START = `{
  // mine
  "sites": { "default": { "token": "${TOKEN}" } },
  "gameServers": { "main": { "kind": "practice" } }, // the practice server
  "rewards": [{ "name": "daily", "commands": ["give {player} diamond 1"] }],
}
`;

/** Of the game servers of the kit. */
const PASSWORD = 'a-password-of-this-test';
const REPLACE = ['--replace', 'main'];

/** A place whose config is this text. @param files more of them, by their names. */
function withText(text: string, files: Readonly<Record<string, string>> = {}): Desk {
  const one = desk({}, files);
  writeFileSync(one.config, text);
  chmodSync(one.config, 0o640);
  return one;
}

const passwordFile = (text = `${PASSWORD}\n`): string =>
  join(temporaryFolder({ password: text }), 'password');

/** Where a game server is that accepts the password. */
async function game() {
  const { port } = (await rconGame()).entry as { port: number };
  return { port, at: ['--host', '127.0.0.1', '--port', String(port)] };
}

const add = ({ run }: Pick<Desk, 'run'>, ...words: string[]) => run('game-servers', 'add', ...words);
const addBy = (person: Person, { runBy }: Pick<Desk, 'runBy'>, ...words: string[]) =>
  runBy(person, 'game-servers', 'add', ...words);

/** Adds it without trying it. */
const write = (one: Desk, name: string, ...words: string[]) =>
  add(one, name, '--password-file', passwordFile(), '--no-try', ...words);

const serversIn = async ({ config }: Desk) => [...(await loadConfig(config)).gameServers.keys()];

describe('game-servers add', () => {
  test('tries the game server, shows the lines that change, writes them and the password', async () => {
    const { at, port } = await game();
    const one = desk();
    const words = ['main', ...at, '--password-file', passwordFile(), ...REPLACE];
    const { exit, out, err } = await add(one, ...words);
    expect(exit).toBe(0);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([naming(/^- .*practice/), naming(/^\+ .*"rcon"/), naming('ok', 'game-server')]),
    );
    const file = join(one.folder, 'data/secrets/main.rcon');
    expect(err).toContain(file);
    expect(out + err + readFileSync(one.config, 'utf8')).not.toContain(PASSWORD);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${PASSWORD}\n`, 0o600]);
    expect((await loadConfig(one.config)).gameServers.get('main')).toMatchObject({
      ...{ kind: 'rcon', port },
    });
  });

  test('asks for the password at a terminal, and changes nothing if none is typed', async () => {
    const { at } = await game();
    const one = desk();
    const words = ['main', ...at, ...REPLACE];
    expect(await addBy({}, one, ...words)).toMatchObject({ exit: 1 });
    expect(await add(one, ...words)).toMatchObject({ exit: 2, err: naming('--password-file') });
    expect(await addBy({ answers: [PASSWORD] }, one, ...words)).toMatchObject({ exit: 0 });
  });

  test('with --dry-run shows the same and writes nothing', async () => {
    const { at } = await game();
    const one = desk();
    const before = readFileSync(one.config, 'utf8');
    const words = ['main', ...at, '--password-file', passwordFile(), ...REPLACE, '--dry-run'];
    const { exit, out } = await add(one, ...words);
    expect([exit, out]).toEqual([0, naming('"rcon"', 'game-server')]);
    const { json } = await add(one, ...words, '--json');
    expect(json).toMatchObject([
      { name: 'main', replaced: 'main', isWritten: false, findings: [{ mark: 'ok' }] },
    ]);
    expect([readFileSync(one.config, 'utf8'), existsSync(join(one.folder, 'data/secrets'))]).toEqual([
      ...[before, false],
    ]);
  });

  test('asks before it writes a game server that does not accept the password', async () => {
    const { at } = await game();
    const one = desk();
    const words = ['main', ...at, '--password-file', passwordFile('another-password'), ...REPLACE];
    const refused = await addBy({ answers: [false] }, one, ...words);
    expect([refused.exit, refused.asked]).toEqual([1, [naming('anyway')]]);
    expect((await loadConfig(one.config)).gameServers.get('main')?.kind).toBe('practice');
    expect(await add(one, ...words, '--dry-run')).toMatchObject({ exit: 1, out: naming('wrong-password') });
    expect(await addBy({}, one, ...words, '--yes')).toMatchObject({ exit: 0, asked: [] });
  });

  test('asks for a typed password again if the game server refuses it, and in the end whether to write it anyway', async () => {
    const { at } = await game();
    const one = desk();
    const words = ['main', ...at, ...REPLACE];
    const typed = { answers: ['not-its-password', PASSWORD] };
    expect(await addBy(typed, one, ...words, '--dry-run')).toMatchObject({
      ...{ exit: 0, asked: [naming('rcon.password'), naming('rcon.password')] },
      ...{ err: naming('[wrong-password]'), out: naming('ok', 'game-server') },
    });
    const never = await addBy({ answers: ['wrong-1', 'wrong-2', 'wrong-3', false] }, one, ...words);
    expect([never.exit, never.asked.length, never.asked.at(-1)]).toEqual([1, 4, naming('anyway')]);
  });

  test('says how many grants on the practice server it holds, if there are any', async () => {
    const one = desk({ gameServers: { main: { kind: 'practice', autoJoin: false } } });
    expect((await write(one, 'main', ...REPLACE, '--dry-run')).err).not.toContain('held');
    await one.run('votes', 'add', '--player', 'Steve', '--site', 'List');
    expect((await write(one, 'main', ...REPLACE, '--dry-run', '--json')).json).toMatchObject([
      { waiting: 1 },
    ]);
    expect((await write(one, 'main', ...REPLACE, '--dry-run')).err).toEqual(naming('1', 'main', 'held'));
  });

  test('reloads the running Teller, which pays there from then on, and asks about other changes first', async () => {
    const { at } = await game();
    const teller = await here();
    const words = ['main', ...at, '--password-file', passwordFile(), ...REPLACE];
    const { exit, out } = await teller.during(add(teller, ...words));
    expect(exit).toBe(0);
    // Not the defaults of its kind, which the operator never wrote.
    const reloaded = out.split('\n').slice(out.split('\n').findIndex((line) => line.startsWith('Teller')));
    expect(reloaded).toEqual([naming(String(process.pid)), naming('gameServers.main.kind', 'changed')]);
    rewrite(teller, { gameServers: { main: { kind: 'practice' } }, rewards: [] });
    const asked = await teller.during(addBy({ answers: [false] }, teller, ...words));
    expect([asked.exit, asked.asked]).toEqual([1, [naming('also applies')]]);
  });
});

describe('the config with a game server with RCON', () => {
  test('has it in the place of the practice server of a first start, and the rest stays as it was', async () => {
    const one = withText(FIRST_START);
    const line =
      '"main": { "kind": "rcon", "host": "127.0.0.1", "port": 25575, "password": "file:data/secrets/main.rcon" }';
    const { out } = await write(one, 'main', ...REPLACE);
    expect(out).toContain(
      [
        '-   "gameServers": { "main": { "kind": "practice" } }, // the practice server',
        '+   "gameServers": {',
        `+     ${line}`,
        '+   }, // the practice server',
      ].join('\n'),
    );
    expect(readFileSync(one.config, 'utf8')).toBe(
      FIRST_START.replace('{ "main": { "kind": "practice" } }', `{\n    ${line}\n  }`),
    );
    expect(statSync(one.config).mode & 0o777).toBe(0o640);
  });

  test('can have it under another name, also where no game server is named', async () => {
    const one = withText(FIRST_START);
    await write(one, 'survival', ...REPLACE);
    expect(await serversIn(one)).toEqual(['survival']);
    for (const [name, flags] of [
      ['main', REPLACE],
      ['survival', []],
    ] as const) {
      const bare = withText(`{ "sites": { "default": { "token": "${TOKEN}" } } }`);
      expect((await write(bare, name, ...flags, '--json')).json).toMatchObject([{ replaced: 'main' }]);
      expect(await serversIn(bare)).toEqual([name]);
    }
  });

  test('has it beside the only one, on which rewards stay that named none', async () => {
    const one = withText(`{
  "sites": { "default": { "token": "${TOKEN}" } },
  "gameServers": { "main": { "kind": "practice" } },
  "rewards": [
    { "name": "daily", "commands": ["give {player} diamond 1"] },
    { "firstOf": [{ "name": "rare", "if": { "chance": "10%" }, "commands": ["give {player} elytra 1"] }, { "name": "common", "servers": ["main"], "commands": ["give {player} apple 1"] }] },
    { "name": "everywhere", "servers": "all", "commands": ["say {player} voted"] }
  ],
  "party": [{ "name": "crowd", "every": 100, "commands": ["give {player} cake 1"] }]
}
`);
    expect((await write(one, 'sky')).err).toEqual(naming('stay on main'));
    const { rewards, party } = await loadConfig(one.config);
    expect(await serversIn(one)).toEqual(['main', 'sky']);
    expect([...rewards, ...party].map(({ name, servers }) => [name, servers])).toEqual([
      ['daily', ['main']],
      ['rare', ['main']],
      ['common', ['main']],
      ['everywhere', ['main', 'sky']],
      ['crowd', ['main']],
    ]);
  });

  test('leaves rewards alone that name their game servers', async () => {
    const one = withText(FIRST_START.replace('"daily", ', '"daily", "servers": ["main"], '));
    expect((await write(one, 'sky')).err).not.toContain('stay on');
    expect(await serversIn(one)).toEqual(['main', 'sky']);
  });

  const WITH_RCON = FIRST_START.replace(
    '{ "kind": "practice" }',
    '{ "kind": "rcon", "port": 9, "password": "file:data/secrets/main.rcon", "version": "1.21.4" }',
  );
  const OLD = { 'data/secrets/main.rcon': 'old-password' };

  test('keeps what else it says about one with RCON that is replaced, and its file for the password', async () => {
    const one = withText(WITH_RCON, OLD);
    await write(one, 'main', ...REPLACE);
    const [server] = (await loadConfig(one.config)).gameServers.values();
    expect(server).toMatchObject({ port: 25_575, version: '1.21.4' });
    expect(readFileSync(join(one.folder, 'data/secrets/main.rcon'), 'utf8')).toBe(`${PASSWORD}\n`);
  });

  test('under another name has a file of its own, and says which one is not named any more', async () => {
    const one = withText(WITH_RCON, OLD);
    const { err } = await write(one, 'sky', ...REPLACE);
    expect(err).toContain(join(one.folder, 'data/secrets/main.rcon'));
    expect(readFileSync(join(one.folder, 'data/secrets/sky.rcon'), 'utf8')).toBe(`${PASSWORD}\n`);
  });

  test('never has the password in a file that may hold another secret', async () => {
    const one = withText(FIRST_START, { 'data/secrets/main.rcon': 'of-something-else' });
    await write(one, 'main', ...REPLACE);
    expect(readFileSync(join(one.folder, 'data/secrets/main.rcon'), 'utf8')).toBe('of-something-else');
    expect(readFileSync(join(one.folder, 'data/secrets/main.2.rcon'), 'utf8')).toBe(`${PASSWORD}\n`);
  });
});

describe('game-servers add refuses', () => {
  test('what cannot be a game server, with all faults at once', async () => {
    for (const [codes, line, password = PASSWORD] of [
      [['game-server-name'], 'my_server!'],
      [['game-server-taken'], 'main'],
      [['game-server-host'], 'sky --host 10.0.0.1:25575'],
      [['game-server-port'], 'sky --port 0'],
      [['game-server-port'], 'sky --port many'],
      [['game-server-password'], 'sky', ' '],
      [['game-server-password'], 'sky', 'your-rcon-password'],
      [['game-server-password'], 'sky', 'one\ntwo'],
      [['game-server-replaced'], 'sky --replace nain'],
      [
        [
          'game-server-name',
          'game-server-host',
          'game-server-port',
          'game-server-password',
          'game-server-replaced',
        ],
        'a! --host  --port -1 --replace x',
        '\n',
      ],
    ] as const) {
      const words = [...line.split(' '), '--password-file', passwordFile(password)];
      const { exit, err } = await add(desk(), ...words);
      expect([line, exit, err]).toEqual([line, 2, naming(...codes, '[game-server-refused]')]);
    }
  });

  test('what would make the config wrong, such as a reward that is paid in practice or for real', async () => {
    const rewards = [{ name: 'daily', servers: 'where-online', commands: ['give {player} diamond 1'] }];
    const one = desk({ rewards });
    const before = readFileSync(one.config, 'utf8');
    const { exit, err } = await write(one, 'sky');
    expect([exit, err]).toEqual([2, naming('rewards[0].servers', '[config-invalid]')]);
    expect(readFileSync(one.config, 'utf8')).toBe(before);
    writeFileSync(one.config, '{ "listner": {} }');
    expect((await write(one, 'sky')).err).toContain('[config-invalid]');
  });

  test('to write if the config is changed meanwhile, and leaves no password behind', async () => {
    const one = desk();
    const { at } = await game();
    const changed = '{ "sites": {} }';
    const { exit, err } = await one.runBy(
      {
        answers: () => {
          writeFileSync(one.config, changed);
          return true;
        },
      },
      ...['game-servers', 'add', 'main', ...at, ...REPLACE],
      ...['--password-file', passwordFile('another-password')],
    );
    expect([exit, err]).toEqual([1, naming('[config-changed]')]);
    expect([readFileSync(one.config, 'utf8'), existsSync(join(one.folder, 'data/secrets'))]).toEqual([
      ...[changed, false],
    ]);
  });
});
