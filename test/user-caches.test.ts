import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SeenPlayers } from '../src/delivery/seen-players.ts';
import { UserCaches } from '../src/main/user-caches.ts';
import { operator } from './commands/operator.ts';
import { FakeClock } from './support/fake-clock.ts';
import { temporaryFolder } from './support/folder.ts';
import { freshLedger, record, rulesFor, THANKS } from './support/ledgers.ts';
import { keptLog } from './support/log.ts';
import { arrival } from './support/votes.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const rules = rulesFor(THANKS);

const cache = (name: string, expiresOn: string): string =>
  JSON.stringify([{ name, uuid: ALEX, expiresOn: `${expiresOn} 12:00:00 +0000` }]);

/** A ledger with a vote each for Alex and Sasha, and a game server with a file. */
async function start(text: string | null) {
  const file = join(temporaryFolder(), 'usercache.json');
  const write = (next: string): void => writeFileSync(file, next);
  if (text !== null) write(text);
  const { ledger } = freshLedger();
  await record(ledger, [arrival({ player: 'Alex' }), arrival({ player: 'Sasha' })], rules);
  const clock = new FakeClock('2026-06-20T12:00:00Z');
  const { log, codes } = keptLog();
  const changes: string[] = [];
  const seen = new SeenPlayers(ledger, clock, { rules, believed: new Set(['main']) });
  const caches = new UserCaches(
    { seen, clock, log, onChange: () => changes.push('changed') },
    new Map([['main', file]]),
  );
  onTestFinished(() => caches.close());
  await caches.start();
  const after = vi.spyOn(clock, 'after');
  /** Lets the next look happen: at its end it asks the clock for the one after it. */
  const look = async (): Promise<void> => {
    const looks = after.mock.calls.length;
    clock.advance(10_000);
    await expect.poll(() => after.mock.calls.length).toBeGreaterThan(looks);
  };
  return { ledger, caches, after, write, look, codes, changes, file };
}

test('names are joined by the file of a game server, and again when it has changed', async () => {
  const { ledger, write, look, changes } = await start(cache('Alex', '2026-07-10'));
  expect(await ledger.players('Alex')).toMatchObject([{ names: [{ onlineUuid: ALEX }] }]);
  expect(changes).toEqual([]);
  write(cache('Sasha', '2026-07-15'));
  await look();
  expect(await ledger.players('Alex')).toMatchObject([{ votes: 2, paidAs: 'Sasha' }]);
  expect(changes).toEqual(['changed']);
});

test('an entry that is older than what a list of players showed changes nothing', async () => {
  const { ledger, write, look } = await start(null);
  await ledger.storeSeen(
    { players: [{ name: 'Sasha', uuid: ALEX, at: null }], server: 'main', rules },
    Date.UTC(2026, 5, 20),
  );
  write(cache('Alex', '2026-07-10'));
  await look();
  expect(await ledger.players('Sasha')).toMatchObject([{ votes: 1, paidAs: 'sasha' }]);
});

test('a second start looks no more often than one', async () => {
  const { caches, after, look } = await start(null);
  await caches.start();
  await look();
  await look();
  expect(after.mock.calls).toHaveLength(2);
});

test('a file that cannot be used is logged once, and used as soon as it can be', async () => {
  const { ledger, write, look, codes, file } = await start(null);
  await look();
  expect(codes).toEqual(['user-cache-unusable']);
  write('[{');
  await look();
  await look();
  expect(codes).toEqual(['user-cache-unusable', 'user-cache-unusable']);
  write(cache('Alex', '2026-07-10'));
  await look();
  expect(await ledger.players('Alex')).toMatchObject([{ names: [{ onlineUuid: ALEX }] }]);
  rmSync(file);
});

test('check says how many players a file has, or why it is not used', async () => {
  const file = join(temporaryFolder(), 'usercache.json');
  writeFileSync(file, cache('Alex', '2026-07-10'));
  const one = await operator({ gameServers: { main: { kind: 'practice', userCache: file } } });
  const findings = async () =>
    (JSON.parse((await one.teller('check', '--offline', '--json')).out) as { code: string }[])
      .map(({ code }) => code)
      .filter((code) => code.startsWith('user-cache'));
  expect(await findings()).toEqual(['user-cache']);
  writeFileSync(file, 'x'.repeat(1024 * 1024 + 1));
  expect(await findings()).toEqual(['user-cache-unusable']);
});
