import { expect, test } from 'vitest';
import type { StuckFilter, StuckPlace, StuckWanted } from '../../src/ledger/ledger.ts';
import { DAY, type End, gameServers, type LedgerOfTest, ledgers, NOON, reward } from '../kit/ledgers.ts';

/** When the fourth vote came, after the others. */
const NOW = NOON + DAY;
const ALL: StuckWanted = { limit: 99, lookAt: 1_000 };

/** Grants 1 to 3 on main: held, refused, held; 4 on the lobby: held. Grant 5 is to be paid. They got stuck in the order 3, 1, 4, 2. */
async function stuck(): Promise<LedgerOfTest> {
  const thanks = (server: string) => ({
    gameServers: gameServers('main', 'lobby'),
    rewards: [reward('thanks', { servers: [server] })],
  });
  const ledger = await ledgers(thanks('main'));
  await ledger.vote({ player: 'Ann' }, { player: 'Ben' }, { player: 'Cleo' });
  await ledger.use(thanks('lobby'));
  await ledger.vote({ player: 'Dan', at: NOW });
  await ledger.use(thanks('main'));
  await ledger.vote({ player: 'Eve' });
  for (const [afterMs, id, end] of [
    [1, 3, 'held'],
    [2, 1, 'held'],
    [3, 4, 'held'],
    [4, 2, 'refused'],
  ] as const)
    await stick(ledger, id, end, afterMs);
  return ledger;
}
const stick = (ledger: LedgerOfTest, id: number, end: End, afterMs: number) =>
  ledger.send(id, end, { endedAt: NOW + afterMs });
const idsOf = async (ledger: LedgerOfTest, filter: StuckFilter, wanted: StuckWanted = ALL) =>
  (await ledger.stuckGrants(filter, wanted)).grants.map(({ id }) => id);

test.each<readonly [StuckFilter, readonly number[]]>([
  [{}, [2, 4, 1, 3]],
  [{ state: 'held' }, [4, 1, 3]],
  [{ state: 'refused' }, [2]],
  [{ server: 'lobby' }, [4]],
  [{ place: 'main' }, [2, 1, 3]],
  [{ place: 'main or lobby' }, []],
  [{ reward: 'thanks' }, [2, 4, 1, 3]],
  [{ reward: 'daily' }, []],
  [{ recipient: 'CLEO' }, [3]],
  [{ recipient: 'Eve' }, []],
  [{ reason: 'closed' }, [4, 1, 3]],
  [{ reason: 'refused', server: 'main' }, [2]],
  [{ reason: null }, []],
  [{ since: NOW }, [4]],
])(
  'grants that need the operator are listed by since when, the latest first or the oldest: %o',
  async (filter, ids) => {
    const ledger = await stuck();
    expect(await idsOf(ledger, filter)).toEqual(ids);
    expect(await idsOf(ledger, filter, { ...ALL, isOldestFirst: true })).toEqual(ids.toReversed());
  },
);

test('a grant that was redirected is found by both players; their number is counted, up to a limit', async () => {
  const ledger = await stuck();
  expect([await ledger.stuckCount(9), await ledger.stuckCount(3)]).toEqual([4, 3]);
  await ledger.pay(1, { to: 'Zoe' });
  await stick(ledger, 1, 'held', 9);
  expect([await idsOf(ledger, { recipient: 'ann' }), await idsOf(ledger, { recipient: 'zoe' })]).toEqual([
    [1],
    [1],
  ]);
});

test.each([1, 2, 3])('pages of %i go on where the last one ended', async (limit) => {
  const ledger = await stuck();
  const seen: number[] = [];
  for (let after: StuckPlace | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page: Awaited<ReturnType<LedgerOfTest['stuckGrants']>> = await ledger.stuckGrants(
      {},
      { limit, lookAt: 1_000, ...(after === undefined ? {} : { after }) },
    );
    seen.push(...page.grants.map(({ id }) => id));
    after = page.next ?? undefined;
  }
  expect(seen).toEqual([2, 4, 1, 3]);
});

test('a page that found too few among those looked at goes on after the last one looked at', async () => {
  const ledger = await stuck();
  const first = await ledger.stuckGrants({ recipient: 'Cleo' }, { limit: 9, lookAt: 1_000 });
  expect([first.grants.map(({ id }) => id), first.next]).toEqual([[3], null]);
  const few = await ledger.stuckGrants({ reason: 'closed' }, { limit: 9, lookAt: 2 });
  expect([few.grants.map(({ id }) => id), few.next]).toEqual([[4], { changedAt: NOW + 3, id: 4 }]);
  const rest = await ledger.stuckGrants({ reason: 'closed' }, { limit: 9, lookAt: 3, after: few.next! });
  expect([rest.grants.map(({ id }) => id), rest.next]).toEqual([[1, 3], null]);
});

test('they are grouped by game server and reason, each with its number and its latest grants', async () => {
  const ledger = await stuck();
  const { groups, hasMore } = await ledger.stuckGroups({}, { limit: 1, lookAt: 1_000 });
  expect(
    groups.map(({ server, state, reason, count, changedAt, grants }) => [
      ...[server, state, reason, count, changedAt - NOW],
      grants.map(({ id }) => id),
    ]),
  ).toEqual([
    ['main', 'refused', 'refused', 1, 4, [2]],
    ['lobby', 'held', 'closed', 1, 3, [4]],
    ['main', 'held', 'closed', 2, 2, [1]],
  ]);
  expect(hasMore).toBe(false);
  const few = await ledger.stuckGroups({}, { limit: 9, lookAt: 2 });
  expect([few.groups.map(({ count }) => count), few.hasMore]).toEqual([[1, 1], true]);
});

test('what operators did is listed, the latest first, with the state that the grant has now', async () => {
  const ledger = await stuck();
  await ledger.pay(1, {}, NOW + 10);
  await ledger.cancel(2, { by: 'ben' }, NOW + 11);
  expect(await ledger.grantActions(1)).toEqual([
    {
      ...{ id: 2, grantId: 2, action: 'cancel', by: 'ben', at: NOW + 11 },
      ...{ player: 'Ben', reward: 'thanks', server: 'main', state: 'cancelled' },
    },
  ]);
  const rows = (await ledger.grantActions(9)).map(({ grantId, action, state }) => [grantId, action, state]);
  expect(rows).toEqual([
    [2, 'cancel', 'cancelled'],
    [1, 'pay', 'pending'],
  ]);
});
