/**
 * Compares two builds of Teller from outside: `npm run compare -- --old DIR [--new DIR] [--count 20] [--seed 1]`, where DIR has
 * `dist/cli.js` and `node_modules`, after `npm run build`. Both go through the same random histories, and then all that the CLI,
 * game servers and senders see has to be equal. A difference is shown with its history, and repeated before it counts.
 * `--only K` is the K-th history alone. `--pairs` is how many are played at a time; after `--minutes`, or with `--first` after a
 * difference, none begins. `--without KIND,…` leaves out kinds of steps, and `--ignore FIELD,…` fields of the JSON.
 *
 * `--without joins` leaves out whatever makes two names one player, and splits. It is for a build from before the day of the last join or
 * split was stored with a player. Such a build judges by what each join passed, so after one it has other streaks due. After a split,
 * grants of parties and tops that were tried meanwhile belong to the other name, and so does the better place of an exact tie.
 *
 * Of a build it sees only what is outside: the CLI with its JSON, sockets, signals, the config and the ready line; its game servers
 * and senders are those of the tests. It needs Linux, where it sees whether a process has something to do.
 */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runAlone } from './alone.ts';

const { values } = parseArgs({
  options: {
    old: { type: 'string' },
    new: { type: 'string', default: resolve(import.meta.dirname, '../..') },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '0' },
    without: { type: 'string', default: '' },
    ignore: { type: 'string', default: '' },
    minutes: { type: 'string', default: '100000' },
    first: { type: 'boolean', default: false },
    pairs: { type: 'string', default: String(availableParallelism()) },
  },
});
const { old, new: other, without, ignore, first, ...written } = values;
if (old === undefined || !Object.values(written).every((value) => /^\d+$/.test(value))) {
  process.stderr.write(
    '--old DIR is a build; --count, --seed, --only, --pairs and --minutes are whole numbers\n',
  );
  process.exit(2);
}
const numbers = Object.entries(written).map(([name, value]) => [name, Number(value)] as const);
await runAlone('test/measure/compare/histories.ts', 'COMPARED', {
  ...{ old: resolve(old), new: resolve(other), ...Object.fromEntries(numbers) },
  ...{ without: without.split(','), ignore: ignore.split(','), first },
});
