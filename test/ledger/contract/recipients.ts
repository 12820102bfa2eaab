import { expect, test } from 'vitest';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import { record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function recipientsContract(freshLedger: LedgerFactory): void {
  const userVote = (key: string) => {
    const { vote, ...rest } = arrival({ service: 'Five.example', site: 'Five.example' });
    return { ...rest, vote: { ...vote, recipient: { kind: 'user' as const, key } } };
  };

  test('votes and grants are found by a player’s name in any case, and by the exact user ID', async () => {
    const { ledger } = await freshLedger();
    await record(
      ledger,
      [arrival({ player: 'Steve' }), userVote('Voter-A'), userVote('steve')],
      rulesFor({ ...THANKS, commands: ['say thanks'] }),
    );
    const found = async (recipient: string) =>
      (await ledger.votes({ recipient, limit: 9 })).map(({ id }) => id).reverse();
    expect(await found('sTEVE')).toEqual([1]);
    expect(await found('steve')).toEqual([1, 3]);
    expect(await found('Voter-A')).toEqual([2]);
    expect(await found('voter-a')).toEqual([]);
    expect((await ledger.grants({ recipient: 'Voter-A', limit: 9 })).map(({ voteId }) => voteId)).toEqual([
      2,
    ]);
    // At the same instant, so each finds its own window taken.
    const takenBy = async (one: Arrival) =>
      (await ledger.judge([{ ...one, rules: rulesFor() }], 'grants'))[0];
    expect(await takenBy(userVote('steve'))).toMatchObject({ kind: 'cooldown', takenBy: 3 });
    expect(await takenBy(arrival({ player: 'Steve' }))).toMatchObject({ kind: 'cooldown', takenBy: 1 });
  });
}
