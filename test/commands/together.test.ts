import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { placed, type Standing } from '../../src/rewards/standings.ts';
import { rulesOf } from '../../src/votes/intake/rules.ts';
import { naming, tableIn } from '../support/naming.ts';
import { fixWhole } from '../support/parties.ts';
import { operator } from './operator.ts';

const CONFIG = {
  sites: { default: { token: 'test-token-of-thirty-two-characters' }, List: {}, Other: {} },
  rewards: [],
  party: [{ name: 'all', every: 3, commands: ['give {player} cake 1'] }],
  tops: [{ name: 'best', period: 'month', prizes: { '1': ['give {player} beacon 1'] } }],
};
const DRAWS = { kind: 'drawn', seed: 0.5 } as const;

describe('party', () => {
  test('shows how many votes are left until each party', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'List');
    await one.vote('Alex', 'List');
    const { out, exit } = await one.teller('party');
    expect([exit, tableIn(out)]).toEqual([
      0,
      [
        ['PARTY', 'NEXT', 'VOTES', 'LEFT', 'FOR', 'STARTS AGAIN'],
        ['all', '1', '2 of 3', '1', 'voters', 'never'],
      ],
    ]);
    const { out: json } = await one.teller('party', '--json');
    expect(JSON.parse(json)).toEqual([
      { party: 'all', number: 1, votes: 2, left: 1, every: 3, for: 'voters', reset: null },
    ]);
    expect((await one.teller('explain', 'Alex')).out).toEqual(
      naming(/party +all: counted, 1 left until party 1/),
    );
  });

  test('says that the config has none', async () => {
    const one = await operator({ rewards: [] });
    expect((await one.teller('party')).err).toEqual(naming('party'));
  });
});

test('explain shows what a player earned together with others, and its cause', async () => {
  const one = await operator(CONFIG);
  for (const player of ['Steve', 'Alex', 'Sasha']) await one.vote(player, 'List');
  const config = await loadConfig(one.config);
  const [party] = config.party;
  const rules = rulesOf(config, 'UTC');
  const [reached] = await one.ledger.reachedParties();
  if (party === undefined || reached === undefined) throw new Error('the party was not reached');
  await fixWhole(one.ledger, { id: reached.id, party, present: null, rules, draws: DRAWS }, one.clock.now());
  expect((await one.teller('explain', 'Alex')).out).toEqual(
    naming(/^ {2}grant \d+ +all for party 1 on main/m, /^ {14}1\. give Alex cake 1/m),
  );
  const { out } = await one.teller('explain', 'alex', '--json');
  expect(JSON.parse(out)).toMatchObject([
    { together: [{ cause: 'party', occasion: 'party 1', voteId: null, player: 'Alex' }] },
  ]);
  expect(JSON.parse((await one.teller('grants', '--json')).out)).toHaveLength(3);
});

describe('tops', () => {
  const VOTES = async (one: Awaited<ReturnType<typeof operator>>) => {
    await one.vote('Steve', 'List');
    await one.vote('Alex', 'List', { at: '2026-06-02T12:00:00Z' });
    await one.vote('Alex', 'Other', { at: '2026-06-02T13:00:00Z' });
  };

  test('shows the places of the period in progress', async () => {
    const one = await operator(CONFIG);
    await VOTES(one);
    const { out } = await one.teller('tops');
    expect(out.split('\n')[0]).toEqual(
      naming('best', '2026-06', 'not final before 2026-07-01T01:00:00.000Z'),
    );
    expect(tableIn(out).slice(1, 4)).toEqual([
      ['PLACE', 'PLAYER', 'VOTES', 'LATEST', 'PRIZE'],
      ['1', 'Alex', '2', '2026-06-02T13:00:00.000Z', '1'],
      ['2', 'Steve', '1', '2026-06-01T12:00:00.000Z', '-'],
    ]);
  });

  test('shows the places of a period that is over as they were stored', async () => {
    const one = await operator(CONFIG);
    await VOTES(one);
    const config = await loadConfig(one.config);
    const [top] = config.tops;
    if (top === undefined) throw new Error('the config has a top');
    await one.ledger.useConfig({ rewards: [top], today: 20_605 });
    await one.ledger.useConfig({ tops: [top], today: 20_605 });
    const steve: Standing = { recipientId: 1, player: 'Steve', votes: 1, reachedAt: one.clock.now() };
    const order = { top, period: 677, endedAt: 0, places: placed([steve], 'first'), draws: DRAWS };
    await one.ledger.settleTop({ ...order, rules: rulesOf(config, 'UTC') }, one.clock.now());
    const { out } = await one.teller('tops', '--at', '2026-06-30', '--json');
    expect(JSON.parse(out)).toMatchObject([
      { top: 'best', period: '2026-06', isSettled: true, places: [{ place: 1, player: 'Steve', votes: 1 }] },
    ]);
  });

  test('shows all votes of a period that no entry has', async () => {
    const one = await operator(CONFIG);
    await VOTES(one);
    const { out } = await one.teller('tops', '--period', 'day', '--at', '2026-06-02', '--json');
    expect(JSON.parse(out)).toMatchObject([
      { top: null, period: '2026-06-02', isSettled: false, places: [{ player: 'Alex', votes: 2 }] },
    ]);
    expect((await one.teller('tops', '--period', 'year')).err).toContain('[usage]');
  });
});
