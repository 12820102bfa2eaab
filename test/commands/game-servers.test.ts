import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import type { Person } from '../kit/typed.ts';
import { TOKEN } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';

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

test('game-servers add tries the game server, shows the lines that change, and unless --dry-run is given writes them and the password', async () => {
  const { at, port } = await game();
  const one = desk();
  const before = readFileSync(one.config, 'utf8');
  const words = ['main', ...at, '--password-file', passwordFile(), ...REPLACE];
  const { json } = await add(one, ...words, '--dry-run', '--json');
  expect(json).toMatchObject([
    { name: 'main', replaced: 'main', isWritten: false, findings: [{ mark: 'ok' }] },
  ]);
  const dry = await add(one, ...words, '--dry-run');
  expect([dry.exit, dry.out]).toEqual([0, naming('"rcon"', 'game-server')]);
  expect(readFileSync(one.config, 'utf8')).toBe(before);
  expect(existsSync(join(one.folder, 'data/secrets'))).toBe(false);
  const { exit, out, err } = await add(one, ...words);
  expect([exit, ...out.split('\n')]).toEqual(
    expect.arrayContaining([0, naming(/^- .*practice/), naming(/^\+ .*"rcon"/), naming('ok', 'game-server')]),
  );
  const file = join(one.folder, 'data/secrets/main.rcon');
  expect(err).toContain(file);
  expect(out + err + readFileSync(one.config, 'utf8')).not.toContain(PASSWORD);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${PASSWORD}\n`, 0o600]);
  const { gameServers } = await loadConfig(one.config);
  expect(gameServers.get('main')).toMatchObject({ kind: 'rcon', port });
});

test('game-servers add asks for the password at a terminal, again if the game server refuses it, and in the end whether to write it anyway', async () => {
  const { at } = await game();
  const one = desk();
  const words = ['main', ...at, ...REPLACE];
  expect(await add(one, ...words)).toEqual(refused(2, '--password-file'));
  expect(await addBy({}, one, ...words)).toMatchObject({ exit: 1 });
  const never = await addBy({ answers: ['wrong-1', 'wrong-2', 'wrong-3', false] }, one, ...words);
  expect([never.exit, never.asked.length, never.asked.at(-1)]).toEqual([1, 4, naming('anyway')]);
  const wrong = [...words, '--password-file', passwordFile('another-password')];
  const no = await addBy({ answers: [false] }, one, ...wrong);
  expect([no.exit, no.asked]).toEqual([1, [naming('anyway')]]);
  expect(await add(one, ...wrong, '--dry-run')).toMatchObject({ exit: 1, out: naming('wrong-password') });
  expect((await loadConfig(one.config)).gameServers.get('main')?.kind).toBe('practice');
  expect(await addBy({ answers: ['not-its-password', PASSWORD] }, one, ...words)).toMatchObject({
    ...{ exit: 0, asked: [naming('rcon.password'), naming('rcon.password')] },
    ...{ err: naming('[wrong-password]'), out: naming('ok', 'game-server') },
  });
  expect(await addBy({}, one, ...wrong, '--yes')).toMatchObject({ exit: 0, asked: [] });
});

test('game-servers add says how many grants on the practice server it holds, if there are any', async () => {
  const one = desk({ gameServers: { main: { kind: 'practice', autoJoin: false } } });
  expect((await write(one, 'main', ...REPLACE, '--dry-run')).err).not.toContain('held');
  await one.run('votes', 'add', '--player', 'Steve', '--site', 'List');
  expect((await write(one, 'main', ...REPLACE, '--dry-run', '--json')).json).toMatchObject([{ waiting: 1 }]);
  expect((await write(one, 'main', ...REPLACE, '--dry-run')).err).toEqual(naming('1', 'main', 'held'));
});

test('game-servers add reloads the running Teller, which pays there from then on, and asks about other changes first', async () => {
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

test('the config with a game server with RCON has it in the place of the practice server of a first start, also under another name, and the rest stays as it was', async () => {
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
  const bare = `{ "sites": { "default": { "token": "${TOKEN}" } } }`;
  for (const [text, name, flags] of [
    [FIRST_START, 'survival', REPLACE],
    [bare, 'main', REPLACE],
    [bare, 'survival', []],
  ] as const) {
    const other = withText(text);
    expect((await write(other, name, ...flags, '--json')).json).toMatchObject([{ replaced: 'main' }]);
    expect(await serversIn(other)).toEqual([name]);
  }
});

test('the config with a game server with RCON has it beside the only one, on which rewards stay that named none, and those that name it are left alone', async () => {
  const commands = ['give {player} diamond 1'];
  const named = { servers: ['main'], commands };
  const one = desk({
    rewards: [
      { name: 'daily', commands },
      {
        firstOf: [
          { name: 'rare', if: { chance: '10%' }, commands },
          { name: 'common', ...named },
        ],
      },
      { name: 'everywhere', servers: 'all', commands },
    ],
    party: [{ name: 'crowd', every: 100, commands }],
  });
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
  const other = desk({ rewards: [{ name: 'daily', ...named }] });
  expect((await write(other, 'sky')).err).not.toContain('stay on');
  expect(await serversIn(other)).toEqual(['main', 'sky']);
});

const WITH_RCON = FIRST_START.replace(
  '{ "kind": "practice" }',
  '{ "kind": "rcon", "port": 9, "password": "file:data/secrets/main.rcon", "version": "1.21.4" }',
);
test('the config with a game server with RCON keeps what else it says about one with RCON that is replaced, and its file, but uses none that may hold another secret', async () => {
  for (const [text, name, file] of [
    [WITH_RCON, 'main', 'main.rcon'],
    // Its old file is not named any more.
    [WITH_RCON, 'sky', 'sky.rcon'],
    [FIRST_START, 'main', 'main.2.rcon'],
  ] as const) {
    const one = withText(text, { 'data/secrets/main.rcon': 'old-password' });
    const secret = (of: string) => readFileSync(join(one.folder, 'data/secrets', of), 'utf8');
    const { err } = await write(one, name, ...REPLACE);
    expect(secret(file)).toBe(`${PASSWORD}\n`);
    const [server] = (await loadConfig(one.config)).gameServers.values();
    expect(server).toMatchObject({ port: 25_575, ...(text === WITH_RCON ? { version: '1.21.4' } : {}) });
    if (file !== 'main.rcon') expect(secret('main.rcon')).toBe('old-password');
    if (name === 'sky') expect(err).toContain(join(one.folder, 'data/secrets/main.rcon'));
  }
});

const EVERY_FAULT = ['name', 'host', 'port', 'password', 'replaced'].map((part) => `game-server-${part}`);

test('game-servers add refuses what cannot be a game server, with all faults at once', async () => {
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
    [EVERY_FAULT, 'a! --host  --port -1 --replace x', '\n'],
  ] as const) {
    const words = [...line.split(' '), '--password-file', passwordFile(password)];
    const { exit, err } = await add(desk(), ...words);
    expect([line, exit, err]).toEqual([line, 2, naming(...codes, '[game-server-refused]')]);
  }
});

test('game-servers add refuses what would make the config wrong, such as a reward that is paid in practice or for real', async () => {
  const rewards = [{ name: 'daily', servers: 'where-online', commands: ['give {player} diamond 1'] }];
  const one = desk({ rewards });
  const before = readFileSync(one.config, 'utf8');
  expect(await write(one, 'sky')).toEqual(refused(2, 'rewards[0].servers', '[config-invalid]'));
  expect(readFileSync(one.config, 'utf8')).toBe(before);
  writeFileSync(one.config, '{ "listner": {} }');
  expect((await write(one, 'sky')).err).toContain('[config-invalid]');
});

test('game-servers add refuses to write if the config is changed meanwhile, and leaves no password behind', async () => {
  const one = desk();
  const { at } = await game();
  const changed = '{ "sites": {} }';
  const changing = { answers: [true], meanwhile: () => writeFileSync(one.config, changed) };
  const wrong = ['--password-file', passwordFile('another-password')];
  const { exit, err } = await addBy(changing, one, 'main', ...at, ...REPLACE, ...wrong);
  expect([exit, err]).toEqual([1, naming('[config-changed]')]);
  expect(readFileSync(one.config, 'utf8')).toBe(changed);
  expect(existsSync(join(one.folder, 'data/secrets'))).toBe(false);
});
