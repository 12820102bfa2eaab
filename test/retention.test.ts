import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { readForward } from '../src/core/forward.ts';
import type { PlayerName } from '../src/core/player-name.ts';
import type { GrantLedger } from '../src/ledger/ledger.ts';
import { type Keep, Retention } from '../src/main/retention.ts';
import { copyLedger } from '../src/operator/backup/copy-ledger.ts';
import { forwardOf } from '../src/votes/intake/forward.ts';
import { bytesIn } from './support/bytes-in.ts';
import { FakeClock } from './support/fake-clock.ts';
import { temporaryFolder } from './support/folder.ts';
import { freshLedger, record, rulesFor } from './support/ledgers.ts';
import { silentLog } from './support/log.ts';
import { arrival, DAY } from './support/votes.ts';

const HOUR = 60 * 60_000;

/** A vote on each of the last ten days, and a refusal on each; the clock shows an hour after the last. */
async function start(keep: Keep) {
  const { ledger, file } = freshLedger();
  const clock = new FakeClock('2026-06-11T13:00:00Z');
  const first = clock.now() - HOUR - 9 * DAY;
  const votes = Array.from({ length: 10 }, (_, day) =>
    arrival({ receivedAt: first + day * DAY, wire: `vote ${day}` }),
  );
  await record(ledger, votes, rulesFor());
  for (let day = 0; day < 10; day++)
    for (const sender of ['192.0.2.1', '192.0.2.2'])
      await ledger.countRefusals([
        { code: 'v2-token', service: 'List', sender, count: 1, lastAt: first + day * DAY },
      ]);
  const retention = new Retention({ ledger, clock, log: silentLog }, keep);
  onTestFinished(() => retention.close());
  retention.start();
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await pass(1_000);
  const kept = async () => {
    const rows = await ledger.votes({ limit: 99 });
    return {
      addresses: rows.filter(({ address }) => address !== null).length,
      wire: rows.filter(({ wire }) => wire !== '').length,
      votes: (await ledger.players('Steve'))[0]?.votes,
      senders: (await ledger.refusals(0)).map(({ sender, count }) => `${sender} ${count}`).sort(),
    };
  };
  return { ledger, file, clock, retention, pass, kept };
}

test('what is older than it is kept is removed, and the counts stay', async () => {
  const { kept } = await start({ addressesMs: 3 * DAY, wireMs: 5 * DAY });
  expect(await kept()).toEqual({
    ...{ addresses: 3, wire: 5, votes: 10 },
    senders: [' 14', '192.0.2.1 3', '192.0.2.2 3'],
  });
});

test('the addresses of voters are removed from what was forwarded too', async () => {
  const { ledger } = freshLedger();
  const clock = new FakeClock('2026-06-11T13:00:00Z');
  const rules = { ...rulesFor(), targets: [{ server: 'old', maxAgeMs: 30 * DAY, pays: false }] };
  for (const [player, age] of [
    ['Steve', 4 * DAY],
    ['Alex', DAY],
  ] as const) {
    const judged = arrival({ player, receivedAt: clock.now() - age });
    await ledger.record({ ...judged, rules, ...forwardOf(judged, '203.0.113.9', rules) }, null);
  }
  const keep = { addressesMs: 3 * DAY, wireMs: null };
  const retention = new Retention({ ledger, clock, log: silentLog }, keep);
  onTestFinished(() => retention.close());
  retention.start();
  clock.advance(1_000);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  const forwards = (await ledger.grants({ server: 'old', limit: 9 })).map(({ commands }) =>
    readForward(commands[0]?.command ?? ''),
  );
  expect(forwards).toMatchObject([
    { player: 'Alex', address: '203.0.113.9' },
    { player: 'Steve', address: '' },
  ]);
});

test('everything is kept for ever by default', async () => {
  const { kept } = await start({ addressesMs: null, wireMs: null });
  expect(await kept()).toMatchObject({ addresses: 10, wire: 10 });
});

test('what becomes too old later is removed then, and after a reload what the config then says', async () => {
  const { pass, kept, retention } = await start({ addressesMs: null, wireMs: 5 * DAY });
  await pass(2 * DAY);
  await pass(1_000);
  expect(await kept()).toMatchObject({ addresses: 10, wire: 3 });
  retention.apply({ addressesMs: DAY, wireMs: null });
  await pass(1_000);
  expect(await kept()).toMatchObject({ addresses: 0, wire: 3 });
});

test('a shorter time that a reload brings while a portion is being removed applies at the next look', async () => {
  const { ledger } = freshLedger();
  const clock = new FakeClock('2026-06-11T13:00:00Z');
  await record(ledger, [arrival({ receivedAt: clock.now() - 2 * DAY, wire: 'old' })], rulesFor());
  const portions: (() => void)[] = [];
  const removeOld: GrantLedger['removeOld'] = async (before) => {
    await new Promise<void>((resolve) => portions.push(resolve));
    return ledger.removeOld(before);
  };
  const retention = new Retention(
    { ledger: { removeOld, erase: (patienceMs) => ledger.erase(patienceMs) }, clock, log: silentLog },
    { addressesMs: null, wireMs: 5 * DAY },
  );
  retention.start();
  retention.apply({ addressesMs: null, wireMs: DAY });
  portions[0]?.();
  await expect.poll(() => clock.pendingTimers).toBe(1);
  clock.advance(1_000);
  portions[1]?.();
  await expect.poll(async () => (await ledger.votes({ limit: 9 })).map(({ wire }) => wire)).toEqual(['']);
  await retention.close();
});

test('a portion has 500 votes, so that other votes never wait long', async () => {
  const { ledger } = freshLedger();
  const votes = Array.from({ length: 1_200 }, (_, at) => arrival({ player: `P${at}` }));
  await record(ledger, votes, rulesFor());
  const kept = { addresses: null, wire: arrival().vote.receivedAt + 1 };
  const left = async () => (await ledger.votes({ limit: 2_000 })).filter(({ wire }) => wire !== '').length;
  expect([await ledger.removeOld(kept), await left()]).toEqual([true, 700]);
  expect([await ledger.removeOld(kept), await left()]).toEqual([true, 200]);
  expect([await ledger.removeOld(kept), await left()]).toEqual([false, 0]);
});

/** In a file of the ledger: the votes as they were received, and the addresses of votes and refusals. */
const REMOVED = /vote \d|192\.0\.2\.\d/;

test('no byte of what was removed is left in a file of the ledger, also after it is closed, nor in a backup', async () => {
  const { ledger, file, pass, retention } = await start({ addressesMs: null, wireMs: null });
  expect(bytesIn(path.dirname(file), REMOVED)).not.toEqual([]);
  retention.apply({ addressesMs: 0, wireMs: 0 });
  await pass(1_000);
  expect(bytesIn(path.dirname(file), REMOVED)).toEqual([]);
  const backup = temporaryFolder();
  await copyLedger(file, path.join(backup, 'copy.db'));
  await retention.close();
  await ledger.close();
  expect(bytesIn(path.dirname(file), REMOVED)).toEqual([]);
  expect(bytesIn(backup, REMOVED)).toEqual([]);
});

test('what a long query keeps in the -wal is erased a second after it has ended', async () => {
  const { file, pass, retention } = await start({ addressesMs: null, wireMs: null });
  const query = new Database(file, { readonly: true });
  query.exec('BEGIN');
  query.prepare('SELECT count(*) FROM votes').get();
  retention.apply({ addressesMs: 0, wireMs: 0 });
  await pass(1_000);
  expect(bytesIn(path.dirname(file), REMOVED)).not.toEqual([]);
  query.close();
  await pass(1_000);
  expect(bytesIn(path.dirname(file), REMOVED)).toEqual([]);
});

test('what another process removed and could not erase is erased within ten minutes, also where everything is kept', async () => {
  const { ledger, file, pass } = await start({ addressesMs: null, wireMs: null });
  const order = { name: 'Steve' as PlayerName, by: 'ann' };
  let step = await ledger.forgetPlayer(order, null, 0);
  while (step.kind === 'forgetting') step = await ledger.forgetPlayer(order, step.progress, 0);
  expect(step.kind).toBe('forgotten');
  expect(bytesIn(path.dirname(file), /steve/i)).not.toEqual([]);
  await pass(10 * 60_000);
  await pass(1_000);
  expect(bytesIn(path.dirname(file), /steve/i)).toEqual([]);
});
