import type { ClockReading } from '../../core/clock-reading.ts';
import type { Call, Synchronous } from '../../platform/sqlite/calls.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Arrival } from '../../rewards/reward.ts';
import type { UnlistedLedger, VoteLedger } from '../ledger.ts';
import type { ClockJudging } from './clock-judging.ts';
import type { ClockKeeping } from './clock-keeping.ts';
import type { Known } from './known.ts';
import { Recording } from './recording.ts';
import { UnlistedVotes } from './unlisted-votes.ts';

export function votesOf(
  database: Database,
  { rewards, reasons }: Known,
  judging: ClockJudging,
): Synchronous<VoteLedger> {
  const recording = new Recording(database, rewards, reasons);
  return {
    record: (arrival, reading) => recording.record(arrival, reading === null ? null : judging.shiftMs),
    countRefusals: (counts) => recording.countRefusals(counts),
  };
}

/** Made when first needed: few processes pay votes of services that were listed later. */
export function unlistedOf(
  database: Database,
  { rewards, reasons }: Known,
  clockKeeping: ClockKeeping,
): Synchronous<UnlistedLedger> {
  let made: UnlistedVotes | null = null;
  const unlisted = (): UnlistedVotes =>
    (made ??= new UnlistedVotes(database, rewards, reasons, clockKeeping));
  return {
    noteListed: (services, now) => unlisted().note(services, now),
    keepListed: (services, now) => unlisted().keep(services, now),
    payUnlisted: (order, now) => unlisted().pay(order, now),
  };
}

/** All votes of a transaction are dated by the latest reading of the clock. */
export function judgeFor(judging: ClockJudging, calls: readonly Call[]): void {
  const records = calls.filter(({ name }) => name === 'record');
  const args = records.map(({ args }) => args as readonly [Arrival, ClockReading | null]);
  const reading = args.map(([, taken]) => taken).findLast((taken) => taken !== null) ?? null;
  judging.judge(
    args.map(([arrival]) => arrival),
    reading,
  );
}
