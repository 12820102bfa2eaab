/** What `npm run compare` runs. */
import { expect, onTestFinished, test } from 'vitest';
import { Build, type Playing } from './driver.ts';
import { randomHistory } from './history.ts';
import { differences, seenIn } from './reading.ts';
import { described, type History } from './steps.ts';

const { count, seed, only, without, ignore, pairs, minutes, first, ...folders } = JSON.parse(
  process.env.COMPARED ?? '{}',
);
const SHOWN = 12;

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

test('two builds do the same in random histories', { timeout: 0 }, async () => {
  const numbers = only > 0 ? [only] : Array.from({ length: count }, (_, index) => index + 1);
  const waiting = numbers.values();
  const begun = performance.now();
  let [done, different] = [0, 0];
  const pair = async (): Promise<void> => {
    const builds = [new Build(folders.old, 'the old build'), new Build(folders.new, 'the new build')];
    onTestFinished(async () => void (await Promise.all(builds.map((build) => build.close()))));
    for (const number of waiting) {
      if (performance.now() - begun > minutes * 60_000 || (first && different > 0)) break;
      const outcome = await outcomeOf(number, builds);
      [done, different] = [done + 1, different + (outcome === 'different' ? 1 : 0)];
      const seconds = ((performance.now() - begun) / 1_000 / done).toFixed(1);
      process.stderr.write(
        `${done} of ${numbers.length}: history ${number} is ${outcome}, ${seconds} s each\n`,
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(pairs, numbers.length) }, pair));
  say(`${done} histories, ${different} differences`);
  expect(different).toBe(0);
});

async function outcomeOf(number: number, builds: readonly Build[]): Promise<string> {
  const history = randomHistory(seed * 100_000 + number, without);
  if ((await compared(builds, history, { quietNudges: 2, isExact: false })).length === 0) return 'equal';
  // What a step leads to may wait for more timers, one after another, than were let fire. A real difference comes again, however many
  // fire, and also where time goes from one timer to the next.
  const found = await compared(builds, history, { quietNudges: 4, isExact: true });
  if (found.length === 0) return 'equal when it was repeated';
  show(number, history, found);
  return 'different';
}

/** A history that cannot be played is a difference, also if neither build can. */
async function compared(builds: readonly Build[], history: History, playing: Playing) {
  const played = await Promise.allSettled(
    builds.map((build) => build.play(history, playing, (each) => seenIn(history, each))),
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
