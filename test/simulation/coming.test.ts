import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { MonthCalendar } from '../../src/operator/simulation/month/calendar.ts';
import { comingMonth, type MonthWish } from '../../src/operator/simulation/month/coming-month.ts';
import { ComingMonths, type MonthState } from '../../src/operator/simulation/month/coming-months.ts';
import { type Operator, operator } from '../commands/operator.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';

const PRACTICE = { kind: 'practice' };
const WISH: MonthWish = { days: 30, seed: 1, voters: null };
const DAILY = { name: 'daily', servers: ['main'], commands: ['give {player} diamond 2'] };

/** An operator whose players vote on A.net. */
const withRewards = (...rewards: readonly object[]) =>
  operator({
    sites: { default: { token: TOKEN }, 'A.net': {} },
    gameServers: { main: PRACTICE, lobby: PRACTICE },
    rewards: rewards.map((reward) => ({ servers: ['main'], ...reward })),
    timeZone: 'UTC',
  });

const load = ({ config }: Operator): Promise<Config> => loadConfig(config, { missingSecrets: 'defer' });

/** Votes at 18:00 on these days of May 2026; it is then noon of 1 June. */
async function voted(one: Operator, days: Readonly<Record<number, readonly string[]>>): Promise<void> {
  for (const [day, players] of Object.entries(days))
    for (const player of players)
      await one.vote(player, 'A.net', { at: `2026-05-${day.padStart(2, '0')}T18:00:00Z` });
  one.clock.set('2026-06-01T12:00:00Z');
}

async function coming(one: Operator, wish: Partial<MonthWish> = {}) {
  const month = await comingMonth(await load(one), { ...WISH, ...wish }, one);
  if (month.kind !== 'calendar') throw new Error(month.kind);
  return month.calendar;
}

/** The days on which a reward is granted, and how often. */
const granted = ({ days }: MonthCalendar, reward: string) =>
  Object.fromEntries(
    days.flatMap(({ date, grants }) => {
      const found = grants.find(({ name }) => name === reward);
      return found === undefined ? [] : [[date.slice(5), found.grants]];
    }),
  );

/** How nice each thread of this process is to others, from 0 to 19. */
const niceness = (): number[] =>
  readdirSync('/proc/self/task').map((id) => {
    const [, fields = ''] = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ');
    return Number(fields.split(' ')[16]);
  });

/** A process that has the least priority itself has no thread with less. */
test.runIf(process.platform === 'linux' && getPriority() < constants.priority.PRIORITY_LOW)(
  'a month is simulated by one thread with the least priority, so that votes and pages come first',
  async () => {
    const one = await withRewards(DAILY);
    const seen: number[][] = [];
    const onProgress = () => void seen.push(niceness());
    const before = niceness().filter((nice) => nice === 19).length;
    await comingMonth(await load(one), { ...WISH, voters: 20 }, { ...one, onProgress });
    expect(seen[0]?.filter((nice) => nice === 19)).toHaveLength(before + 1);
  },
);

describe('the coming month', () => {
  test('has the votes of the same days of the week, from the last four weeks, and none of today', async () => {
    const one = await withRewards(DAILY);
    // Sundays, the first of them the last day of the weeks before.
    await voted(one, { 3: ['Steve'], 10: ['Steve'], 31: ['Steve', 'Alex'] });
    await one.vote('Herobrine', 'A.net', { at: '2026-06-01T11:00:00Z' });
    const calendar = await coming(one);
    expect(calendar.days).toHaveLength(30);
    expect(calendar.days[0]?.date).toBe('2026-06-02');
    // Four weeks after 3 May is 31 May, which is over.
    expect(granted(calendar, 'daily')).toEqual({ '06-07': 1, '06-28': 2 });
    expect([calendar.votes, calendar.players]).toEqual([3, 2]);
  });

  test('begins with the totals that players have, so that no first vote is paid again', async () => {
    const one = await withRewards(
      { ...DAILY, name: 'third', if: { votes: { at: [3] } } },
      { ...DAILY, name: 'first', if: { firstVote: true } },
    );
    await voted(one, { 20: ['Steve'], 21: ['Steve', 'Alex'] });
    const calendar = await coming(one);
    expect(granted(calendar, 'third')).toEqual({ '06-17': 1 });
    expect(granted(calendar, 'first')).toEqual({});
  });

  test('goes on with the days in a row', async () => {
    const one = await withRewards({ ...DAILY, name: 'row', if: { streak: 3 } });
    await voted(one, { 4: ['Steve'], 5: ['Steve'], 30: ['Steve'], 31: ['Steve'] });
    await one.vote('Steve', 'A.net', { at: '2026-06-01T18:30:00Z' });
    one.clock.set('2026-06-01T19:00:00Z');
    const calendar = await coming(one, { days: 4 });
    // 1 June was the third day of a run that the month only continues.
    expect(granted(calendar, 'row')).toEqual({});
    const two = await withRewards({ ...DAILY, name: 'row', if: { streak: 4 } });
    await voted(two, { 5: ['Steve'], 30: ['Steve'], 31: ['Steve'] });
    await two.vote('Steve', 'A.net', { at: '2026-06-01T18:30:00Z' });
    expect(granted(await coming(two, { days: 4 }), 'row')).toEqual({ '06-02': 1 });
  });

  test('says what is run on each game server, by day and in all', async () => {
    const one = await withRewards(
      { ...DAILY, servers: ['main', 'lobby'] },
      {
        ...DAILY,
        name: 'extra',
        if: { weekday: ['thu'] },
        commands: ['say {player}', 'give {player} bread'],
      },
    );
    await voted(one, { 20: ['Steve'], 21: ['Steve', 'Alex'] });
    const { days, servers, sums } = await coming(one);
    expect(servers.map(({ server, commands, busiest }) => [server, commands, busiest])).toEqual([
      ['main', 7, { date: '2026-06-18', commands: 6 }],
      ['lobby', 3, { date: '2026-06-18', commands: 2 }],
    ]);
    expect(days.find(({ date }) => date === '2026-06-17')).toEqual({
      ...{ date: '2026-06-17', votes: 1, commands: 2, otherSums: 0 },
      grants: [{ name: 'daily', grants: 1 }],
      sums: [{ command: 'give {player} diamond', runs: 2, amount: 4 }],
    });
    expect(sums).toContainEqual({ command: 'give {player} bread', runs: 2, amount: 2 });
  });

  test('pays parties on the day on which they are reached, and tops when their places are final', async () => {
    const one = await operator({
      sites: { default: { token: TOKEN }, 'A.net': {} },
      timeZone: 'UTC',
      rewards: [],
      party: [{ name: 'party', every: 2, commands: ['give {player} cake 1'] }],
      tops: [{ name: 'top', period: 'week', prizes: { 1: ['give {player} beacon 1'] } }],
    });
    await voted(one, { 20: ['Steve'], 21: ['Steve', 'Alex'] });
    const calendar = await coming(one);
    expect(granted(calendar, 'party')).toEqual({ '06-18': 1 });
    expect(granted(calendar, 'top')).toEqual({ '06-22': 1 });
  });

  test('of votes by user IDs is simulated too', async () => {
    const one = await operator({
      sites: { default: { token: TOKEN }, City: { game: 'fivem' } },
      timeZone: 'UTC',
      rewards: [{ name: 'cash', when: 'always', commands: ['addcash {userId} 500'] }],
    });
    one.clock.set('2026-05-20T18:00:00Z');
    await one.voteOf('80351110224678912', 'City');
    one.clock.set('2026-06-01T12:00:00Z');
    expect(granted(await coming(one), 'cash')).toEqual({ '06-17': 1 });
  });

  test('of made-up players needs no votes, and is the same for the same seed', async () => {
    const one = await withRewards({ ...DAILY, if: { chance: '50%' } });
    const wish = { days: 3, voters: 10 };
    const [first, again, other] = [
      await coming(one, wish),
      await coming(one, wish),
      await coming(one, { ...wish, seed: 2 }),
    ];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first.days.every(({ votes }) => votes > 0)).toBe(true);
  });

  test('is not there without votes in the last weeks, or with very many', async () => {
    const one = await withRewards(DAILY);
    const config = await load(one);
    expect(await comingMonth(config, WISH, one)).toEqual({ kind: 'no-votes' });
    await one.vote('Steve', 'A.net', { at: '2026-06-01T11:00:00Z' });
    expect(await comingMonth(config, WISH, one)).toEqual({ kind: 'no-votes' });
    const ledger = { ...one.ledger, firstVotes: async () => [1, 1, 150_001, 200_001] };
    expect(await comingMonth(config, WISH, { ...one, ledger })).toEqual({
      ...{ kind: 'too-many', votes: 200_000, most: 100_000 },
    });
  });

  test('ends if it is stopped', async () => {
    const one = await withRewards(DAILY);
    const stop = new AbortController();
    const month = await comingMonth(
      await load(one),
      { days: 30, seed: 1, voters: 200 },
      { ...one, signal: stop.signal, onProgress: () => stop.abort() },
    );
    expect(month).toEqual({ kind: 'stopped' });
  });
});

describe('the coming months that pages look at', () => {
  test('are simulated in the background, once for each config, and kept', async () => {
    const one = await withRewards(DAILY);
    await voted(one, { 20: ['Steve'] });
    let changes = 0;
    const months = new ComingMonths({ ...one, onChange: () => (changes += 1) });
    const config = await load(one);
    const done = async (wanted: Config): Promise<MonthState> => {
      await expect.poll(() => months.look(wanted, WISH).kind, { timeout: 20_000 }).toBe('done');
      return months.look(wanted, WISH);
    };
    expect(months.look(config, WISH)).toEqual({ kind: 'running', progress: null });
    const first = await done(config);
    expect(first).toMatchObject({
      month: { kind: 'calendar', calendar: { votes: 1 } },
      endedAt: one.clock.now(),
    });
    const before = changes;
    // Loaded again, and nothing in it is different.
    expect(months.look(await load(one), WISH)).toBe(first);
    expect(changes).toBe(before);
    writeConfig(one.config, { timeZone: 'UTC', rewards: [] });
    expect(months.look(await load(one), WISH)).toEqual({ kind: 'running', progress: null });
    await months.close();
  });
});
