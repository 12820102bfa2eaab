import { expect, test } from 'vitest';
import type { Operator } from './operator.ts';
import { operator } from './operator.ts';

const CONFIG = {
  rewards: [{ name: 'coins', combine: true, commands: ['eco give {player} {count}'] }],
};
const MAIN = { server: 'main', practice: true };

/** Steve voted on so many days; all of it was sent as one command without an answer. */
async function unknown(days: number): Promise<Operator> {
  const one = await operator(CONFIG);
  for (let day = 1; day <= days; day++) await one.vote('Steve', 'List', { at: `2026-06-0${day}T12:00:00Z` });
  const [grant] = await one.ledger.pending(MAIN, one.clock.now(), 9);
  const others = grant?.combined?.others ?? [];
  const now = one.clock.now();
  await one.ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now, others });
  const outcome = { kind: 'unknown', reason: 'timeout' } as const;
  const reason = { code: 'timeout' } as const;
  const times = { dueAt: now, endedAt: now };
  await one.ledger.settle({ grantId: 1, position: 0, outcome, state: 'held', reason, others, ...times });
  return one;
}

const statesOf = async ({ ledger }: Operator) =>
  (await ledger.grants({ limit: 9 })).map(({ state }) => state);

test('explain and grants say with how many others a grant was paid', async () => {
  const one = await unknown(7);
  const { out } = await one.teller('explain', 'Steve');
  expect(out.match(/with 6 others/g)).toHaveLength(7);
  expect(out).toContain('eco give Steve 7');
  const table = (await one.teller('grants')).out;
  expect(table.match(/with 6 others/g)).toHaveLength(7);
  const { out: json } = await one.teller('grants', '--json');
  expect(JSON.parse(json)[0]).toMatchObject({ id: 7, combinedWith: 1, others: 6 });
});

test('a change of one of them changes all, and each is reported once if all are named', async () => {
  const one = await unknown(3);
  const { exit, out } = await one.teller('grants', 'ran', '1', '2', '3');
  expect([exit, out.split('\n').length]).toEqual([0, 3]);
  expect(await statesOf(one)).toEqual(['delivered', 'delivered', 'delivered']);
});

test('a change with a filter, which finds all of them, is one change', async () => {
  const one = await unknown(3);
  const { exit, out } = await one.teller('grants', 'cancel', '--state', 'held', '--yes', '--json');
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toEqual(
    [1, 2, 3].map((id) => ({ id, changed: true, state: 'cancelled', problem: null })),
  );
});

test('pay --rerender gives all of them the new commands', async () => {
  const one = await unknown(2);
  const { exit } = await one.teller('grants', 'pay', '2', '--rerender', '--yes');
  expect(exit).toBe(0);
  expect(await statesOf(one)).toEqual(['pending', 'pending']);
});

test('preview shows one vote by itself, and that it is combined with those that wait', async () => {
  const one = await operator(CONFIG);
  const { out } = await one.teller('preview', 'Steve', '--site', 'List');
  expect(out).toContain('eco give Steve 1');
  expect(out).toContain('with others that wait then as one');
});
