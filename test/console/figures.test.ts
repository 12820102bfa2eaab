import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { linksOf, operator, page } from '../kit/page.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { textOf, tileOf } from '../support/page-text.ts';

const figures = async (teller: Here): Promise<string> => (await page(teller, '/figures')).html;
const csv = async (teller: Here): Promise<readonly string[]> =>
  (await (await operator(teller)).get('/figures/votes-by-day.csv')).html.trimEnd().split('\r\n');

const textsOf = (html: string, pattern: RegExp): readonly string[] =>
  [...html.matchAll(pattern)].map(([, text = '']) => textOf({ text }));
const barsOf = (html: string) =>
  [...html.matchAll(/<rect class="([\w-]+)" y="([\d.]+)%" width="100%" height="([\d.]+)%"/g)].map(
    ([, colour, y, height]) => [colour, Number(y), Number(height)],
  );
const rowsOf = (html: string) => textsOf(html, /<tr>(.*?)<\/tr>/gs);

/** Votes of as many players on each site. It is noon on 3 June 2026. */
async function voted(votes: Readonly<Record<string, number>>): Promise<Here> {
  const sites = Object.fromEntries(Object.keys(votes).map((site) => [site, {}]));
  const teller = await here(
    { sites: { default: { token: 'test-token-of-thirty-two-characters' }, ...sites }, rewards: [] },
    new FakeClock('2026-06-03T12:00:00Z'),
  );
  for (const [site, count] of Object.entries(votes))
    for (let number = 0; number < count; number += 1) await teller.vote({ player: `Player${number}`, site });
  return teller;
}

test('without a vote, the chart says that there is nothing', async () => {
  const html = await figures(await here());
  expect(html.match(/No votes in this time\./g)).toHaveLength(1);
  expect(html).not.toContain('<rect');
});

test('the page shows the votes of today, and who has the most of the day, week, month and ever', async () => {
  const teller = await voted({ List: 3 });
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

test('bars are stacked from the bottom up, on an axis of round numbers, and tell their numbers', async () => {
  const html = await figures(await voted({ TopG: 12, PMC: 3 }));
  expect(textsOf(html, /<li><span>([^<]*)<\/span><\/li>/g)).toEqual(['0', '5', '10', '15']);
  expect(barsOf(html)).toEqual([
    ['series-1', 20, 80],
    ['series-2', 0, 20],
  ]);
  const tips = textsOf(html, /<span class="tip">(.*?)<\/span>\s*<\/label>/gs);
  expect([tips.length, tips.at(-1)]).toEqual([90, 'Wed 3 Jun 2026: 15 votes TopG 12 PMC 3']);
  expect(rowsOf(html).slice(0, 3)).toEqual(['DayTopGPMCIn all', 'Wed 3 Jun 202612315', 'Tue 2 Jun 2026000']);
});

test('of nine sites, the five largest are shown, and the sum of the others', async () => {
  const html = await figures(await voted({ a: 1, b: 9, c: 2, d: 8, e: 3, f: 7, g: 4, h: 6, i: 5 }));
  expect(rowsOf(html).slice(0, 2)).toEqual(['Daybdfhi4 othersIn all', 'Wed 3 Jun 2026987651045']);
});

test('the chart can be downloaded as a file with the same numbers, which is not cached', async () => {
  const teller = await voted({ TopG: 2, PMC: 1 });
  expect(linksOf(await page(teller, '/figures'))).toContain('/figures/votes-by-day.csv');
  const lines = await csv(teller);
  expect([lines[0], lines.at(-1), lines.length]).toEqual(['Day,TopG,PMC', 'Wed 3 Jun 2026,2,1', 91]);
  const reader = await operator(teller);
  expect(Object.fromEntries((await reader.get('/figures/votes-by-day.csv')).headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="votes-by-day.csv"',
    'cache-control': 'no-store',
  });
  expect((await reader.get('/figures/nonsense.csv')).status).toBe(404);
});

test('a spreadsheet takes no name of a site as a formula, and a comma or quote ends no field', async () => {
  const sites = { '=1+1': 6, '+1': 5, '-1': 4, '@SUM(A1)': 3, '=cmd|"/C calc"!A1': 2, 'a,b': 1 };
  expect((await csv(await voted(sites)))[0]).toBe(`Day,'=1+1,'+1,'-1,'@SUM(A1),"'=cmd|""/C calc""!A1","a,b"`);
});
