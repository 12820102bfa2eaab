import { expect, test } from 'vitest';
import type { Arrival } from '../../src/core/decide.ts';
import { Problem } from '../../src/core/problem.ts';
import { GroupCommit } from '../../src/intake/group-commit.ts';
import type { Recorded, VoteLedger } from '../../src/ledger/ledger.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { deciding, freshLedger, THANKS } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';

/** A group commit into a ledger that keeps the batches; `failNext` makes the next one fail. */
function committing() {
  const batches: string[][] = [];
  let failure: Error | null = null;
  let lastId = 0;
  const ledger: VoteLedger = {
    record: async (arrivals, decide) => {
      batches.push(arrivals.map(({ vote }) => vote.recipient.key));
      const error = failure;
      failure = null;
      if (error !== null) throw error;
      return arrivals.map((one): Recorded => ({ kind: 'new', id: ++lastId, decision: decide(one, []) }));
    },
    countRefusals: async () => {},
  };
  const clock = new FakeClock();
  const commit = new GroupCommit(ledger, deciding(), clock);
  const record = (player: string) => commit.record(arrival({ player }));
  return { clock, batches, record, failNext: (error: Error) => (failure = error) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('commits a single vote at once, without waiting for the window', async () => {
  const { record, batches } = committing();
  expect(await record('a')).toMatchObject({ kind: 'new', id: 1 });
  expect(batches).toEqual([['a']]);
});

test('commits votes that arrive together in one transaction after 2 ms, each with its own answer, in order', async () => {
  const { clock, record, batches } = committing();
  const answers = Promise.all(['a', 'b', 'c'].map(record));
  await turn();
  clock.advance(1);
  expect(batches).toEqual([]);
  clock.advance(1);
  expect((await answers).map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(batches).toEqual([['a', 'b', 'c']]);
});

test('adds a vote that arrives within the window to the same transaction', async () => {
  const { clock, record, batches } = committing();
  const first = Promise.all([record('a'), record('b')]);
  await turn();
  clock.advance(1);
  const late = record('c');
  clock.advance(1);
  await Promise.all([first, late]);
  expect(batches).toEqual([['a', 'b', 'c']]);
});

test('commits 256 votes without waiting for the window, and splits more than 256 into several transactions', async () => {
  const { record, batches } = committing();
  await Promise.all(Array.from({ length: 512 }, (_, number) => record(`p${number}`)));
  expect(batches.map((batch) => batch.length)).toEqual([256, 256]);
});

test('rejects every vote of a batch that fails, and records the next one', async () => {
  const { clock, record, failNext } = committing();
  const problem = new Problem('ledger-full', 'The disk is full.');
  failNext(problem);
  const both = Promise.allSettled([record('a'), record('b')]);
  await turn();
  clock.advance(2);
  expect(await both).toEqual([
    { status: 'rejected', reason: problem },
    { status: 'rejected', reason: problem },
  ]);
  expect(await record('c')).toMatchObject({ kind: 'new' });
});

test('commits a vote that arrives while a batch is being stored after that batch', async () => {
  const { record, batches } = committing();
  const first = record('a');
  await turn();
  const second = record('b');
  await Promise.all([first, second]);
  expect(batches).toEqual([['a'], ['b']]);
});

test('pays a player once for 64 votes in one transaction', async () => {
  const { ledger } = freshLedger();
  const clock = new FakeClock();
  const commit = new GroupCommit(ledger, deciding(THANKS), clock);
  const votes = Array.from({ length: 64 }, (_, n): Arrival => arrival({ service: `List ${n}` }));
  const answers = Promise.all(votes.map((vote) => commit.record(vote)));
  await turn();
  clock.advance(2);
  const decisions = (await answers).map((one) => (one.kind === 'new' ? one.decision.kind : one.kind));
  expect(decisions).toEqual(['rewarded', ...Array.from({ length: 63 }, () => 'cooldown')]);
  expect(await ledger.grantStates()).toEqual({ pending: 1 });
});
