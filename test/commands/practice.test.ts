import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { check } from '../kit/check.ts';
import { here } from '../kit/here.ts';
import { furnish, type Place } from '../kit/place.ts';
import { type Service, service } from '../kit/service.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';

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

test('shows the practice clock of a running Teller and moves it, or that of a stopped one, which starts that much later', async () => {
  const one = place();
  const first = await running(one, '--practice-clock');
  expect(await offset(one)).toBe(0);
  const before = Date.now() + DAY;
  const moved = await clock(one, '24h');
  expect([moved.exit, moved.out]).toEqual([0, expect.stringMatching(/^\S+Z, 24 h ahead of real time\n?$/)]);
  expect(Date.parse(moved.out.split(',')[0] ?? '')).toBeGreaterThanOrEqual(before - 1_000);
  expect(await offset(one, '90m')).toBe(DAY + 5_400_000);
  await first.stop();
  const offsetMs = 4 * DAY + 5_400_000;
  expect(await offset(one, '3d')).toBe(offsetMs);
  const stored = readFileSync(join(one.folder, 'data/practice-clock.json'), 'utf8');
  expect(JSON.parse(stored)).toEqual({ offsetMs });
  await running(one, '--practice-clock');
  expect(await offset(one)).toBe(offsetMs);
});

test('a step is no longer than 366 days (usage), and where rewards are real, time cannot be moved (practice-clock-refused)', async () => {
  for (const step of ['soon', '0h', '367d', '24'])
    expect(await clock(place(), step)).toEqual(refused(2, '[usage]'));
  const main = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'correct-horse' };
  expect(await clock(place({ gameServers: { main } }), '24h')).toEqual(
    refused(2, '[practice-clock-refused]'),
  );
});

test('more than ten years ahead is refused, running or stopped', async () => {
  const before = { 'data/practice-clock.json': JSON.stringify({ offsetMs: 9 * 366 * DAY }) };
  const one = furnish(temporaryFolder(before));
  expect((await clock(one, '366d')).exit).toBe(0);
  expect(await clock(one, '1d')).toMatchObject({ exit: 2 });
  await running(one, '--practice-clock');
  expect(await clock(one, '1d')).toMatchObject({ exit: 1 });
  expect(await offset(one)).toBe(3_660 * DAY);
});

test('a practice clock file with anything but an offset is damaged (practice-clock-damaged)', async () => {
  for (const offset of ['"1"', '-1', '1.5', '1e15', '}', '1} {']) {
    const one = furnish(temporaryFolder({ 'data/practice-clock.json': `{"offsetMs": ${offset}}` }));
    expect((await clock(one)).err, offset).toContain('[practice-clock-damaged]');
  }
  const empty = furnish(temporaryFolder({ 'data/practice-clock.json': '' }));
  expect((await clock(empty)).err).toContain('[practice-clock-damaged]');
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

test('a Teller on real time has no practice clock (practice-refused), and is sent votes of real time, even if that of its data was moved before', async () => {
  const one = place({ sites: SITES });
  await clock(one, '2d');
  await running(one);
  expect(await clock(one, '24h')).toEqual(refused(1, '[practice-refused]'));
  expect(await send(one)).toMatchObject([{ code: 'accepted' }]);
  const [vote] = await rows(one, 'explain', 'Alex');
  expect(vote.castAt).toBe(vote.claimedAt);
  expect(await rows(one, 'preview', 'Alex', '--site', 'A')).toMatchObject([{ decision: 'cooldown' }]);
});

const commands = ['say hi'];
const CONFIG = {
  // A proxy on this machine says where each vote comes from.
  listener: { host: '127.0.0.1', port: 0, proxyProtocol: 'required', trustedProxies: ['127.0.0.0/8'] },
  sites: { default: { token: TOKEN }, 'My-List.com': {} },
  gameServers: { main: { kind: 'practice' } },
  rewards: [
    { name: 'each-vote', commands, limit: { per: 'player', count: 1, within: 'ever' } },
    { name: 'first', if: { firstVote: true }, commands },
    { name: 'daily', if: { firstVote: 'day' }, commands },
    { name: 'streak', if: { streak: 2 }, commands },
  ],
};
const REAL = { ...CONFIG, gameServers: { main: { kind: 'rcon', port: 9, password: 'a-real-password' } } };
const [HERE, OUTSIDE] = ['127.0.0.1', '198.51.100.7'];

type Practised = Awaited<ReturnType<typeof started>>;

async function started(config: object) {
  const teller = await here(config, new FakeClock('2026-05-31T12:00:00Z'));
  const vote = (from: string, player: string) =>
    teller.vote({ player, site: 'My-List.com', before: `PROXY TCP4 ${from} 192.0.2.1 40000 8192\r\n` });
  return { teller, vote };
}

/** Steve is tried from this machine on two days, and Alex votes from outside, while the game server is a practice one. */
async function practised(): Promise<Practised> {
  const one = await started(CONFIG);
  await one.vote(HERE, 'Steve');
  one.teller.clock.sleep(DAY);
  await one.vote(HERE, 'Steve');
  one.teller.clock.sleep(60_000);
  await one.vote(HERE, 'Steve');
  await one.vote(OUTSIDE, 'Alex');
  return one;
}

function addReal({ teller }: Practised, ...words: string[]) {
  const password = join(temporaryFolder({ password: 'a-real-password\n' }), 'password');
  const flags = ['--password-file', password, '--no-try', ...words];
  return teller.run('game-servers', 'add', 'main', '--replace', 'main', ...flags);
}

const findings = async ({ teller }: Practised) => (await check(teller, '--offline')).of('practice-votes');

/** The decision on a vote of theirs now, and the rewards that it would earn. */
const rewardsNow = async ({ teller }: Practised, player: string) => {
  const [{ decision, rewards }] = (await teller.run('preview', player, '--site', 'My-List.com', '--json'))
    .json;
  const granted = rewards.filter(({ code }: { code: string }) => code === 'granted');
  return [decision, ...granted.map(({ reward }: { reward: string }) => reward)];
};

const AGAIN = ['rewarded', 'each-vote', 'first', 'daily'];

test('votes of practice are voided by the first real game server if they were tried from this machine, and what they earned can be earned again', async () => {
  const one = await practised();
  const { run, clock } = one.teller;
  expect(await rewardsNow(one, 'Steve')).toEqual(['cooldown']);
  const { exit, json, err } = await addReal(one, '--json');
  expect([exit, json]).toMatchObject([0, [{ practiceVotes: { voided: 3, fromOutside: 1 } }]]);
  expect(err.split('\n')).toContainEqual(naming('3 votes', '1 vote', 'outside'));
  expect(await rewardsNow(one, 'Steve')).toEqual(AGAIN);
  expect(await rewardsNow(one, 'Alex')).toEqual(['cooldown']);
  const voided = { by: expect.stringMatching(/\w/) };
  expect((await run('explain', 'Steve', '--json')).json).toMatchObject(
    [1, 2, 3].map((id) => ({ id, decision: 'practice', voided })),
  );
  expect((await run('explain', 'Alex', '--json')).json).toMatchObject([{ voided: null }]);
  const found = (await run('votes', '--decision', 'practice', '--json')).json;
  expect(found).toMatchObject([{ id: 3 }, { id: 2 }, { id: 1 }]);
  expect((await run('explain', 'Steve')).out).toContain('practice: it was sent from this machine');
  expect((await run('votes', 'reward', '1', '--yes')).err).toContain('[vote-voided]');
  expect((await check(one.teller, '--offline', '--deep')).marks(/^counts/)).toEqual(['ok counts']);
  for (const _ of ['2026-06-01', '2026-06-02']) {
    clock.sleep(60_000);
    expect(await one.vote(OUTSIDE, 'Steve')).toBe('ok');
    clock.sleep(DAY);
  }
  const grants = (await one.teller.grants()).filter(
    (grant) => grant.player === 'Steve' && 'practice' in grant && grant.practice === false,
  );
  expect(grants.map(({ reward, occasion }) => `${reward} ${occasion}`.trim()).toSorted()).toEqual([
    'daily day 2026-06-01 total 1',
    'daily day 2026-06-02 total 1',
    'each-vote',
    'first total 1',
    'streak streak 2 reached 2026-06-02',
  ]);
});

test('votes of practice are voided once for each ledger, and not where a real game server was there before', async () => {
  const one = await practised();
  await addReal(one);
  await one.vote(HERE, 'Zoe');
  await one.teller.reload(CONFIG);
  await one.vote(HERE, 'Ben');
  expect((await addReal(one, '--json')).json).toMatchObject([{ practiceVotes: { voided: 0 } }]);
  expect(await rewardsNow(one, 'Zoe')).toEqual(['cooldown']);
  expect(await findings(one)).toEqual([]);

  const real = await started(REAL);
  await real.vote(HERE, 'Steve');
  expect(await findings(real)).toEqual([]);
  const { json } = await real.teller.run('votes', 'void', '--practice', '--yes', '--json');
  expect(json).toEqual([{ voided: 0, fromOutside: 0 }]);
  expect(await rewardsNow(real, 'Steve')).toEqual(['cooldown']);
});

test('votes of practice are a finding in a config that is written by hand, with the command that voids them, which asks first', async () => {
  const one = await practised();
  const voiding = ['votes', 'void', '--practice'];
  expect(await findings(one)).toEqual([]);
  expect((await one.teller.run(...voiding, '--yes')).err).toContain('[practice-only]');
  // More than are voided at once.
  for (let each = 0; each < 120; each++) await one.vote(HERE, `P${each}`);
  await one.teller.reload(REAL);
  await one.vote(HERE, 'Zoe');
  expect(await findings(one)).toMatchObject([
    { mark: 'warning', sentence: naming('123 votes'), toDo: naming('`teller votes void --practice`') },
  ]);
  expect((await one.teller.runBy({}, ...voiding)).err).toContain('[not-confirmed]');
  const { json, exit } = await one.teller.run(...voiding, '--yes', '--json');
  expect([exit, json]).toEqual([0, [{ voided: 123, fromOutside: 1 }]]);
  expect(await findings(one)).toEqual([]);
  expect(await rewardsNow(one, 'Steve')).toEqual(AGAIN);
  expect(await rewardsNow(one, 'Zoe')).toEqual(['cooldown']);
});
