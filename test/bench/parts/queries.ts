import type { Bench } from '../bench-run.ts';
import { homeOf } from '../config.ts';
import { median } from '../figures.ts';
import type { InsideTimes } from '../inside.ts';
import { runCommand, runScript } from '../processes.ts';
import { queries as asked } from '../queries.ts';

const INSIDE_RUNS = 11;
const COMMAND_RUNS = 3;

/**
 * What operators ask, in ledgers of several sizes: the time of the command, and the time inside a process that runs
 * already.
 */
export async function queries(bench: Bench): Promise<void> {
  const { installed, sizes } = bench;
  for (const votes of sizes.ledgers) {
    const { folder } = await bench.filled(votes);
    const { config } = homeOf(folder);
    const size = votes.toLocaleString('en-US');
    bench.say(`${size} votes, inside`);
    const inside = await runScript<InsideTimes>(installed, 'inside', { config, runs: INSIDE_RUNS });
    const isLargest = votes === sizes.ledgers.at(-1);
    for (const { args } of asked) {
      const name = args.join(' ');
      bench.say(`${size} votes: ${name}`);
      const times: number[] = [];
      for (let run = 0; run < COMMAND_RUNS; run++)
        times.push((await runCommand(installed, [...args, '--config', config])).ms);
      const column = `inside ms, ${size}`;
      bench.row(
        name,
        { [column]: inside[name]?.medianMs ?? Number.NaN, [`command ms, ${size}`]: median(times) },
        isLargest ? { [column]: 'inside-ms' } : {},
      );
    }
  }
}
