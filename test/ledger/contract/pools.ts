import { describe, expect, test } from 'vitest';
import type { CommandClaim, Ledger, Settlement } from '../../../src/ledger/ledger.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { arrival } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const SKY = { server: 'sky', practice: false };
const SURVIVAL = { server: 'survival', practice: false };
const LOBBY = { server: 'lobby', practice: false };
const POOL = 'sky or survival';

/** Two commands on the one of two game servers that the player is on. */
const ROAMING: Reward = { ...DAILY, servers: ['sky', 'survival'], whereOnline: true };

const claimBy = (server: string, position = 0, grantId = 1): CommandClaim => ({
  ...{ grantId, position, player: 'Steve', uuid: null, now: NOW },
  take: { pool: POOL, server },
});

const settled = (more: Partial<Settlement> = {}): Settlement => ({
  ...{ grantId: 1, position: 0, state: 'pending', reason: null, dueAt: NOW, endedAt: NOW },
  outcome: { kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' },
  ...more,
});

export function poolsContract(freshLedger: LedgerFactory): void {
  async function owing(...rewards: readonly Reward[]): Promise<Ledger> {
    const { ledger } = await freshLedger();
    await record(ledger, [arrival()], rulesFor(...rewards));
    return ledger;
  }

  const idsFor = async (ledger: Ledger, queue = SKY) =>
    (await ledger.pending(queue, NOW, 9)).map(({ id }) => id);
  const placesIn = async (ledger: Ledger) =>
    (await ledger.grants({ limit: 9 })).map(({ server, state }) => [server, state]);

  describe('a grant for the game server that the player is on', () => {
    test('is one grant, which the queues of its game servers read and no others', async () => {
      const ledger = await owing(ROAMING, { ...THANKS, servers: ['sky'] });
      expect(await ledger.grants({ limit: 9 })).toMatchObject([
        { id: 2, server: 'sky', pool: null },
        { id: 1, server: POOL, pool: POOL },
      ]);
      expect(await idsFor(ledger, SKY)).toEqual([1, 2]);
      expect(await idsFor(ledger, SURVIVAL)).toEqual([1]);
      expect(await idsFor(ledger, LOBBY)).toEqual([]);
      expect(await idsFor(ledger, { ...SKY, practice: true })).toEqual([]);
      expect(await ledger.pending(SKY, NOW, 1)).toMatchObject([{ id: 1, server: POOL }]);
      expect(await ledger.nextDueAt(SURVIVAL, NOW)).toBe(0);
    });

    test('waits for its player on each of them', async () => {
      const ledger = await owing(ROAMING, { ...DAILY, name: 'own', servers: ['sky'] });
      expect(await ledger.waitForAbsent({ ...SKY, server: POOL }, { from: 1, limit: 9 }, [], { code: 'player-offline' }, NOW)).toEqual(['Steve']); // biome-ignore format: one call
      await ledger.wait({ id: 2, server: 'sky' }, { code: 'player-offline' }, NOW);
      expect(await ledger.waitingFor(SKY, 9, 0)).toMatchObject([{ recipientId: 1, player: 'Steve' }]);
      expect(await ledger.waitingFor(SURVIVAL, 9, 0)).toMatchObject([{ recipientId: 1, player: 'Steve' }]);
      expect((await ledger.waiting(SKY, ['steve'], NOW, 9)).map(({ id }) => id)).toEqual([1, 2]);
      expect((await ledger.waiting(SURVIVAL, ['steve'], NOW, 9)).map(({ id }) => id)).toEqual([1]);
    });

    test('is taken by the first that claims a command, and is not read by the others from then on', async () => {
      const ledger = await owing(ROAMING);
      expect(await ledger.claim(claimBy('survival'))).toBe(true);
      expect(await ledger.claim(claimBy('sky'))).toBe(false);
      await ledger.settle(settled());
      expect(await placesIn(ledger)).toEqual([['survival', 'pending']]);
      expect(await ledger.claim(claimBy('sky', 1))).toBe(false);
      expect(await idsFor(ledger, SKY)).toEqual([]);
      expect(await idsFor(ledger, SURVIVAL)).toEqual([1]);
      expect(await ledger.claim(claimBy('survival', 1))).toBe(true);
    });

    test('is not set to waiting by a game server that read it before another one took it', async () => {
      const ledger = await owing(ROAMING);
      await ledger.claim(claimBy('survival'));
      await ledger.settle(settled());
      await ledger.wait({ id: 1, server: POOL }, { code: 'player-offline' }, NOW);
      expect(await placesIn(ledger)).toEqual([['survival', 'pending']]);
    });

    test('may be taken by another if its first command has certainly not run', async () => {
      const ledger = await owing(ROAMING);
      await ledger.claim(claimBy('survival'));
      const outcome = { kind: 'not-sent', reason: 'unreachable' } as const;
      await ledger.settle(settled({ outcome, startsOver: true }));
      expect(await placesIn(ledger)).toEqual([[POOL, 'pending']]);
      expect(await ledger.claim(claimBy('sky'))).toBe(true);
    });

    test('stays with the game server that was sending a command of it when the process died', async () => {
      const ledger = await owing(ROAMING, { ...ROAMING, name: 'safe', safeToRunTwice: true });
      await ledger.claim(claimBy('sky', 0, 1));
      await ledger.claim(claimBy('sky', 0, 2));
      expect(await ledger.settleInterrupted(NOW)).toBe(2);
      expect(await placesIn(ledger)).toEqual([['sky', 'pending'], ['sky', 'held']]); // biome-ignore format: as a table
      expect(await idsFor(ledger, SURVIVAL)).toEqual([]);
      expect(await idsFor(ledger, SKY)).toEqual([2]);
    });

    test('is found under each of its game servers, and under the one that took it alone', async () => {
      const ledger = await owing(ROAMING);
      const found = async (server: string) => (await ledger.grants({ server, limit: 9 })).length;
      expect([await found('sky'), await found('survival'), await found('lobby')]).toEqual([1, 1, 0]);
      await ledger.claim(claimBy('survival'));
      expect([await found('sky'), await found('survival')]).toEqual([0, 1]);
    });

    test('stays with the others if one of its game servers is removed, and is held if all are', async () => {
      const ledger = await owing(ROAMING);
      expect(await ledger.holdOrphaned(new Map([['survival', 'rcon']]), NOW)).toMatchObject({ held: 0 });
      expect(await idsFor(ledger, SURVIVAL)).toEqual([1]);
      expect(await ledger.holdOrphaned(new Map([['lobby', 'rcon']]), NOW)).toMatchObject({ held: 1 });
      expect(await ledger.grants({ limit: 9 })).toMatchObject([
        { server: POOL, state: 'held', reason: { code: 'other-game-server' } },
      ]);
      const kindByServer = new Map([['sky', 'rcon']]);
      expect(await ledger.pay(1, { texts: null, by: 'ann', kindByServer }, NOW)).toEqual({ kind: 'changed' });
      expect(await idsFor(ledger, SKY)).toEqual([1]);
    });

    test('is held if the game server that took it is removed, although others of the pool are left', async () => {
      const ledger = await owing(ROAMING);
      await ledger.claim(claimBy('sky'));
      await ledger.settle(settled());
      expect(await ledger.holdOrphaned(new Map([['survival', 'rcon']]), NOW)).toMatchObject({ held: 1 });
    });

    test('has an occasion that is accepted once, whichever game server pays it (rule 14)', async () => {
      const { ledger } = await freshLedger();
      const first: Reward = { ...ROAMING, if: { firstVote: 'day' } };
      await ledger.useConfig({ rewards: [first], today: 0 });
      await record(ledger, [arrival({ site: 'List' })], rulesFor(first));
      await ledger.claim(claimBy('sky'));
      await ledger.settle(settled());
      await record(ledger, [arrival({ site: 'Other' })], rulesFor(first));
      expect(await ledger.grants({ limit: 9 })).toMatchObject([
        { occasion: 'day 2026-06-01 total 1', server: 'sky' },
      ]);
    });
  });
}
