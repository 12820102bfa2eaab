import { describe, expect, test } from 'vitest';
import { NO_OCCASION, type Occasion } from '../../../src/core/occasion.ts';
import type { PlayerName } from '../../../src/core/player-name.ts';
import { wrongCountsOf } from '../../../src/ledger/deep-check.ts';
import type { GrantRow, Ledger, SeenPlayer } from '../../../src/ledger/ledger.ts';
import type { Arrival } from '../../../src/rewards/arrival.ts';
import { parseOccasion } from '../../../src/rewards/occasion-name.ts';
import type { Reward, Rules } from '../../../src/rewards/reward.ts';
import { DAILY, record, rulesFor, THANKS } from '../../support/ledgers.ts';
import { DAY } from '../../support/votes.ts';
import type { LedgerFactory } from './engine.ts';
import { judgedIn, on, rewardIf, START_DAY } from './rewards.ts';

/** The UUID of the player who votes as Alex and then as Sasha, that of the stranger, and that of a Bedrock player. */
const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const BEDROCK = '00000000-0000-0000-0009-000000000001';
/** Of version 3, as servers in offline mode compute them from names. */
const OFFLINE = '36532b5e-c442-3dbb-a24c-c7e55d0f979a';
const OTHER_OFFLINE = '5627dd98-e6be-3c21-b8a8-e92344183641';

const AT = Date.UTC(2026, 5, 29, 12);
const MAIN = { server: 'main', practice: false };

const TOTAL_25 = rewardIf('milestone', { votes: { at: [25] } });

/** A player's votes, one each day from a day of June 2026 on. */
const votesOf = (player: string, count: number, from = 1, site = 'List'): Arrival[] =>
  Array.from({ length: count }, (_, at) => on(from + at, { player, site }));

export function playersContract(freshLedger: LedgerFactory): void {
  async function started(...rewards: readonly Reward[]) {
    const { ledger } = await freshLedger();
    const rules = rulesFor(...rewards);
    await ledger.useConfig({ rewards, today: START_DAY });
    return { ledger, rules };
  }

  /** A game server shows these names with their UUIDs, just now. */
  const see = (ledger: Ledger, rules: Rules, players: Record<string, string>, now = AT) =>
    ledger.storeSeen({ players: seen(players), server: 'main', rules }, now);

  /** Alex with 20 votes, whose UUID is known, and Sasha with 8. */
  async function alexAndSasha(...rewards: readonly Reward[]) {
    const { ledger, rules } = await started(...rewards);
    await record(ledger, [...votesOf('Alex', 20), ...votesOf('Sasha', 8, 1, 'Other')], rules);
    await see(ledger, rules, { Alex: ALEX });
    return { ledger, rules };
  }

  const give = (ledger: Ledger, rules: Rules, player: string, name: string) =>
    ledger.giveReward(
      {
        ...{ reward: rules.rewards[0] as Reward, player: player as PlayerName, by: 'ann', rules },
        occasion: name === '' ? NO_OCCASION : (parseOccasion(name) as Occasion),
        draws: { kind: 'drawn', seed: 0.5 },
      },
      AT,
    );

  describe('Alex with 20 votes and Sasha with 8, when Alex is seen as Sasha', () => {
    test('are one player with 28 votes, found by either name', async () => {
      const { ledger, rules } = await alexAndSasha(THANKS);
      expect(await see(ledger, rules, { Sasha: ALEX })).toBe(true);
      const [player, ...others] = await ledger.players('SASHA');
      expect(player).toMatchObject({
        names: [
          { name: 'alex', onlineUuid: ALEX },
          { name: 'sasha', givenUpAt: null },
        ],
        ...{ paidAs: 'Sasha', votes: 28 },
        changes: [{ kind: 'joined', name: 'sasha', at: AT, by: 'main' }],
      });
      expect(others).toEqual([]);
      expect(await ledger.players('alex')).toEqual([player]);
      for (const recipient of ['Alex', 'sasha']) {
        expect(await ledger.votes({ recipient, limit: 99 })).toHaveLength(28);
        expect(await ledger.grants({ recipient, limit: 99 })).toHaveLength(28);
      }
      expect(await wrongCountsOf(ledger)).toMatchObject({ recipients: [], network: false });
    });

    test('have passed the total of 25, which is marked, not paid, and can be given once', async () => {
      const { ledger, rules } = await alexAndSasha(TOTAL_25);
      await see(ledger, rules, { Sasha: ALEX });
      expect(await ledger.grants({ limit: 9 })).toEqual([]);
      expect(await ledger.players('Alex')).toMatchObject([
        { passed: [{ reward: 'milestone', occasion: 'total 25' }] },
      ]);
      expect(await give(ledger, rules, 'Sasha', 'total 25')).toMatchObject({ kind: 'given' });
      expect(await give(ledger, rules, 'Alex', 'total 25')).toMatchObject({ code: 'occasion-spent' });
      expect(await ledger.players('Alex')).toMatchObject([{ passed: [] }]);
    });

    test('go on counting from 28', async () => {
      const reward = rewardIf('milestone', { votes: { every: 1 } });
      const { ledger, rules } = await alexAndSasha(reward);
      await see(ledger, rules, { Sasha: ALEX });
      await record(ledger, [on(29, { player: 'Alex' }), on(29, { player: 'Sasha', site: 'Other' })], rules);
      expect((await judgedIn(ledger, 'milestone')).slice(-2)).toEqual([['total 29'], ['total 30']]);
    });

    test('share their windows, and windows that overlap now stay, without keeping out a vote', async () => {
      const { ledger, rules } = await started(THANKS);
      const late = { hour: 20, cooldownMs: 3 * DAY };
      await record(ledger, [on(1, { player: 'Alex', ...late }), on(2, { player: 'Sasha' })], rules);
      await see(ledger, rules, { Alex: ALEX });
      await see(ledger, rules, { Sasha: ALEX });
      expect((await ledger.votes({ recipient: 'Alex', limit: 9 })).map(({ window }) => window)).toEqual([
        { start: Date.UTC(2026, 5, 2, 12), end: Date.UTC(2026, 5, 3, 12) },
        { start: Date.UTC(2026, 5, 1, 20), end: Date.UTC(2026, 5, 4, 20) },
      ]);
      const next = [
        on(2, { player: 'Alex', hour: 23 }),
        on(3, { player: 'Alex' }),
        on(3, { player: 'Sasha', hour: 13 }),
      ];
      const recorded = await record(ledger, next, rules);
      expect(recorded.map((each) => each.kind === 'new' && each.decision.kind)).toEqual([
        'cooldown',
        'rewarded',
        'cooldown',
      ]);
    });

    test('keep what each was granted, and places of limits that are too many now', async () => {
      const reward = { ...THANKS, limit: { per: 'player', count: 1, within: 'ever' } } as const;
      const { ledger, rules } = await alexAndSasha(reward);
      await see(ledger, rules, { Sasha: ALEX });
      expect(await ledger.grantStates()).toEqual({ pending: 2 });
      await record(ledger, [on(29, { player: 'Sasha' })], rules);
      expect((await judgedIn(ledger, 'thanks')).at(-1)).toBe('limit');
    });

    test('are paid what waited for either under the name that is seen', async () => {
      const { ledger, rules } = await started({ ...DAILY, commands: ['give {player} diamond 1'] });
      await record(ledger, [on(1, { player: 'Alex' }), on(1, { player: 'Sasha', site: 'Other' })], rules);
      for (const id of [1, 2]) await ledger.wait({ id, server: 'main' }, { code: 'player-offline' }, AT);
      await see(ledger, rules, { Alex: ALEX });
      await see(ledger, rules, { Sasha: ALEX });
      expect((await ledger.waiting(MAIN, ['sasha'], AT, 9)).map(({ id, player }) => [id, player])).toEqual([
        [1, 'sasha'],
        [2, 'Sasha'],
      ]);
      expect(await ledger.waitingFor(MAIN, 9, 0)).toMatchObject([{ otherNames: ['sasha'] }]);
    });

    test('do not get what is pending under the old name any more', async () => {
      const { ledger, rules } = await started(THANKS);
      await record(ledger, [on(1, { player: 'Alex' })], rules);
      await see(ledger, rules, { Alex: ALEX });
      await see(ledger, rules, { Sasha: ALEX });
      expect(await ledger.pending(MAIN, AT, 9)).toMatchObject([{ recipientKey: 'sasha', player: 'Sasha' }]);
      expect(await ledger.claim({ grantId: 1, position: 0, player: 'Sasha', uuid: ALEX, now: AT })).toBe(
        true,
      );
    });
  });

  describe('joining pays nothing', () => {
    test('for a run that grew out of both names, however it goes on', async () => {
      const reward = rewardIf('week', { streak: 7 });
      const { ledger, rules } = await started(reward);
      await record(ledger, [...votesOf('Alex', 4), ...votesOf('Sasha', 3, 5)], rules);
      await see(ledger, rules, { Alex: ALEX });
      await see(ledger, rules, { Sasha: ALEX });
      const [player] = await ledger.players('Alex');
      expect(player?.passed).toEqual([
        { reward: 'week', occasion: 'streak 7 reached 2026-06-07', last: null, step: null, by: 'joining' },
      ]);
      await record(ledger, [on(8, { player: 'Sasha' })], rules);
      expect(await ledger.grants({ limit: 9 })).toEqual([]);
    });

    test('for all sites of a day, whatever comes later that day', async () => {
      const reward = rewardIf('all', { allSites: { sites: ['List', 'Other'] } });
      const { ledger, rules } = await started(reward);
      await record(ledger, [on(1, { player: 'Alex' }), on(1, { player: 'Sasha', site: 'Other' })], rules);
      await see(ledger, rules, { Alex: ALEX });
      await see(ledger, rules, { Sasha: ALEX });
      await record(ledger, [on(1, { player: 'Sasha', site: 'Third' })], rules);
      expect(await ledger.grants({ limit: 9 })).toEqual([]);
      expect(await ledger.players('Alex')).toMatchObject([
        { passed: [{ reward: 'all', occasion: 'day 2026-06-01' }] },
      ]);
    });

    test('for what both had been granted already', async () => {
      const reward = rewardIf('first', { firstVote: true });
      const { ledger, rules } = await alexAndSasha(reward);
      await see(ledger, rules, { Sasha: ALEX });
      expect(await ledger.grantStates()).toEqual({ pending: 2 });
      expect(await ledger.players('Alex')).toMatchObject([{ passed: [] }]);
    });
  });

  describe('a stranger on the freed name first, and Sasha later', () => {
    /** Alex has voted 20 times and is not there; a stranger plays as Alex. */
    async function taken() {
      const { ledger, rules } = await started(DAILY);
      await record(ledger, votesOf('Alex', 20), rules);
      await see(ledger, rules, { Alex: ALEX });
      await ledger.wait({ id: 1, server: 'main' }, { code: 'player-offline' }, AT);
      await see(ledger, rules, { Alex: STRANGER });
      return { ledger, rules };
    }

    test('holds all that waits or is pending for Alex', async () => {
      const { ledger } = await taken();
      expect(await ledger.grantStates()).toEqual({ held: 20 });
      expect((await ledger.grants({ id: 1, limit: 1 }))[0]?.reason).toEqual({ code: 'name-taken' });
      expect(await ledger.waiting(MAIN, ['alex'], AT, 9)).toEqual([]);
    });

    test('starts the stranger at 0, who gets only what they vote for', async () => {
      const { ledger, rules } = await taken();
      expect(await ledger.players('Alex')).toMatchObject([
        { names: [{ name: 'alex', onlineUuid: STRANGER, givenUpAt: null }], votes: 0, paidAs: 'alex' },
        { names: [{ name: 'alex', onlineUuid: ALEX, givenUpAt: AT }], votes: 20, paidAs: null },
      ]);
      await record(ledger, [on(21, { player: 'Alex' })], rules);
      expect((await ledger.pending(MAIN, AT, 99)).map(({ id }) => id)).toEqual([21]);
      expect(await ledger.players('Alex')).toMatchObject([{ votes: 1 }, { votes: 20 }]);
    });

    test('recognizes votes for Alex that are sent again, which earn the stranger nothing', async () => {
      const { ledger, rules } = await started(DAILY);
      const claim = { at: Date.UTC(2026, 5, 21, 12), precision: 'ms' } as const;
      const vote = on(21, { player: 'Alex', claim });
      await record(ledger, [vote], rules);
      await see(ledger, rules, { Alex: ALEX });
      await see(ledger, rules, { Alex: STRANGER, Sasha: ALEX });
      const eventId = '00000000-0000-7000-8000-000000000001';
      const again = [vote, on(21, { player: 'ALEX', claim, eventId })];
      expect(await record(ledger, again, rules)).toMatchObject([
        { kind: 'same', id: 1 },
        { kind: 'same', id: 1 },
      ]);
      const others = [
        on(21, { player: 'Alex', claim: { at: claim.at + 1000, precision: 'ms' } }),
        on(21, { player: 'Alex', claim, site: 'Other' }),
        on(21, { player: 'Sasha', claim, site: 'Other' }),
      ];
      for (const recorded of await record(ledger, others, rules)) expect(recorded.kind).toBe('new');
    });

    test('releases it to Sasha, and nothing of it to the stranger', async () => {
      const { ledger, rules } = await taken();
      expect(await see(ledger, rules, { Alex: STRANGER, Sasha: ALEX })).toBe(true);
      const pending = await ledger.pending(MAIN, AT, 99);
      expect(pending).toHaveLength(20);
      expect(new Set(pending.map(({ recipientKey, player }) => `${recipientKey} ${player}`))).toEqual(
        new Set(['sasha Sasha']),
      );
      const claim = { grantId: 1, position: 0, uuid: null, now: AT };
      expect(await ledger.claim({ ...claim, player: 'Alex' })).toBe(false);
      expect(await ledger.claim({ ...claim, player: 'Sasha' })).toBe(true);
      expect(await ledger.players('Sasha')).toMatchObject([
        {
          votes: 20,
          changes: [
            { kind: 'name-taken', name: 'alex' },
            { kind: 'joined', name: 'sasha' },
          ],
        },
      ]);
    });

    test('a grant that was read before is not claimed', async () => {
      const { ledger, rules } = await started(THANKS);
      await record(ledger, votesOf('Alex', 1), rules);
      await see(ledger, rules, { Alex: ALEX });
      const [read] = await ledger.pending(MAIN, AT, 9);
      await see(ledger, rules, { Alex: STRANGER });
      const claim = { grantId: read?.id ?? 0, position: 0, player: 'Alex', uuid: null, now: AT };
      expect(await ledger.claim(claim)).toBe(false);
    });

    test('what the operator pays to no one else is held again', async () => {
      const { ledger } = await taken();
      const order = { texts: null, by: 'ann', kindByServer: new Map() };
      await ledger.pay(1, order, AT);
      expect(await ledger.pending(MAIN, AT, 9)).toMatchObject([{ id: 1, isNameTaken: true }]);
      await ledger.holdNameTaken(1, AT);
      expect(await ledger.grantStates()).toEqual({ held: 20 });
      await ledger.pay(1, { ...order, to: 'Kim' as PlayerName }, AT);
      expect(await ledger.pending(MAIN, AT, 9)).toMatchObject([
        { id: 1, recipientKey: 'kim', isNameTaken: false },
      ]);
      await ledger.holdNameTaken(1, AT);
      expect((await ledger.grants({ id: 1, limit: 1 }))[0]?.state).toBe('pending');
    });

    test('who gives the name back leaves Alex as they were', async () => {
      const { ledger, rules } = await taken();
      await record(ledger, [on(21, { player: 'Alex' })], rules);
      await see(ledger, rules, { Alex: ALEX });
      expect(await ledger.players('Alex')).toMatchObject([
        { votes: 20, paidAs: 'alex', names: [{ givenUpAt: null }] },
        { votes: 1, paidAs: null },
      ]);
      expect(await ledger.grantStates()).toEqual({ pending: 20, held: 1 });
    });
  });

  test('two players who swap their names swap nothing else', async () => {
    const { ledger, rules } = await started(DAILY);
    await record(ledger, [...votesOf('Alex', 3), ...votesOf('Sasha', 2)], rules);
    await see(ledger, rules, { Alex: ALEX, Sasha: STRANGER });
    await see(ledger, rules, { Alex: STRANGER, Sasha: ALEX });
    const keys = (await ledger.pending(MAIN, AT, 9)).map(({ recipientKey }) => recipientKey);
    expect(keys).toEqual(['sasha', 'sasha', 'sasha', 'alex', 'alex']);
    expect(await ledger.players('Sasha')).toMatchObject([{ votes: 3 }, { votes: 2 }]);
  });

  describe('a UUID joins nothing', () => {
    test('if it is computed from the name, and it starts no player', async () => {
      const { ledger, rules } = await alexAndSasha(THANKS);
      expect(await see(ledger, rules, { Sasha: OFFLINE })).toBe(false);
      expect(await see(ledger, rules, { Alex: OFFLINE, sasha: OTHER_OFFLINE })).toBe(false);
      expect(await ledger.players('Alex')).toMatchObject([{ votes: 20, changes: [] }]);
      expect(await ledger.players('Sasha')).toMatchObject([{ votes: 8, names: [{ onlineUuid: null }] }]);
    });

    test('if one name has a Bedrock prefix and the other has none', async () => {
      const { ledger, rules } = await started(THANKS);
      await record(ledger, [on(1, { player: 'Alex' }), on(1, { player: '.Alex' })], rules);
      await see(ledger, rules, { '.Alex': BEDROCK });
      await see(ledger, rules, { Alex: BEDROCK });
      await see(ledger, rules, { '.Alex': ALEX });
      expect(await ledger.players('Alex')).toMatchObject([{ names: [{ name: 'alex', onlineUuid: null }] }]);
      expect(await ledger.players('.Alex')).toMatchObject([
        { names: [{ name: '.alex', floodgateUuid: BEDROCK }] },
      ]);
    });
  });

  test('Bedrock players are joined by their UUIDs too', async () => {
    const { ledger, rules } = await started(THANKS);
    await record(ledger, [on(1, { player: '.Alex' }), on(2, { player: '.Sasha' })], rules);
    await see(ledger, rules, { '.Alex': BEDROCK });
    await see(ledger, rules, { '.Sasha': BEDROCK });
    expect(await ledger.players('.Sasha')).toMatchObject([{ votes: 2, paidAs: '.Sasha' }]);
  });

  test('UUIDs that votes name are only hints', async () => {
    const { ledger, rules } = await started(THANKS);
    const wire = JSON.stringify({ username: 'Alex', uuid: ALEX.replaceAll('-', '').toUpperCase() });
    await record(ledger, [on(1, { player: 'Alex', wire }), on(1, { player: 'Sasha', wire })], rules);
    expect(await ledger.players('Alex')).toMatchObject([
      { hints: [ALEX], votes: 1, names: [{ onlineUuid: null }] },
    ]);
  });

  describe('the operator', () => {
    const merge = (ledger: Ledger, rules: Rules, name: string, into: string) =>
      ledger.mergePlayers({ name: name as PlayerName, into: into as PlayerName, by: 'ann', rules }, AT);
    const split = (ledger: Ledger, name: string) =>
      ledger.splitPlayer({ name: name as PlayerName, by: 'ann' }, AT + 1);

    /** Everything that joining changes. */
    async function stateOf(ledger: Ledger) {
      const players = [...(await ledger.players('Alex')), ...(await ledger.players('Sasha'))];
      const ids = (rows: readonly GrantRow[]) => rows.map(({ id, state }) => `${id} ${state}`);
      return {
        players: players.map(({ changes: _, ...player }) => player),
        votes: await Promise.all(
          ['Alex', 'Sasha'].map(async (recipient) =>
            (await ledger.votes({ recipient, limit: 99 })).map(({ id, window }) => [id, window]),
          ),
        ),
        grants: await Promise.all(
          ['Alex', 'Sasha'].map(async (recipient) => ids(await ledger.grants({ recipient, limit: 99 }))),
        ),
        wrong: await wrongCountsOf(ledger),
      };
    }

    const REWARDS = [
      rewardIf('milestone', { votes: { every: 5 } }),
      rewardIf('week', { streak: { length: 3, repeat: true } }, { when: 'online' }),
      { ...THANKS, limit: { per: 'player', count: 2, within: 'ever' } },
    ] as const;

    test('splits exactly what was joined, by a game server or by them', async () => {
      const { ledger, rules } = await alexAndSasha(...REWARDS);
      await give(ledger, rules, 'Sasha', 'total 40');
      const before = await stateOf(ledger);
      await see(ledger, rules, { Sasha: ALEX });
      expect(await split(ledger, 'Sasha')).toEqual({ kind: 'changed' });
      expect(await stateOf(ledger)).toEqual(before);
      expect(await merge(ledger, rules, 'Sasha', 'Alex')).toEqual({ kind: 'changed' });
      expect(await ledger.players('Sasha')).toMatchObject([{ votes: 28 }]);
      await split(ledger, 'Sasha');
      expect(await stateOf(ledger)).toEqual(before);
      const changes = (await ledger.players('Alex')).flatMap((player) => player.changes);
      expect(changes.map(({ kind, by }) => `${kind} ${by}`)).toEqual([
        'joined main',
        'split ann',
        'merged ann',
        'split ann',
      ]);
    });

    test('splits what was voted and granted meanwhile by the name that was voted for', async () => {
      const { ledger, rules } = await alexAndSasha(...REWARDS);
      await merge(ledger, rules, 'Sasha', 'Alex');
      const later = [on(22, { player: 'Sasha' }), on(23, { player: 'Alex' }), on(24, { player: 'Sasha' })];
      await record(ledger, later, rules);
      await split(ledger, 'Sasha');
      expect(await ledger.players('Alex')).toMatchObject([{ votes: 21 }]);
      expect(await ledger.players('Sasha')).toMatchObject([{ votes: 10 }]);
      expect(await wrongCountsOf(ledger)).toMatchObject({ recipients: [], network: false });
    });

    test('gives a split name a life of its own, whatever game servers show', async () => {
      const { ledger, rules } = await alexAndSasha(TOTAL_25);
      await see(ledger, rules, { Sasha: ALEX });
      await split(ledger, 'Sasha');
      expect(await see(ledger, rules, { Sasha: ALEX })).toBe(false);
      expect(await ledger.players('Sasha')).toMatchObject([{ votes: 8, passed: [] }]);
      await record(ledger, votesOf('Alex', 5, 21), rules);
      expect((await judgedIn(ledger, 'milestone')).at(-1)).toEqual(['total 25']);
    });

    test('keeps what was given for a passed occasion after a split', async () => {
      const { ledger, rules } = await alexAndSasha(TOTAL_25);
      await see(ledger, rules, { Sasha: ALEX });
      await give(ledger, rules, 'Alex', 'total 25');
      await split(ledger, 'Sasha');
      await record(ledger, votesOf('Alex', 5, 21), rules);
      expect((await judgedIn(ledger, 'milestone')).at(-1)).toBe('occasion-spent');
    });

    test('joins the names of two accounts of one player, each with its UUID', async () => {
      const { ledger, rules } = await started(THANKS);
      await record(ledger, [on(1, { player: 'Alex' }), on(2, { player: '.Alex' })], rules);
      await see(ledger, rules, { Alex: ALEX, '.Alex': BEDROCK });
      await merge(ledger, rules, '.Alex', 'Alex');
      expect(await see(ledger, rules, { Alex: ALEX, '.Alex': BEDROCK })).toBe(false);
      expect(await ledger.players('.Alex')).toMatchObject([
        { votes: 2, names: [{ onlineUuid: ALEX }, { floodgateUuid: BEDROCK }] },
      ]);
    });
  });
}

const seen = (players: Record<string, string>): SeenPlayer[] =>
  Object.entries(players).map(([name, uuid]) => ({ name, uuid }));
