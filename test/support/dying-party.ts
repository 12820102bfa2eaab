/**
 * A process that records the same votes each time it runs, stores who is paid for the parties and the top that they reach, and
 * kills itself (SIGKILL) while or right after its n-th write to one of their tables.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n; how many players vote for one party, in place of those votes, and then
 * only the writes that store who is paid for it count.
 */
import { periodOf } from '../../src/core/period.ts';
import { addVotes } from '../../src/ledger/period-votes.ts';
import type { Party, Top } from '../../src/rewards/reward.ts';
import { placed, type Standing } from '../../src/rewards/standings.ts';
import { Death, ledgerAt, watchWrites } from './dying.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival, DAY } from './votes.ts';

const [, , file = '', when = '', count = '', players = ''] = process.argv;
const many = Number(players);
const death = new Death(when, Number(count));
const { database, ledger } = ledgerAt(file);
const PAYING = [
  ['reached_parties', 'UPDATE'],
  ['party_members', 'INSERT'],
] as const;
const ALL = [
  ['parties', 'UPDATE'],
  ['reached_parties', 'INSERT'],
  ...PAYING,
  ['settled_tops', 'INSERT'],
  ['top_places', 'INSERT'],
] as const;
watchWrites(database, many > 0 ? PAYING : ALL, death.step);

const PARTY: Party = {
  ...PLAIN_REWARD,
  ...{ name: 'party', every: many > 0 ? many : 3, for: 'voters', minOnline: 1, userVotes: 1 },
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
if (many > 0) {
  const votes = Array.from({ length: many }, (_, at) => {
    const voted = arrival({ player: `P${at}`, receivedAt: first + at * 1_000 });
    return ledger.record({ ...voted, draws, rules }, null);
  });
  await Promise.all(votes);
}
for (const [at, player] of ['Alex', 'Steve', 'Alex', 'Sasha', 'Steve', 'Alex', 'Robin']
  .slice(many)
  .entries()) {
  const receivedAt = first + at * 1_000;
  await ledger.record({ ...arrival({ player, site: `Site ${at}`, receivedAt }), draws, rules }, null);
  death.committed();
}
for (const { id } of await ledger.reachedParties()) {
  for (let after: number | null = 0; after !== null; ) {
    const order = { id, party: PARTY, present: null, rules, draws };
    after = (await ledger.fixParty(order, after, first)).next;
    death.committed();
  }
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
