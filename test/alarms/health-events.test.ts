import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { EventRow, Ledger } from '../../src/ledger/ledger.ts';
import { LOOK_MS } from '../../src/notify/alarms/alarms.ts';
import { recordFileOf } from '../../src/notify/alarms/record.ts';
import { type AlarmsStart, startAlarms, targetAt } from '../support/alarms.ts';
import { freshLedger } from '../support/ledgers.ts';
import { sink } from '../support/sink.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-06-01T12:00:00Z');

/** Alarms of which a receiver of events is told. */
async function start(more: AlarmsStart = {}) {
  const started = startAlarms(more);
  const { ledger } = started;
  await ledger.useConfig({
    told: { receivers: [{ receiver: 'plugin', kinds: ['health'] }], at: NOON },
    today: 0,
  });
  const events = async (): Promise<readonly EventRow[]> =>
    (await ledger.latestEvents(['health'], 99)).toReversed();
  const told = async () => (await events()).map(({ facts }) => `${facts?.['state']} ${facts?.['alarm']}`);
  return { ...started, events, told };
}

describe('without `alarms` in the config', () => {
  test('an alarm is stored when it begins and when it is over, as people are told it', async () => {
    const { look, disk, events, clock } = await start();
    await look();
    disk.mib = 1_000;
    await look(3 * LOOK_MS);
    const since = clock.now() - 2 * LOOK_MS;
    disk.mib = 2_000;
    await look(3 * LOOK_MS);
    const until = clock.now() - 2 * LOOK_MS;
    const alarm = { alarm: 'disk-low', subject: null, since };
    expect(await events()).toMatchObject([
      {
        ...{ kind: 'health', at: since, subject: null },
        facts: {
          ...{ ...alarm, state: 'began', until: null },
          sentence: 'The disk of the ledger has been nearly full since 12:00 UTC: only 1,000 MiB are free.',
          toDo: 'Free some space. When the disk is full, no vote can be stored.',
        },
      },
      {
        ...{ kind: 'health', at: until, subject: null },
        facts: {
          ...{ ...alarm, state: 'over', until },
          ...{ sentence: 'The disk of the ledger has room again: 2,000 MiB are free.', toDo: '' },
        },
      },
    ]);
  });

  test('an alarm that is over is forgotten, and one that holds is told to a target that is added', async () => {
    const receiver = await sink();
    const { look, hold, disk, apply, recordFile } = await start();
    disk.mib = 10;
    await hold();
    await look();
    disk.mib = 50_000;
    await look(2 * LOOK_MS);
    expect(JSON.parse(readFileSync(recordFile, 'utf8'))).toMatchObject({
      ...{ alarms: [{ code: 'grants-held' }], waiting: null, events: [] },
    });
    apply({ target: targetAt(receiver.url) });
    await look();
    expect(receiver.requests[0]?.json.data.began).toMatchObject([{ alarm: 'grants-held' }]);
  });

  test('and without a receiver that wants them, nothing is watched', async () => {
    const { look, disk, told, ledger, recordFile } = await start();
    await ledger.useConfig({ told: { receivers: [], at: NOON }, today: 0 });
    disk.mib = 10;
    await look(2 * LOOK_MS);
    expect(await told()).toEqual([]);
    expect(existsSync(recordFile)).toBe(false);
  });

  test('a receiver that wants them later is told of what holds then', async () => {
    const { look, restart, disk, told, ledger, recordFile, clock } = await start();
    const record = () => JSON.parse(readFileSync(recordFile, 'utf8'));
    const wanted = (...receivers: readonly string[]) =>
      ledger.useConfig({
        told: { receivers: receivers.map((receiver) => ({ receiver, kinds: ['health'] })), at: NOON },
        today: 0,
      });
    disk.mib = 10;
    await look(2 * LOOK_MS);
    expect(await told()).toEqual(['began disk-low']);
    await wanted();
    await look();
    expect(record()).toMatchObject({ lookedAt: null, alarms: [], absences: [] });
    await restart(() => clock.jump(7 * 24 * 60 * MINUTE));
    await wanted('other');
    await look();
    expect(await told()).toEqual(['began disk-low', 'began disk-low']);
    // A Teller ran, although nothing was watched.
    expect(record()).toMatchObject({ absences: [] });
  });
});

test('what is told once is not stored again after a restart', async () => {
  const { look, restart, disk, told } = await start();
  disk.mib = 10;
  await look();
  await restart();
  await look(2 * LOOK_MS);
  expect(await told()).toEqual(['began disk-low']);
});

test('an alarm that begins again is stored again', async () => {
  const { look, disk, told } = await start();
  for (const mib of [10, 50_000, 10, 50_000]) {
    disk.mib = mib;
    await look(2 * LOOK_MS);
  }
  expect(await told()).toEqual(['began disk-low', 'over disk-low', 'began disk-low', 'over disk-low']);
});

test('an alarm that holds again before anyone was notified that it was over is stored as begun again', async () => {
  const receiver = await sink();
  receiver.answers = [503];
  const { look, disk, told } = await start({ url: receiver.url });
  for (const mib of [10, 50_000, 10]) {
    disk.mib = mib;
    await look(2 * LOOK_MS);
  }
  expect(await told()).toEqual(['began disk-low', 'over disk-low', 'began disk-low']);
});

test('a kill between storing an event and noting that repeats nothing', async () => {
  const { ledger, file } = freshLedger();
  const saved = `${file}.saved`;
  const addEvents: Ledger['addEvents'] = async (events) => {
    await ledger.addEvents(events);
    copyFileSync(recordFileOf(file), saved);
  };
  const over = { ledger: Object.assign(Object.create(ledger) as Ledger, { addEvents }), file };
  const { look, restart, disk, events, told, clock } = await start({ over });
  disk.mib = 10;
  await look();
  const before = await events();
  await restart(() => {
    copyFileSync(saved, recordFileOf(file));
    clock.jump(MINUTE);
  });
  await look(2 * LOOK_MS);
  expect(await told()).toEqual(['began disk-low']);
  expect(await events()).toEqual(before);
});

test('while the ledger stores nothing, the operator is notified, and the event is stored later', async () => {
  const receiver = await sink();
  const { ledger, file, database } = freshLedger();
  const { look, restart, disk, told } = await start({ url: receiver.url, over: { ledger, file } });
  const limitTo = (pages: number): unknown => database.pragma(`max_page_count = ${pages}`);
  // An event that fits into no free page.
  database.exec(`
    CREATE TABLE filler (bytes BLOB);
    CREATE TRIGGER fill AFTER INSERT ON events BEGIN INSERT INTO filler VALUES (zeroblob(1000000)); END`);
  limitTo(1);
  disk.mib = 10;
  await look(2 * LOOK_MS);
  expect(await told()).toEqual([]);
  expect(receiver.requests).toHaveLength(1);
  await restart(() => limitTo(1_000_000));
  await look();
  expect(await told()).toEqual(['began disk-low']);
});

test('a record of Teller before it had events is read', async () => {
  const { look, restart, disk, recordFile, lines, told } = await start();
  disk.mib = 10;
  await look();
  await restart(() => {
    const { events, ...earlier } = JSON.parse(readFileSync(recordFile, 'utf8'));
    writeFileSync(recordFile, JSON.stringify(earlier));
  });
  await look();
  expect(lines).toEqual([]);
  expect(await told()).toEqual(['began disk-low']);
});
