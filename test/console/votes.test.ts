import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { linksOf, operator, page } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { rowsOf, textOf, tileOf } from '../support/page-text.ts';

/** These players have voted one after another on the site. */
async function voted(...players: readonly string[]): Promise<Here> {
  const teller = await here();
  for (const player of players) {
    await teller.vote({ player });
    await teller.pass(50);
  }
  return teller;
}

const votes = async (teller: Here, query = '') =>
  rowsOf((await page(teller, `/votes${query}`)).html, 'Votes');

test('without a vote, the list says how to send the first one, and the chart that there is nothing', async () => {
  const teller = await voted();
  expect((await page(teller, '/votes')).text).toContain('No votes yet');
  const html = await figures(teller);
  expect(html.match(/No votes in this time\./g)).toHaveLength(1);
  expect(html).not.toContain('<rect');
});

test('a filter in the address shows what matches it, and stays in the form; one that is nonsense shows everything', async () => {
  const teller = await voted('Steve', 'Alex', 'Steve');
  for (const [query, players] of [
    ['player=alex', ['Alex']],
    ['site=List', ['Steve', 'Alex', 'Steve']],
    ['site=default', []],
    ['decision=cooldown', ['Steve']],
    ['channel=listener-v2', ['Steve', 'Alex', 'Steve']],
    ['channel=webhook', []],
    ['player=steve&decision=rewarded', ['Steve']],
    ['day=2020-01-01', []],
    ['decision=nonsense', ['Steve', 'Alex', 'Steve']],
  ] as const)
    expect([query, (await votes(teller, `?${query}`)).map(({ Player }) => Player)]).toEqual([query, players]);
  const { html } = await page(teller, '/votes?player=Nobody&channel=api');
  for (const part of ['value="Nobody"', '<option value="api" selected>', 'No vote matches'])
    expect(html).toContain(part);
});

test('a page has 50 votes, and leads to the older ones and back', async () => {
  const teller = await here({ rewards: [] });
  for (let number = 0; number < 51; number += 1) await teller.vote({ player: `Bot${number}` });
  const first = await page(teller, '/votes');
  expect((await votes(teller)).length).toBe(50);
  expect((await votes(teller))[0]).toMatchObject({ Player: 'Bot50' });
  const older = /href="\/votes(\?[^"]*)" rel="next"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(await votes(teller, older)).toMatchObject([{ Player: 'Bot0' }]);
});

test('one vote is shown from its bytes to its commands, and one that there is not is not found', async () => {
  const teller = await voted('Steve');
  await teller.untilGrants('delivered');
  const { html } = await page(teller, '/votes/1');
  for (const part of ['Steve', 'say Steve voted on List', 'Decision', 'As it was received', 'username'])
    expect(html).toContain(part);
  expect(/<pre[^>]* id="wire"[^>]*>(.*?)<\/pre>/s.exec(html)?.[1]).toContain('Steve');
  const reader = await operator(teller);
  for (const path of ['/votes/2', '/votes/0', '/votes/x', '/votes/99999999999999999999'])
    expect([path, (await reader.get(path)).status]).toEqual([path, 404]);
});

const rewardsOf = async (teller: Here) =>
  (await votes(teller)).map(({ Player, Decision, Rewards }) => `${Player} ${Decision}: ${Rewards}`);

test('votes are listed newest first, each with its decision and what the operator has to know first of its rewards', async () => {
  const game = await rconGame();
  const thanks = { name: 'thanks', when: 'always', commands: ['say {player}'] };
  const daily = { name: 'daily', commands: ['give {player} diamond 1'] };
  const teller = await here({ gameServers: { main: game.entry }, rewards: [thanks, daily] });
  game.fault('refuse');
  const states: string[] = [];
  for (const [player, state] of [
    ['Steve', 'refused'],
    ['Alex', 'delivered'],
    ['Zoe', 'delivered'],
    ['Kim', 'delivered'],
  ] as const) {
    await teller.vote({ player });
    states.push(state, 'waiting');
    await teller.untilGrants(...states);
  }
  for (const id of ['4', '6']) await teller.run('grants', 'cancel', id);
  await teller.pass(50);
  await teller.vote({ player: 'Steve' });
  expect(await rewardsOf(teller)).toEqual([
    ...['Steve too early: nothing to pay', 'Kim counted: waiting', 'Zoe counted: paid'],
    ...['Alex counted: paid', 'Steve counted: needs you'],
  ]);
  const alone = await here({
    rewards: [daily],
    gameServers: { main: { kind: 'practice', autoJoin: false } },
  });
  await alone.vote({ player: 'Steve' });
  await alone.untilGrants('waiting');
  await alone.run('grants', 'cancel', '1');
  expect(await rewardsOf(alone)).toEqual(['Steve counted: cancelled']);
  const shadow = await here({ pay: { mode: 'shadow' } });
  await shadow.vote({ player: 'Steve' });
  expect(await rewardsOf(shadow)).toEqual(['Steve counted: other side pays']);
});

const figures = async (teller: Here): Promise<string> => (await page(teller, '/figures')).html;
const csv = async (teller: Here): Promise<readonly string[]> =>
  (await (await operator(teller)).get('/figures/votes-by-day.csv')).html.trimEnd().split('\r\n');

const textsOf = (html: string, pattern: RegExp): readonly string[] =>
  [...html.matchAll(pattern)].map(([, text = '']) => textOf({ text }));
const barsOf = (html: string) =>
  [...html.matchAll(/<rect class="([\w-]+)" y="([\d.]+)%" width="100%" height="([\d.]+)%"/g)].map(
    ([, colour, y, height]) => [colour, Number(y), Number(height)],
  );
const tableRows = (html: string) => textsOf(html, /<tr>(.*?)<\/tr>/gs);

/** Votes of as many players on each site. It is noon on 3 June 2026. */
async function withVotes(votes: Readonly<Record<string, number>>): Promise<Here> {
  const sites = Object.fromEntries(Object.keys(votes).map((site) => [site, {}]));
  const teller = await here(
    { sites: { default: { token: TOKEN }, ...sites }, rewards: [] },
    new FakeClock('2026-06-03T12:00:00Z'),
  );
  for (const [site, count] of Object.entries(votes))
    for (let number = 0; number < count; number += 1) await teller.vote({ player: `Player${number}`, site });
  return teller;
}

test('the page shows the votes of today, and who has the most of the day, week, month and ever', async () => {
  const teller = await withVotes({ List: 3 });
  await teller.pass(2_000);
  await teller.vote({ player: 'Player0' });
  const html = await figures(teller);
  const tiles = ['Votes today', 'Counted today', 'Too early today', 'Refused today'];
  expect(tiles.map((label) => tileOf(html, label))).toEqual(['4', '3', '1', '0']);
  for (const player of ['Player0', 'Player1', 'Player2'])
    expect(html.split(`href="/players/${player}"`)).toHaveLength(1 + 4);
});

test('what was refused today is counted by local day', async () => {
  const clock = new FakeClock('2026-06-03T03:30:00Z');
  const teller = await here({ timeZone: 'America/New_York' }, clock);
  const refused = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1)
      await teller.vote({ player: 'Steve', token: 'another-token-of-thirty-two-chars' });
  };
  const today = async () => tileOf(await figures(teller), 'Refused today');
  await refused(2);
  await teller.pass(10_000);
  expect(await today()).toBe('2');
  clock.advance(3_600_000);
  await refused(3);
  await teller.pass(10_000);
  expect(await today()).toBe('3');
});

test('bars are stacked from the bottom up, on an axis of round numbers, and tell their numbers, which can be downloaded as a file that is not cached', async () => {
  const teller = await withVotes({ TopG: 12, PMC: 3 });
  const html = await figures(teller);
  expect(textsOf(html, /<li><span>([^<]*)<\/span><\/li>/g)).toEqual(['0', '5', '10', '15']);
  expect(barsOf(html)).toEqual([
    ['series-1', 20, 80],
    ['series-2', 0, 20],
  ]);
  const tips = textsOf(html, /<span class="tip">(.*?)<\/span>\s*<\/label>/gs);
  expect([tips.length, tips.at(-1)]).toEqual([90, 'Wed 3 Jun 2026: 15 votes TopG 12 PMC 3']);
  expect(tableRows(html).slice(0, 3)).toEqual([
    'DayTopGPMCIn all',
    'Wed 3 Jun 202612315',
    'Tue 2 Jun 2026000',
  ]);
  expect(linksOf(await page(teller, '/figures'))).toContain('/figures/votes-by-day.csv');
  const lines = await csv(teller);
  expect([lines[0], lines.at(-1), lines.length]).toEqual(['Day,TopG,PMC', 'Wed 3 Jun 2026,12,3', 91]);
  const reader = await operator(teller);
  expect(Object.fromEntries((await reader.get('/figures/votes-by-day.csv')).headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="votes-by-day.csv"',
    'cache-control': 'no-store',
  });
  expect((await reader.get('/figures/nonsense.csv')).status).toBe(404);
});

test('of nine sites, the five largest are shown, and the sum of the others', async () => {
  const html = await figures(await withVotes({ a: 1, b: 9, c: 2, d: 8, e: 3, f: 7, g: 4, h: 6, i: 5 }));
  expect(tableRows(html).slice(0, 2)).toEqual(['Daybdfhi4 othersIn all', 'Wed 3 Jun 2026987651045']);
});

test('a spreadsheet takes no name of a site as a formula, and a comma or quote ends no field', async () => {
  const sites = { '=1+1': 6, '+1': 5, '-1': 4, '@SUM(A1)': 3, '=cmd|"/C calc"!A1': 2, 'a,b': 1 };
  expect((await csv(await withVotes(sites)))[0]).toBe(
    `Day,'=1+1,'+1,'-1,'@SUM(A1),"'=cmd|""/C calc""!A1","a,b"`,
  );
});

test('votes are those received on each local day, also on one of 23 hours, and voided ones are not counted', async () => {
  const config = { timeZone: 'Europe/Berlin', rewards: [] };
  const teller = await here(config, new FakeClock('2026-03-28T22:00:00Z'));
  const { clock } = teller;
  const at = async (time: string, player: string) => {
    clock.sleep(Date.parse(time) - clock.now());
    await teller.vote({ player });
  };
  await at('2026-03-28T22:59:59.999Z', 'Steve');
  await at('2026-03-28T23:00:00Z', 'Alex');
  await at('2026-03-29T21:59:59.999Z', 'Zoe');
  await at('2026-03-29T22:00:00Z', 'Max');
  const lines = await csv(teller);
  expect([lines[0], lines.length, ...lines.slice(-3)]).toEqual([
    ...['Day,List', 91, 'Sat 28 Mar 2026,1', 'Sun 29 Mar 2026,2', 'Mon 30 Mar 2026,1'],
  ]);
  const linked = async (player: string) =>
    (await figures(teller)).split(`href="/players/${player}"`).length - 1;
  // Of the day, the week, the month and ever.
  expect([await linked('Max'), await linked('Zoe')]).toEqual([4, 2]);
  await at('2026-03-29T22:00:01Z', 'Kim');
  expect((await csv(teller)).at(-1)).toBe('Mon 30 Mar 2026,2');
  await teller.run('votes', 'void', '5', '--reason', 'forged', '--yes');
  expect(await linked('Kim')).toBe(0);
  const days = ['2026-03-29', '2026-03-30'].map(async (day) => (await votes(teller, `?day=${day}`)).length);
  expect(await Promise.all(days)).toEqual([2, 2]);
});
