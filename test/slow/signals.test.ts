import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { lookInto, TOKEN, writeConfig } from '../support/config-folder.ts';
import { cloneFolder, installedFolder, isListening, typed } from '../support/npm.ts';
import { startTeller } from '../support/processes.ts';
import { answer, scripted } from '../support/rcon.ts';

const SOON = { timeout: 20_000, interval: 50 };
const RUN = ['run', '--config', 'config.json'];

const rewards = [{ name: 'announcement', when: 'always', commands: ['say {player} voted'] }];

/** A game server that answers a command only when the test says so. */
async function slowServer() {
  const commands: string[] = [];
  let release: () => void = () => {};
  const { host, port } = await scripted((packet, socket) => {
    if (packet.type === 3) return answer(socket, packet.id, '', 2);
    if (packet.body.includes('list'))
      return answer(socket, packet.id, 'There are 0 of a max of 20 players online: ');
    commands.push(packet.body);
    release = () => answer(socket, packet.id, 'said');
  });
  const gameServers = { main: { kind: 'rcon', host, port, password: 'correct-horse' } };
  return { overrides: { gameServers, rewards }, commands, release: () => release() };
}

const voteAt = (port: number) =>
  sendVote(
    { serviceName: 'List', username: 'Steve', address: '192.0.2.1', timestamp: String(systemClock.now()) },
    { host: '127.0.0.1', port, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

describe.each([
  ['npm start', () => cloneFolder(), ['npm', 'start']],
  ['node dist/cli.js run', () => cloneFolder(), [process.execPath, 'dist/cli.js', ...RUN]],
  ['npx teller run', () => installedFolder(), ['npx', '--no-install', 'teller', ...RUN]],
  ['teller run', () => installedFolder(), [process.execPath, 'node_modules/.bin/teller', ...RUN]],
] as const)('Teller started by `%s`', (_, folderOf, [program, ...args]) => {
  test('stops and frees its port when that process gets SIGTERM', async () => {
    const { folder } = await folderOf();
    const started = await typed(program, args, folder);
    expect(await isListening(started.port)).toBe(true);

    started.process.kill('SIGTERM');

    await expect.poll(() => isListening(started.port), SOON).toBe(false);
    await expect.poll(() => started.output(), SOON).toContain('"code":"ending"');
  });
});

test.each([
  ['teller run', installedFolder, `'${process.execPath}' node_modules/.bin/teller ${RUN.join(' ')}`],
  ['npm start', cloneFolder, 'npm start'],
] as const)(
  'when the terminal of `%s` closes, the command in progress finishes and its outcome is stored',
  async (_, folderOf, command) => {
    const { overrides, commands, release } = await slowServer();
    const { folder, ledger } = await folderOf(overrides);
    const terminal = await typed('script', ['-qfec', command, '/dev/null'], folder);
    await voteAt(terminal.port);
    await expect.poll(() => commands, SOON).toEqual(['say Steve voted']);

    terminal.process.kill('SIGKILL');
    await expect.poll(() => isListening(terminal.port), SOON).toBe(false);
    release();

    const states = async () => (await lookInto(ledger).grants({ limit: 9 })).map(({ state }) => state);
    await expect.poll(states, SOON).toEqual(['delivered']);
  },
);

test('SIGHUP without a terminal reloads the config and does not stop the process', async () => {
  const { folder, config } = installedFolder();
  const teller = await startTeller(RUN, folder);
  writeConfig(config, { log: { level: 'debug' } });

  teller.process.kill('SIGHUP');

  await expect.poll(() => teller.log(), SOON).toContain('"code":"reloaded"');
  expect(await isListening(teller.ready.listener.port)).toBe(true);
  expect(await teller.stop()).toBe(0);
});

test('Ctrl-C, which Teller receives from the terminal and again from npm, stops it cleanly', async () => {
  const { folder } = await cloneFolder();
  const started = await typed('npm', ['start'], folder);
  process.kill(-(started.process.pid ?? 0), 'SIGINT');
  await expect.poll(() => isListening(started.port), SOON).toBe(false);
  await expect.poll(() => started.output(), SOON).toContain('"code":"ending"');
});
