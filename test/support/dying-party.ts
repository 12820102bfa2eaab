/**
 * A process that records the same votes each time it runs, stores who is paid for the parties and the top that they reach, and
 * kills itself (SIGKILL) while or right after its n-th write to one of their tables.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n.
 */
import { periodOf } from '../../src/core/period.ts';
import { addVotes } from '../../src/ledger/period-votes.ts';
import { ledgerInProcess } from '../../src/ledger/sqlite/in-process.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { ledgerWork } from '../../src/ledger/sqlite/work.ts';
import type { Party, Top } from '../../src/rewards/reward.ts';
import { placed, type Standing } from '../../src/rewards/standings.ts';
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

let writes = 0;
database.function('on_write', () => {
  writes += 1;
  if (when === 'while' && writes === Number(count)) process.kill(process.pid, 'SIGKILL');
  return null;
});
for (const [table, event] of [
  ['parties', 'UPDATE'],
  ['reached_parties', 'INSERT'],
  ['reached_parties', 'UPDATE'],
  ['party_members', 'INSERT'],
  ['settled_tops', 'INSERT'],
  ['top_places', 'INSERT'],
]) {
  database.exec(
    `CREATE TEMP TRIGGER counting_${table}_${event} AFTER ${event} ON main.${table} BEGIN SELECT on_write(); END`,
  );
}
/** Between two commits. */
const committed = (): void => {
  if (when === 'after' && writes >= Number(count)) process.kill(process.pid, 'SIGKILL');
};

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
const rules = {
  ...{ rewards: [], parties: [PARTY], practiceServers: new Set<string>(), labels: new Map(), zone: 'UTC' },
  ...{ listed: { player: [], user: [] }, links: { player: [], user: [] } },
};
const draws = { kind: 'drawn', seed: 0.5 } as const;
const first = arrival().vote.receivedAt;
const today = Math.floor(first / DAY);

await ledger.useRewards([PARTY, TOP], today);
await ledger.useTops([TOP], today);
for (const [at, player] of ['Alex', 'Steve', 'Alex', 'Sasha', 'Steve', 'Alex', 'Robin'].entries()) {
  const receivedAt = first + at * 1_000;
  await ledger.record({ ...arrival({ player, site: `Site ${at}`, receivedAt }), draws, rules }, null);
  committed();
}
for (const { id } of await ledger.reachedParties()) {
  await ledger.fixParty({ id, party: PARTY, present: null, rules, draws }, first);
  committed();
}
const period = await ledger.dueTop(TOP, periodOf('day', today));
if (period !== null) {
  const sums = new Map<number, Standing>();
  const days = { from: period, to: period };
  await addVotes(sums, ledger, { days, filter: {}, zone: 'UTC', exclude: [] }, null);
  const places = placed([...sums.values()], 'first');
  await ledger.settleTop({ top: TOP, period, endedAt: first, places, rules, draws }, first);
  committed();
}
await ledger.close();
