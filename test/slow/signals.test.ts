/** What ends Teller, however it was started, and what only stops it for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { apart } from '../kit/apart.ts';
import { type RconGame, rconGame } from '../kit/game.ts';
import { httpGame } from '../kit/http-game.ts';
import { furnish, type Place, rewrite } from '../kit/place.ts';
import { isListening } from '../kit/serve.ts';
import { sendV2 } from '../kit/vote.ts';
import { grantsIn } from '../kit/witness.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cloneFolder, installedFolder, typed } from '../support/npm.ts';
import { stopped } from '../support/processes.ts';

const SOON = { timeout: 20_000, interval: 50 };
const RUN = ['run', '--config', 'config.json'];

const rewards = [{ name: 'announcement', when: 'always', servers: 'all', commands: ['say {player} voted'] }];

/** A promise that the test resolves. */
function signal() {
  let give: () => void = () => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  return { give: () => give(), given };
}

/** A game server that answers a command only when the test says so. */
async function slowGame(): Promise<{ game: RconGame; asked: Promise<void>; answer: () => void }> {
  const [asked, answered] = [signal(), signal()];
  const game = await rconGame({}, async (command) => {
    if (!command.startsWith('say')) return undefined;
    asked.give();
    await answered.given;
    return 'said';
  });
  return { game, asked: asked.given, answer: answered.give };
}

/** `main delivered` for each grant. */
const statesIn = async (place: Place): Promise<readonly string[]> =>
  (await grantsIn(place)).map(({ server, state }) => `${server} ${state}`).toSorted();

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
    const { game, asked, answer } = await slowGame();
    const place = await folderOf({ gameServers: { main: game.entry }, rewards });
    const terminal = await typed('script', ['-qfec', command, '/dev/null'], place.folder);
    expect(await sendV2(terminal.port, { player: 'Steve' })).toBe('ok');
    await asked;
    terminal.process.kill('SIGKILL');
    await expect.poll(() => isListening(terminal.port), SOON).toBe(false);
    answer();
    await expect.poll(() => statesIn(place), SOON).toEqual(['main delivered']);
    expect(game.ran).toEqual(['say Steve voted']);
  },
);

test('SIGHUP without a terminal reloads the config and does not stop the process', async () => {
  const place = installedFolder();
  const teller = await apart(place);
  rewrite(place, { log: { level: 'debug' } });
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

test('a reply that comes after 1.5 s of a stop of 12 s makes its command delivered, with a timeout of 10 s', async () => {
  const { game, asked, answer } = await slowGame();
  const [web, webAsked, webAnswered] = [await httpGame(), signal(), signal()];
  web.answer(async () => {
    webAsked.give();
    await webAnswered.given;
    return { status: 204 };
  });
  const gameServers = { survival: game.entry, website: web.entry };
  const place = furnish(temporaryFolder(), { gameServers, rewards });
  const teller = await apart(place);
  expect(await teller.vote({ player: 'Steve' })).toBe('ok');
  await Promise.all([asked, webAsked.given]);

  await stopped(teller.process);
  await sleep(1_500);
  answer();
  webAnswered.give();
  await sleep(10_500);
  teller.process.kill('SIGCONT');
  await expect.poll(() => statesIn(place), SOON).toEqual(['survival delivered', 'website delivered']);
});
