import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { check } from '../kit/check.ts';
import { type Here, here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';

const DAY_AND_2_H = 26 * 3_600_000;
const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const AFTER_JUMP = '2026-06-02T14:00:00.000Z';

const states = async ({ grants }: Here) => (await grants()).map(({ state }) => state);

/** A Teller with one paid reward, and one that is held because the clock jumped by 26 hours. */
async function doubted(more: object = {}): Promise<Here> {
  const teller = await here({ rewards: [THANKS], ...more }, new FakeClock('2026-06-01T12:00:00Z'));
  await teller.vote({ player: 'Steve' });
  teller.clock.jump(DAY_AND_2_H);
  await teller.vote({ player: 'Alex' });
  return teller;
}

test('clock exits 0 if the clock is trusted, and 1 if it is doubted, and says why, by how much, and what is held; clock release is refused while it shows 1970, asks first, then pays what was held, and trusts the clock from now on, as check and explain say', async () => {
  const trusted = await desk().run('clock', '--json');
  expect([trusted.exit, trusted.json]).toEqual([
    0,
    [{ shows: '2026-06-01T12:00:00.000Z', doubt: null, newestAt: null, held: 0, doubts: [] }],
  ]);
  const teller = await doubted();
  const doubtful = await teller.run('clock', '--json');
  const doubt = { reason: 'jumped', shownAt: AFTER_JUMP, aheadMs: DAY_AND_2_H };
  const json = [{ doubt, held: 1, doubts: [{ firstVote: 2, lastVote: null }] }];
  expect(doubtful).toMatchObject({ exit: 1, json });
  expect((await teller.run('clock')).out).toEqual(naming('26 h', '1 reward'));
  const aside = teller.clock.now() - Date.parse('1970-01-01T00:10:00Z');
  teller.clock.jump(-aside);
  expect(await teller.run('clock', 'release', '--yes')).toEqual(refused(1, '[clock-not-set]'));
  teller.clock.jump(aside);
  const no = await teller.runBy({ answers: [false] }, 'clock', 'release');
  expect(no).toMatchObject({ exit: 1, err: naming('[not-confirmed]') });
  expect(no.asked).toEqual([naming(AFTER_JUMP, '1 reward')]);
  expect((await states(teller))[1]).toBe('held');
  const found = async () => (await check(teller, '--offline')).marks(/^clock|stuck/);
  expect(await found()).toEqual(['problem clock-doubtful']);
  expect((await teller.run('explain', 'Alex')).out).toContain('teller clock release');
  const released = { exit: 0, json: [{ kind: 'released', released: 1 }] };
  expect(await teller.run('clock', 'release', '--yes', '--json')).toMatchObject(released);
  expect(await found()).toEqual(['ok clock']);
  await teller.untilGrants('delivered', 'delivered');
  expect((await teller.run('clock')).exit).toBe(0);
  await teller.vote({ player: 'Zoe' });
  await teller.untilGrants('delivered', 'delivered', 'delivered');
  const again = await teller.run('clock', 'release', '--yes', '--json');
  expect(again.json).toEqual([{ kind: 'nothing-to-release' }]);
});

test('explain says of a vote that came while the clock was doubted that its time and day may be wrong, and of a later one that it may be too close although its time is not, with the command that rewards it', async () => {
  const teller = await doubted();
  const line = async (player: string, about: string) =>
    (await teller.run('explain', player)).out.split('\n').filter((one) => one.includes(about));
  expect(await line('Alex', 'believed')).toEqual([naming('2026-06-01T12:00:00.000Z', 'doubtful', 'day')]);
  await teller.run('clock', 'release', '--yes');
  await teller.vote({ player: 'Alex', timestamp: '' });
  const [vote] = (await teller.run('votes', '--json')).json;
  expect(vote).toMatchObject({ id: 3, castAt: AFTER_JUMP, decision: 'cooldown' });
  expect(await line('Alex', 'votes reward')).toEqual([naming('clock', 'vote 2', '`teller votes reward 3`')]);
});

test('clock release pays in portions, and says how many it paid in all', async () => {
  const rewards = Array.from({ length: 50 }, (_, n) => ({ ...THANKS, name: `thanks-${n}` }));
  const away = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' };
  const teller = await doubted({ rewards, gameServers: { main: away } });
  for (let more = 0; more < 20; more++) await teller.vote({ player: `P${more}` });
  const { json } = await teller.during(teller.run('clock', 'release', '--yes', '--json'));
  expect(json).toEqual([
    { kind: 'released', released: 1_050, doubt: expect.objectContaining({ reason: 'jumped' }) },
  ]);
  expect(new Set(await states(teller))).not.toContain('held');
});

const clocks = async (one: Pick<Here, 'run'>) => (await check(one, '--offline')).marks(/^clock(?:-wrong)?$/);

test('the clock is a problem if it shows 1970, or is behind the latest vote unless all game servers are practice servers', async () => {
  const one = desk({
    gameServers: { main: { kind: 'rcon', port: 1, password: 'a-password' } },
    rewards: [THANKS],
  });
  await one.run('votes', 'add', '--player', 'Steve', '--site', 'A');
  one.clock.jump('2026-05-31T12:00:00Z');
  expect(await clocks(one)).toEqual(['problem clock-wrong']);
  rewrite(one, {});
  expect(await clocks(one)).toEqual(['ok clock']);
  one.clock.jump('1970-01-01T00:05:00Z');
  expect([(await check(one, '--offline')).exit, await clocks(one)]).toEqual([1, ['problem clock-wrong']]);
});

test('the clock is a warning if most sites disagree with it, and a problem if the running Teller has another time zone', async () => {
  const one = await here({ rewards: [], timeZone: 'UTC' }, new FakeClock('2026-06-01T12:00:00Z'));
  for (const player of ['Steve', 'Alex', 'Zoe'])
    await one.vote({ player, site: 'A', timestamp: '1780308000' });
  rewrite(one, { rewards: [], timeZone: 'Europe/Berlin' });
  const { of } = await check(one, '--offline');
  expect(of('clock-wrong')).toMatchObject([{ mark: 'warning', sentence: naming('2 h') }]);
  expect(of('time-zone-differs')).toMatchObject([
    { mark: 'problem', sentence: naming('UTC', 'Europe/Berlin') },
  ]);
});

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DAY = 24 * HOUR;

/** Of a name with votes, of one without, and of all sites. */
const SAID = [['explain', 'Fred'], ['explain', 'Nobody'], ['sites']] as const;

const json = async ({ run }: Desk, ...words: readonly string[]) => (await run(...words, '--json')).json;

const codesOf = async (one: Desk) => (await check(one, '--offline')).found.map(({ code }) => code);

/** From when to when no Teller ran, as explain says: `09:00:00 to 11:00:00`. */
const downtimesOf = async (one: Desk): Promise<readonly string[]> =>
  (await json(one, 'explain', 'Nobody'))[0].downtimes.map(({ from, to }: { from: string; to: string }) =>
    [from, to].map((time) => time?.slice(11, 19) ?? 'now').join(' to '),
  );

/** A Teller that has run since 9 o’clock. */
const sinceNine = (more: object = {}) => here(more, new FakeClock('2026-06-01T09:00:00Z'));

/** It does not run for so long. */
const awayFor = (teller: Here, ms: number) => teller.restart(async () => teller.clock.jump(ms));

/** It is killed now: what it wrote at its end is lost. */
async function killedFor(teller: Here, ms: number): Promise<void> {
  const [data, copy] = [path.join(teller.folder, 'data'), path.join(temporaryFolder(), 'data')];
  cpSync(data, copy, { recursive: true, filter: (file) => !/\.(?:lock|sock)$/.test(file) });
  await teller.restart(async () => {
    rmSync(data, { recursive: true });
    cpSync(copy, data, { recursive: true });
    teller.clock.jump(ms);
  });
}

test('while no Teller runs, check has a problem, and explain and sites say it first; later they name that time, with how to add a vote that was missed', async () => {
  const one = desk();
  rmSync(path.join(one.folder, 'data'), { recursive: true });
  // Before the first start it is no fault.
  expect(await codesOf(one)).not.toContain('not-running');

  const api = { baseUrl: 'http://127.0.0.1:9/api/v1', token: TOKEN };
  const teller = await sinceNine({ sites: { default: { token: TOKEN }, 'Caught-Up.com': { api } } });
  await teller.vote({ player: 'Fred' });
  expect(await codesOf(teller)).not.toContain('not-running');
  expect(await json(teller, 'explain', 'Fred')).toMatchObject([{ isRunning: true, downtimes: [] }]);
  expect(await json(teller, 'sites')).toMatchObject([{ service: 'List' }, { service: 'Caught-Up.com' }]);
  const from = '2026-06-01T09:00:00.000Z';
  await teller.restart(async () => {
    teller.clock.jump(2 * HOUR);
    const { of, exit } = await check(teller, '--offline');
    const problem = { mark: 'problem', sentence: naming(from), toDo: naming('`teller run`') };
    expect([exit, of('not-running')]).toMatchObject([1, [problem]]);
    for (const words of SAID)
      expect((await teller.run(...words)).out.split('\n')[0]).toEqual(naming(from, '`teller run`'));
    const facts = { isRunning: false, downtimes: [{ from, to: null }] };
    expect(await json(teller, 'explain', 'Fred')).toMatchObject([{ id: 1, ...facts }]);
    expect(await json(teller, 'explain', 'Nobody')).toMatchObject([{ id: null, ...facts }]);
    expect((await json(teller, 'sites')).at(-1)).toMatchObject({ service: null, ...facts });
    // Practice has moved the clock, which makes up no such time.
    const practice = path.join(teller.folder, 'data/practice-clock.json');
    writeFileSync(practice, '{"offsetMs": 172800000}');
    expect(await json(teller, 'explain', 'Fred')).toMatchObject([{ isRunning: false, downtimes: [] }]);
    rmSync(practice);
  });
  const downtimes = [{ from, to: '2026-06-01T11:00:00.000Z' }];
  expect(await json(teller, 'explain', 'Nobody')).toMatchObject([{ downtimes }]);
  expect((await json(teller, 'sites')).at(-1)).toMatchObject({ service: null, downtimes });
  const missed = naming(from, '2 h', '`teller votes add', 'Caught-Up.com');
  for (const words of SAID.slice(1)) expect((await teller.run(...words)).out).toEqual(missed);
});

test('a time in which no Teller ran is named from a minute on, so not a restart; after a kill it begins at the last heartbeat, which may have been a minute before', async () => {
  const teller = await sinceNine();
  await awayFor(teller, MINUTE - 1);
  expect(await downtimesOf(teller)).toEqual([]);
  await awayFor(teller, MINUTE);
  expect(await downtimesOf(teller)).toEqual(['09:00:59 to 09:01:59']);
  const killed = await sinceNine();
  await killedFor(killed, 2 * MINUTE - 1);
  expect(await downtimesOf(killed)).toEqual([]);
  await killedFor(killed, 2 * MINUTE);
  expect(await downtimesOf(killed)).toEqual(['09:01:59 to 09:03:59']);
});

test('a time in which no Teller ran is named for 30 days', async () => {
  const teller = await sinceNine();
  await awayFor(teller, HOUR);
  teller.clock.jump(30 * DAY - 1_000);
  expect(await downtimesOf(teller)).toEqual(['09:00:00 to 10:00:00']);
  teller.clock.jump(1_000);
  expect(await downtimesOf(teller)).toEqual([]);
  await awayFor(teller, 40 * DAY);
  expect(await downtimesOf(teller)).toEqual(['10:00:00 to 10:00:00']);
});

test('a time in which no Teller ran is not made up because the clock was set back, or had been ahead', async () => {
  const setBack = await sinceNine();
  await awayFor(setBack, -HOUR);
  expect(await downtimesOf(setBack)).toEqual([]);
  const ahead = await sinceNine();
  await awayFor(ahead, 12 * HOUR);
  expect(await downtimesOf(ahead)).toEqual(['09:00:00 to 21:00:00']);
  await awayFor(ahead, -12 * HOUR + 30_000);
  expect(await downtimesOf(ahead)).toEqual([]);
});
