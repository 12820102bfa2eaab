import { renameSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { EventPayload } from '../../protocol/webhook/events.ts';
import { DAY_MS, MINUTE_MS } from '../../src/core/duration.ts';
import { EVENT_KINDS } from '../../src/core/event-kind.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { type Following, followEvents, RESTART_MS } from '../../src/operator/events/follow.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';

const NOON = '2026-06-01T12:00:00Z';

/** Someone who follows a real ledger, by a clock that the test moves. */
async function follower(more: Partial<Following> = {}) {
  const { ledger, database } = freshLedger();
  const clock = new FakeClock(NOON);
  const stop = new AbortController();
  const seen: EventPayload[] = [];
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((onFollowing, reject) => {
    ended = followEvents({
      ...{ ledger, clock, onFollowing, stop: stop.signal, kinds: EVENT_KINDS, follower: 'follow 1' },
      ...{ now: () => clock.now(), isPractice: false, after: null, keptAfterMs: 0 },
      show: async (payload) => seen.push(payload) > 0,
      ...more,
    });
    ended.catch(reject);
  });
  onTestFinished(async () => {
    stop.abort();
    await ended.catch(() => {});
  });
  /** What is asked of the ledger meanwhile is answered. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await turn();
    await ledger.stopFollowing('nobody');
    await turn();
  };
  /** What it has shown, once that are so many. */
  const shown = async (count: number): Promise<readonly EventPayload[]> => {
    while (seen.length < count) await pass(500);
    return seen;
  };
  let votes = 0;
  /** A vote, once the running Teller has looked for followers that are gone. @returns whether an event was stored */
  const isStored = async (): Promise<boolean> => {
    await ledger.removeOldEvents(clock.now());
    const before = await ledger.lastEventId();
    await record(
      ledger,
      [arrival({ player: `Player${votes++}`, receivedAt: clock.now(), claim: null })],
      rulesFor(),
    );
    return (await ledger.lastEventId()) > before;
  };
  return { clock, database, shown, pass, isStored, stop, ended };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('events are stored for it as long as it runs, and not any more once it is stopped', async () => {
  const { pass, isStored, shown, stop, ended } = await follower();
  for (let minute = 0; minute < 10; minute += 0.5) await pass(MINUTE_MS / 2);
  expect(await isStored()).toBe(true);
  const vote = { event: 'vote.rewarded', data: { vote: { player: 'Player0' } } };
  expect(await shown(1)).toMatchObject([vote]);
  stop.abort();
  await ended;
  expect(await isStored()).toBe(false);
});

test('events are stored for 90 seconds after it was killed', async () => {
  const { clock, isStored } = await follower();
  clock.jump(90_000);
  expect(await isStored()).toBe(true);
  clock.jump(1);
  expect(await isStored()).toBe(false);
});

test.each(['killed', 'stopped'])(
  'events are stored for ten minutes after a program that can go on was %s',
  async (how) => {
    const { clock, isStored, stop, ended } = await follower({ keptAfterMs: RESTART_MS });
    if (how === 'stopped') {
      stop.abort();
      await ended;
    }
    clock.jump(RESTART_MS);
    expect(await isStored()).toBe(true);
    clock.jump(1);
    expect(await isStored()).toBe(false);
  },
);

test('a practice clock that is moved by a year does not end it', async () => {
  const { clock, isStored } = await follower({ isPractice: true });
  clock.jump(366 * DAY_MS);
  expect(await isStored()).toBe(true);
});

test('a full disk does not end it', async () => {
  const { database, pass, isStored, shown } = await follower();
  // To renew it takes more pages than there are.
  database.exec(`
    CREATE TABLE filler (bytes BLOB);
    CREATE TRIGGER fill AFTER UPDATE ON event_wants BEGIN INSERT INTO filler VALUES (zeroblob(1000000)); END`);
  database.pragma('max_page_count = 1');
  await pass(MINUTE_MS / 2);
  database.pragma('max_page_count = 1000000');
  for (let minute = 0; minute < 3; minute += 0.5) await pass(MINUTE_MS / 2);
  expect(await isStored()).toBe(true);
  expect(await shown(1)).toHaveLength(1);
});

test('another ledger in the place of this one ends it (ledger-replaced)', async () => {
  const { file } = freshLedger();
  const ledger = await openLedger(file, 'write', { clock: new FakeClock(NOON) });
  onTestFinished(() => ledger.close());
  const { clock, ended } = await follower({ ledger });
  renameSync(file, `${file}.old`);
  clock.advance(MINUTE_MS / 2);
  await expect(ended).rejects.toMatchObject({ code: 'ledger-replaced' });
});

test('a reader that stalls delays neither the lease nor the end', async () => {
  let isAsked = false;
  const show = async (): Promise<boolean> => {
    isAsked = true;
    return new Promise(() => {});
  };
  const { pass, isStored, stop, ended } = await follower({ show });
  await isStored();
  for (let minute = 0; minute < 5; minute += 0.5) await pass(MINUTE_MS / 2);
  expect(isAsked).toBe(true);
  expect(await isStored()).toBe(true);
  stop.abort();
  await ended;
});
