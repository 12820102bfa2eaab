import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { linksOf, type Page, page } from '../kit/page.ts';
import { stuck } from '../kit/stuck.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { rowsOf, textOf } from '../support/page-text.ts';

const LATELY = 'What operators did lately';
const BROKEN = {
  name: 'broken',
  when: 'always',
  servers: ['main'],
  commands: ['nonsense {player} <b>diamond</b>', 'say {player}'],
};
/** Its grants wait on a game server that nobody joins. */
const OLD = { name: 'old', servers: ['lobby'], commands: ['give {player} cake'] };
const LOBBY = { kind: 'practice', autoJoin: false };

/** The cards of a page, from the top: how many grants are stuck on which game servers. */
const cardsOf = ({ text }: Page): readonly string[] =>
  [...text.matchAll(/(?:held|refused) (\d+ grants? on .+?), the last one/g)].map(([, card = '']) =>
    card.replaceAll(', a practice server', ''),
  );

const grants = (teller: Here, query = ''): Promise<Page> => page(teller, `/grants${query}`);

/** The IDs of the grants that a page lets choose. */
const idsOf = ({ html }: Page): readonly number[] =>
  [...html.matchAll(/name="grant" value="(\d+)\.\d+"/g)].map(([, id]) => Number(id));

/** A Teller that could not pay these players: the game server refused a command. */
async function refused(...players: readonly string[]): Promise<Here> {
  const gameServers = { main: (await rconGame()).entry };
  const teller = await here({ gameServers, rewards: [BROKEN] });
  for (const player of players) await teller.vote({ player });
  await teller.untilGrants(...players.map(() => 'refused'));
  return teller;
}

/** One grant is refused on main, and then so many are held, because their game server is gone from the config. */
async function both(held: number, main = ['Steve']): Promise<Here> {
  const gameServers = { main: (await rconGame()).entry };
  const teller = await here({ gameServers: { ...gameServers, lobby: LOBBY }, rewards: [BROKEN] });
  for (const player of main) await teller.vote({ player });
  await teller.untilGrants(...main.map(() => 'refused'));
  await teller.reload({ gameServers: { ...gameServers, lobby: LOBBY }, rewards: [OLD] });
  for (let number = 0; number < held; number += 1)
    await teller.vote({ player: `Bot${number}`, site: 'List' });
  await teller.pass(1_000);
  await teller.reload({ gameServers, rewards: [BROKEN] });
  await teller.until(async () => (await grants(teller, '?state=held')).text.includes(`${held} grant`));
  return teller;
}

test('the menu of every page shows how many grants need the operator, once any do; before that the page says that none does', async () => {
  const teller = await refused();
  const inMenu = async (path: string): Promise<string> =>
    (await page(teller, path)).text.match(/Needs you ?(\d[\d,+]* grants?)?/)?.[1] ?? '';
  expect(await inMenu('/votes')).toBe('');
  const empty = await grants(teller);
  expect(empty.text).toContain('Nothing needs you.');
  expect([cardsOf(empty), rowsOf(empty.html, LATELY)]).toEqual([[], []]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused');
  for (const path of ['/', '/votes', '/keys']) expect(await inMenu(path)).toBe('1 grant');
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('refused', 'refused');
  expect(await inMenu('/votes')).toBe('2 grants');
  expect((await page(teller, '/sign-in', 'visitor')).text).not.toContain('grants');
});

test('a refused grant is shown with its command, the reply, and what to do, which is offered first; then who decided what, and when, also by commands', async () => {
  const teller = await refused('Steve');
  const shown = await grants(teller);
  expect([cardsOf(shown), idsOf(shown)]).toEqual([['1 grant on main'], [1]]);
  for (const part of [
    ...['1 grant needs you.', 'The game server refused a command', 'Steve', 'Unknown or incomplete'],
    '“Pay with the new commands”',
  ])
    expect(shown.text).toContain(part);
  expect(shown.html).toContain('nonsense Steve &lt;b&gt;diamond&lt;/b&gt;');
  expect(shown.html).toMatch(/name="action"><option value="anew">/);
  await teller.run('grants', 'mark-paid', '1', '--yes');
  const { html, text } = await grants(teller);
  expect(rowsOf(html, LATELY)).toMatchObject([{ Grant: 'broken for Steve on main', Now: 'delivered' }]);
  for (const after of [text, (await page(teller, '/grants/1')).text])
    expect(after).toMatch(/\S+ marked it as paid at \d+ \w+ \d{4} \d\d:\d\d:\d\d UTC/);
});

test('game servers on which the same is to do share a card, and others do not', async () => {
  const [main, lobby] = [await rconGame({ commandTimeout: '1s' }), await rconGame({ commandTimeout: '1s' })];
  const everywhere = { name: 'all', when: 'always', servers: 'all', commands: ['say {player}'] };
  const gameServers = { main: main.entry, lobby: lobby.entry };
  const teller = await here({ gameServers, rewards: [everywhere] }, new FakeClock('2026-06-01T12:00:00Z'));
  for (const game of [main, lobby]) game.fault('silent');
  await teller.vote({ player: 'Steve', timestamp: '' });
  await teller.untilGrants('held', 'held');
  expect(cardsOf(await grants(teller)).toSorted()).toEqual(['1 grant on lobby', '1 grant on main']);
  teller.clock.jump(26 * 3_600_000);
  await teller.vote({ player: 'Alex', timestamp: '' });
  await teller.untilGrants('held', 'held', 'held', 'held');
  expect(cardsOf(await grants(teller))[0]).toMatch(/^2 grants on (?:main and lobby|lobby and main)$/);
});

test('to decide on all of a card never reaches grants of another card with the same reason', async () => {
  const [main, lobby, gone] = [await rconGame(), await rconGame(), await rconGame()].map(
    ({ entry }) => entry,
  );
  const everywhere = { ...BROKEN, servers: 'all' };
  const teller = await here({ gameServers: { main, lobby, gone }, rewards: [everywhere] });
  for (const player of ['Steve', 'Alex']) await teller.vote({ player });
  await teller.untilGrants(...Array(6).fill('refused'));
  const places = async () =>
    linksOf(await grants(teller))
      .filter((href) => /\/grants\/change\?.*all=1/.test(href))
      .map((href) => new URL(href, 'http://teller').searchParams.get('place'));
  expect(await places()).toEqual([null]);
  await teller.reload({ gameServers: { main, lobby }, rewards: [everywhere] });
  expect((await places()).toSorted()).toEqual(['gone', 'lobby', 'main']);
});

test('a filter in the address shows only what matches it, and stays in the form; one that is nonsense shows everything', async () => {
  const teller = await both(2);
  const shown = async (query: string): Promise<readonly string[]> =>
    cardsOf(await grants(teller, `?${query}`)).map((card) => card.split(' ').at(-1) ?? '');
  for (const [query, servers] of [
    ['state=held', ['lobby']],
    ['state=refused', ['main']],
    ['server=main', ['main']],
    ['reward=old', ['lobby']],
    ['player=steve', ['main']],
    ['player=Nobody', []],
    ['since=2090-01-01', []],
    ['reason=refused', ['main']],
    ['since=nonsense', ['lobby', 'main']],
    ['state=nonsense', ['lobby', 'main']],
  ] as const)
    expect([query, await shown(query)]).toEqual([query, servers]);
  // The form keeps it also of what the config no longer has.
  const { html } = await grants(teller, '?server=gone&player=Steve&state=held');
  for (const part of [
    ...['<option value="gone" selected>', '<option value="held" selected>', 'value="Steve"'],
    'No grant matches',
  ])
    expect(html).toContain(part);
});

test('groups are by game server and reason, the one that got stuck last first, with five grants of each; one group has pages of 25', async () => {
  const teller = await both(60);
  const all = await grants(teller);
  expect(cardsOf(all)).toEqual(['60 grants on lobby', '1 grant on main']);
  expect(idsOf(all)).toHaveLength(5 + 1);
  expect(all.text).toContain('Show all 60');
  const seen: number[] = [];
  let path: string | undefined = '?place=lobby&state=held&reason=other-game-server';
  while (path !== undefined) {
    const shown: Page = await grants(teller, path);
    expect(cardsOf(shown)).toEqual(['60 grants on lobby']);
    expect(idsOf(shown).length).toBeLessThanOrEqual(25);
    seen.push(...idsOf(shown));
    path = /href="\/grants([^"]*)" rel="next"/.exec(shown.html)?.[1]?.replaceAll('&amp;', '&');
  }
  expect(seen).toEqual(Array.from({ length: 60 }, (_, at) => 61 - at));
});

test('a grant of which nobody knows whether it ran is shown so; one grant has a page, in any state, and another one has none', async () => {
  const { teller } = await stuck();
  const { text } = await grants(teller);
  for (const part of ['A command may have run', 'unknown, may have run', 'held 1 grant on main'])
    expect(text).toContain(part);
  const held = await page(teller, '/grants/2');
  for (const part of [
    ...['Grant 2', 'give Alex diamond 1', 'Check on main whether', '“It ran”', 'Mark as paid'],
  ])
    expect(held.html).toContain(part);
  const paid = await page(teller, '/grants/3');
  expect(paid.html).not.toContain('What you can do');
  expect(textOf({ text: paid.html })).toContain('Grant 3delivered');
  for (const path of ['/grants/4', '/grants/0', '/grants/x', '/grants/99999999999999999999'])
    expect([path, (await page(teller, path)).status]).toEqual([path, 404]);
});
