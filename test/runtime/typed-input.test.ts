import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { TypedInput } from '../../src/platform/typed-input.ts';

/** An input that may be read when the test says so. */
function inputInBackground() {
  const stream = new PassThrough();
  const lines: string[] = [];
  let tell: (mayRead: boolean) => void = () => {};
  let isAsking = true;
  const input = new TypedInput(stream, (told) => {
    tell = told;
    return () => {
      isAsking = false;
    };
  });
  onTestFinished(() => input.close());
  input.open(100, { onLine: (line) => lines.push(line), onTooLong: () => lines.push('too long') });
  return { stream, input, lines, tell: (mayRead: boolean) => tell(mayRead), isAsking: () => isAsking };
}

test('nothing is read before it is known that it may be, and nothing in the background', async () => {
  const { stream, lines, tell } = inputInBackground();
  stream.write('check\n');
  expect([stream.isPaused(), lines]).toEqual([true, []]);
  tell(true);
  await expect.poll(() => lines).toEqual(['check']);
  tell(false);
  stream.write('reload\n');
  expect([stream.isPaused(), lines]).toEqual([true, ['check']]);
  tell(true);
  await expect.poll(() => lines).toEqual(['check', 'reload']);
});

test('after it is closed, it no longer asks whether it may be read', () => {
  const { input, stream, isAsking } = inputInBackground();
  input.close();
  expect([isAsking(), stream.destroyed]).toEqual([false, true]);
});
