/**
 * Kills a real `teller run` repeatedly while votes are sent by all channels, players move, are renamed and come back, and the
 * operator adds sites and pauses a game server; then checks its promises (docs/contributing/crash-test.md).
 *
 *   npm run test:crash -- [--kills 200] [--seed N] [--fsync MS]
 *
 * `--fsync` makes each fsync take that much longer. It runs `test/slow/crash.test.ts` with these numbers.
 */
import { parseArgs } from 'node:util';
import { runAlone } from '../measure/alone.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string' },
    fsync: { type: 'string', default: '0' },
  },
});
const { kills, fsync, seed = String(Math.floor(Math.random() * 2 ** 31)) } = values;
if (![kills, seed, fsync].every((value) => /^\d+$/.test(value))) {
  process.stderr.write('--kills, --seed and --fsync are whole numbers\n');
  process.exit(2);
}
process.stdout.write(
  `npm run test:crash -- --kills ${kills} --fsync ${fsync} --seed ${seed} repeats this run\n`,
);
await runAlone('test/slow/crash.test.ts', 'CRASH', {
  ...{ kills: Number(kills), seed: Number(seed), fsyncMs: Number(fsync) },
});
