import { expect, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import { UnansweredVotes } from '../../src/votes/intake/unanswered-votes.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { arrival } from '../support/votes.ts';

const FULL = new Problem('ledger-full', 'The disk is full.');

/** Unanswered votes in front of a ledger that the test fills and empties; if `isSlow`, recordings wait for `release`. */
function keeping() {
  const stored: string[] = [];
  const waiting: (() => void)[] = [];
  const lost: string[] = [];
  const ledger = { isFull: true, isSlow: false, acceptsOnly: '', never: '', failure: FULL as Error };
  let tries = 0;
  const record = async ({ vote }: Arrival): Promise<void> => {
    if (ledger.isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
    const isAccepted = ledger.acceptsOnly === '' || ledger.acceptsOnly === vote.recipient.key;
    tries++;
    if (ledger.never === vote.recipient.key) throw ledger.failure;
    if (ledger.isFull || !isAccepted) throw FULL;
    stored.push(vote.recipient.key);
  };
  const clock = new FakeClock();
  const { log, lines } = loggedLines();
  const votes = new UnansweredVotes(record, clock, log, ({ recipient }) => lost.push(recipient.key));
  const keep = (...players: string[]): void => {
    for (const player of players) votes.keep(arrival({ player, channel: 'listener-v1' }));
  };
  const release = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { votes, keep, clock, ledger, stored, lost, lines, release, tries: () => tries };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('every second, retries the votes that could not be stored, in order, until they are stored', async () => {
  const { keep, clock, ledger, stored } = keeping();
  keep('a', 'b', 'c');
  clock.advance(1_000);
  await nextTurn();
  expect(stored).toEqual([]);
  ledger.isFull = false;
  clock.advance(1_000);
  await nextTurn();
  expect(stored).toEqual(['a', 'b', 'c']);
  clock.advance(60_000);
  await nextTurn();
  expect(stored).toEqual(['a', 'b', 'c']);
});

test('also stores a vote that is added during a retry', async () => {
  const { keep, clock, ledger, stored, release } = keeping();
  keep('a');
  Object.assign(ledger, { isFull: false, isSlow: true });
  clock.advance(1_000);
  keep('b');
  release();
  await nextTurn();
  ledger.isSlow = false;
  release();
  await nextTurn();
  clock.advance(1_000);
  await nextTurn();
  expect(stored).toEqual(['a', 'b']);
});

test('loses no vote without a log line when it is closed during a retry', async () => {
  const { votes, keep, clock, ledger, stored, lines, release } = keeping();
  keep('a', 'b', 'c');
  Object.assign(ledger, { isFull: false, isSlow: true });
  clock.advance(1_000);
  const closed = votes.close();
  ledger.isSlow = false;
  ledger.acceptsOnly = 'a'; // Then it is full again.
  release();
  await closed;
  const named = lines.map(({ fields }) => (fields as { recipient: string }).recipient);
  expect([[...new Set(stored)], named]).toEqual([['a'], ['b', 'c']]);
});

test('logs each vote that still cannot be stored when it is closed', async () => {
  const { votes, keep, lines, lost } = keeping();
  keep('a', 'b');
  expect(lost).toEqual([]);
  await votes.close();
  expect(lines.map(({ level, code, fields }) => [level, code, fields])).toMatchObject([
    ['error', 'vote-lost', { recipient: 'a', service: 'List' }],
    ['error', 'vote-lost', { recipient: 'b', service: 'List' }],
  ]);
  expect(lost).toEqual(['a', 'b']);
});

test('keeps 10,000 votes, and logs one more as lost at once', async () => {
  const { keep, lines, lost } = keeping();
  keep(...Array.from({ length: 10_000 }, (_, number) => `p${number}`));
  expect(lines).toEqual([]);
  keep('last');
  expect(lines).toMatchObject([{ code: 'vote-lost', fields: { recipient: 'last' } }]);
  expect(lost).toEqual(['last']);
});

test.each([
  ['a failure of its own', new Problem('ledger-failed', 'This row cannot be stored.')],
  ['a bug', new TypeError('a bug')],
])(
  'a vote that can never be stored because of %s does not block the others, and is tried once per round',
  async (_, failure) => {
    const { votes, keep, clock, ledger, stored, lost, tries } = keeping();
    Object.assign(ledger, { isFull: false, never: 'a', failure });
    keep('a', 'b', 'c');
    clock.advance(1_000);
    await nextTurn();
    expect([stored, tries()]).toEqual([['b', 'c'], 3]);
    clock.advance(1_000);
    await nextTurn();
    expect(tries()).toBe(4);
    await votes.close();
    expect(lost).toEqual(['a']);
  },
);

test('stops a round of retries if the ledger is full or locked, because the other votes would fail as well', async () => {
  const { keep, clock, tries } = keeping();
  keep('a', 'b', 'c');
  clock.advance(1_000);
  await nextTurn();
  expect(tries()).toBe(1);
});

test('tries the first vote alone and the others together, in order, so that they share commits', async () => {
  const { votes, keep, ledger, stored, release } = keeping();
  keep('a', 'b', 'c');
  Object.assign(ledger, { isFull: false, isSlow: true });
  const closed = votes.close();
  await nextTurn();
  release();
  await nextTurn();
  expect(stored).toEqual(['a']);
  release();
  await closed;
  expect(stored).toEqual(['a', 'b', 'c']);
});

test('keeps a block that is sent repeatedly only once', async () => {
  const { votes, clock, ledger, stored, lost } = keeping();
  const block = Buffer.alloc(32, 7);
  for (let count = 0; count < 10_001; count++) {
    votes.keep(arrival({ player: 'again', channel: 'listener-v1', blockDigest: block }));
  }
  votes.keep(arrival({ player: 'other', channel: 'listener-v1', blockDigest: Buffer.alloc(32, 8) }));
  ledger.isFull = false;
  clock.advance(1_000);
  await nextTurn();
  expect([stored, lost]).toEqual([['again', 'other'], []]);
});
