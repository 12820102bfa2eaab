import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pauseCommand } from '../../src/commands/pause.ts';
import { runCommand as runTeller } from '../../src/commands/run.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { reloadRunning } from '../../src/operator/reload.ts';
import { accountName } from '../../src/platform/account.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { whoListens } from '../../src/platform/listen.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { type Ran, runCommand } from '../commands/run-command.ts';
import { configFolder, writeConfig } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { SettableClock } from '../support/settable-clock.ts';

/** Starts Teller and stops it as soon as it is ready. */
function startAndStop(words: readonly string[]): Promise<Ran> {
  const terminal = fakeTerminal();
  const parts = { clock: systemClock, random: systemRandom, stopped: async () => {}, teller: 'teller' };
  return runCommand(runTeller(terminal, parts), terminal, words);
}

const withConfig = (config: string, ...words: string[]): Promise<Ran> =>
  startAndStop(['--config', config, ...words]);

function inFolder(folder: string): void {
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
}

/** Every refusal is one sentence with its code, without a stack trace. */
function expectRefusal({ exit, out, err }: Ran, code: string, expectedExit: 1 | 2): void {
  expect(err).toContain(`[${code}]`);
  expect(err).not.toMatch(/\n\s+at /);
  expect(exit).toBe(expectedExit);
  expect(out).toBe('');
}

test('prints one ready line on standard output, whatever the log level', async () => {
  const { config } = configFolder({ log: { level: 'silent' } });
  const { exit, out, err } = await withConfig(config);
  expect(JSON.parse(out)).toEqual({
    msg: 'ready',
    practice: true,
    listener: { host: '127.0.0.1', port: expect.any(Number) },
    practiceServer: { host: '127.0.0.1', port: expect.any(Number) },
  });
  expect(err).toBe('');
  expect(exit).toBe(0);
});

test('the ready line says what is paused, since when and by whom; a pause survives restarts', async () => {
  const { config } = configFolder({ log: { level: 'silent' } });
  await withConfig(config);
  const terminal = fakeTerminal();
  await runCommand(pauseCommand(terminal, new SettableClock('2026-06-01T12:00:00Z')), terminal, [
    '--config',
    config,
  ]);
  const pause = { server: null, reward: null, at: '2026-06-01T12:00:00.000Z', by: accountName() };
  for (const _ of [1, 2]) {
    const { out } = await withConfig(config);
    expect(JSON.parse(out)).toMatchObject({ msg: 'ready', paused: [pause] });
  }
});

test('the ready line and a warning say that nothing is paid in shadow, and the line says from when votes are paid', async () => {
  const { config } = configFolder({ pay: { mode: 'shadow' } });
  const { out, err } = await withConfig(config, '--format', 'json');
  expect(JSON.parse(out)).toMatchObject({ msg: 'ready', pay: 'shadow' });
  expect(err).toContain('"code":"shadow"');
  writeConfig(config, { log: { level: 'silent' }, pay: { from: '2026-12-01T18:00Z' } });
  expect(JSON.parse((await withConfig(config)).out)).toMatchObject({ payFrom: '2026-12-01T18:00:00.000Z' });
});

test('without a config creates one, with a token and a key pair of mode 0600, and says what to paste', async () => {
  const folder = temporaryFolder();
  inFolder(folder);
  // The first config has the fixed port 8192, so an unusable ledger ends the start before it listens.
  mkdirSync(join(folder, 'data/teller.db'), { recursive: true });
  const { err } = await startAndStop([]);
  expect(existsSync(join(folder, 'config.json'))).toBe(true);
  expect(existsSync(join(folder, 'config.schema.json'))).toBe(true);
  for (const secret of ['data/secrets/default.token', 'data/keys/private.key']) {
    expect(statSync(join(folder, secret)).mode & 0o777).toBe(0o600);
  }
  expect(err).toContain(readFileSync(join(folder, 'data/keys/public.key'), 'utf8').trim());
  expect(err).toContain('teller keys');
  expect(err).not.toContain(readFileSync(join(folder, 'data/secrets/default.token'), 'utf8').trim());
});

async function takenPort(): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('exits 2 for a config that does not exist', async () => {
  expectRefusal(await withConfig(join(temporaryFolder(), 'mine.json')), 'config-missing', 2);
});

test('reports a port in use, with the likely program and the key to change', async () => {
  const port = await takenPort();
  const { config } = configFolder({ listener: { host: '127.0.0.1', port } });
  const ran = await withConfig(config);
  expectRefusal(ran, 'port-in-use', 1);
  expect(ran.err).toContain(`127.0.0.1:${port}`);
  expect(ran.err).toContain('Votifier');
  expect(ran.err).toContain('listener.port');
});

test('--wait-port waits for a port in use until it is asked to stop, and names the command that shows who has it', async () => {
  const port = await takenPort();
  const { config } = configFolder({ listener: { host: '127.0.0.1', port } });
  const terminal = fakeTerminal();
  const stopped = () => expect.poll(() => terminal.errLines.join()).toContain('"code":"port-wait"');
  const parts = { clock: systemClock, random: systemRandom, stopped, teller: 'teller' };
  const words = ['--config', config, '--wait-port', '--json'];
  const { exit, out, err } = await runCommand(runTeller(terminal, parts), terminal, words);
  expect({ exit, out }).toEqual({ exit: 0, out: '' });
  expect(err).toContain(whoListens(port));
});

test('--wait-port does not delay a start on a free port', async () => {
  const { config } = configFolder({ log: { level: 'silent' } });
  const { exit, out } = await withConfig(config, '--wait-port');
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ msg: 'ready' });
});

test('refuses an address that does not belong to this machine', async () => {
  const { config } = configFolder({ listener: { host: '192.0.2.1', port: 0 } });
  expectRefusal(await withConfig(config), 'port-not-allowed', 1);
});

test('refuses a link-local address without its network interface', async () => {
  const { config } = configFolder({ listener: { host: 'fe80::1', port: 0 } });
  const ran = await withConfig(config);
  expectRefusal(ran, 'port-not-allowed', 1);
  expect(ran.err).toContain('[fe80::1]:0');
});

test('refuses a data folder that cannot be created', async () => {
  const { folder, config } = configFolder({ ledger: 'not-a-folder/teller.db' });
  writeFileSync(join(folder, 'not-a-folder'), 'a file');
  expectRefusal(await withConfig(config), 'data-unwritable', 1);
});

test('refuses a lock that is a folder', async () => {
  const { config, ledger } = configFolder();
  mkdirSync(`${ledger}.lock`, { recursive: true });
  expectRefusal(await withConfig(config), 'data-unwritable', 1);
});

test('refuses a ledger that is a folder', async () => {
  const { config, ledger } = configFolder();
  mkdirSync(ledger, { recursive: true });
  expectRefusal(await withConfig(config), 'data-unwritable', 1);
});

test('refuses a ledger that is not a database, and leaves it unchanged', async () => {
  const { config, ledger } = configFolder();
  writeFileSync(
    ledger,
    'no database at all, but long enough to be read as the header of one, or so it would seem'.repeat(20),
  );
  expectRefusal(await withConfig(config), 'ledger-corrupt', 1);
  expect(readFileSync(ledger, 'utf8')).toMatch(/^no database at all/);
});

test('refuses a ledger of a newer Teller', async () => {
  const { config, ledger } = configFolder();
  openDatabase(ledger, { ...ledgerSchema, version: ledgerSchema.version + 1 }, 'create').close();
  expectRefusal(await withConfig(config), 'ledger-newer', 1);
});

test('refuses a key file without a key', async () => {
  const { folder, config } = configFolder();
  mkdirSync(join(folder, 'data/keys'), { recursive: true });
  writeFileSync(join(folder, 'data/keys/public.key'), 'hello');
  writeFileSync(join(folder, 'data/keys/private.key'), 'hello');
  expectRefusal(await withConfig(config), 'key-invalid', 2);
});

test('refuses an example token', async () => {
  const { config } = configFolder({ sites: { default: { token: 'changeme' } } });
  expectRefusal(await withConfig(config), 'secret-placeholder', 2);
});

test('reports all problems of a config at once, with place and suggestion', async () => {
  const { config } = configFolder({
    listner: {},
    rewards: [{ name: 'x', commands: ['give {palyer} dirt'] }],
  });
  const ran = await withConfig(config);
  expectRefusal(ran, 'config-unknown-key', 2);
  expect(ran.err).toContain('listener');
  expect(ran.err).toContain('{player}');
});

test('keeps running with a wrong RCON password or an unreachable game server', async () => {
  const unreachable = { kind: 'rcon', host: '127.0.0.1', port: await takenPort(), password: 'wrong' };
  const { config } = configFolder({ gameServers: { main: unreachable } });
  const { exit, out } = await withConfig(config);
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ msg: 'ready', practice: false });
});

test.each([
  [['--format', 'text'], {}],
  [[], { log: { format: 'text' } }],
])('writes the log as sentences without a terminal for %j with %j', async (words, overrides) => {
  const { config } = configFolder(overrides);
  const { err } = await withConfig(config, ...words);
  expect(err).toMatch(/^\S+Z {2}warn {3}\S.*\bpractice\b/m);
});

test('refuses an unknown log format', async () => {
  const { config } = configFolder();
  expectRefusal(await withConfig(config, '--format', 'yaml'), 'usage', 2);
});

test('with a practice clock, a reload that adds a real game server is refused and the previous config stays', async () => {
  const { config, ledger } = configFolder();
  const terminal = fakeTerminal();
  let stop: () => void = () => {};
  const stopped = () => new Promise<void>((resolve) => (stop = resolve));
  const parts = { clock: systemClock, random: systemRandom, stopped, teller: 'teller' };
  const ended = runCommand(runTeller(terminal, parts), terminal, ['--config', config, '--practice-clock']);
  await expect.poll(() => terminal.outLines).toHaveLength(1);

  const real = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'correct-horse' };
  writeConfig(config, { gameServers: { main: real } });
  expect(await reloadRunning(ledger)).toMatchObject([
    { reply: { kind: 'refused', code: 'practice-clock-refused' } },
  ]);

  stop();
  expect((await ended).exit).toBe(0);
});
