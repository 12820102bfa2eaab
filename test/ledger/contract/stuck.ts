import { expect, test } from 'vitest';
import { reasonAfter } from '../../../src/core/grant-reason.ts';
import type { Outcome } from '../../../src/core/outcome.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import type { Ledger, StuckFilter, StuckPlace, StuckWanted } from '../../../src/ledger/ledger.ts';
import { record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { reward } from '../../support/rewards.ts';
import { arrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

/** When the fourth vote came, after the others. */
const NOW = Date.parse('2026-06-02T12:00:00Z');
const ALL: StuckWanted = { limit: 99, lookAt: 1_000 };
const LOBBY = reward('thanks', { servers: ['lobby'] });
const TIMEOUT: Outcome = { kind: 'unknown', reason: 'timeout' };
const REFUSED: Outcome = { kind: 'refused', reply: 'Unknown item' };

/** What needs the operator, and who did what to grants. */
export function stuckContract(freshLedger: LedgerFactory): void {
  /** The game server's answer to the first command of a grant, so many ms after `NOW`. */
  async function stick(ledger: Ledger, grantId: number, outcome: Outcome, afterMs: number): Promise<void> {
    const now = NOW + afterMs;
    const [grant] = await ledger.grants({ id: grantId, limit: 1 });
    await ledger.claim({ grantId, position: 0, player: grant?.player ?? null, uuid: null, now });
    const state = outcome.kind === 'refused' ? 'refused' : 'held';
    const reason = reasonAfter(outcome);
    await ledger.settle({ grantId, position: 0, outcome, state, reason, dueAt: now, endedAt: now });
  }

  /** Grants 1 to 3 on main: held, refused, held; 4 on the lobby: held. Grant 5 is to be paid. They got stuck in the order 3, 1, 4, 2. */
  async function stuck(): Promise<Ledger> {
    const { ledger } = await freshLedger();
    for (const player of ['Ann', 'Ben', 'Cleo'])
      await record(ledger, [arrival({ player })], rulesFor(THANKS));
    await record(ledger, [arrival({ player: 'Dan', receivedAt: NOW })], rulesFor(LOBBY));
    await record(ledger, [arrival({ player: 'Eve' })], rulesFor(THANKS));
    await stick(ledger, 3, TIMEOUT, 1);
    await stick(ledger, 1, TIMEOUT, 2);
    await stick(ledger, 4, TIMEOUT, 3);
    await stick(ledger, 2, REFUSED, 4);
    return ledger;
  }

  const idsOf = async (ledger: Ledger, filter: StuckFilter, wanted: StuckWanted = ALL) =>
    (await ledger.stuckGrants(filter, wanted)).grants.map(({ id }) => id);

  test('grants that need the operator are listed by the time since when, the latest first', async () => {
    const ledger = await stuck();
    expect(await idsOf(ledger, {})).toEqual([2, 4, 1, 3]);
    expect(await idsOf(ledger, {}, { ...ALL, isOldestFirst: true })).toEqual([3, 1, 4, 2]);
  });

  test.each<readonly [StuckFilter, readonly number[]]>([
    [{ state: 'held' }, [4, 1, 3]],
    [{ state: 'refused' }, [2]],
    [{ server: 'lobby' }, [4]],
    [{ place: 'main' }, [2, 1, 3]],
    [{ place: 'main or lobby' }, []],
    [{ reward: 'thanks' }, [2, 4, 1, 3]],
    [{ reward: 'daily' }, []],
    [{ recipient: 'CLEO' }, [3]],
    [{ recipient: 'Eve' }, []],
    [{ reason: 'timeout' }, [4, 1, 3]],
    [{ reason: 'refused', server: 'main' }, [2]],
    [{ reason: null }, []],
    [{ since: NOW }, [4]],
  ])('a filter chooses of them: %o', async (filter, ids) => {
    const ledger = await stuck();
    expect(await idsOf(ledger, filter)).toEqual(ids);
    expect(await idsOf(ledger, filter, { ...ALL, isOldestFirst: true })).toEqual(ids.toReversed());
  });

  test('their number is counted, up to a limit', async () => {
    const ledger = await stuck();
    expect([await ledger.stuckCount(9), await ledger.stuckCount(3)]).toEqual([4, 3]);
  });

  test('a grant that was redirected is found by both players', async () => {
    const ledger = await stuck();
    const kindByServer = new Map<string, string>();
    await ledger.pay(1, { by: 'ann', texts: null, kindByServer, to: 'Zoe' as PlayerName }, NOW);
    await stick(ledger, 1, TIMEOUT, 9);
    expect(await idsOf(ledger, { recipient: 'ann' })).toEqual([1]);
    expect(await idsOf(ledger, { recipient: 'zoe' })).toEqual([1]);
  });

  test.each([1, 2, 3])('pages of %i go on where the last one ended', async (limit) => {
    const ledger = await stuck();
    const seen: number[] = [];
    let after: StuckPlace | null = null;
    do {
      const wanted: StuckWanted = { limit, lookAt: 1_000, ...(after === null ? {} : { after }) };
      const page: Awaited<ReturnType<Ledger['stuckGrants']>> = await ledger.stuckGrants({}, wanted);
      seen.push(...page.grants.map(({ id }) => id));
      after = page.next;
    } while (after !== null);
    expect(seen).toEqual([2, 4, 1, 3]);
  });

  test('a page that found too few among those looked at goes on after the last one looked at', async () => {
    const ledger = await stuck();
    const first = await ledger.stuckGrants({ recipient: 'Cleo' }, { limit: 9, lookAt: 1_000 });
    expect([first.grants.map(({ id }) => id), first.next]).toEqual([[3], null]);
    const few = await ledger.stuckGrants({ reason: 'timeout' }, { limit: 9, lookAt: 2 });
    expect([few.grants.map(({ id }) => id), few.next]).toEqual([[4], { changedAt: NOW + 3, id: 4 }]);
    const rest = await ledger.stuckGrants({ reason: 'timeout' }, { limit: 9, lookAt: 3, after: few.next! });
    expect([rest.grants.map(({ id }) => id), rest.next]).toEqual([[1, 3], null]);
  });

  test('they are grouped by game server and reason, each with its number and its latest grants', async () => {
    const ledger = await stuck();
    const { groups, hasMore } = await ledger.stuckGroups({}, { limit: 1, lookAt: 1_000 });
    expect(hasMore).toBe(false);
    expect(
      groups.map(({ server, state, reason, count, changedAt, grants }) => [
        ...[server, state, reason, count, changedAt - NOW],
        grants.map(({ id }) => id),
      ]),
    ).toEqual([
      ['main', 'refused', 'refused', 1, 4, [2]],
      ['lobby', 'held', 'timeout', 1, 3, [4]],
      ['main', 'held', 'timeout', 2, 2, [1]],
    ]);
  });

  test('groups are of those that were looked at, and say if there are more', async () => {
    const ledger = await stuck();
    const { groups, hasMore } = await ledger.stuckGroups({}, { limit: 9, lookAt: 2 });
    expect([groups.map(({ count }) => count), hasMore]).toEqual([[1, 1], true]);
  });

  test('what operators did is listed, the latest first, with the state that the grant has now', async () => {
    const ledger = await stuck();
    await ledger.pay(1, { by: 'ann', texts: null, kindByServer: new Map() }, NOW + 10);
    await ledger.cancel(2, { by: 'ben' }, NOW + 11);
    const cancelled = { grantId: 2, action: 'cancel', by: 'ben', at: NOW + 11 } as const;
    expect(await ledger.grantActions(1)).toEqual([
      { ...cancelled, id: 2, player: 'Ben', reward: 'thanks', server: 'main', state: 'cancelled' },
    ]);
    expect(
      (await ledger.grantActions(9)).map(({ grantId, action, state }) => [grantId, action, state]),
    ).toEqual([
      [2, 'cancel', 'cancelled'],
      [1, 'pay', 'pending'],
    ]);
  });
}
