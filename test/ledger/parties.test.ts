import { describe, expect, test } from 'vitest';
import { readingOf } from '../../src/core/clock-reading.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { PresentPlayer } from '../../src/ledger/ledger.ts';
import { noteRestore } from '../../src/ledger/sqlite/restoring.ts';
import { reasonText } from '../../src/rewards/reasons.ts';
import type { Party } from '../../src/rewards/reward.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type FreshLedger, freshLedger, record } from '../support/ledgers.ts';
import { fixWhole, party, rulesWith } from '../support/parties.ts';
import { arrival, at, DAY } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');
const DRAWS = { kind: 'drawn', seed: 0.5 } as const;

/** One vote of each of these players, on a site of its own, by the rules of one party. */
async function vote(
  { ledger }: FreshLedger,
  one: Party,
  players: readonly string[],
  { receivedAt = NOON, castAt }: { receivedAt?: number; castAt?: number } = {},
): Promise<void> {
  for (const [index, player] of players.entries()) {
    const cast = arrival({
      player,
      site: `List ${receivedAt} ${index}`,
      claim: null,
      castAt: castAt ?? receivedAt,
      receivedAt,
    });
    await record(ledger, [cast], rulesWith(one));
  }
}

async function fixAll({ ledger }: FreshLedger, one: Party, present: readonly PresentPlayer[] | null = null) {
  for (const { id } of await ledger.reachedParties())
    await fixWhole(ledger, { id, party: one, present, rules: rulesWith(one), draws: DRAWS }, NOON);
}

const grants = async ({ ledger }: FreshLedger) =>
  (await ledger.grants({ limit: 99 }))
    .map(
      ({ player, reward, occasion, server, state }) => `${player} ${reward} ${occasion} ${server} ${state}`,
    )
    .toReversed();

const reasons = async ({ ledger }: FreshLedger) =>
  (await ledger.votes({ limit: 99 }))
    .flatMap((row) => [...row.reasons.values()].map(reasonText))
    .toReversed();

const wrong = async ({ ledger }: FreshLedger) => (await wrongCountsOf(ledger)).parties;

const EACH = party('all');

describe('a party', () => {
  test('pays each voter once whenever enough votes have counted, and says with each vote how many are left', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve', 'alex', 'Sasha']);
    expect(await grants(fresh)).toEqual([]);
    await fixAll(fresh, EACH);
    await fixAll(fresh, EACH);
    expect(await grants(fresh)).toEqual(['alex all party 1 main pending', 'Steve all party 1 main pending']);
    expect(await reasons(fresh)).toEqual([
      'counted, 2 left until party 1',
      'counted, 1 left until party 1',
      'reached party 1',
      'counted, 2 left until party 2',
    ]);
    expect(await fresh.ledger.grants({ limit: 1 })).toMatchObject([{ cause: 'party', voteId: null }]);
    expect(await fresh.ledger.partyProgress()).toMatchObject([{ party: 'all', number: 2, counted: 1 }]);
    expect(await wrong(fresh)).toEqual([]);
  });

  test('that was reached several times before it could be paid pays for each', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve', 'Sasha', 'Alex', 'Alex', 'Robin']);
    await fixAll(fresh, EACH);
    expect(await grants(fresh)).toEqual([
      ...['Alex', 'Steve', 'Sasha'].map((player) => `${player} all party 1 main pending`),
      ...['Alex', 'Robin'].map((player) => `${player} all party 2 main pending`),
    ]);
  });

  test('pays only voters with enough votes since the last one', async () => {
    const fresh = freshLedger();
    const twice = party('all', { userVotes: 2 });
    await vote(fresh, twice, ['Alex', 'Steve', 'Alex', 'Steve', 'Sasha', 'Sasha']);
    await fixAll(fresh, twice);
    expect(await grants(fresh)).toEqual(['Alex all party 1 main pending', 'Sasha all party 2 main pending']);
  });

  test('for everyone online pays each where they are, also those who did not vote', async () => {
    const fresh = freshLedger();
    const online = party('all', { for: 'online', servers: ['sky', 'mine'] });
    await vote(fresh, online, ['Alex', 'Steve', 'Sasha']);
    await fixAll(fresh, online, [
      { player: 'Steve' as PlayerName, server: 'sky' },
      { player: 'Robin' as PlayerName, server: 'mine' },
    ]);
    expect(await grants(fresh)).toEqual(['Steve all party 1 sky pending', 'Robin all party 1 mine pending']);
  });

  test('that is paid once runs its commands once on each game server', async () => {
    const fresh = freshLedger();
    const once = party('all', {
      for: 'once',
      servers: ['sky', 'mine'],
      commands: ['say {occasion}: {partyVotes}, next in {partyLeft}'],
    });
    await vote(fresh, once, ['Alex', 'Steve', 'Sasha']);
    await fixAll(fresh, once);
    const paid = await fresh.ledger.grants({ limit: 9 });
    expect(paid.map(({ server, commands }) => [server, commands.map(({ command }) => command)])).toEqual([
      ['mine', ['say party 1: 3, next in 3']],
      ['sky', ['say party 1: 3, next in 3']],
    ]);
  });

  test('leaves out votes that its conditions do not let through, and says why', async () => {
    const fresh = freshLedger();
    const tuesdays = party('all', { if: { weekday: ['tue'] }, every: 2 });
    await vote(fresh, tuesdays, ['Alex', 'Steve']);
    await vote(fresh, tuesdays, ['Alex', 'Robin'], { receivedAt: NOON + DAY });
    await fixAll(fresh, tuesdays);
    expect(await grants(fresh)).toEqual(['Alex all party 1 main pending', 'Robin all party 1 main pending']);
    expect(await reasons(fresh)).toEqual([
      'is Mon',
      'is Mon',
      'counted, 1 left until party 1',
      'reached party 1',
    ]);
  });

  test('counts votes within the cooldown only on sites that count all', async () => {
    const fresh = freshLedger();
    const cast = (countsAll: boolean, second: number) => ({
      ...arrival({ claim: null, castAt: NOON + second * 1_000, receivedAt: NOON + second * 1_000 }),
      countsAll,
    });
    await record(fresh.ledger, [cast(false, 0), cast(false, 1), cast(true, 2)], rulesWith(EACH));
    expect(await fresh.ledger.partyProgress()).toMatchObject([{ counted: 2 }]);
    expect(await wrong(fresh)).toEqual([]);
  });

  test('starts again with each period, and leaves out late votes of one that is over', async () => {
    const fresh = freshLedger();
    const monthly = party('all', { reset: 'month' });
    const JULY = at('2026-07-01T12:00:00Z');
    await vote(fresh, monthly, ['Alex', 'Steve']);
    await vote(fresh, monthly, ['Sasha', 'Robin'], { receivedAt: JULY });
    await vote(fresh, monthly, ['Late'], { receivedAt: JULY + 1_000, castAt: NOON });
    await vote(fresh, monthly, ['Sasha'], { receivedAt: JULY + 2_000 });
    await fixAll(fresh, monthly);
    expect(await grants(fresh)).toEqual(['Sasha all party 1 main pending', 'Robin all party 1 main pending']);
    expect(await reasons(fresh)).toEqual([
      'counted, 2 left until party 1',
      'counted, 1 left until party 1',
      'counted, 2 left until party 1',
      'counted, 1 left until party 1',
      'not counted: its period was over when it arrived',
      'reached party 1',
    ]);
    expect(await wrong(fresh)).toEqual([]);
  });

  test('does not count a late vote of a period that is over, also before the first vote of the next one', async () => {
    const fresh = freshLedger();
    const daily = party('all', { reset: 'day', every: 1 });
    await vote(fresh, daily, ['Late'], { receivedAt: NOON + DAY, castAt: NOON });
    expect(await fresh.ledger.reachedParties()).toEqual([]);
    await vote(fresh, daily, ['Alex'], { receivedAt: NOON + DAY + 1 });
    expect(await fresh.ledger.reachedParties()).toMatchObject([{ party: 'all', number: 1 }]);
  });

  test('keeps its count when the config gives it another `reset`', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve']);
    await vote(fresh, party('all', { reset: 'day' }), ['Sasha']);
    expect(await fresh.ledger.reachedParties()).toMatchObject([{ party: 'all', number: 1 }]);
  });

  test('is reached by the next vote if the config asks for fewer votes than have counted', async () => {
    const fresh = freshLedger();
    const many = party('all', { every: 50 });
    await vote(fresh, many, ['Alex', 'Steve', 'Sasha', 'Robin']);
    expect(await fresh.ledger.reachedParties()).toEqual([]);
    await vote(fresh, EACH, ['Zoe'], { receivedAt: NOON + 1 });
    await fixAll(fresh, EACH);
    expect(await grants(fresh)).toHaveLength(5);
  });

  test('does not count a vote that the operator voids, unless it was reached with it', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve', 'Sasha', 'Robin']);
    const order = { by: 'root', reason: 'a bot' };
    await fresh.ledger.voidVotes([1, 4], order, NOON);
    expect(await fresh.ledger.partyProgress()).toMatchObject([{ number: 2, counted: 0 }]);
    expect(await wrong(fresh)).toEqual([]);
    await fixAll(fresh, EACH);
    expect(await grants(fresh)).toEqual(['Steve all party 1 main pending', 'Sasha all party 1 main pending']);
  });

  test('has a count that a deep check compares with the votes and corrects', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve', 'Sasha', 'Robin', 'Alex']);
    fresh.database.exec('UPDATE parties SET counted = 0');
    expect(await wrong(fresh)).toEqual([1]);
    await fresh.ledger.recount({ recipients: [], network: false, parties: [1] });
    expect(await fresh.ledger.partyProgress()).toMatchObject([{ number: 2, counted: 2 }]);
    expect(await wrong(fresh)).toEqual([]);
  });

  test('that two processes record is reached once, at the same vote', async () => {
    const one = freshLedger();
    const other = freshLedger(one.file);
    await vote(one, EACH, ['Alex']);
    await vote(other, EACH, ['Steve'], { receivedAt: NOON + 1 });
    await vote(one, EACH, ['Sasha'], { receivedAt: NOON + 2 });
    await vote(other, EACH, ['Robin'], { receivedAt: NOON + 3 });
    await fixAll(other, EACH);
    await fixAll(one, EACH);
    expect(await grants(one)).toEqual(
      ['Alex', 'Steve', 'Sasha'].map((player) => `${player} all party 1 main pending`),
    );
    expect(await wrong(one)).toEqual([]);
  });

  test('is shown among the grants of each of its players, and by its cause', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve', 'Sasha']);
    await fixAll(fresh, EACH);
    const shown = async (filter: object) =>
      (await fresh.ledger.grants({ ...filter, limit: 9 })).map(({ player }) => player);
    expect(await shown({ recipient: 'STEVE' })).toEqual(['Steve']);
    expect(await shown({ recipient: 'steve', together: true })).toEqual(['Steve']);
    expect(await shown({ together: true })).toEqual(['Sasha', 'Steve', 'Alex']);
    expect(await shown({ recipient: 'steve', given: true })).toEqual([]);
    expect(await shown({ recipient: 'steve', since: NOON })).toEqual(['Steve']);
    expect(await shown({ recipient: 'steve', since: NOON + DAY })).toEqual([]);
  });
});

describe('after a restore, a party', () => {
  const BACKUP_AT = NOON + 1_000;
  const RESTORED_AT = NOON + DAY;
  const LATER = { receivedAt: RESTORED_AT + 1_000 };

  test('that was reached and not paid at the time of the backup is held', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve', 'Sasha']);
    noteRestore(fresh.database, BACKUP_AT, RESTORED_AT);
    await fixAll(fresh, EACH);
    expect(await fresh.ledger.grantStates()).toEqual({ held: 3 });
  });

  test('that may have been reached since the backup is held, and the next one is paid', async () => {
    const fresh = freshLedger();
    await vote(fresh, EACH, ['Alex', 'Steve']);
    noteRestore(fresh.database, BACKUP_AT, RESTORED_AT);
    await vote(fresh, EACH, ['Sasha', 'Alex', 'Steve', 'Robin'], LATER);
    await fixAll(fresh, EACH);
    expect(await grants(fresh)).toEqual([
      ...['Alex', 'Steve', 'Sasha'].map((player) => `${player} all party 1 main held`),
      ...['Alex', 'Steve', 'Robin'].map((player) => `${player} all party 2 main pending`),
    ]);
  });

  test('with a vote from before it is held, and says so', async () => {
    const fresh = freshLedger();
    noteRestore(fresh.database, BACKUP_AT, RESTORED_AT);
    await vote(fresh, EACH, ['Alex'], { ...LATER, castAt: BACKUP_AT + 60_000 });
    await vote(fresh, EACH, ['Steve', 'Sasha'], { receivedAt: LATER.receivedAt + 1_000 });
    await fixAll(fresh, EACH);
    expect(await fresh.ledger.grants({ limit: 1 })).toMatchObject([
      { state: 'held', reason: { code: 'restore-doubt' } },
    ]);
  });
});

describe('a party that is reached under a doubtful clock', () => {
  test.each(['before', 'after'])(
    'is held if who is paid was stored %s the operator said that the clock is right, and then paid',
    async (when) => {
      const fresh = freshLedger();
      const clock = new FakeClock(NOON);
      const voted = async (player: string) => {
        const cast = arrival({ player, claim: null, receivedAt: clock.now() });
        await record(fresh.ledger, [cast], rulesWith(EACH), readingOf(clock));
      };
      for (const player of ['Alex', 'Steve']) await voted(player);
      clock.jump(26 * 3_600_000);
      await voted('Sasha');
      if (when === 'before') {
        await fixAll(fresh, EACH);
        expect(await fresh.ledger.grants({ limit: 1 })).toMatchObject([
          { state: 'held', reason: { code: 'clock-doubt' } },
        ]);
      }
      await fresh.ledger.releaseClock(clock.now(), null, clock.now());
      await fixAll(fresh, EACH);
      expect(await fresh.ledger.grantStates()).toEqual({ pending: 3 });
    },
  );
});
