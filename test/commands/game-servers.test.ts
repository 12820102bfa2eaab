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
import { MANAGEMENT_SECRET, managementServer } from '../support/management.ts';
import { naming } from '../support/naming.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { runCommand } from './run-command.ts';

interface Person {
  readonly interactive?: boolean;
  readonly answer?: boolean;
  readonly types?: string | null;
}

/** Runs the command as this person; the questions that they are asked are in `asked`. */
async function add(config: string, words: readonly string[], person: Person = {}) {
  const terminal = fakeTerminal(person.interactive ?? false);
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return person.answer ?? false;
  };
  const tools = { clock: systemClock, random: systemRandom };
  const command = gameServersCommand(terminal, tools, ask, async () => person.types ?? null);
  const ran = await runCommand(command, terminal, ['add', ...words, '--config', config]);
  return { ...ran, asked };
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

  test('with --no-try contacts no game server', async () => {
    const { config } = configFolder();
    const words = ['main', '--port', '9', '--password-file', passwordFile(), '--replace', 'main', '--no-try'];
    expect(await add(config, words)).toMatchObject({ exit: 0, asked: [] });
  });

  test('with --management-port, tries and writes what makes the game server report joins', async () => {
    const server = await practice();
    const management = await managementServer();
    const { config, folder } = configFolder();
    const words = [
      ...['main', ...at(server), '--password-file', passwordFile(), '--replace', 'main'],
      ...['--management-port', String(management.port)],
      ...['--management-secret-file', passwordFile(`${MANAGEMENT_SECRET}\n`)],
    ];
    const [json] = JSON.parse((await add(config, [...words, '--dry-run', '--json'])).out);
    expect(json).toMatchObject({
      findings: [{ code: 'game-server' }, { mark: 'ok', code: 'joins' }],
      management: { url: management.url, unusedFile: null },
    });
    const { exit, out, err } = await add(config, words);
    expect([exit, out]).toEqual([0, naming(management.url, 'joins')]);
    expect(err).toContain(join(folder, 'data/secrets/main.management'));
    expect(out + err).not.toContain(MANAGEMENT_SECRET);
    expect((await loadConfig(config)).gameServers.get('main')).toMatchObject({ management: management.url });
  });

  test('asks before it writes a game server that does not report joins, although they were asked for', async () => {
    const server = await practice();
    const management = await managementServer();
    const { config } = configFolder();
    const words = [
      ...['main', ...at(server), '--password-file', passwordFile(), '--replace', 'main'],
      ...['--management-port', String(management.port)],
    ];
    const wrong = { interactive: true, answer: false, types: 'not-its-secret' };
    expect(await add(config, words, wrong)).toMatchObject({
      ...{ exit: 1, asked: [naming('joins', 'anyway')], out: naming('management-wrong-secret') },
    });
    expect((await loadConfig(config)).gameServers.get('main')?.kind).toBe('practice');
    expect(await add(config, [...words, '--dry-run'], wrong)).toMatchObject({ exit: 1, asked: [] });
    expect(await add(config, words)).toMatchObject({ exit: 2, err: naming('--management-secret-file') });
  });

  test('refuses flags of the management protocol without its port, and names a certificate from the present folder', async () => {
    const { config, folder } = configFolder();
    const words = ['main', '--password-file', passwordFile(), '--replace', 'main', '--no-try'];
    expect(await add(config, [...words, '--management-tls'])).toMatchObject({
      ...{ exit: 2, err: naming('--management-port') },
    });
    const managed = [
      ...['--management-port', '25585', '--management-secret-file', passwordFile(MANAGEMENT_SECRET)],
      ...['--management-tls', '--management-certificate', join(folder, 'management.pem')],
    ];
    expect(await add(config, [...words, ...managed])).toMatchObject({ exit: 0 });
    const { gameServers } = JSON.parse(readFileSync(config, 'utf8'));
    expect(gameServers.main).toMatchObject({
      ...{ management: 'wss://127.0.0.1:25585', managementCertificate: 'management.pem' },
    });
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
    expect([exit, out]).toEqual([0, naming(String(process.pid), 'gameServers.main')]);
    expect(app.config.gameServers.get('main')?.kind).toBe('rcon');
    writeConfig(config, { gameServers: { main: { kind: 'practice' } }, rewards: [] });
    const asked = await add(config, words, { interactive: true, answer: false });
    expect([asked.exit, asked.asked]).toEqual([1, [naming('also applies')]]);
  });
});
