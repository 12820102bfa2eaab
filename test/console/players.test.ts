import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { linksOf, operator, page, signedIn } from '../kit/page.ts';
import { FakeClock } from '../support/fake-clock.ts';
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

test('a name in any case leads to its player; its beginning, or a typo, finds it; of one that nobody has, the page leads to why', async () => {
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

test('a paid vote, and then one that came too early, are answered in a sentence, with counts, the next vote of each site and the latest votes', async () => {
  const teller = await voted(1);
  await teller.until(async () => (await answer(teller)).includes('was counted and paid: '));
  await teller.vote({ player: 'Steve' });
  expect(await answer(teller)).toContain('came too early');
  const { html, text } = await page(teller, '/players/Steve');
  const counts = ['Counted votes', 'This month', 'This week', 'Today'].map((label) => tileOf(html, label));
  expect(counts).toEqual(['1', '1', '1', '1']);
  expect(rowsOf(html, 'The next vote on each site')).toHaveLength(1);
  expect(rowsOf(html, 'Latest votes').map(({ Decision }) => Decision)).toEqual(['too early', 'counted']);
  for (const part of ['To send to the player', 'Days in a row']) expect(text).toContain(part);
});

test('a reward that was cancelled is not called paid, and a vote with no other one was counted alone', async () => {
  const teller = await voted(1, { ...NOBODY_JOINS, rewards: [THANKS, DAILY] });
  await cancelWaiting(teller);
  expect(await answer(teller)).toContain('was counted and paid: ');
  expect((await page(teller, '/players/Steve')).html).toContain('paid: thanks. Not paid: daily (');
  const other = await voted(1, { ...NOBODY_JOINS, rewards: [DAILY] });
  await cancelWaiting(other);
  expect(await answer(other)).toContain('was counted, but not paid: daily');
});

test('a vote that no reward applies to says why', async () => {
  const teller = await voted(1, { rewards: [{ ...DAILY, name: 'rare', if: { votes: { every: 25 } } }] });
  expect(await answer(teller)).toContain('was counted, but no reward applied.');
  expect((await page(teller, '/players/Steve')).html).toContain('rare: 1 of 25');
});

test('what can be sent to the player is still true when it is read later', async () => {
  const teller = await here({ timeZone: 'UTC', rewards: [THANKS] }, new FakeClock('2026-06-01T08:00:00Z'));
  await teller.vote({ player: 'Steve' });
  teller.clock.jump(4 * 3_600_000);
  await teller.vote({ player: 'Steve' });
  teller.clock.jump(3_600_000);
  expect(await answer(teller)).toContain('The last vote, on List 1 h ago, came too early');
  const { text } = await page(teller, '/players/Steve');
  expect(text).toContain('Your last vote, on List at 2026-06-01 12:00 UTC, came too early');
  expect(text).toContain('The next one counts from 2026-06-02 08:00 UTC on.');
});

test('a reward that waits for a game server which accepts no commands says so', async () => {
  const main = { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' };
  const teller = await voted(1, { rewards: [THANKS], gameServers: { main } });
  await teller.until(async () => (await answer(teller)).includes('as soon as it accepts commands again'));
});

test('the latest twenty rewards that wait are shown, and it is said if there are more', async () => {
  const teller = await here({ ...NOBODY_JOINS, rewards: [DAILY] });
  const give = async (count: number) => {
    for (let n = 0; n < count; n++) await teller.run('reward', 'daily', '--player', 'Steve');
    await teller.until(async () => (await teller.grants()).every(({ state }) => state === 'waiting'));
    return (await page(teller, '/players/Steve')).html.includes('The latest are shown.');
  };
  expect([await give(20), await give(1)]).toEqual([false, true]);
});
