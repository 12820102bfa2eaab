/**
 * A process that records the same votes each time it runs, stores who is paid for the parties and the top that they reach, and
 * kills itself (SIGKILL) while or right after its n-th write to one of their tables.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n.
 */
import { periodOf } from '../../src/core/period.ts';
import { addVotes } from '../../src/ledger/period-votes.ts';
import type { Party, Top } from '../../src/rewards/reward.ts';
import { placed, type Standing } from '../../src/rewards/standings.ts';
import { Death, ledgerAt, watchWrites } from './dying.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival, DAY } from './votes.ts';

const [, , file = '', when = '', count = ''] = process.argv;
const death = new Death(when, Number(count));
const { database, ledger } = ledgerAt(file);
const WRITES = [
  ['parties', 'UPDATE'],
  ['reached_parties', 'INSERT'],
  ['reached_parties', 'UPDATE'],
  ['party_members', 'INSERT'],
  ['settled_tops', 'INSERT'],
  ['top_places', 'INSERT'],
] as const;
watchWrites(database, WRITES, death.step);

const PARTY: Party = {
  ...PLAIN_REWARD,
  ...{ name: 'party', every: 3, for: 'voters', minOnline: 1, userVotes: 1 },
  ...{ reset: null, announceLeft: [], announce: [] },
};
const TOP: Top = {
  ...PLAIN_REWARD,
  ...{ name: 'best', commands: [], prizes: [{ from: 1, to: 2, commands: ['give {player} beacon 1'] }] },
  ...{ period: 'day', ties: 'first', exclude: [], settleMs: 0 },
};
const rules = { ...arrival().rules, parties: [PARTY] };
const draws = { kind: 'drawn', seed: 0.5 } as const;
const first = arrival().vote.receivedAt;
const today = Math.floor(first / DAY);

await ledger.useConfig({ rewards: [PARTY, TOP], today });
await ledger.useConfig({ tops: [TOP], today });
for (const [at, player] of ['Alex', 'Steve', 'Alex', 'Sasha', 'Steve', 'Alex', 'Robin'].entries()) {
  const receivedAt = first + at * 1_000;
  await ledger.record({ ...arrival({ player, site: `Site ${at}`, receivedAt }), draws, rules }, null);
  death.committed();
}
for (const { id } of await ledger.reachedParties()) {
  await ledger.fixParty({ id, party: PARTY, present: null, rules, draws }, first);
  death.committed();
}
const period = await ledger.dueTop(TOP, periodOf('day', today));
if (period !== null) {
  const sums = new Map<number, Standing>();
  const days = { from: period, to: period };
  await addVotes(sums, ledger, { days, filter: {}, zone: 'UTC', exclude: [] }, null);
  const places = placed([...sums.values()], 'first');
  await ledger.settleTop({ top: TOP, period, endedAt: first, places, rules, draws }, first);
  death.committed();
}
await ledger.close();
