import { expect, test } from 'vitest';
import { inBackground } from '../../src/console/figures/pages.ts';
import { Problem } from '../../src/core/problem.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { keptLog } from '../support/log.ts';

/** Work of so many parts whose first pause has nearly passed. `pass` lets the time of one pause pass. */
function working(parts: number, part: () => void = () => {}) {
  const clock = new FakeClock();
  const { log, codes } = keptLog();
  let done = 0;
  let end: () => unknown = () => {};
  const progress = inBackground(
    async () => {
      part();
      done += 1;
      return done === parts;
    },
    {
      ...{ clock, log },
      onEnd: (callback) => {
        end = callback;
      },
    },
  );
  clock.advance(550);
  const pass = async (): Promise<number> => {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
    return done;
  };
  return { pass, clock, codes, progress, done: () => done, end: () => end() };
}

test('the parts are done one by one with a pause before each, until all is done', async () => {
  const { pass, done } = working(3);
  expect(done()).toBe(0);
  expect([await pass(), await pass(), await pass(), await pass()]).toEqual([1, 2, 3, 3]);
});

test('it goes on from the end of the first part to the end of the last', async () => {
  const { pass, progress } = working(2);
  const states = [progress()];
  for (let time = 0; time < 2; time++) {
    await pass();
    states.push(progress());
  }
  expect(states).toEqual(['not-begun', 'goes-on', 'ended']);
});

test('no part is done once the console has ended', async () => {
  const { pass, end } = working(3);
  expect(await pass()).toBe(1);
  await end();
  expect(await pass()).toBe(1);
});

test('the pause before a part is as long as the part before it took', async () => {
  const { pass, clock } = working(3, () => clock.advance(120));
  expect([await pass(), await pass(), await pass(), await pass()]).toEqual([1, 1, 1, 2]);
});

test('a ledger that cannot be read ends it silently; the page then does the rest', async () => {
  const { pass, progress, codes, end } = working(3, () => {
    throw new Problem('ledger-locked', 'The ledger is locked.');
  });
  expect([await pass(), await pass()]).toEqual([0, 0]);
  expect(progress()).toBe('ended');
  await end();
  expect(codes).toEqual([]);
});

test('a bug ends it and is logged, and does not end the process', async () => {
  const { pass, codes } = working(3, () => {
    throw new TypeError('a bug');
  });
  await pass();
  expect(codes).toEqual(['page-fault']);
});
