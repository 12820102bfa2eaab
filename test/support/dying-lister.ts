/**
 * A process that lists five services one after another, as the process that delivers does, in portions of two votes, and
 * kills itself (SIGKILL) while or right after it decides the n-th vote again. The first run records six votes first.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n.
 */
import { ALL_WON } from '../../src/rewards/draws.ts';
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

let decided = 0;
database.function('on_decided', () => {
  decided += 1;
  if (when === 'while' && decided === Number(count)) process.kill(process.pid, 'SIGKILL');
  return null;
});
database.exec(
  'CREATE TEMP TRIGGER counting AFTER UPDATE OF decision ON main.votes BEGIN SELECT on_decided(); END',
);

const rewards = [
  { ...PLAIN_REWARD, name: 'thanks' },
  { ...PLAIN_REWARD, name: 'third', if: { votes: { of: 'total', every: 3 } } },
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
const services = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];

await ledger.useRewards(rewards, 0);
const { receivedAt } = arrival().vote;
if ((await ledger.votes({ limit: 1 })).length === 0) {
  await Promise.all(
    services.map((service, hour) =>
      ledger.record({ ...arrival({ service, receivedAt: receivedAt + hour * 3_600_000 }), rules }, null),
    ),
  );
}
const now = receivedAt + DAY;
for (let listed = 2; listed <= services.length; listed++) {
  const some = services.slice(0, listed);
  await ledger.keepListed(some, now);
  const sites = some.map((service) => ({
    ...{ service, site: service, countsAll: false },
    cooldown: { kind: 'span', ms: DAY } as const,
  }));
  for (let isLast = false; !isLast; ) {
    const portion = await ledger.payUnlisted({ sites, rules, draws: [ALL_WON, ALL_WON] }, now);
    if (when === 'after' && decided >= Number(count)) process.kill(process.pid, 'SIGKILL');
    isLast = portion.kind !== 'decided' || portion.isLast;
  }
}
await ledger.close();
