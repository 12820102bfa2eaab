import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gameServersCommand } from '../../src/commands/game-servers.ts';
import { loadConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { configFolder, writeConfig } from '../support/config-folder.ts';
import { controlledApp } from '../support/controlled.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { operator } from './operator.ts';
import { runCommand } from './run-command.ts';

interface Person {
  readonly interactive?: boolean;
  readonly answer?: boolean;
  /** One after another; the last one again and again. */
  readonly types?: string | null | readonly string[];
}

/** Runs the command as this person; the questions that they are asked are in `asked`, those for a password in `secrets`. */
async function add(config: string, words: readonly string[], person: Person = {}) {
  const terminal = fakeTerminal(person.interactive ?? false);
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return person.answer ?? false;
  };
  const tools = { clock: systemClock, random: systemRandom };
  const secrets: string[] = [];
  const typed = [person.types ?? null].flat();
  const askSecret = async (question: string) => {
    secrets.push(question);
    return (typed.length > 1 ? typed.shift() : typed[0]) ?? null;
  };
  const command = gameServersCommand(terminal, tools, ask, askSecret);
  const ran = await runCommand(command, terminal, ['add', ...words, '--config', config]);
  return { ...ran, asked, secrets };
}

const passwordFile = (text = `${PASSWORD}\n`): string =>
  join(temporaryFolder({ password: text }), 'password');

const at = ({ host, port }: { host: string; port: number }) => ['--host', host, '--port', String(port)];

describe('game-servers add', () => {
  test('tries the game server, shows the lines that change, writes them and the password', async () => {
    const server = await practice();
    const { config, folder } = configFolder();
    const words = ['main', ...at(server), '--password-file', passwordFile(), '--replace', 'main'];
    const { exit, out, err } = await add(config, words);
    expect(exit).toBe(0);
    expect(out.split('\n')).toEqual(
      expect.arrayContaining([naming(/^- .*practice/), naming(/^\+ .*"rcon"/), naming('ok', 'game-server')]),
    );
    expect(err).toContain(join(folder, 'data/secrets/main.rcon'));
    expect(out + err).not.toContain(PASSWORD);
    expect((await loadConfig(config)).gameServers.get('main')).toMatchObject({
      kind: 'rcon',
      port: server.port,
    });
  });

  test('asks for the password at a terminal, and changes nothing if none is typed', async () => {
    const server = await practice();
    const { config } = configFolder();
    const words = ['main', ...at(server), '--replace', 'main'];
    expect(await add(config, words, { interactive: true, types: null })).toMatchObject({ exit: 1 });
    expect(await add(config, words)).toMatchObject({ exit: 2, err: naming('--password-file') });
    expect(await add(config, words, { interactive: true, types: PASSWORD })).toMatchObject({ exit: 0 });
  });

  test('with --dry-run shows the same and writes nothing', async () => {
    const server = await practice();
    const { config, folder } = configFolder();
    const before = readFileSync(config, 'utf8');
    const words = [
      'main',
      ...at(server),
      '--password-file',
      passwordFile(),
      '--replace',
      'main',
      '--dry-run',
    ];
    const { exit, out } = await add(config, words);
    expect([exit, out]).toEqual([0, naming('"rcon"', 'game-server')]);
    const [json] = JSON.parse((await add(config, [...words, '--json'])).out);
    expect(json).toMatchObject({
      name: 'main',
      replaced: 'main',
      isWritten: false,
      findings: [{ mark: 'ok' }],
    });
    expect([readFileSync(config, 'utf8'), existsSync(join(folder, 'data/secrets'))]).toEqual([before, false]);
  });

  test('asks before it writes a game server that does not accept the password', async () => {
    const server = await practice();
    const { config } = configFolder();
    const wrong = passwordFile('another-password');
    const words = ['main', ...at(server), '--password-file', wrong, '--replace', 'main'];
    const refused = await add(config, words, { interactive: true, answer: false });
    expect([refused.exit, refused.asked]).toEqual([1, [naming('anyway')]]);
    expect((await loadConfig(config)).gameServers.get('main')?.kind).toBe('practice');
    expect(await add(config, [...words, '--dry-run'])).toMatchObject({
      exit: 1,
      out: naming('wrong-password'),
    });
    expect(await add(config, [...words, '--yes'])).toMatchObject({ exit: 0, asked: [] });
  });

  test('asks for a typed password again if the game server refuses it, and in the end whether to write it anyway', async () => {
    const server = await practice();
    const { config } = configFolder();
    const words = ['main', ...at(server), '--replace', 'main'];
    const person = { interactive: true, types: ['not-its-password', PASSWORD] };
    expect(await add(config, [...words, '--dry-run'], person)).toMatchObject({
      ...{ exit: 0, secrets: [naming('rcon.password'), naming('rcon.password')] },
      ...{ err: naming('[wrong-password]'), out: naming('ok', 'game-server') },
    });
    const never = await add(config, words, { ...person, types: 'not-its-password' });
    expect([never.exit, never.secrets.length, never.asked]).toEqual([1, 3, [naming('anyway')]]);
  });

  test('says how many grants on the practice server it holds, if there are any', async () => {
    const one = await operator({ gameServers: { main: { kind: 'practice', autoJoin: false } } });
    const words = [
      'main',
      ...['--password-file', passwordFile(), '--replace', 'main', '--no-try', '--dry-run'],
    ];
    expect((await add(one.config, words)).err).not.toContain('held');
    await one.vote('Steve', 'List');
    const [json] = JSON.parse((await add(one.config, [...words, '--json'])).out);
    const owed = await one.ledger.grants({ server: 'main', limit: 9 });
    expect([json.waiting, owed.length > 0]).toEqual([owed.length, true]);
    expect((await add(one.config, words)).err).toEqual(naming(String(owed.length), 'main', 'held'));
  });

  test('with --no-try contacts no game server', async () => {
    const { config } = configFolder();
    const words = ['main', '--port', '9', '--password-file', passwordFile(), '--replace', 'main', '--no-try'];
    expect(await add(config, words)).toMatchObject({ exit: 0, asked: [] });
  });

  test('lists every fault of what was typed, with its code', async () => {
    const { config } = configFolder();
    const words = ['main', '--port', 'many', '--password-file', passwordFile('\n')];
    const { exit, err } = await add(config, words);
    expect([exit, err]).toEqual([
      2,
      naming('game-server-taken', 'game-server-port', 'game-server-password', '[game-server-refused]'),
    ]);
  });

  test('leaves rewards that name no game server where they are, and says so', async () => {
    const { config } = configFolder({ rewards: [{ name: 'daily', commands: ['give {player} diamond 1'] }] });
    const { exit, err } = await add(config, ['sky', '--password-file', passwordFile(), '--no-try']);
    expect([exit, err]).toEqual([0, naming('stay on main')]);
    expect((await loadConfig(config)).rewards).toMatchObject([{ name: 'daily', servers: ['main'] }]);
  });

  test('says which rewards would be wrong with the game server', async () => {
    const rewards = [{ name: 'daily', servers: 'where-online', commands: ['give {player} diamond 1'] }];
    const { config } = configFolder({ rewards });
    const { exit, err } = await add(config, ['sky', '--password-file', passwordFile(), '--no-try']);
    expect([exit, err]).toEqual([2, naming('rewards[0].servers', '[config-invalid]')]);
  });

  test('reloads the running Teller, which pays there from then on, and asks about other changes first', async () => {
    const server = await practice();
    const { config, app } = await controlledApp();
    const words = ['main', ...at(server), '--password-file', passwordFile(), '--replace', 'main'];
    const { exit, out } = await add(config, words);
    expect(exit).toBe(0);
    // Not the defaults of its kind, which the operator never wrote.
    const reloaded = out.split('\n').slice(out.split('\n').findIndex((line) => line.startsWith('Teller')));
    expect(reloaded).toEqual([naming(String(process.pid)), naming('gameServers.main.kind', 'changed')]);
    expect(app.config.gameServers.get('main')?.kind).toBe('rcon');
    writeConfig(config, { gameServers: { main: { kind: 'practice' } }, rewards: [] });
    const asked = await add(config, words, { interactive: true, answer: false });
    expect([asked.exit, asked.asked]).toEqual([1, [naming('also applies')]]);
  });
});
