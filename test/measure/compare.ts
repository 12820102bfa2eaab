/**
 * Compares two builds of Teller from outside: `npm run compare -- --old DIR [--new DIR] [--count 20] [--seed 1]`, where DIR has
 * `dist/cli.js` and `node_modules`, after `npm run build`. Both go through the same random histories, and then all that the CLI,
 * game servers and senders see has to be equal. A difference is shown with its history,
 * and repeated before it counts. `--only K` is the K-th history alone. `--without KIND,…` leaves out kinds of steps, and
 * `--ignore FIELD,…` fields of the JSON, which are meant to differ.
 *
 * It knows nothing of `src`: it uses the CLI with its JSON, sockets, signals, the config and the ready line. It needs Linux, where it
 * sees whether a process has something to do.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Build } from './compare/driver.ts';
import { randomHistory } from './compare/history.ts';
import { differences, seenIn } from './compare/reading.ts';
import { described, type History } from './compare/steps.ts';

const SHOWN = 12;

const { values } = parseArgs({
  options: {
    old: { type: 'string' },
    new: { type: 'string', default: resolve(import.meta.dirname, '../..') },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    without: { type: 'string', default: '' },
    ignore: { type: 'string', default: '' },
  },
});
const [count, seed, only] = [values.count, values.seed, values.only ?? '0'].map(Number) as [
  number,
  number,
  number,
];
if (
  values.old === undefined ||
  ![count, seed, only].every((number) => Number.isInteger(number) && number >= 0)
) {
  process.stderr.write('--old DIR is the folder of a build; --count, --seed and --only are whole numbers\n');
  process.exit(2);
}
const [without, ignored] = [values.without.split(','), new Set(values.ignore.split(','))];

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const builds = [
  new Build(resolve(values.old), 'the old build'),
  new Build(resolve(values.new), 'the new build'),
] as const;
process.once('SIGINT', () => void stop(130)).once('SIGTERM', () => void stop(143));
let different = 0;
const begun = performance.now();
const numbers = only > 0 ? [only] : Array.from({ length: count }, (_, index) => index + 1);
try {
  await Promise.all(builds.map((build) => build.open()));
  for (const number of numbers) {
    const history = randomHistory(seed * 100_000 + number, without);
    // On a busy machine a step may seem to be over before it is. A real difference comes again, however long it may take.
    const isEqualAtOnce = (await compared(history, 1)).length === 0;
    const found = isEqualAtOnce ? [] : await compared(history, 2);
    const outcome = found.length > 0 ? 'different' : isEqualAtOnce ? 'equal' : 'equal when it was repeated';
    if (found.length > 0) {
      different += 1;
      show(number, history, found);
    }
    const done = numbers.indexOf(number) + 1;
    const seconds = ((performance.now() - begun) / 1_000 / done).toFixed(1);
    process.stderr.write(
      `${done} of ${numbers.length}: history ${number} is ${outcome}, ${seconds} s each\n`,
    );
  }
} catch (error) {
  say(String(error));
  await stop(1);
}
say(`${numbers.length} histories, ${different} differences`);
await stop(different === 0 ? 0 : 1);

/** No process of a build stays behind. */
async function stop(code: number): Promise<never> {
  await Promise.all(builds.map((build) => build.close()));
  process.exit(code);
}

/** A history that cannot be played is a difference, also if neither build can. */
async function compared(history: History, patience: number): Promise<readonly string[]> {
  const played = await Promise.allSettled(
    builds.map((build) => build.play(history, patience, (each) => seenIn(history, each))),
  );
  const failed = played.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  const [one, other] = played.map((each) => (each.status === 'fulfilled' ? each.value : null));
  return failed.length > 0 ? failed : differences(one, other, ignored);
}

function show(number: number, history: History, found: readonly string[]): void {
  say(`history ${number}, again with --seed ${seed} --only ${number}`);
  for (const line of described(history)) say(`  ${line}`);
  say('old ≠ new:');
  for (const line of found.slice(0, SHOWN)) say(`  ${line}`);
  if (found.length > SHOWN) say(`  and ${found.length - SHOWN} more`);
}
