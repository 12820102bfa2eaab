import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ClockReading } from '../../src/core/clock-reading.ts';
import { PAYS_ALL } from '../../src/core/pay.ts';
import type { ClockNews, Ledger, Recorded, VoteLedger } from '../../src/ledger/ledger.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';
import type { Arrival } from '../../src/rewards/arrival.ts';
import type { Reward, Rules } from '../../src/rewards/reward.ts';
import { ledgerAt } from './dying.ts';
import { placeEmptyLedger, temporaryFolder } from './folder.ts';
import { PLAIN_REWARD } from './rewards.ts';

export interface FreshLedger {
  readonly ledger: Ledger;
  readonly file: string;
  /** The ledger's connection, for queries and limits. */
  readonly database: Database;
}

/** A new ledger on this thread, closed with the test. */
export function freshLedger(
  file = join(temporaryFolder(), 'teller.db'),
  onClockNews: (news: ClockNews) => void = () => {},
): FreshLedger {
  placeEmptyLedger(file);
  const { database, ledger } = ledgerAt(file, { onClockNews });
  // What a power cut leaves on the disk is not what these tests ask; waiting for the disk took them minutes on a busy one.
  database.pragma('synchronous = OFF');
  onTestFinished(() => ledger.close());
  return { ledger, file, database };
}

const reward = (name: string, commands: readonly string[], more: Partial<Reward> = {}): Reward => ({
  ...PLAIN_REWARD,
  name,
  commands,
  ...more,
});

/** The rules of a config with these rewards, whose game servers are real. */
export const rulesFor = (...rewards: readonly Reward[]): Rules => ({
  rewards,
  parties: [],
  practiceServers: new Set(),
  labels: new Map(),
  listed: { player: [], user: [] },
  links: { player: [], user: [] },
  zone: 'UTC',
  pay: PAYS_ALL,
});

/** Records votes by these rules, in order and in one transaction. */
export const record = (
  ledger: VoteLedger,
  arrivals: readonly Arrival[],
  rules: Rules,
  reading: ClockReading | null = null,
): Promise<Recorded[]> =>
  Promise.all(arrivals.map((arrival) => ledger.record({ ...arrival, rules }, reading)));

export const THANKS = reward('thanks', ['say {player} voted']);
export const DAILY = reward('daily', ['give {player} diamond 1', 'give {player} emerald 2'], {
  when: 'online',
});
export const SAFE = reward('safe', ['lp user {player} meta set voted'], { safeToRunTwice: true });
