/**
 * A process that records the same votes each time it runs, most of them while the clock is doubted, releases the clock, and kills
 * itself (SIGKILL) while or right after its n-th change of a cast time or of the state of a grant.
 *
 * Arguments: ledger file; `while`, `after` or `never`; n; how many players vote.
 */
import { Death, ledgerAt } from './dying.ts';
import { PLAIN_REWARD } from './rewards.ts';
import { arrival, DAY } from './votes.ts';

const [, , file = '', when = '', count = '', players = ''] = process.argv;
const death = new Death(when, Number(count));
const { database, ledger } = ledgerAt(file);
const { rules, vote } = arrival();
const paying = { ...rules, rewards: [{ ...PLAIN_REWARD, name: 'thanks' }] };
const start = vote.receivedAt;
const wall = start + 2 * DAY;

const voted = (player: string, receivedAt: number) => ({
  ...arrival({ player, receivedAt, castAt: receivedAt, claim: null, channel: 'listener-v1' }),
  rules: paying,
});
if ((await ledger.votes({ limit: 1 })).length === 0) {
  await ledger.record(voted('First', start), { wall: start, monotonic: 0 });
  const reading = { wall, monotonic: 0 };
  await Promise.all(
    Array.from({ length: Number(players) }, (_, at) => ledger.record(voted(`P${at}`, wall), reading)),
  );
}
database.function('on_change', () => {
  death.step();
  return null;
});
for (const [table, column] of [
  ['votes', 'cast_at'],
  ['grants', 'state'],
])
  database.exec(
    `CREATE TEMP TRIGGER watched_${table} AFTER UPDATE OF ${column} ON main.${table} BEGIN SELECT on_change(); END`,
  );
let { next } = await ledger.releaseClock(wall, null, wall);
death.committed();
while (next !== null) {
  ({ next } = await ledger.releaseClock(wall, next, wall));
  death.committed();
}
await ledger.close();
