import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Decide, Ledger } from '../../src/ledger/ledger.ts';
import { ledgerSchema } from '../../src/ledger/schema.ts';
import { sqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { decide } from '../../src/rewards/decide.ts';
import type { Reward, Rules } from '../../src/rewards/reward.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { type Database, openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from './folder.ts';

export interface FreshLedger {
  readonly ledger: Ledger;
  readonly file: string;
  /** The ledger's connection, for queries and limits. */
  readonly database: Database;
}

/** A new ledger, closed with the test. */
export function freshLedger(file = join(temporaryFolder(), 'teller.db')): FreshLedger {
  const database = openDatabase(file, ledgerSchema, 'create');
  const ledger = sqliteLedger(database, { ...systemClock, zone: 'UTC' });
  onTestFinished(() => ledger.close());
  return { ledger, file, database };
}

const reward = (name: string, commands: readonly string[], more: Partial<Reward> = {}): Reward => ({
  name,
  if: {},
  when: 'always',
  servers: ['main'],
  commands,
  safeToRunTwice: false,
  ...more,
});

/** Decides as Teller does, with `rewards` on the game server `main`. */
export function deciding(...rewards: readonly Reward[]): Decide {
  const rules: Rules = { rewards, practiceServers: new Set(), labels: new Map(), zone: 'UTC' };
  return (arrival, rewarded) => decide(arrival, rewarded, rules);
}

export const THANKS = reward('thanks', ['say {player} voted']);
export const DAILY = reward('daily', ['give {player} diamond 1', 'give {player} emerald 2'], {
  when: 'online',
});
export const SAFE = reward('safe', ['lp user {player} meta set voted'], { safeToRunTwice: true });
