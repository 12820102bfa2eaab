import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { TOKEN } from '../support/config-folder.ts';
import { naming } from '../support/naming.ts';
import { type Operator, operator, withTeller } from './operator.ts';

const at = (time: string): number => Date.parse(`2026-06-01T${time}Z`);

interface Ran {
  readonly from: string;
  /** Its last heartbeat, or its end. */
  readonly to: string;
  readonly isKilled?: boolean;
}

/** A process that ran, with a heartbeat each minute or so. */
async function ran({ ledger }: Operator, { from, to, isKilled }: Ran): Promise<void> {
  const id = await ledger.keepRun(null, at(from));
  await ledger.keepRun(id, at(to));
  if (isKilled !== true) await ledger.endRun(id, at(to));
}

type Words = ['check' | 'explain' | 'sites', ...string[]];

/** Of a name with votes, of one without, and of all sites. */
const SAID: readonly Words[] = [['explain', 'Fred'], ['explain', 'Nobody'], ['sites']];

const json = async (one: Operator, ...words: Words) => JSON.parse((await one.teller(...words, '--json')).out);

const downtimesOf = async (one: Operator) => {
  const [nothing] = await json(one, 'explain', 'Fred');
  return nothing.downtimes.map(({ from, to }: { from: string; to: string | null }) => [
    from.slice(11, 19),
    to?.slice(11, 19) ?? null,
  ]);
};

/** A Teller that runs now, at 12:00, after others ran. */
async function runningAfter(...runs: readonly Ran[]): Promise<Operator> {
  const one = await operator();
  withTeller(one);
  for (const run of runs) await ran(one, run);
  await one.ledger.keepRun(null, at('11:59:30'));
  return one;
}

describe('while no Teller runs', () => {
  test('check has a problem, although nothing waits to be paid', async () => {
    const one = await operator();
    await ran(one, { from: '09:00:00', to: '11:00:00' });
    const { out, exit } = await one.teller('check', '--json', '--offline');
    expect(exit).toBe(1);
    expect(JSON.parse(out)).toContainEqual({
      mark: 'problem',
      code: 'not-running',
      sentence: naming('2026-06-01T11:00:00.000Z'),
      toDo: naming('`teller run`'),
    });
  });

  test('explain and sites say it first, and since when', async () => {
    const one = await operator();
    await ran(one, { from: '09:00:00', to: '11:00:00' });
    const said = naming('2026-06-01T11:00:00.000Z', '`teller run`');
    for (const words of SAID) expect((await one.teller(...words)).out.split('\n')[0]).toEqual(said);
    const facts = { isRunning: false, downtimes: [{ from: '2026-06-01T11:00:00.000Z', to: null }] };
    expect(await json(one, 'explain', 'Fred')).toMatchObject([{ id: null, ...facts }]);
    expect((await json(one, 'sites')).at(-1)).toMatchObject({ service: null, ...facts });
    await one.vote('Fred', 'List');
    expect(await json(one, 'explain', 'Fred')).toMatchObject([{ id: 1, ...facts }]);
    expect((await one.teller('explain', 'Fred')).out.split('\n')[0]).toEqual(said);
  });

  test('which is no fault before the first start', async () => {
    const one = await operator();
    rmSync(path.join(one.folder, 'data'), { recursive: true });
    const codes = (await json(one, 'check', '--offline')).map(({ code }: { code: string }) => code);
    expect(codes).not.toContain('not-running');
  });

  test('which is not said of a Teller that runs', async () => {
    const one = await runningAfter();
    expect((await json(one, 'check', '--offline')).map(({ code }: { code: string }) => code)).not.toContain(
      'not-running',
    );
    expect(await json(one, 'explain', 'Fred')).toMatchObject([{ isRunning: true, downtimes: [] }]);
    expect(await json(one, 'sites')).toEqual([]);
  });
});

describe('a time in which no Teller ran', () => {
  test('is named by explain and sites, with how to add a vote that was missed', async () => {
    const api = { baseUrl: 'https://caught-up.example/api/v1', token: TOKEN };
    const one = await operator({ sites: { default: { token: TOKEN }, 'Caught-Up.com': { api } } });
    withTeller(one);
    await ran(one, { from: '08:00:00', to: '09:00:00' });
    await ran(one, { from: '11:00:00', to: '11:59:50' });
    const downtimes = [{ from: '2026-06-01T09:00:00.000Z', to: '2026-06-01T11:00:00.000Z' }];
    expect(await json(one, 'explain', 'Fred')).toMatchObject([{ downtimes }]);
    expect((await json(one, 'sites')).at(-1)).toMatchObject({ service: null, downtimes });
    await one.vote('Fred', 'List');
    expect(await json(one, 'explain', 'Fred')).toMatchObject([{ id: 1, downtimes }]);
    for (const words of SAID)
      expect((await one.teller(...words)).out).toEqual(
        naming('2026-06-01T09:00:00.000Z', '2 h', '`teller votes add', 'Caught-Up.com'),
      );
  });

  test('is not named if it is shorter than a minute, as a restart is', async () => {
    const clean = { from: '08:00:00', to: '11:58:31' };
    expect(await downtimesOf(await runningAfter(clean))).toEqual([]);
    expect(await downtimesOf(await runningAfter({ ...clean, to: '11:58:30' }))).toEqual([
      ['11:58:30', '11:59:30'],
    ]);
  });

  test('begins at the last heartbeat if Teller was killed, which may have run for another minute', async () => {
    const killed = { from: '08:00:00', to: '11:57:31', isKilled: true };
    expect(await downtimesOf(await runningAfter(killed))).toEqual([]);
    expect(await downtimesOf(await runningAfter({ ...killed, to: '11:57:30' }))).toEqual([
      ['11:57:30', '11:59:30'],
    ]);
  });

  test('is none while another one ran', async () => {
    const one = await runningAfter(
      { from: '08:00:00', to: '08:10:00' },
      { from: '08:05:00', to: '11:59:00' },
      { from: '09:00:00', to: '09:30:00', isKilled: true },
    );
    expect(await downtimesOf(one)).toEqual([]);
  });

  test('is named for 30 days', async () => {
    const one = await runningAfter({ from: '08:00:00', to: '09:00:00' });
    one.clock.set('2026-07-01T11:59:29Z');
    expect(await downtimesOf(one)).toEqual([['09:00:00', '11:59:30']]);
    one.clock.set('2026-07-01T11:59:30Z');
    expect(await downtimesOf(one)).toEqual([]);
  });

  test('is known although runs of more than 30 days ago are forgotten', async () => {
    const one = await operator();
    withTeller(one);
    for (const from of ['08:00:00', '09:00:00']) await ran(one, { from, to: from });
    one.clock.set('2026-07-11T12:00:00Z');
    await one.ledger.keepRun(null, one.clock.now());
    expect(await one.ledger.runs()).toHaveLength(2);
    expect(await json(one, 'explain', 'Fred')).toMatchObject([
      { downtimes: [{ from: '2026-06-01T09:00:00.000Z', to: '2026-07-11T12:00:00.000Z' }] },
    ]);
  });

  test.each([
    ['was set back', [{ from: '10:00:00', to: '11:59:00' }], '11:00:00'],
    [
      'had been ahead',
      [
        { from: '10:00:00', to: '11:59:00' },
        { from: '20:00:00', to: '23:00:00' },
      ],
      '11:59:30',
    ],
  ] as const)('is not made up because the clock %s', async (_, runs, now) => {
    const one = await operator();
    withTeller(one);
    for (const run of runs) await ran(one, run);
    one.clock.jump(`2026-06-01T${now}Z`);
    await one.ledger.keepRun(null, one.clock.now());
    expect(await downtimesOf(one)).toEqual([]);
  });

  test('is not made up because practice has moved the clock', async () => {
    const one = await operator();
    await ran(one, { from: '08:00:00', to: '11:59:50' });
    writeFileSync(path.join(path.dirname(one.file), 'practice-clock.json'), '{"offsetMs": 172800000}');
    expect(await json(one, 'explain', 'Fred')).toMatchObject([{ isRunning: false, downtimes: [] }]);
  });
});
