import { cpSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { type Desk, desk } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const DAY = 24 * HOUR;

/** Of a name with votes, of one without, and of all sites. */
const SAID = [['explain', 'Fred'], ['explain', 'Nobody'], ['sites']] as const;

const json = async ({ run }: Desk, ...words: readonly string[]) => (await run(...words, '--json')).json;

const codesOf = async (one: Desk) =>
  (await json(one, 'check', '--offline')).map(({ code }: { code: string }) => code);

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

describe('while no Teller runs', () => {
  test('check has a problem, and explain and sites say it first, and since when', async () => {
    const teller = await sinceNine();
    await teller.vote({ player: 'Fred' });
    await teller.restart(async () => {
      teller.clock.jump(2 * HOUR);
      const since = '2026-06-01T09:00:00.000Z';
      const { json: found, exit } = await teller.run('check', '--json', '--offline');
      expect(exit).toBe(1);
      expect(found).toContainEqual({
        ...{ mark: 'problem', code: 'not-running', sentence: naming(since), toDo: naming('`teller run`') },
      });
      for (const words of SAID)
        expect((await teller.run(...words)).out.split('\n')[0]).toEqual(naming(since, '`teller run`'));
      const facts = { isRunning: false, downtimes: [{ from: since, to: null }] };
      expect(await json(teller, 'explain', 'Fred')).toMatchObject([{ id: 1, ...facts }]);
      expect(await json(teller, 'explain', 'Nobody')).toMatchObject([{ id: null, ...facts }]);
      expect((await json(teller, 'sites')).at(-1)).toMatchObject({ service: null, ...facts });
    });
  });

  test('which is no fault before the first start, and is not said of a Teller that runs', async () => {
    const one = desk();
    rmSync(path.join(one.folder, 'data'), { recursive: true });
    expect(await codesOf(one)).not.toContain('not-running');
    const teller = await sinceNine({ sites: { default: { token: TOKEN } } });
    expect(await codesOf(teller)).not.toContain('not-running');
    expect(await json(teller, 'explain', 'Fred')).toMatchObject([{ isRunning: true, downtimes: [] }]);
    expect(await json(teller, 'sites')).toEqual([]);
  });
});

describe('a time in which no Teller ran', () => {
  test('is named by explain and sites, with how to add a vote that was missed', async () => {
    const api = { baseUrl: 'http://127.0.0.1:9/api/v1', token: TOKEN };
    const sites = { default: { token: TOKEN }, 'Caught-Up.com': { api } };
    const teller = await sinceNine({ sites });
    await teller.vote({ player: 'Fred' });
    await awayFor(teller, 2 * HOUR);
    const downtimes = [{ from: '2026-06-01T09:00:00.000Z', to: '2026-06-01T11:00:00.000Z' }];
    expect(await json(teller, 'explain', 'Nobody')).toMatchObject([{ downtimes }]);
    expect((await json(teller, 'sites')).at(-1)).toMatchObject({ service: null, downtimes });
    const missed = naming('2026-06-01T09:00:00.000Z', '2 h', '`teller votes add', 'Caught-Up.com');
    for (const words of SAID.slice(1)) expect((await teller.run(...words)).out).toEqual(missed);
  });

  test('is not named if it is shorter than a minute, as a restart is', async () => {
    const teller = await sinceNine();
    await awayFor(teller, MINUTE - 1);
    expect(await downtimesOf(teller)).toEqual([]);
    await awayFor(teller, MINUTE);
    expect(await downtimesOf(teller)).toEqual(['09:00:59 to 09:01:59']);
  });

  test('begins at the last heartbeat if Teller was killed, which may have run for another minute', async () => {
    const teller = await sinceNine();
    await killedFor(teller, 2 * MINUTE - 1);
    expect(await downtimesOf(teller)).toEqual([]);
    await killedFor(teller, 2 * MINUTE);
    expect(await downtimesOf(teller)).toEqual(['09:01:59 to 09:03:59']);
  });

  test('is named for 30 days', async () => {
    const teller = await sinceNine();
    await awayFor(teller, HOUR);
    teller.clock.jump(30 * DAY - 1_000);
    expect(await downtimesOf(teller)).toEqual(['09:00:00 to 10:00:00']);
    teller.clock.jump(1_000);
    expect(await downtimesOf(teller)).toEqual([]);
    await awayFor(teller, 40 * DAY);
    expect(await downtimesOf(teller)).toEqual(['10:00:00 to 10:00:00']);
  });

  test('is not made up because the clock was set back, or had been ahead', async () => {
    const setBack = await sinceNine();
    await awayFor(setBack, -HOUR);
    expect(await downtimesOf(setBack)).toEqual([]);
    const ahead = await sinceNine();
    await awayFor(ahead, 12 * HOUR);
    expect(await downtimesOf(ahead)).toEqual(['09:00:00 to 21:00:00']);
    await awayFor(ahead, -12 * HOUR + 30_000);
    expect(await downtimesOf(ahead)).toEqual([]);
  });

  test('is not made up because practice has moved the clock', async () => {
    const teller = await sinceNine();
    await teller.restart(async () => {
      writeFileSync(path.join(teller.folder, 'data/practice-clock.json'), '{"offsetMs": 172800000}');
      expect(await json(teller, 'explain', 'Fred')).toMatchObject([{ isRunning: false, downtimes: [] }]);
      rmSync(path.join(teller.folder, 'data/practice-clock.json'));
    });
  });
});
