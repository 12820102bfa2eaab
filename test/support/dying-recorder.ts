/**
 * A process that records the same votes each time it runs, one by one, and kills itself (SIGKILL) while or right after it
 * stores the n-th occasion.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n.
 */
import { ledgerInProcess } from '../../src/ledger/sqlite/in-process.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { ledgerWork } from '../../src/ledger/sqlite/work.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival, DAY } from './votes.ts';

const [, , file = '', when = '', count = ''] = process.argv;
const database = openDatabase(file, ledgerSchema, 'create');
database.exec("UPDATE time_zone SET zone = 'UTC'");
const ledger = ledgerInProcess(
  { work: ledgerWork(database), replacesLost: false },
  { clock: systemClock, onClockNews: () => {} },
);

let occasions = 0;
database.function('on_occasion', () => {
  occasions += 1;
  if (when === 'while' && occasions === Number(count)) process.kill(process.pid, 'SIGKILL');
  return null;
});
database.exec('CREATE TEMP TRIGGER counting AFTER INSERT ON main.occasions BEGIN SELECT on_occasion(); END');

const streak = { length: 3, per: 'day', votes: 1, repeat: true, forgive: { missed: 0, in: 1 } } as const;
const rewards = [
  { ...PLAIN_REWARD, name: 'second', if: { votes: { of: 'total', every: 2 } } },
  { ...PLAIN_REWARD, name: 'streak', if: { streak } },
  { ...PLAIN_REWARD, name: 'everyone', if: { votes: { of: 'network', every: 3 } } },
  { ...PLAIN_REWARD, name: 'scarce', limit: { per: 'network', count: 5, within: 'ever' } },
] as const;
const rules = {
  rewards,
  parties: [],
  practiceServers: new Set<string>(),
  labels: new Map(),
  listed: { player: [], user: [] },
  links: { player: [], user: [] },
  zone: 'UTC',
};

await ledger.useRewards(rewards, 0);
const DAYS = 6;
for (let day = 0; day < DAYS; day++) {
  for (const player of ['Alex', 'Steve']) {
    const receivedAt = arrival().vote.receivedAt + day * DAY;
    await ledger.record(
      { ...arrival({ player, receivedAt }), draws: { kind: 'drawn', seed: 0.5 }, rules },
      null,
    );
    if (when === 'after' && occasions >= Number(count)) process.kill(process.pid, 'SIGKILL');
  }
}
await ledger.close();
