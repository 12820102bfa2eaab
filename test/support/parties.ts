import type { PartyOrder, TogetherLedger } from '../../src/ledger/ledger.ts';
import type { Party, Rules, Top } from '../../src/rewards/reward.ts';
import { rulesFor } from './ledgers.ts';
import { PLAIN_REWARD } from './plain-reward.ts';

/** A party at every third vote that pays the voters at once on `main`, unless overridden. */
export const party = (name: string, more: Partial<Party> = {}): Party => ({
  ...PLAIN_REWARD,
  name,
  every: 3,
  for: 'voters',
  minOnline: 1,
  userVotes: 1,
  reset: null,
  announceLeft: [],
  announce: [],
  commands: ['give {player} cake 1'],
  ...more,
});

/** Stores everybody who is paid for a party. @returns how many grants each portion created. */
export async function fixWhole(
  ledger: Pick<TogetherLedger, 'fixParty'>,
  order: PartyOrder,
  now: number,
): Promise<number[]> {
  const created: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { grants, next } = await ledger.fixParty(order, after, now);
    created.push(grants);
    after = next;
  }
  return created;
}

/** The rules of a config with these parties and no rewards. */
export const rulesWith = (...parties: readonly Party[]): Rules => ({ ...rulesFor(), parties });

/** A top of each month that pays the best three at once on `main`, an hour after the month, unless overridden. */
export const top = (name: string, more: Partial<Top> = {}): Top => ({
  ...PLAIN_REWARD,
  name,
  commands: [],
  period: 'month',
  prizes: [
    {
      from: 1,
      to: 1,
      commands: ['give {player} beacon 1', 'say {player} won {occasion} with {votesMonth} votes'],
    },
    { from: 2, to: 3, commands: ['give {player} diamond 5'] },
  ],
  ties: 'first',
  exclude: [],
  settleMs: 3_600_000,
  ...more,
});
