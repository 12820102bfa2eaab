/**
 * A process that tells the ledger what a game server or the operator says about players, one call after the other, and kills
 * itself (SIGKILL) while the n-th write of these calls is made, or right after the n-th call is committed. Run again, it
 * makes the same calls again. What comes before the first of them is stored once and is never killed.
 *
 * Arguments: folder for the ledger and for what the game server received; which calls, with commas; `while`, `after`, `never`, or `told`
 * to print a ready line once the calls wait for the ledger; n. Prints what the calls returned and how many writes they made.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlayerName } from '../../src/core/player-name.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { Death, die, ledgerAt, watchWrites } from './dying.ts';
import { PLAIN_REWARD } from './rewards.ts';
import { arrival, DAY } from './votes.ts';

const [, , folder = '', calls = '', when = '', count = ''] = process.argv;
const { database, ledger } = ledgerAt(join(folder, 'teller.db'));

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const FIRST = arrival().vote.receivedAt;
/** After all votes but the stranger's. */
const SHOWN = FIRST + 25 * DAY;
const MAIN = { server: 'main', practice: false };

const rewards: readonly Reward[] = [
  { ...PLAIN_REWARD, name: 'thanks' },
  { ...PLAIN_REWARD, name: 'milestone', if: { votes: { of: 'total', at: [{ from: 25, to: 25, step: 1 }] } } },
];
const rules = { ...arrival().rules, rewards };

/** A player's votes, one each day. */
const votes = (player: string, days: number, from = 0) =>
  Array.from({ length: days }, (_, day) => {
    const receivedAt = FIRST + (from + day) * DAY;
    return { ...arrival({ player, site: `Site of ${player}`, receivedAt }), rules };
  });

/** Sends the one command of each open grant, as if both names were online. */
async function pay(upTo: number): Promise<void> {
  const now = SHOWN + 9 * DAY;
  const open = [
    ...(await ledger.pending(MAIN, now, 99)),
    ...(await ledger.waiting(MAIN, ['alex', 'sasha'], now, 99)),
  ];
  for (const { id, player } of open.filter((grant) => grant.id <= upTo)) {
    const command = { grantId: id, position: 0 };
    if (!(await ledger.claim({ ...command, player, uuid: null, now }))) continue;
    appendFileSync(join(folder, 'received'), `${id} ${player}\n`, { flush: true });
    const end = {
      outcome: { kind: 'delivered', reply: '' },
      state: 'delivered',
      reason: null,
      dueAt: 0,
      endedAt: now,
    } as const;
    await ledger.settle({ ...command, ...end });
  }
}

/** Alex has 20 votes, of which five are paid and one waits for them to come; Sasha has 8, unless their name is new. */
async function begin(hasSashaVoted: boolean): Promise<void> {
  await ledger.useConfig({ rewards, today: 0 });
  const before = [...votes('Alex', 20), ...(hasSashaVoted ? votes('Sasha', 8) : [])];
  await Promise.all(before.map((vote) => ledger.record(vote, null)));
  await pay(5);
  await ledger.wait({ id: 6, server: 'main' }, { code: 'player-offline' }, FIRST + 20 * DAY);
}

/** The game server shows a name, `minute` minutes after it showed the first one. */
const show = (name: string, uuid: string, minute: number) => () => {
  const at = SHOWN + minute * 60_000;
  return ledger.storeSeen({ players: [{ name, uuid }], server: 'main', rules }, at);
};
const [alex, sasha] = ['Alex' as PlayerName, 'Sasha' as PlayerName];

const CALLS: Readonly<Record<string, readonly (() => Promise<unknown>)[]>> = {
  seen: [show('Alex', ALEX, 0)],
  renamed: [show('Sasha', ALEX, 2)],
  joined: [show('Alex', ALEX, 0), show('Sasha', ALEX, 2)],
  taken: [
    show('Alex', STRANGER, 1),
    ...votes('Alex', 1, 26).map((vote) => async () => (await ledger.record(vote, null)).kind),
  ],
  merged: [
    show('Alex', ALEX, 0),
    () => ledger.mergePlayers({ name: sasha, into: alex, by: 'ann', rules }, SHOWN + 60_000),
  ],
  split: [() => ledger.splitPlayer({ name: sasha, by: 'ann' }, SHOWN + 120_000)],
  paid: [() => pay(99)],
};

const death = new Death(when, Number(count));
/** Every change of a row of the ledger from now on, in whatever table. */
function countWrites(): void {
  const tables = database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const writes = (tables.pluck().all() as string[]).flatMap((table) =>
    ['INSERT', 'UPDATE', 'DELETE'].map((event) => [table, event] as const),
  );
  watchWrites(database, writes, death.step);
}

const isNew = (await ledger.votes({ limit: 1 })).length === 0;
if (isNew) await begin(calls !== 'alone');
countWrites();
const returned: unknown[] = [];
for (const call of calls.split(',').flatMap((name) => CALLS[name] ?? [])) {
  const called = call();
  if (when === 'told') {
    await new Promise((resolve) => setImmediate(resolve));
    systemTerminal.out(JSON.stringify({ msg: 'ready' }));
  }
  returned.push(await called);
  if (when === 'after' && returned.length === Number(count)) die();
}
await ledger.close();
systemTerminal.out(JSON.stringify({ returned, writes: death.steps }));
