import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { furnish, type Place } from '../kit/place.ts';
import { type Service, service } from '../kit/service.ts';
import { sendV2, TOKEN } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';

const DAY = 86_400_000;
const SITES = { default: { token: TOKEN }, A: {} };

const place = (more: object = {}): Place => furnish(temporaryFolder(), more);

const running = ({ config }: Place, ...flags: string[]): Promise<Service> =>
  service(['run', '--config', config, ...flags]);

const clock = (one: Place, ...words: string[]) => typedHere(one, 'practice', 'clock', ...words);

const offset = async (one: Place, ...words: string[]): Promise<number> =>
  (await clock(one, ...words, '--json')).json[0].offsetMs;

const rows = async (one: Place, ...words: string[]) => (await typedHere(one, ...words, '--json')).json;

const send = (one: Place) => rows(one, 'send', '--player', 'Alex', '--service', 'A');

test('shows the practice clock of a running Teller and moves it', async () => {
  const one = place();
  await running(one, '--practice-clock');
  expect(await offset(one)).toBe(0);
  const before = Date.now() + DAY;
  const moved = await clock(one, '24h');
  expect([moved.exit, moved.out]).toEqual([0, expect.stringMatching(/^\S+Z, 24 h ahead of real time\n?$/)]);
  expect(Date.parse(moved.out.split(',')[0] ?? '')).toBeGreaterThanOrEqual(before - 1_000);
  expect(await offset(one, '90m')).toBe(DAY + 5_400_000);
});

test('moves the clock of a stopped Teller, which starts that much later', async () => {
  const one = place();
  await (await running(one, '--practice-clock')).stop();
  expect(await offset(one, '3d')).toBe(3 * DAY);
  const stored = JSON.parse(readFileSync(join(one.folder, 'data/practice-clock.json'), 'utf8'));
  expect(stored).toEqual({ offsetMs: 3 * DAY });
  await running(one, '--practice-clock');
  expect(await offset(one)).toBe(3 * DAY);
});

test('a Teller on real time has no practice clock (practice-refused)', async () => {
  const one = place();
  await running(one);
  const { exit, err } = await clock(one, '24h');
  expect([exit, err]).toEqual([1, expect.stringContaining('[practice-refused]')]);
});

test('where rewards are real, time cannot be moved (practice-clock-refused)', async () => {
  const main = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'correct-horse' };
  const { exit, err } = await clock(place({ gameServers: { main } }), '24h');
  expect([exit, err]).toEqual([2, expect.stringContaining('[practice-clock-refused]')]);
});

test.each(['soon', '0h', '367d', '24'])('%s is not a step of the clock (usage)', async (step) => {
  const { exit, err } = await clock(place(), step);
  expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
});

test('more than ten years ahead is refused, running or stopped', async () => {
  const one = place();
  for (let year = 0; year < 10; year++) await clock(one, '366d');
  expect(await clock(one, '1d')).toMatchObject({ exit: 2 });
  await running(one, '--practice-clock');
  expect(await clock(one, '1d')).toMatchObject({ exit: 1 });
  expect(await offset(one)).toBe(3_660 * DAY);
});

test.each([
  '',
  '{',
  '[]',
  '{"offsetMs": "1"}',
  '{"offsetMs": -1}',
  '{"offsetMs": 1.5}',
  '{"offsetMs": 1e15}',
])('a practice clock file with %j is damaged (practice-clock-damaged)', async (text) => {
  const one = furnish(temporaryFolder({ 'data/practice-clock.json': text }));
  expect((await clock(one)).err).toContain('[practice-clock-damaged]');
});

test('commands go by practice time: of votes that came before their service was listed, those of its last 7 days are paid', async () => {
  const one = place({ sites: { default: { token: TOKEN } } });
  const { ready } = await running(one, '--practice-clock');
  const vote = (site: string, player: string) => sendV2(ready.listener.port, { player, site });
  for (const site of ['U1', 'U2']) expect(await vote(site, 'Alex')).toBe('ok');
  await clock(one, '8d');
  for (const site of ['U1', 'U2']) expect(await vote(site, 'Kim')).toBe('ok');
  await typedHere(one, 'sites', 'add', 'U2', '--yes');
  const decisions = async () =>
    (await rows(one, 'votes'))
      .map(({ player, decision }: { player: string; decision: string }) => `${player} ${decision}`)
      .toReversed();
  await expect.poll(decisions).toEqual(['Alex rewarded', 'Alex unlisted', 'Kim rewarded', 'Kim rewarded']);
});

test('preview, send, explain and the log go by practice time', async () => {
  const one = place({ sites: SITES });
  const { err } = await running(one, '--practice-clock');
  expect(await send(one)).toMatchObject([{ code: 'accepted' }]);
  expect(await rows(one, 'preview', 'Alex', '--site', 'A')).toMatchObject([{ decision: 'cooldown' }]);
  await clock(one, '2d');
  expect(await rows(one, 'preview', 'Alex', '--site', 'A')).toMatchObject([{ decision: 'rewarded' }]);
  expect(await send(one)).toMatchObject([{ code: 'accepted' }]);
  const [first, second] = await rows(one, 'explain', 'Alex');
  expect([first.decision, second.decision, second.castAt]).toEqual([
    'rewarded',
    'rewarded',
    second.claimedAt,
  ]);
  expect(Date.parse(second.castAt) - Date.parse(first.castAt)).toBeGreaterThanOrEqual(2 * DAY);
  const votes = err.map((line) => JSON.parse(line)).filter(({ code }) => code === 'rewarded');
  const apart = votes.map(({ time }, at) => Date.parse(time) - Date.parse([first, second][at].receivedAt));
  expect(apart).toHaveLength(2);
  for (const ms of apart) expect(Math.abs(ms)).toBeLessThan(60_000);
});

test('a Teller on real time is sent votes of real time, even if the clock of its data was moved before', async () => {
  const one = place({ sites: SITES });
  await clock(one, '2d');
  await running(one);
  expect(await send(one)).toMatchObject([{ code: 'accepted' }]);
  const [vote] = await rows(one, 'explain', 'Alex');
  expect(vote.castAt).toBe(vote.claimedAt);
  expect(await rows(one, 'preview', 'Alex', '--site', 'A')).toMatchObject([{ decision: 'cooldown' }]);
});

test('another listener is sent votes of real time', async () => {
  const [one, other] = [place(), place()];
  await running(one, '--practice-clock');
  await clock(one, '2d');
  const { ready } = await running(other);
  await rows(one, 'send', '--player', 'Alex', '--port', String(ready.listener.port));
  const [vote] = await rows(other, 'explain', 'Alex');
  expect(vote.castAt).toBe(vote.claimedAt);
});
