/** What `npm run compare` runs. */
import { expect, onTestFinished, test } from 'vitest';
import { Build } from './driver.ts';
import { randomHistory } from './history.ts';
import { differences, seenIn } from './reading.ts';
import { described, type History } from './steps.ts';

const { count, seed, only, without, ignore, ...folders } = JSON.parse(process.env.COMPARED ?? '{}');
const SHOWN = 12;

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

test('two builds do the same in random histories', { timeout: 0 }, async () => {
  const builds = [new Build(folders.old, 'the old build'), new Build(folders.new, 'the new build')];
  onTestFinished(async () => void (await Promise.all(builds.map((build) => build.close()))));
  const numbers = only > 0 ? [only] : Array.from({ length: count }, (_, index) => index + 1);
  let different = 0;
  const begun = performance.now();
  for (const [index, number] of numbers.entries()) {
    const history = randomHistory(seed * 100_000 + number, without);
    // On a busy machine a step may seem to be over before it is. A real difference comes again, however long it may take.
    const isEqualAtOnce = (await compared(builds, history, 1)).length === 0;
    const found = isEqualAtOnce ? [] : await compared(builds, history, 2);
    const outcome = found.length > 0 ? 'different' : isEqualAtOnce ? 'equal' : 'equal when it was repeated';
    if (found.length > 0) {
      different += 1;
      show(number, history, found);
    }
    const seconds = ((performance.now() - begun) / 1_000 / (index + 1)).toFixed(1);
    const done = `${index + 1} of ${numbers.length}: history ${number}`;
    process.stderr.write(`${done} is ${outcome}, ${seconds} s each\n`);
  }
  say(`${numbers.length} histories, ${different} differences`);
  expect(different).toBe(0);
});

/** A history that cannot be played is a difference, also if neither build can. */
async function compared(builds: readonly Build[], history: History, patience: number) {
  const played = await Promise.allSettled(
    builds.map((build) => build.play(history, patience, (each) => seenIn(history, each))),
  );
  const failed = played.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  const [one, other] = played.map((each) => (each.status === 'fulfilled' ? each.value : null));
  return failed.length > 0 ? failed : differences(one, other, new Set(ignore));
}

function show(number: number, history: History, found: readonly string[]): void {
  say(`history ${number}, again with --seed ${seed} --only ${number}`);
  for (const line of described(history)) say(`  ${line}`);
  say('old ≠ new:');
  for (const line of found.slice(0, SHOWN)) say(`  ${line}`);
  if (found.length > SHOWN) say(`  and ${found.length - SHOWN} more`);
}
