import { expect, test } from 'vitest';
import { openPage, type Told } from './open-page.ts';

const HOUR = 3_600_000;

test('without `console.public` there is no public page', async () => {
  const { console } = await openPage({ console: { port: 0 } });
  expect(console.publicPage).toBeNull();
});

test('the page has the vote link of each site, and no cookie, form token or link to the console', async () => {
  const { get, console } = await openPage({}, { name: 'Skyblock' });
  const { status, text, headers } = await get();
  expect(status).toBe(200);
  expect(text).toContain('<h1>Vote for Skyblock</h1>');
  expect(text).toContain('href="https://my-list.example/vote"');
  expect(text).toContain('href="https://twelve.example/vote"');
  expect(text).toContain('No-Link.example');
  expect(text).toContain('No link');
  expect(headers.get('set-cookie')).toBeNull();
  expect(text).not.toContain('csrf');
  expect(text).not.toContain(new URL(console.url).port);
  expect(headers.get('cache-control')).toBe('public, max-age=5');
  expect(text).toContain('data-refresh="60"');
});

test('whoever enters a name learns when it may vote again on each site, in the time zone of the ledger', async () => {
  const { clock, get, json, vote } = await openPage();
  await vote('Alex');
  await vote('Alex', 'Twelve.example');
  const first = (await get('/?name=alex')).text;
  expect(first).toContain('>12 h</time>');
  expect(first).toContain('(tomorrow at 02:00 Europe/Berlin)');
  clock.advance(20 * HOUR + 40 * 60_000);
  const { text, headers } = await get('/?name=alex');
  expect(text).toContain('<strong><bdi>alex</bdi></strong> may vote on 2 of 3 sites now.');
  expect(text).toContain('>3 h 20 min</time>');
  expect(text).toContain('(at 14:00 Europe/Berlin)');
  expect(headers.get('cache-control')).toBe('no-store');
  expect((await json('/?name=alex')).answer).toEqual({
    name: 'alex',
    sites: [
      { site: 'My List', url: 'https://my-list.example/vote', from: '2026-06-02T12:00:00.000Z' },
      { site: 'Twelve.example', url: 'https://twelve.example/vote', from: null },
      { site: 'No-Link.example', url: null, from: null },
    ],
  });
  clock.advance(3 * HOUR + 20 * 60_000);
  expect((await json('/?name=alex')).answer.sites[0].from).toBeNull();
});

test('a name that never voted gets the bytes of one that voted long ago and may vote everywhere', async () => {
  const { clock, get, vote } = await openPage();
  await vote('Known');
  clock.advance(40 * 24 * HOUR);
  const told = async (name: string): Promise<Omit<Told, 'headers'> & { headers: object }> => {
    const { status, text, headers } = await get(`/?name=${name}`);
    const { date, ...rest } = Object.fromEntries(headers);
    return { status, text: text.replaceAll(name, 'NAME'), headers: { ...rest, at: typeof date } };
  };
  const known = await told('Known');
  expect(known.text).toContain('may vote on 3 of 3 sites now');
  expect(await told('Other')).toEqual(known);
});

test.each([
  ['@a', 'name-not-allowed'],
  ['<b>x</b>', 'name-not-allowed'],
  ['"onfocus="x', 'name-not-allowed'],
  ['seventeen_letters', 'name-too-long'],
  ['!Alex', 'name-unknown-prefix'],
])('the name %j is refused with a sentence and shown as text', async (name, code) => {
  const { get } = await openPage();
  const path = `/?name=${encodeURIComponent(name)}`;
  const { status, text } = await get(path);
  expect(status).toBe(422);
  expect(text).not.toContain('<b>x</b>');
  expect(text).not.toContain('value=""onfocus');
  expect(text).toContain('id="name-fault"');
  expect(text).not.toContain('data-refresh');
  const answer = await get(path, { accept: 'application/json' });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([422, code]);
});

test('the name and label of a site are shown as text', async () => {
  const { get } = await openPage({
    sites: {
      default: {},
      '<b>List</b>': { url: 'https://list.example/?a=1&b=2' },
      Other: { label: '<i>x</i>' },
    },
  });
  const { text } = await get();
  expect(text).toContain('&lt;b&gt;List&lt;/b&gt;');
  expect(text).toContain('&lt;i&gt;x&lt;/i&gt;');
  expect(text).toContain('href="https://list.example/?a=1&amp;b=2"');
});

test('votes of a site for user IDs are not asked for by name', async () => {
  const { get, json } = await openPage({
    sites: { default: {}, Cars: { game: 'fivem', url: 'https://cars.example/' }, Blocks: {} },
  });
  expect((await get('/?name=Alex')).text).toContain('Votes there are not by player name');
  expect((await json('/?name=Alex')).answer.sites).toEqual([{ site: 'Blocks', url: null, from: null }]);
});

test('without sites the page says so, and asks for no name', async () => {
  const { get } = await openPage({ sites: { default: {} } });
  const { text } = await get();
  expect(text).toContain('No vote links yet');
  expect(text).not.toContain('name="name"');
});

test('one network may ask for 30 names in a minute, and sees the links and tops all the same', async () => {
  const { clock, get, json } = await openPage();
  for (let at = 0; at < 30; at += 1) expect((await get(`/?name=Player${at}`)).status).toBe(200);
  const { status, text, headers } = await get('/?name=Alex');
  expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  expect(text).toContain('Too many questions from your network');
  expect(text).toContain('href="https://my-list.example/vote"');
  expect((await json('/?name=Alex')).code).toBe('too-many-questions');
  expect((await get()).status).toBe(200);
  clock.advance(60_000);
  expect((await get('/?name=Alex')).status).toBe(200);
});

test('behind a trusted proxy, each client has questions of its own', async () => {
  const { get } = await openPage({
    console: { port: 0, trustedProxies: ['127.0.0.0/8'], public: { port: 0 } },
  });
  for (let at = 0; at < 31; at += 1) await get('/?name=Alex', { 'x-forwarded-for': '192.0.2.1' });
  expect((await get('/?name=Alex', { 'x-forwarded-for': '192.0.2.1' })).status).toBe(429);
  expect((await get('/?name=Alex', { 'x-forwarded-for': '192.0.2.2' })).status).toBe(200);
});

test('in shadow the page shows the same', async () => {
  const { json, vote } = await openPage({ pay: { mode: 'shadow' } });
  await vote('Alex');
  const { answer, tops } = await json('/?name=Alex');
  expect(answer.sites[0].from).toBe('2026-06-02T12:00:00.000Z');
  expect(tops[0].places).toEqual([{ place: 1, player: 'Alex', votes: 1 }]);
});
