import type { JudgedArrival } from '../../../core/decide.ts';
import { instantOf } from '../../../core/local-time.ts';
import { seededRandom } from '../../../core/seeded-random.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Rules, Top } from '../../../rewards/reward.ts';
import type { VoteConfig } from '../../preview/hypothetical-votes.ts';
import { simulate } from '../simulate.ts';
import { CalendarCounter, type MonthCalendar } from './calendar.ts';
import { type Past, SOURCE } from './past.ts';
import { monthVotes } from './voters.ts';

/** Which days are simulated, and by which rules. Plain values. */
export interface ComingOrder {
  readonly config: VoteConfig;
  readonly rules: Rules;
  readonly tops: readonly Top[];
  /** In ms since the Unix epoch. */
  readonly now: number;
  /** As days since 1970-01-01; the first simulated day is the next one. */
  readonly today: number;
  readonly days: number;
  readonly seed: number;
}

export interface Progress {
  readonly done: number;
  readonly of: number;
}

/** @param onProgress is called after each batch; what it throws ends the simulation. */
interface Tools {
  readonly openLedger: () => Promise<Ledger>;
  readonly onProgress: (progress: Progress) => void;
}

/** Players vote as they did in the last weeks, and have what they have now. */
export async function likeThePast(order: ComingOrder, past: Past, tools: Tools): Promise<MonthCalendar> {
  const votes = past.castAgain(order.days);
  return withLedger(tools, async (ledger) => {
    await ledger.useTimeZone(order.rules.zone);
    await seed(ledger, past, order);
    return simulated(ledger, votes, order, tools);
  });
}

/** So many players who begin with nothing. */
export async function madeUp(order: ComingOrder, voters: number, tools: Tools): Promise<MonthCalendar> {
  const from = instantOf({ day: order.today + 1, minute: 0 }, order.rules.zone);
  const plan = { voters, days: order.days, votes: undefined, from, zone: order.rules.zone };
  const votes = monthVotes(plan, order.config, seededRandom(order.seed));
  return withLedger(tools, (ledger) => simulated(ledger, votes, order, tools));
}

async function withLedger<Result>(
  { openLedger }: Tools,
  body: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await openLedger();
  try {
    return await body(ledger);
  } finally {
    await ledger.close();
  }
}

const AT_ONCE = 200;

/** The votes first, so that they are not counted again as a part of the totals. */
async function seed(ledger: Ledger, past: Past, { rules, now }: ComingOrder): Promise<void> {
  const start = { source: SOURCE, asOf: now, by: SOURCE, now };
  const order = { ...start, rules, isReplacing: false, importId: await ledger.startImport(start) };
  for (const votes of portions(past.lastVotes(now))) await ledger.importVotes(votes, order);
  for (const entries of portions(past.balances())) await ledger.importBalances(entries, order);
}

const portions = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, at) =>
    items.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );

async function simulated(
  ledger: Ledger,
  votes: readonly JudgedArrival[],
  { rules, tops, today, days, seed: drawn }: ComingOrder,
  { onProgress }: Tools,
): Promise<MonthCalendar> {
  const counter = new CalendarCounter(rules, tops);
  const end = instantOf({ day: today + 1 + days, minute: 0 }, rules.zone);
  let done = 0;
  const options = { tops, until: end, online: null };
  for await (const batch of simulate(ledger, votes, rules, drawn, options)) {
    for (const vote of batch) counter.add(vote);
    done += batch.length;
    onProgress({ done, of: votes.length });
  }
  return counter.calendar(today + 1, days);
}
