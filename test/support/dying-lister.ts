/**
 * A process that lists five services one after another, as the process that delivers does, in portions of two votes, and
 * kills itself (SIGKILL) while or right after it decides the n-th vote again. The first run records six votes first.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n.
 */
import { ALL_WON } from '../../src/rewards/draws.ts';
import { Death, ledgerAt, watchWrites } from './dying.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival, DAY } from './votes.ts';

const [, , file = '', when = '', count = ''] = process.argv;
const death = new Death(when, Number(count));
const { database, ledger } = ledgerAt(file);
watchWrites(database, [['votes', 'UPDATE OF decision']], death.step);

const rewards = [
  { ...PLAIN_REWARD, name: 'thanks' },
  { ...PLAIN_REWARD, name: 'third', if: { votes: { of: 'total', every: 3 } } },
] as const;
const rules = { ...arrival().rules, rewards };
const services = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];

await ledger.useConfig({ rewards, today: 0 });
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
    death.committed();
    isLast = portion.kind !== 'decided' || portion.isLast;
  }
}
await ledger.close();
