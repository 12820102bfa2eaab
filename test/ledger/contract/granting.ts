import { describe, expect, test } from 'vitest';
import { reasonAfter } from '../../../src/core/grant-reason.ts';
import { noReplyCode, replyOf } from '../../../src/core/outcome.ts';
import type { Ledger, Settlement } from '../../../src/ledger/ledger.ts';
import type { Reward } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor, SAFE, THANKS } from '../../support/ledgers.ts';
import { arrival, DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';

export function grantingContract(freshLedger: LedgerFactory): void {
  const MAIN = { server: 'main', practice: false };
  const OTHER = { server: 'other', practice: false };
  const NOWHERE = { server: 'nowhere', practice: false };

  const NOW = Date.parse('2026-06-01T12:00:00Z');

  /** A ledger with one grant for each reward, all for one vote of Steve. Their IDs start at 1. */
  async function owing(...rewards: readonly Reward[]): Promise<Ledger> {
    const { ledger } = await freshLedger();
    await record(ledger, [arrival()], rulesFor(...rewards));
    return ledger;
  }

  const settlement = (more: Partial<Settlement> = {}): Settlement => ({
    grantId: 1,
    position: 0,
    outcome: { kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' },
    state: 'delivered',
    reason: null,
    dueAt: NOW,
    endedAt: NOW,
    ...more,
  });

  /** State of each grant and outcome of each of its commands. */
  const statesAndOutcomes = async (ledger: Ledger): Promise<unknown[]> =>
    (await ledger.grants({ limit: 99 }))
      .toReversed()
      .map(({ state, commands }) => [state, ...commands.map(({ outcome }) => outcome)]);

  describe('a grant that may be tried', () => {
    test('is pending and due on that game server; grants are listed oldest first, with their open commands in order', async () => {
      const ledger = await owing(THANKS, DAILY, { ...THANKS, name: 'else', servers: ['other'] });
      expect(await ledger.pending(MAIN, NOW, 10)).toEqual([
        {
          id: 1,
          recipientKey: 'steve',
          player: 'Steve',
          isNameTaken: false,
          reward: 'thanks',
          server: 'main',
          createdAt: NOW,
          when: 'always',
          safeToRunTwice: false,
          announcement: null,
          commands: [{ position: 0, text: 'say {player} voted', attempts: 0 }],
        },
        {
          id: 2,
          recipientKey: 'steve',
          player: 'Steve',
          isNameTaken: false,
          reward: 'daily',
          server: 'main',
          createdAt: NOW,
          when: 'online',
          safeToRunTwice: false,
          announcement: null,
          commands: [
            { position: 0, text: 'give {player} diamond 1', attempts: 0 },
            { position: 1, text: 'give {player} emerald 2', attempts: 0 },
          ],
        },
      ]);
      expect((await ledger.pending(MAIN, NOW, 1)).map(({ id }) => id)).toEqual([1]);
      expect((await ledger.pending(OTHER, NOW, 9)).map(({ id }) => id)).toEqual([3]);
      expect(await ledger.pending(NOWHERE, NOW, 9)).toEqual([]);
    });

    test('is owed on the same kind of server: practice never pays what a real one owes, nor the reverse (rule 9)', async () => {
      const ledger = await owing(THANKS, DAILY);
      await ledger.wait({ id: 2, server: 'main' }, { code: 'player-offline' }, NOW);
      const practice = { server: 'main', practice: true };
      expect(await ledger.pending(practice, NOW, 9)).toEqual([]);
      expect(await ledger.waiting(practice, ['steve'], NOW, 9)).toEqual([]);
      expect(await ledger.waitingFor(practice, 9, 0)).toEqual([]);
      expect(await ledger.nextDueAt(practice, NOW)).toBeNull();
    });

    test('is due at once if it is new, or if a clock that was set back puts its due time further away than any delay', async () => {
      const ledger = await owing(THANKS);
      const yesterday = NOW - 24 * 60 * 60 * 1000;
      expect(await ledger.pending(MAIN, yesterday, 9)).toHaveLength(1);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.settle(settlement({ state: 'pending', dueAt: NOW + 10_000 }));
      expect(await ledger.pending(MAIN, NOW, 9)).toEqual([]);
      expect(await ledger.pending(MAIN, yesterday, 9)).toHaveLength(1);
    });

    test('tells the player when they may vote again by their votes since, and keeps what was told', async () => {
      const { ledger } = await freshLedger();
      const rules = rulesFor({ ...THANKS, commands: ['msg {player} {nextVote}'], if: { firstVote: true } });
      await record(ledger, [arrival()], rules);
      const later = NOW + 3 * DAY;
      await record(ledger, [arrival({ receivedAt: later })], rules);
      const [grant] = await ledger.pending(MAIN, later, 9);
      const text = `msg {player} {nextVote ${later + DAY}}`;
      expect(grant?.commands).toEqual([{ position: 0, text, attempts: 0 }]);
      const sent = later + DAY / 2;
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: sent, text });
      const [stored] = await ledger.grants({ id: 1, limit: 1 });
      expect(stored?.commands[0]?.command).toBe('msg Steve 12 h');
    });

    test('has no due time while its command is being sent', async () => {
      const ledger = await owing(THANKS);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      expect(await ledger.nextDueAt(MAIN, NOW)).toBeNull();
    });

    test('must be due and not being sent, and its delivered commands are left out', async () => {
      const ledger = await owing(DAILY);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      expect(await ledger.pending(MAIN, NOW, 9)).toEqual([]);
      await ledger.settle(settlement({ state: 'pending', dueAt: NOW + 1 }));
      expect([await ledger.pending(MAIN, NOW, 9), await ledger.nextDueAt(MAIN, NOW)]).toEqual([[], NOW + 1]);
      expect(await ledger.pending(MAIN, NOW + 1, 9)).toMatchObject([{ commands: [{ position: 1 }] }]);
    });

    test('may be waiting for a player; these players are listed page by page, each once', async () => {
      const { ledger } = await freshLedger();
      for (const player of ['Steve', 'Alex', 'Eve'])
        await record(ledger, [arrival({ player })], rulesFor(DAILY, SAFE));
      for (let id = 1; id <= 6; id++)
        await ledger.wait({ id, server: 'main' }, { code: 'player-offline' }, NOW);
      const players = async (after: number) =>
        (await ledger.waitingFor(MAIN, 2, after)).map(
          ({ recipientId, player }) => `${recipientId} ${player}`,
        );
      expect(await players(0)).toEqual(['1 Steve', '2 Alex']);
      expect(await players(2)).toEqual(['3 Eve']);
      expect(await players(3)).toEqual([]);
      expect((await ledger.waiting(MAIN, ['alex', 'nobody'], NOW, 9)).map(({ id }) => id)).toEqual([3, 4]);
      expect(await ledger.waiting(MAIN, [], NOW, 9)).toEqual([]);
      expect(await ledger.pending(MAIN, NOW, 9)).toEqual([]);
    });
  });

  describe('claiming', () => {
    test('marks the command as being sent, counts the attempt and keeps the spelling of the name', async () => {
      const ledger = await owing(THANKS);
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'STEVE', uuid: null, now: NOW })).toBe(
        true,
      );
      const [grant] = await ledger.grants({ limit: 9 });
      expect(grant).toMatchObject({ state: 'pending', player: 'STEVE' });
      expect(grant?.commands).toMatchObject([
        { command: 'say STEVE voted', attempts: 1, startedAt: NOW, endedAt: null },
      ]);
    });

    test('succeeds once: the second call returns false', async () => {
      const ledger = await owing(THANKS);
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
        true,
      );
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
        false,
      );
      expect((await ledger.grants({ limit: 1 }))[0]?.commands).toMatchObject([{ attempts: 1 }]);
    });

    test('succeeds for a grant that waits for its player', async () => {
      const ledger = await owing(DAILY);
      await ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, NOW);
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
        true,
      );
    });

    test.each(['held', 'refused', 'delivered', 'cancelled'] as const)(
      'is refused for a grant that is %s',
      async (state) => {
        const ledger = await owing(DAILY);
        await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
        await ledger.settle(settlement({ state, outcome: { kind: 'unknown', reason: 'closed' } }));
        expect(await ledger.claim({ grantId: 1, position: 1, player: 'Steve', uuid: null, now: NOW })).toBe(
          false,
        );
        expect(await statesAndOutcomes(ledger)).toEqual([[state, 'unknown', null]]);
      },
    );

    test('is refused for a command that was delivered or does not exist', async () => {
      const ledger = await owing(DAILY);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.settle(settlement({ state: 'pending' }));
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
        false,
      );
      expect(await ledger.claim({ grantId: 1, position: 2, player: 'Steve', uuid: null, now: NOW })).toBe(
        false,
      );
      expect(await ledger.claim({ grantId: 99, position: 0, player: 'Steve', uuid: null, now: NOW })).toBe(
        false,
      );
    });
  });

  describe('settling (rule 5)', () => {
    test.each([
      [{ kind: 'delivered', reply: '' }, 'delivered'],
      [{ kind: 'refused', reply: 'Unknown or incomplete command' }, 'refused'],
      [{ kind: 'refused', reply: null, reason: 'command-too-long' }, 'refused'],
      [{ kind: 'player-offline', reply: 'No player was found' }, 'waiting'],
      [{ kind: 'not-sent', reason: 'unreachable' }, 'pending'],
      [{ kind: 'unknown', reason: 'closed' }, 'held'],
    ] as const)('keeps the outcome, reply and reason of %j', async (outcome, state) => {
      const ledger = await owing(THANKS);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.settle(settlement({ outcome, state, reason: reasonAfter(outcome), endedAt: NOW + 5 }));
      const [grant] = await ledger.grants({ limit: 1 });
      expect(grant).toMatchObject({ state, reason: reasonAfter(outcome), changedAt: NOW + 5 });
      const code = noReplyCode(outcome);
      const reason = code === null ? null : { code };
      expect(grant?.commands).toMatchObject([
        { outcome: outcome.kind, reply: replyOf(outcome), reason, endedAt: NOW + 5 },
      ]);
    });

    test('changes nothing if the command is not being sent: already settled, never claimed, or interrupted', async () => {
      const ledger = await owing(THANKS, DAILY);
      await ledger.settle(settlement());
      expect(await statesAndOutcomes(ledger)).toEqual([
        ['pending', null],
        ['pending', null, null],
      ]);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.settleInterrupted(NOW);
      await ledger.settle(settlement());
      expect((await statesAndOutcomes(ledger))[0]).toEqual(['held', 'unknown']);
    });
  });

  describe('settling one command and claiming the next', () => {
    const next = { grantId: 1, position: 1, player: 'STEVE', uuid: null, now: NOW + 1 };

    test('is one step: the outcome is stored and the next command is being sent', async () => {
      const ledger = await owing(DAILY);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      expect(await ledger.settle(settlement({ state: 'pending' }), next)).toBe(true);
      const [grant] = await ledger.grants({ limit: 9 });
      expect(grant).toMatchObject({ state: 'pending', player: 'STEVE' });
      expect(grant?.commands).toMatchObject([
        { outcome: 'delivered', attempts: 1 },
        { outcome: null, attempts: 1, startedAt: NOW + 1 },
      ]);
      expect(await ledger.settleInterrupted(NOW + 2)).toBe(1);
    });

    test('is possible with a command of another grant', async () => {
      const ledger = await owing(THANKS, DAILY);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      expect(await ledger.settle(settlement(), { ...next, grantId: 2, position: 0 })).toBe(true);
      expect(await ledger.pending(MAIN, NOW, 9)).toEqual([]);
    });

    test('stores the outcome even if the next command cannot be claimed', async () => {
      const ledger = await owing(THANKS, DAILY);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.cancel(2, { by: 'ann' }, NOW);
      expect(await ledger.settle(settlement(), { ...next, grantId: 2, position: 0 })).toBe(false);
      expect(await statesAndOutcomes(ledger)).toEqual([
        ['delivered', 'delivered'],
        ['cancelled', null, null],
      ]);
    });

    test('claims nothing if there is nothing to settle', async () => {
      const ledger = await owing(DAILY);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.settleInterrupted(NOW);
      await ledger.pay(1, { texts: null, by: 'ann', kindByServer: new Map() }, NOW);
      expect(await ledger.settle(settlement({ state: 'pending' }), next)).toBe(false);
      expect((await ledger.grants({ limit: 1 }))[0]?.commands).toMatchObject([
        { attempts: 1 },
        { outcome: null, attempts: 0 },
      ]);
    });
  });

  describe('a new holder of the lock (rule 6)', () => {
    test('marks commands that the last holder was sending as unknown and holds their grants, except those that are safe to run twice', async () => {
      const ledger = await owing(THANKS, SAFE, DAILY);
      await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.claim({ grantId: 2, position: 0, player: 'Steve', uuid: null, now: NOW });
      expect(await ledger.settleInterrupted(NOW + 9)).toBe(2);
      expect(await statesAndOutcomes(ledger)).toEqual([
        ['held', 'unknown'],
        ['pending', 'unknown'],
        ['pending', null, null],
      ]);
      expect((await ledger.pending(MAIN, NOW + 9, 9)).map(({ id }) => id)).toEqual([2, 3]);
      expect(await ledger.settleInterrupted(NOW + 10)).toBe(0);
    });

    test('holds open grants of game servers that are gone or have changed kind, and no others', async () => {
      const ledger = await owing(
        { ...THANKS, name: 'a', servers: ['main', 'gone', 'practice-now'] },
        { ...DAILY, name: 'b', servers: ['main', 'gone'] },
      );
      await ledger.wait({ id: 5, server: 'gone' }, { code: 'player-offline' }, NOW); // b on gone
      await ledger.cancel(2, { by: 'ann' }, NOW); // a on gone
      const servers = new Map([
        ['main', 'rcon'],
        ['practice-now', 'practice'],
      ]);
      expect(await ledger.holdOrphaned(servers, NOW)).toEqual({ held: 2, upTo: null });
      expect(
        (await ledger.grants({ limit: 9 })).toReversed().map(({ server, state }) => [server, state]),
      ).toEqual([
        ['main', 'pending'],
        ['gone', 'cancelled'],
        ['practice-now', 'held'],
        ['main', 'pending'],
        ['gone', 'held'],
      ]);
      expect(await ledger.holdOrphaned(servers, NOW)).toMatchObject({ held: 0 });
    });

    test('holds open grants of a game server that was rcon at the last start and is http now, once', async () => {
      const ledger = await owing({ ...THANKS, servers: ['main', 'other'] });
      const kinds = (main: string) => new Map([['main', main], ['other', 'rcon']]); // biome-ignore format: as a table
      expect(await ledger.holdOrphaned(kinds('rcon'), NOW)).toMatchObject({ held: 0 });
      expect(await ledger.holdOrphaned(kinds('http'), NOW)).toMatchObject({ held: 1 });
      expect(await ledger.grants({ state: 'held', limit: 9 })).toMatchObject([
        { server: 'main', reason: { code: 'other-game-server' } },
      ]);
      await ledger.pay(1, { texts: null, by: 'ann', kindByServer: kinds('http') }, NOW);
      expect(await ledger.holdOrphaned(kinds('http'), NOW)).toMatchObject({ held: 0 });
      expect(await ledger.grantStates()).toEqual({ pending: 2 });
    });
  });

  describe('holding the grants of a game server that is gone', () => {
    const GONE = new Map([['other', 'rcon']]);
    const votes = (from: number, count: number) =>
      Array.from({ length: count }, (_, number) => arrival({ player: `P${from + number}` }));

    test('holds 500 in a call, and the next call holds the rest', async () => {
      const { ledger } = await freshLedger();
      await record(ledger, votes(0, 501), rulesFor(THANKS));
      expect(await ledger.holdOrphaned(GONE, NOW)).toEqual({ held: 500, upTo: 501 });
      expect(await ledger.grantStates()).toEqual({ pending: 1, held: 500 });
      expect(await ledger.holdOrphaned(GONE, NOW, 501)).toEqual({ held: 1, upTo: null });
    });

    test('leaves grants alone that are created after the first call', async () => {
      const { ledger } = await freshLedger();
      const changed = new Map([['main', 'http']]);
      await ledger.holdOrphaned(new Map([['main', 'rcon']]), NOW);
      await record(ledger, votes(0, 501), rulesFor(THANKS));
      const { upTo } = await ledger.holdOrphaned(changed, NOW);
      await record(ledger, votes(501, 1), rulesFor(THANKS));
      expect(await ledger.holdOrphaned(changed, NOW, upTo as number)).toEqual({ held: 1, upTo: null });
      expect(await ledger.grantStates()).toEqual({ held: 501, pending: 1 });
    });

    test('after a process that ended between two calls, the next process holds the rest', async () => {
      const { ledger } = await freshLedger();
      const changed = new Map([['main', 'http']]);
      await ledger.holdOrphaned(new Map([['main', 'rcon']]), NOW);
      await record(ledger, votes(0, 501), rulesFor(THANKS));
      await ledger.holdOrphaned(changed, NOW);
      expect(await ledger.holdOrphaned(changed, NOW)).toEqual({ held: 1, upTo: null });
      expect(await ledger.holdOrphaned(changed, NOW)).toEqual({ held: 0, upTo: null });
    });
  });

  describe('waiting for a player', () => {
    const PAGE = { from: 0, limit: 500 };
    const OFFLINE = { code: 'player-offline' } as const;

    test('begins for all absent players at once: those of due grants with "when": "online"', async () => {
      const { ledger } = await freshLedger();
      const rewards = [DAILY, THANKS, { ...DAILY, name: 'else', servers: ['other'] }];
      for (const player of ['Steve', 'ALEX', 'Eve'])
        await record(ledger, [arrival({ player })], rulesFor(...rewards));
      expect(await ledger.waitForAbsent(MAIN, PAGE, ['eve', 'steve2'], OFFLINE, NOW + 7)).toEqual([
        'Steve',
        'ALEX',
      ]);
      const waiting = await ledger.grants({ state: 'waiting', limit: 9 });
      expect(waiting).toMatchObject([
        { id: 4, player: 'ALEX', reward: 'daily', server: 'main', reason: OFFLINE, changedAt: NOW + 7 },
        { id: 1, player: 'Steve', reward: 'daily', server: 'main', reason: OFFLINE, changedAt: NOW + 7 },
      ]);
      expect((await ledger.pending(MAIN, NOW, 9)).map(({ id }) => id)).toEqual([2, 5, 7, 8]);
    });

    test('begins for one page of pending grants, and names a player with several grants once', async () => {
      const { ledger } = await freshLedger();
      const rewards = [DAILY, THANKS, { ...DAILY, name: 'more' }];
      for (const player of ['Steve', 'Alex', 'Eve'])
        await record(ledger, [arrival({ player })], rulesFor(...rewards));
      const wait = (from: number, limit: number) =>
        ledger.waitForAbsent(MAIN, { from, limit }, [], OFFLINE, NOW);
      expect(await wait(4, 3)).toEqual(['Alex']);
      expect(await wait(1, 2)).toEqual(['Steve']);
      expect((await ledger.pending(MAIN, NOW, 9)).map(({ id }) => id)).toEqual([2, 3, 5, 7, 8, 9]);
      expect(await wait(10, 9)).toEqual([]);
    });

    test('does not begin for a grant that is being sent, is not due yet, or is in another state', async () => {
      const ledger = await owing(
        ...['sending', 'later', 'held', 'cancelled', 'open'].map((name) => ({ ...DAILY, name })),
      );
      for (const id of [1, 2, 3])
        await ledger.claim({ grantId: id, position: 0, player: 'Steve', uuid: null, now: NOW });
      await ledger.settle(settlement({ grantId: 2, state: 'pending', dueAt: NOW + 10_000 }));
      await ledger.settle(settlement({ grantId: 3, state: 'held' }));
      await ledger.cancel(4, { by: 'ann' }, NOW);
      await ledger.waitForAbsent(MAIN, PAGE, [], OFFLINE, NOW);
      expect((await ledger.grants({ limit: 9 })).map(({ state }) => state).toReversed()).toEqual([
        'pending',
        'pending',
        'held',
        'cancelled',
        'waiting',
      ]);
    });

    test('keeps who is probably meant with all grants of that player that wait, and only with those', async () => {
      const { ledger } = await freshLedger();
      for (const player of ['BedHead', 'Alex'])
        await record(ledger, [arrival({ player })], rulesFor(DAILY, THANKS));
      await ledger.waitForAbsent(MAIN, PAGE, [], OFFLINE, NOW);
      const likely = [
        { recipientKey: 'bedhead', likely: '.BedHead' },
        { recipientKey: 'nobody', likely: '.Nobody' },
      ];
      await ledger.storeLikelyPlayers(OTHER, likely);
      await ledger.storeLikelyPlayers(MAIN, likely);
      expect(
        (await ledger.grants({ limit: 9 })).map(({ id, likelyPlayer }) => [id, likelyPlayer]).toReversed(),
      ).toEqual([
        [1, '.BedHead'],
        [2, null],
        [3, null],
        [4, null],
      ]);
    });

    test('is possible only from pending; any other state is kept', async () => {
      const ledger = await owing(DAILY);
      await ledger.cancel(1, { by: 'ann' }, NOW);
      await ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, NOW);
      expect(await statesAndOutcomes(ledger)).toEqual([['cancelled', null, null]]);
    });
  });
}
