import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { operator, page } from '../kit/page.ts';
import { rowsOf } from '../support/page-text.ts';

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

test('without a vote, the list says how to send the first one', async () => {
  expect((await page(await voted(), '/votes')).text).toContain('No votes yet');
});

test('votes are listed newest first, each with its decision and what became of its rewards', async () => {
  const teller = await voted('Steve', 'Alex', 'Steve');
  await teller.untilGrants('delivered', 'delivered');
  expect(await votes(teller)).toMatchObject([
    { Player: 'Steve', Decision: 'too early', Rewards: 'nothing to pay' },
    { Player: 'Alex', Decision: 'counted', Rewards: 'paid' },
    { Player: 'Steve', Decision: 'counted', Rewards: 'paid' },
  ]);
});

test('a filter in the address shows what matches it; one that is nonsense shows everything', async () => {
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
});

test('the form keeps what was typed, and says when nothing matches', async () => {
  const { html } = await page(await voted('Steve'), '/votes?player=Nobody&channel=api');
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

test('one vote is shown from its bytes to its commands', async () => {
  const teller = await voted('Steve');
  await teller.untilGrants('delivered');
  const { html } = await page(teller, '/votes/1');
  for (const part of ['Steve', 'say Steve voted on List', 'Decision', 'As it was received', 'username'])
    expect(html).toContain(part);
  expect(/<pre[^>]* id="wire"[^>]*>(.*?)<\/pre>/s.exec(html)?.[1]).toContain('Steve');
});

test('a vote that there is not is not found', async () => {
  const reader = await operator(await voted('Steve'));
  for (const path of ['/votes/2', '/votes/0', '/votes/x', '/votes/99999999999999999999'])
    expect([path, (await reader.get(path)).status]).toEqual([path, 404]);
});
