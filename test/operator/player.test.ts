import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { localDay } from '../../src/core/local-time.ts';
import { NO_OCCASION } from '../../src/core/occasion.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import { explain } from '../../src/operator/explain.ts';
import { answerFor } from '../../src/operator/player/answer.ts';
import { findPlayers } from '../../src/operator/player/find-players.ts';
import { playerView } from '../../src/operator/player/player-view.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { type Operator, operator } from '../commands/operator.ts';
import { TOKEN } from '../support/config-folder.ts';

const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const SITES = {
  sites: { default: { token: TOKEN }, List: { url: 'https://list.example/vote' }, Other: {} },
  rewards: [THANKS],
};

const load = ({ config }: Operator) => loadConfig(config, { missingSecrets: 'defer' });
const viewed = async (one: Operator, name: string) =>
  playerView(name, one.ledger, await load(one), one.clock.now());
const found = async (one: Operator, text: string) => findPlayers(text, one.ledger, await load(one));

describe('the view of a player', () => {
  test('has their counts and streak, when each site can be voted on again, and what is owed', async () => {
    const one = await operator(SITES);
    await one.vote('Steve', 'List', { at: '2026-05-31T12:00:00Z' });
    await one.vote('Steve', 'Other', { at: '2026-06-01T08:00:00Z' });
    await one.answer(1, 0, { kind: 'delivered', reply: '' });
    one.clock.set('2026-06-01T13:00:00Z');
    const view = await viewed(one, 'sTEVE');
    const today = localDay(one.clock.now(), 'UTC');
    expect(view).toMatchObject({
      ...{ name: 'sTEVE', isOwedMore: false },
      players: [{ votes: 2, names: [{ name: 'steve' }] }],
      figures: {
        counts: { total: 2, day: 1, week: 1, month: 1 },
        streak: { from: today - 1, to: today },
      },
      next: [
        { service: 'List', url: 'https://list.example/vote', from: null },
        { service: 'Other', url: null, from: Date.parse('2026-06-02T08:00:00Z') },
      ],
      owed: [{ id: 2, reward: 'thanks', state: 'pending' }],
    });
    const [list, other] = Array.isArray(view.next) ? view.next : [];
    expect(list?.reasons.get('thanks')?.code).toBe('granted');
    expect(other?.reasons).toEqual(new Map());
  });

  test('of a name that never voted has no figures, and what a first vote would be', async () => {
    const one = await operator(SITES);
    const view = await viewed(one, 'Nobody');
    expect(view).toMatchObject({ players: [], figures: null, owed: [] });
    expect(view.next).toMatchObject([
      { service: 'List', from: null },
      { service: 'Other', from: null },
    ]);
  });

  test('of a name that no player can have says why no vote is accepted', async () => {
    const one = await operator(SITES);
    expect((await viewed(one, 'no such player!')).next).toMatchObject({
      kind: 'refused',
      code: expect.any(String),
    });
  });

  test('of a user ID has its counts', async () => {
    const webhook = { path: '/five', listingId: '7', secret: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6' };
    const one = await operator({ sites: { ...SITES.sites, Fivem: { game: 'fivem', webhook } } });
    await one.voteOf('1234567890', 'Fivem');
    expect(await viewed(one, '1234567890')).toMatchObject({ players: [], figures: { counts: { total: 1 } } });
  });

  test('has twenty grants that are owed in each state, the latest, and says that there are more', async () => {
    const one = await operator(SITES);
    const config = await load(one);
    const rules = rulesOf(config, 'UTC');
    const reward = rules.rewards[0];
    if (reward === undefined) throw new Error('the config has a reward');
    for (let grant = 0; grant < 22; grant++) {
      const given = { reward, player: 'Steve' as PlayerName, occasion: NO_OCCASION, by: 'ann' };
      await one.ledger.giveReward({ ...given, rules, draws: { kind: 'drawn', seed: 0.5 } }, one.clock.now());
    }
    const { owed, isOwedMore } = await viewed(one, 'Steve');
    expect([owed.length, owed[0]?.id, owed.at(-1)?.id, isOwedMore]).toEqual([20, 3, 22, true]);
    await one.ledger.cancel(1, { by: 'ann' }, 0);
    await one.ledger.wait({ id: 2, server: 'main' }, { code: 'player-offline' }, 0);
    const later = await viewed(one, 'Steve');
    expect([later.owed.length, later.owed[0]?.id, later.isOwedMore]).toEqual([21, 2, false]);
  });
});

describe('players are found', () => {
  async function named(): Promise<Operator> {
    const one = await operator(SITES);
    for (const player of ['Alex', 'Alexander', '.Alex', 'Steve']) await one.vote(player, 'List');
    return one;
  }

  test('by their name in any case, with those that begin with it', async () => {
    const one = await named();
    expect(await found(one, ' aLEX ')).toEqual({ exact: ['alex'], beginning: ['alexander'], similar: [] });
    expect(await found(one, 'al')).toEqual({ exact: [], beginning: ['alex', 'alexander'], similar: [] });
  });

  test('by another spelling if nothing else is found', async () => {
    const one = await named();
    expect(await found(one, 'Stevee')).toEqual({ exact: [], beginning: [], similar: ['steve'] });
    expect(await found(one, '.steve')).toEqual({ exact: [], beginning: [], similar: ['steve'] });
    expect(await found(one, 'Xyzzy')).toEqual({ exact: [], beginning: [], similar: [] });
    expect(await found(one, '')).toEqual({ exact: [], beginning: [], similar: [] });
  });

  test('by their UUID, with all of their names', async () => {
    const one = await named();
    const uuid = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
    const rules = rulesOf(await load(one), 'UTC');
    const see = (name: string, now: number) =>
      one.ledger.storeSeen({ players: [{ name, uuid }], server: 'main', rules }, now);
    await see('Steve', 1);
    expect((await found(one, uuid)).exact).toEqual(['steve']);
    await see('Alexander', 2);
    expect((await found(one, uuid)).exact).toEqual(['alexander', 'steve']);
    expect((await found(one, 'steve')).exact).toEqual(['steve']);
  });
});

describe('the answer to a player who got nothing', () => {
  const answered = async (one: Operator, name: string) => {
    const { clock, ledger } = one;
    return answerFor(
      await explain(name, 1, ledger, await load(one), { clock, isRunning: true }),
      clock.now(),
    );
  };

  test('can be sent to the player, and is still true when it is read later', async () => {
    const one = await operator(SITES);
    await one.vote('Steve', 'List', { at: '2026-06-01T08:00:00Z' });
    await one.vote('Steve', 'List', { at: '2026-06-01T12:00:00Z' });
    one.clock.set('2026-06-01T13:00:00Z');
    const { code, sentence, toPlayer } = await answered(one, 'Steve');
    expect(code).toBe('cooldown');
    expect(sentence).toContain('The last vote, on List 1 h ago, came too early');
    expect(toPlayer).toContain('Your last vote, on List at 2026-06-01 12:00 UTC, came too early');
    expect(toPlayer).toContain('The next one counts from 2026-06-02 08:00 UTC on.');
  });

  test('says that a game server accepts no commands, which concerns the operator', async () => {
    const one = await operator(SITES);
    await one.vote('Steve', 'List', { at: '2026-06-01T12:00:00Z' });
    expect(await answered(one, 'Steve')).toMatchObject({ code: 'pending', concerns: 'nobody' });
    await one.ledger.storeQueueState('main', 'unreachable', one.clock.now());
    const { concerns, sentence } = await answered(one, 'Steve');
    expect(concerns).toBe('operator');
    expect(sentence).toContain('as soon as it accepts commands again');
  });
});
