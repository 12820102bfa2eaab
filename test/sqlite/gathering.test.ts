import { expect, test } from 'vitest';
import type { Answer, Request } from '../../src/platform/sqlite/calls.ts';
import { Gathering } from '../../src/platform/sqlite/gathering.ts';
import { FakeClock } from '../support/fake-clock.ts';

interface Batch {
  readonly requests: readonly Request[];
  readonly names: readonly string[];
  /** Answers each call with its name in capitals. */
  readonly answer: () => void;
  readonly answerWith: (answers: readonly Answer[]) => void;
  readonly fail: (error: Error) => void;
}

/** Calls are gathered into batches that wait until the test answers them. */
function gathering(patienceMs = 3_000) {
  const batches: Batch[] = [];
  const clock = new FakeClock();
  const run = (requests: readonly Request[]): Promise<readonly Answer[]> =>
    new Promise((resolve, reject) => {
      const names = requests.map(({ name }) => name);
      const answer = () => resolve(names.map((name) => ({ value: name.toUpperCase() })));
      batches.push({ requests, names, answer, answerWith: resolve, fail: reject });
    });
  const gathered = new Gathering({ clock, patienceMs, run });
  const call = (name: string, ...args: unknown[]) => gathered.call(name, args);
  return { clock, batches, call, gathered, names: () => batches.map((batch) => batch.names) };
}

/** A batch is planned for the next turn after the answers to the one before it. */
async function turn(): Promise<void> {
  for (const _ of [1, 2]) await new Promise((resolve) => setImmediate(resolve));
}

test('a lone call is run in the next turn of the event loop, with its arguments, without waiting for more', async () => {
  const { call, batches } = gathering();
  const answer = call('a', 1, 'two');
  expect(batches).toEqual([]);
  await turn();
  expect(batches[0]?.requests).toMatchObject([{ name: 'a', args: [1, 'two'] }]);
  batches[0]?.answer();
  expect(await answer).toBe('A');
});

test('the calls of one turn share a batch, in the order of the calls, and each gets its own answer', async () => {
  const { call, batches, names } = gathering();
  const first = ['a', 'b'].map((name) => call(name));
  await Promise.resolve(); // A promise that resolves does not end the turn.
  const answers = Promise.all([...first, call('c')]);
  await turn();
  expect(names()).toEqual([['a', 'b', 'c']]);
  batches[0]?.answer();
  expect(await answers).toEqual(['A', 'B', 'C']);
});

test('calls that come while a batch is run wait for it, and share the next one', async () => {
  const { call, batches, names } = gathering();
  const first = call('a');
  await turn();
  const second = call('b');
  await turn();
  const third = call('c');
  await turn();
  expect(names()).toEqual([['a']]);
  batches[0]?.answer();
  expect(await first).toBe('A');
  await turn();
  expect(names()).toEqual([['a'], ['b', 'c']]);
  batches[1]?.answer();
  expect(await Promise.all([second, third])).toEqual(['B', 'C']);
});

test('a batch has at most 512 calls', async () => {
  const { call, batches, names } = gathering();
  const answers = Array.from({ length: 1_100 }, (_, number) => call(`c${number}`));
  for (const size of [512, 512, 76]) {
    await turn();
    expect(names().at(-1)).toHaveLength(size);
    batches.at(-1)?.answer();
  }
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 1_100 }, (_, number) => `C${number}`));
  expect(names().flat()).toEqual(Array.from({ length: 1_100 }, (_, number) => `c${number}`));
});

test('a call that fails alone disturbs no other call of its batch', async () => {
  const { call, batches } = gathering();
  const answers = Promise.allSettled(['a', 'b', 'c'].map((name) => call(name)));
  await turn();
  const error = new Error('no such vote');
  batches[0]?.answerWith([{ value: 1 }, { error }, { value: undefined }]);
  expect(await answers).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: error },
    { status: 'fulfilled', value: undefined },
  ]);
});

test('a batch that fails rejects all of its calls, and those that came meanwhile are run', async () => {
  const { call, batches, names } = gathering();
  const failing = Promise.allSettled([call('a'), call('b')]);
  await turn();
  const next = call('c');
  const error = new Error('the thread has ended');
  batches[0]?.fail(error);
  expect(await failing).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ]);
  await turn();
  expect(names()).toEqual([['a', 'b'], ['c']]);
  batches[1]?.answer();
  expect(await next).toBe('C');
  const later = call('d');
  await turn();
  batches[2]?.answer();
  expect(await later).toBe('D');
});

test('the time that a call has waited for its batch counts towards its patience, which never becomes negative', async () => {
  const { clock, call, batches } = gathering(3_000);
  const first = call('a');
  await turn();
  const calls = [first, call('b')];
  clock.advance(2_000);
  calls.push(call('c'));
  clock.advance(1_500);
  batches[0]?.answer();
  await turn();
  const patience = batches.flatMap(({ requests }) =>
    requests.map(({ name, patienceMs }) => [name, patienceMs]),
  );
  expect(patience).toEqual([
    ['a', 3_000],
    ['b', 0],
    ['c', 1_500],
  ]);
  batches[1]?.answer();
  expect(await Promise.all(calls)).toEqual(['A', 'B', 'C']);
});

test('finished waits for the calls that have no batch yet, for those of the present batch, and for those that come meanwhile', async () => {
  const { call, batches, gathered } = gathering();
  const answers = [call('a')];
  let isFinished = false;
  const finished = gathered.finished().then(() => (isFinished = true));
  await turn();
  answers.push(call('b'));
  await turn();
  expect(isFinished).toBe(false);
  batches[0]?.answer();
  await turn();
  expect(isFinished).toBe(false);
  batches[1]?.fail(new Error('the disk is full'));
  expect(await Promise.allSettled(answers)).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }]);
  await finished;
  expect(batches).toHaveLength(2);
});

test('finished resolves at once if nothing was called', async () => {
  const { gathered, batches } = gathering();
  await gathered.finished();
  expect(batches).toEqual([]);
});
