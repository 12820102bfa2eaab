import { expect, test } from 'vitest';
import { LineOutput } from '../../src/platform/line-output.ts';

const LINE = 'x'.repeat(1_000);

/** Two million characters: more than what may wait. */
const MANY = 2_000;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A sink that finishes a write when the test says so, and what it was given. */
function controlledSink() {
  const texts: string[] = [];
  const pending: ((error?: Error) => void)[] = [];
  const output = new LineOutput({
    write: (text, done) => {
      texts.push(text);
      pending.push(done);
    },
    writeNow: (text) => void texts.push(text),
  });
  output.onLost = (lines) => output.print(`lost ${lines}`);
  return { output, texts, finish: (error?: Error) => pending.shift()?.(error) };
}

/** A sink whose reader reads no further than the first line. */
async function stalledSink() {
  const sink = controlledSink();
  sink.output.print('first');
  await nextTurn();
  return sink;
}

test('the lines of one turn are written together, and those that come during a write together after it', async () => {
  const { output, texts, finish } = controlledSink();
  output.print('one');
  output.print('two');
  expect(texts).toEqual([]);
  await nextTurn();
  output.print('three');
  await nextTurn();
  output.print('four');
  await nextTurn();
  expect(texts).toEqual(['one\ntwo\n']);
  finish();
  expect(texts).toEqual(['one\ntwo\n', 'three\nfour\n']);
});

test('while the reader stalls, a bounded number of lines is kept, and the others are lost', async () => {
  const { output, texts, finish } = await stalledSink();
  for (let line = 0; line < MANY; line++) output.print(LINE);
  expect(texts).toEqual(['first\n']);
  finish();
  expect(texts).toHaveLength(2);
  expect(texts[1]?.split('\n').filter((line) => line === LINE)).toHaveLength(1_047);
});

test('lost lines are reported once, after the lines that were kept and before newer ones', async () => {
  const { output, texts, finish } = await stalledSink();
  for (let line = 0; line < MANY; line++) output.print(LINE);
  finish();
  output.print('newer');
  finish();
  const lines = texts.join('').split('\n').slice(0, -1);
  expect(lines.slice(1 + 1_047)).toEqual(['lost 953', 'newer']);
});

test('lines of a write that failed count as lost, and are reported after the next write that succeeds', async () => {
  const { output, texts, finish } = await stalledSink();
  finish(new Error('no space left on device'));
  await output.settled();
  expect(texts).toEqual(['first\n']);
  output.print('second');
  await nextTurn();
  finish();
  expect(texts).toEqual(['first\n', 'second\n', 'lost 1\n']);
});

test('lines are settled once the last of them is written', async () => {
  const { output, finish } = await stalledSink();
  let isSettled = false;
  const settled = output.settled().then(() => {
    isSettled = true;
  });
  output.print('second');
  finish();
  await nextTurn();
  expect(isSettled).toBe(false);
  finish();
  await settled;
});

test('lines that wait when the process exits are written at once', async () => {
  const { output, texts } = await stalledSink();
  output.print('last words');
  output.writeNow();
  expect(texts).toEqual(['first\n', 'last words\n']);
});
