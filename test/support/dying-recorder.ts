/**
 * A process that records the same votes each time it runs, one by one, and kills itself (SIGKILL) while or right after it
 * stores the n-th occasion.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n.
 */
import { Death, ledgerAt, watchWrites } from './dying.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival, DAY } from './votes.ts';

const [, , file = '', when = '', count = ''] = process.argv;
const death = new Death(when, Number(count));
const { database, ledger } = ledgerAt(file);
watchWrites(database, [['occasions', 'INSERT']], death.step);

const streak = { length: 3, per: 'day', votes: 1, repeat: true, forgive: { missed: 0, in: 1 } } as const;
const rewards = [
  { ...PLAIN_REWARD, name: 'second', if: { votes: { of: 'total', every: 2 } } },
  { ...PLAIN_REWARD, name: 'streak', if: { streak } },
  { ...PLAIN_REWARD, name: 'everyone', if: { votes: { of: 'network', every: 3 } } },
  { ...PLAIN_REWARD, name: 'scarce', limit: { per: 'network', count: 5, within: 'ever' } },
] as const;
const rules = { ...arrival().rules, rewards };

await ledger.useConfig({ rewards, today: 0 });
const DAYS = 6;
for (let day = 0; day < DAYS; day++) {
  for (const player of ['Alex', 'Steve']) {
    const receivedAt = arrival().vote.receivedAt + day * DAY;
    await ledger.record(
      { ...arrival({ player, receivedAt }), draws: { kind: 'drawn', seed: 0.5 }, rules },
      null,
    );
    death.committed();
  }
}
await ledger.close();
