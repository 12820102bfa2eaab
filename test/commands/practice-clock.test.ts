import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { practiceCommand } from '../../src/commands/practice.ts';
import { runCommand as runTeller } from '../../src/commands/run.ts';
import { sitesCommand } from '../../src/commands/sites.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import type { TellerReady } from '../support/processes.ts';
import { type Ran, runCommand } from './run-command.ts';

const DAY = 86_400_000;

/** Runs `teller practice clock`. */
function practiceClock(config: string, ...words: string[]): Promise<Ran> {
  const terminal = fakeTerminal();
  const parts = { clock: systemClock, random: systemRandom, stopped: async () => {}, teller: 'teller' };
  return runCommand(practiceCommand(terminal, parts), terminal, ['clock', ...words, '--config', config]);
}

/** Runs `teller run` until it is stopped. */
async function running(config: string, ...words: string[]) {
  const terminal = fakeTerminal();
  let end: () => void = () => {};
  const stopped = () => new Promise<void>((resolve) => (end = resolve));
  const parts = { clock: systemClock, random: systemRandom, stopped, teller: 'teller' };
  const ended = runCommand(runTeller(terminal, parts), terminal, ['--config', config, ...words]);
  await expect.poll(() => terminal.outLines).toHaveLength(1);
  const stop = async () => {
    end();
    await ended;
  };
  onTestFinished(stop);
  const { listener } = JSON.parse(terminal.outLines[0] as string) as TellerReady;
  return { stop, listener };
}

const offset = async (config: string, ...words: string[]): Promise<number> =>
  JSON.parse((await practiceClock(config, '--json', ...words)).out)[0].offsetMs;

test('shows the practice clock of a running Teller and moves it', async () => {
  const { config } = configFolder();
  await running(config, '--practice-clock');
  expect(await offset(config)).toBe(0);
  const before = Date.now() + DAY;
  const moved = await practiceClock(config, '24h');
  expect([moved.exit, moved.out]).toEqual([0, expect.stringMatching(/^\S+Z, 24 h ahead of real time\n?$/)]);
  expect(Date.parse(moved.out.split(',')[0] as string)).toBeGreaterThanOrEqual(before - 1_000);
  expect(await offset(config, '90m')).toBe(DAY + 5_400_000);
});

test('moves the clock of a stopped Teller, which starts that much later', async () => {
  const { config, folder } = configFolder();
  const { stop } = await running(config, '--practice-clock');
  await stop();
  expect(await offset(config, '3d')).toBe(3 * DAY);
  const stored = JSON.parse(readFileSync(join(folder, 'data/practice-clock.json'), 'utf8'));
  expect(stored).toEqual({ offsetMs: 3 * DAY });
  await running(config, '--practice-clock');
  expect(await offset(config)).toBe(3 * DAY);
});

test('a Teller on real time has no practice clock (practice-refused)', async () => {
  const { config } = configFolder();
  await running(config);
  const { exit, err } = await practiceClock(config, '24h');
  expect([exit, err]).toEqual([1, expect.stringContaining('[practice-refused]')]);
});

test('where rewards are real, time cannot be moved (practice-clock-refused)', async () => {
  const real = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'correct-horse' };
  const { config } = configFolder({ gameServers: { main: real } });
  const { exit, err } = await practiceClock(config, '24h');
  expect([exit, err]).toEqual([2, expect.stringContaining('[practice-clock-refused]')]);
});

test.each(['soon', '0h', '367d', '24'])('%s is not a step of the clock (usage)', async (step) => {
  const { config } = configFolder();
  const { exit, err } = await practiceClock(config, step);
  expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
});

test('more than ten years ahead is refused, running or stopped', async () => {
  const { config } = configFolder();
  for (let year = 0; year < 10; year++) await practiceClock(config, '366d');
  expect(await practiceClock(config, '1d')).toMatchObject({ exit: 2 });
  await running(config, '--practice-clock');
  expect(await practiceClock(config, '1d')).toMatchObject({ exit: 1 });
  expect(await offset(config)).toBe(3_660 * DAY);
});

test('commands go by practice time: of votes that came before their service was listed, those of its last 7 days are paid', async () => {
  const { config, ledger } = configFolder();
  const { listener } = await running(config, '--practice-clock');
  const vote = (serviceName: string, username: string) => {
    const wire = { serviceName, username, address: '', timestamp: String(Date.now()) };
    const to = { ...listener, auth: { version: 'v2', token: TOKEN } } as const;
    return sendVote(wire, to, { clock: systemClock });
  };
  for (const service of ['U1', 'U2']) expect((await vote(service, 'Alex')).code).toBe('accepted');
  await practiceClock(config, '8d');
  for (const service of ['U1', 'U2']) expect((await vote(service, 'Kim')).code).toBe('accepted');
  const terminal = fakeTerminal();
  const listing = sitesCommand(terminal, systemClock);
  await runCommand(listing, terminal, ['add', 'U2', '--yes', '--config', config]);
  const look = lookInto(ledger);
  const decisions = async () =>
    (await look.votes({ limit: 9 })).map(({ player, decision }) => `${player} ${decision}`).toReversed();
  await expect.poll(decisions).toEqual(['Alex rewarded', 'Alex unlisted', 'Kim rewarded', 'Kim rewarded']);
});
