/**
 * Times every query in one process, after one run to warm up. One JSON argument: an `InsideOrder`. Prints
 * milliseconds by query: `InsideTimes`.
 */
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { maximum, median } from './figures.ts';
import { configOf, type Query, type QueryInput, queries } from './queries.ts';

export interface InsideOrder {
  readonly config: string;
  readonly runs: number;
}

export type InsideTimes = Readonly<Record<string, { readonly medianMs: number; readonly maxMs: number }>>;

const order = JSON.parse(process.argv[2] ?? '') as InsideOrder;
const config = await configOf(order.config);
const ledger = await openLedger(config.ledger, 'read', { clock: systemClock });

async function timesOf({ inside }: Query): Promise<InsideTimes[string]> {
  const input: QueryInput = { ledger, config, now: systemClock.now() };
  await inside(input);
  const times: number[] = [];
  for (let run = 0; run < order.runs; run++) {
    const startedAt = performance.now();
    await inside(input);
    times.push(performance.now() - startedAt);
  }
  return { medianMs: median(times), maxMs: maximum(times) };
}

const times: Record<string, InsideTimes[string]> = {};
for (const query of queries) times[query.args.join(' ')] = await timesOf(query);
await ledger.close();
process.stdout.write(`${JSON.stringify(times)}\n`);
