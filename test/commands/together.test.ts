import { describe, expect, test } from 'vitest';
import { type Clerk, clerk } from '../kit/clerk.ts';
import { here } from '../kit/here.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, tableIn } from '../support/naming.ts';

const CONFIG = {
  timeZone: 'UTC',
  sites: { default: { token: TOKEN }, List: {}, Other: {} },
  rewards: [],
  party: [{ name: 'all', every: 3, commands: ['give {player} cake 1'] }],
  tops: [{ name: 'best', period: 'month', prizes: { '1': ['give {player} beacon 1'] } }],
};

describe('party', () => {
  test('shows how many votes are left until each party', async () => {
    const one = clerk(CONFIG);
    await one.vote('Steve', 'List');
    await one.vote('Alex', 'List');
    const { out, exit } = await one.run('party');
    expect([exit, tableIn(out)]).toEqual([
      0,
      [
        ['PARTY', 'NEXT', 'VOTES', 'LEFT', 'FOR', 'STARTS AGAIN'],
        ['all', '1', '2 of 3', '1', 'voters', 'never'],
      ],
    ]);
    expect((await one.run('party', '--json')).json).toEqual([
      { party: 'all', number: 1, votes: 2, left: 1, every: 3, for: 'voters', reset: null },
    ]);
    expect((await one.run('explain', 'Alex')).out).toEqual(
      naming(/party +all: counted, 1 left until party 1/),
    );
  });

  test('says that the config has none', async () => {
    const one = clerk({ rewards: [] });
    expect((await one.run('party')).err).toEqual(naming('party'));
  });
});

test('explain shows what a player earned together with others, and its cause', async () => {
  const teller = await here(CONFIG);
  for (const player of ['Steve', 'Alex', 'Sasha']) await teller.vote({ player });
  await teller.until(async () => (await teller.grants()).length === 3);
  expect((await teller.run('explain', 'Alex')).out).toEqual(
    naming(/^ {2}grant \d+ +all for party 1 on main/m, /^ {14}1\. give Alex cake 1/m),
  );
  expect((await teller.run('explain', 'alex', '--json')).json).toMatchObject([
    { together: [{ cause: 'party', occasion: 'party 1', voteId: null, player: 'Alex' }] },
  ]);
});

describe('tops', () => {
  async function voted(): Promise<Clerk> {
    const one = clerk(CONFIG);
    await one.vote('Steve', 'List', '2026-06-01T12:00:00Z');
    await one.vote('Alex', 'List', '2026-06-02T12:00:00Z');
    await one.vote('Alex', 'Other', '2026-06-02T13:00:00Z');
    return one;
  }

  test('shows the places of the period in progress', async () => {
    const { out } = await (await voted()).run('tops');
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
    const teller = await here(CONFIG, new FakeClock('2026-06-30T23:00:00Z'));
    await teller.vote({ player: 'Steve' });
    await teller.stop();
    teller.clock.jump(2 * 3_600_000 + 60_000);
    await teller.restart();
    await teller.until(async () => (await teller.grants()).length === 1);
    expect((await teller.run('tops', '--at', '2026-06-30', '--json')).json).toMatchObject([
      { top: 'best', period: '2026-06', isSettled: true, places: [{ place: 1, player: 'Steve', votes: 1 }] },
    ]);
  });

  test('shows all votes of a period that no entry has', async () => {
    const one = await voted();
    const { json } = await one.run('tops', '--period', 'day', '--at', '2026-06-02', '--json');
    expect(json).toMatchObject([
      { top: null, period: '2026-06-02', isSettled: false, places: [{ player: 'Alex', votes: 2 }] },
    ]);
    expect((await one.run('tops', '--period', 'year')).err).toContain('[usage]');
  });
});
