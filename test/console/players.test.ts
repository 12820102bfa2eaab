import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { linksOf, operator, page, signedIn } from '../kit/page.ts';
import { rowsOf, stateSentenceOf, tileOf } from '../support/page-text.ts';

const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
/** A game server that no player joins by themselves. */
const NOBODY_JOINS = { gameServers: { main: { kind: 'practice', autoJoin: false } } };

/** Steve has voted so many times, one after another. */
async function voted(times: number, config: object = { rewards: [THANKS, DAILY] }): Promise<Here> {
  const teller = await here(config);
  for (let time = 0; time < times; time += 1) {
    await teller.vote({ player: 'Steve' });
    await teller.pass(50);
  }
  return teller;
}

const answer = async (teller: Here, name = 'Steve'): Promise<string> =>
  stateSentenceOf((await page(teller, `/players/${name}`)).html);

/** Cancels the grants that wait for their player. */
async function cancelWaiting(teller: Here): Promise<void> {
  await teller.until(async () => (await answer(teller)).includes('waits on main'));
  const { json } = await teller.run('grants', '--state', 'waiting', '--json');
  for (const { id } of json) await teller.run('grants', 'cancel', String(id), '--yes');
}

test('a name in any case leads to its player; its beginning, or a typo, finds it', async () => {
  const teller = await voted(1);
  const reader = await operator(teller);
  expect((await reader.get('/players?name=STEVE')).to).toBe('/players/steve');
  for (const [name, title] of [
    ['ste', 'Names that begin like this'],
    ['Stevi', 'Similar names'],
  ]) {
    const found = await page(teller, `/players?name=${name}`);
    expect([found.text.includes(title!), linksOf(found).includes('/players/steve')]).toEqual([true, true]);
  }
  expect(linksOf(await page(teller, '/players/Stevi'))).toContain('/players/steve');
});

test('of a name that nobody has, the page says that no vote arrived, and leads to why', async () => {
  const teller = await voted(0);
  const found = await page(teller, '/players?name=Nobody');
  expect(found.text).toContain('Nobody has voted under this name');
  expect(linksOf(found)).toContain('/players/Nobody');
  expect(await answer(teller, 'Nobody')).toContain('No vote by Nobody has arrived.');
  expect((await page(teller, `/players/${encodeURIComponent('@a')}`)).text).toContain(
    'Nobody can vote under this name',
  );
});

test('of a name without votes, the page says when no Teller was running, and how to add a vote', async () => {
  const teller = await voted(0);
  const from = new Date(teller.clock.now()).toISOString().slice(0, 16);
  await teller.restart(() => teller.clock.jump(2 * 3_600_000));
  const { html } = await (await signedIn(teller)).open('/players/Fred');
  for (const part of ['While no Teller was running', from, 'votes add']) expect(html).toContain(part);
});

test('of a player whose vote may have been refused, the page says what `explain` says: site, code and what to compare', async () => {
  const teller = await voted(1);
  await teller.vote({ player: 'Fred', site: 'Top.example', token: 'not-the-token-of-this-site' });
  const refusals = async (name: string) =>
    (await teller.run('explain', name, '--json')).json.at(-1).refusals ?? [];
  await teller.until(async () => (await refusals('Fred')).length === 1);
  for (const name of ['Fred', 'Steve']) {
    const [refusal, ...others] = await refusals(name);
    expect([refusal, others]).toMatchObject([{ service: 'Top.example', code: 'v2-signature', count: 1 }, []]);
    const { text, html } = await page(teller, `/players/${name}`);
    for (const part of ['Top.example', 'v2-signature', refusal.cause.replaceAll('`', '')])
      expect(text).toContain(part);
    expect(html.split('href="/keys"')).toHaveLength(3); // one of them is in the menu
  }
});

test('a paid vote, and then one that came too early, are answered in a sentence', async () => {
  const teller = await voted(1);
  await teller.until(async () => (await answer(teller)).includes('was counted and paid: '));
  await teller.vote({ player: 'Steve' });
  expect(await answer(teller)).toContain('came too early');
});

test('a reward that was cancelled is not called paid', async () => {
  const teller = await voted(1, { ...NOBODY_JOINS, rewards: [THANKS, DAILY] });
  await cancelWaiting(teller);
  expect(await answer(teller)).toContain('was counted and paid: ');
  expect((await page(teller, '/players/Steve')).html).toContain('paid: thanks. Not paid: daily (');
});

test('a vote whose only reward was cancelled was counted, and not paid', async () => {
  const teller = await voted(1, { ...NOBODY_JOINS, rewards: [DAILY] });
  await cancelWaiting(teller);
  expect(await answer(teller)).toContain('was counted, but not paid: daily');
});

test('a vote that no reward applies to says why', async () => {
  const teller = await voted(1, { rewards: [{ ...DAILY, name: 'rare', if: { votes: { every: 25 } } }] });
  expect(await answer(teller)).toContain('was counted, but no reward applied.');
  expect((await page(teller, '/players/Steve')).html).toContain('rare: 1 of 25');
});

test('counts, the next vote of each site and the latest votes are shown', async () => {
  const { html, text } = await page(await voted(2), '/players/Steve');
  const counts = ['Counted votes', 'This month', 'This week', 'Today'].map((label) => tileOf(html, label));
  expect(counts).toEqual(['1', '1', '1', '1']);
  expect(rowsOf(html, 'The next vote on each site')).toHaveLength(1);
  expect(rowsOf(html, 'Latest votes').map(({ Decision }) => Decision)).toEqual(['too early', 'counted']);
  for (const part of ['To send to the player', 'Days in a row']) expect(text).toContain(part);
});
