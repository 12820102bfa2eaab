import { expect, test } from 'vitest';
import { withClockWatch } from '../../src/intake/clock-watch.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { deciding, freshLedger, THANKS } from '../support/ledgers.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { arrival } from '../support/votes.ts';
import { START, TellerWithClock } from './teller-with-clock.ts';

const HOUR = 3_600_000;

test('reports a doubt once, even if it could not be stored at first', async () => {
  const { ledger } = freshLedger();
  const clock = new FakeClock();
  const { log, codes } = loggedLines();
  let isFull = false;
  const filling: Ledger = {
    ...ledger,
    record: (arrivals, decide, judgeClock) => ledger.record(arrivals, isFull ? failing : decide, judgeClock),
  };
  const watched = withClockWatch(filling, clock, log);
  const vote = (player: string) =>
    watched.record([arrival({ player, receivedAt: clock.now(), claim: null })], deciding(THANKS));
  await vote('Steve');
  clock.jump(26 * HOUR);
  isFull = true;
  for (const player of ['Alex', 'Zombie']) await expect(vote(player)).rejects.toThrow('disk full');
  expect(codes('warn')).toEqual([]);
  isFull = false;
  await vote('Alex');
  await vote('Steve');
  expect(codes('warn')).toEqual(['clock-doubtful']);
  expect(await ledger.grantStates()).toEqual({ pending: 1, held: 1 });

  clock.jump(-26 * HOUR);
  isFull = true;
  await expect(vote('Later')).rejects.toThrow('disk full');
  isFull = false;
  await vote('Later');
  expect(codes('info')).toEqual(['clock-believed']);
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 1 });
});

test('does not release grants on a game server that changed while they were held for the clock', async () => {
  const teller = new TellerWithClock();
  await teller.look.holdOrphaned(new Map([['main', 'rcon']]), START);
  await teller.newcomer();
  teller.jump(26 * HOUR);
  expect(await teller.newcomer()).toBe('rewarded, held');
  await teller.look.holdOrphaned(new Map([['main', 'http']]), START);
  expect(await teller.release()).toMatchObject({ released: 0 });
  expect(await teller.look.grants({ limit: 9 })).toMatchObject([
    { state: 'held', reason: { code: 'other-game-server' } },
    { state: 'held' },
  ]);
});

const failing = (): never => {
  throw new Error('disk full');
};

test('two processes on one ledger both hold grants during a doubt, and both trust the clock again afterwards', async () => {
  const { ledger } = freshLedger();
  const clock = new FakeClock();
  const [one, other] = [
    withClockWatch(ledger, clock, loggedLines().log),
    withClockWatch(ledger, clock, loggedLines().log),
  ];
  const vote = (through: Ledger, player: string) =>
    through.record([arrival({ player, receivedAt: clock.now(), claim: null })], deciding(THANKS));
  await vote(one, 'A');
  await vote(other, 'B');
  clock.jump(26 * HOUR);
  await vote(one, 'C');
  await vote(other, 'D');
  await vote(other, 'A');
  expect(await ledger.grantStates()).toEqual({ pending: 2, held: 2 });
  clock.jump(-26 * HOUR);
  await vote(other, 'E');
  await vote(one, 'F');
  expect(await ledger.grantStates()).toEqual({ pending: 4, held: 2 });
});
