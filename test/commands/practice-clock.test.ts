import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, onTestFinished, test } from 'vitest';
import { explainCommand } from '../../src/commands/explain.ts';
import { practiceCommand } from '../../src/commands/practice.ts';
import { previewCommand } from '../../src/commands/preview.ts';
import { runCommand as runTeller } from '../../src/commands/run.ts';
import { sendCommand } from '../../src/commands/send.ts';
import { sitesCommand } from '../../src/commands/sites.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { Terminal } from '../../src/platform/terminal.ts';
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
  return { stop, listener, log: () => terminal.errLines.map((line) => JSON.parse(line)) };
}

/** What a command prints for scripts. */
async function rows(name: keyof typeof COMMANDS, config: string, ...words: string[]) {
  const terminal = fakeTerminal();
  const command: CommandUnknownOpts = COMMANDS[name](terminal);
  const { out } = await runCommand(command, terminal, [...words, '--json', '--config', config]);
  return JSON.parse(out);
}

const TOOLS = { clock: systemClock, random: systemRandom };
const COMMANDS = {
  explain: (terminal: Terminal) => explainCommand(terminal, systemClock),
  preview: (terminal: Terminal) => previewCommand(terminal, TOOLS.clock),
  send: (terminal: Terminal) => sendCommand(terminal, systemClock),
};

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

const SITES = { default: { token: TOKEN }, A: {} };

test('preview, send, explain and the log go by practice time', async () => {
  const { config } = configFolder({ sites: SITES });
  const { log } = await running(config, '--practice-clock');
  expect(await rows('send', config, '--player', 'Alex', '--service', 'A')).toMatchObject([
    { code: 'accepted' },
  ]);
  expect(await rows('preview', config, 'Alex', '--site', 'A')).toMatchObject([{ decision: 'cooldown' }]);
  await practiceClock(config, '2d');
  expect(await rows('preview', config, 'Alex', '--site', 'A')).toMatchObject([{ decision: 'rewarded' }]);
  expect(await rows('send', config, '--player', 'Alex', '--service', 'A')).toMatchObject([
    { code: 'accepted' },
  ]);
  const [first, second] = await rows('explain', config, 'Alex');
  expect([first.decision, second.decision, second.castAt]).toEqual([
    'rewarded',
    'rewarded',
    second.claimedAt,
  ]);
  expect(Date.parse(second.castAt) - Date.parse(first.castAt)).toBeGreaterThanOrEqual(2 * DAY);
  const votes = log().filter(({ code }) => code === 'rewarded');
  const apart = votes.map(({ time }, at) => Date.parse(time) - Date.parse([first, second][at].receivedAt));
  expect(apart).toHaveLength(2);
  for (const ms of apart) expect(Math.abs(ms)).toBeLessThan(60_000);
});

test('a Teller on real time is sent votes of real time, even if the clock of its data was moved before', async () => {
  const { config } = configFolder({ sites: SITES });
  await practiceClock(config, '2d');
  await running(config);
  expect(await rows('send', config, '--player', 'Alex', '--service', 'A')).toMatchObject([
    { code: 'accepted' },
  ]);
  const [vote] = await rows('explain', config, 'Alex');
  expect(vote.castAt).toBe(vote.claimedAt);
  expect(await rows('preview', config, 'Alex', '--site', 'A')).toMatchObject([{ decision: 'cooldown' }]);
});

test('another listener is sent votes of real time', async () => {
  const { config } = configFolder();
  await running(config, '--practice-clock');
  await practiceClock(config, '2d');
  const other = configFolder();
  const { listener } = await running(other.config);
  await rows('send', config, '--player', 'Alex', '--port', String(listener.port));
  const [vote] = await rows('explain', other.config, 'Alex');
  expect(vote.castAt).toBe(vote.claimedAt);
});
