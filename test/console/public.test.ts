import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { addressOf, player, raw, visitor } from '../kit/page.ts';
import { freePort } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';

const HOUR = 3_600_000;
const SITES = {
  default: { token: TOKEN },
  'My-List.com': { url: 'https://my-list.example/vote', label: 'My List' },
  'Twelve.example': { url: 'https://twelve.example/vote', cooldown: '12h' },
  'No-Link.example': {},
};
const PARTY = [{ name: 'everyone', every: 50, commands: ['give {player} cake 1'] }];
const TOP = { name: 'best', period: 'month', prizes: { 1: ['give {player} cake 1'] }, exclude: ['Owner'] };
const AS_JSON = { accept: 'application/json' };

/** A Teller with a public page, where it is 14:00 on 1 June 2026 in Berlin. */
const open = (config: object = {}, settings: object = {}): Promise<Here> =>
  here(
    {
      console: { port: 0, public: { port: 0, ...settings } },
      ...{ sites: SITES, timeZone: 'Europe/Berlin', rewards: [] },
      ...config,
    },
    new FakeClock('2026-06-01T12:00:00Z'),
  );

const get = (teller: Here, path = '/', headers: Record<string, string> = {}) =>
  player(teller).get(path, headers);
const json = async (teller: Here, path = '/') => JSON.parse((await get(teller, path, AS_JSON)).html);
const vote = (teller: Here, name: string, site = 'My-List.com') => teller.vote({ player: name, site });

test('without `console.public` there is no public page', async () => {
  const teller = await open({ console: { port: 0 } });
  expect(teller.log.map(({ code }) => code)).not.toContain('public-page');
});

test('the page has the vote link of each site, and no cookie, form token or link to the console', async () => {
  const teller = await open({}, { name: 'Skyblock' });
  const { status, html, text, headers } = await get(teller);
  expect(status).toBe(200);
  for (const part of [
    'href="https://my-list.example/vote"',
    'href="https://twelve.example/vote"',
    'data-refresh="60"',
  ])
    expect(html).toContain(part);
  for (const part of ['Vote for Skyblock', 'No-Link.example', 'No link']) expect(text).toContain(part);
  expect(html).not.toContain('csrf');
  expect(html).not.toContain(new URL(addressOf(teller, 'console')).port);
  expect([headers.get('set-cookie'), headers.get('cache-control')]).toEqual([null, 'public, max-age=5']);
});

test('whoever enters a name learns when it may vote again on each site, in the time zone of the ledger', async () => {
  const teller = await open();
  await vote(teller, 'Alex');
  await vote(teller, 'Alex', 'Twelve.example');
  const first = (await get(teller, '/?name=alex')).html;
  expect(first).toContain('>12 h</time>');
  expect(first).toContain('(tomorrow at 02:00 Europe/Berlin)');
  teller.clock.advance(20 * HOUR + 40 * 60_000);
  const { text, html, headers } = await get(teller, '/?name=alex');
  expect(text).toContain('alex may vote on 2 of 3 sites now.');
  expect(html).toContain('>3 h 20 min</time>');
  expect(text).toContain('(at 14:00 Europe/Berlin)');
  expect(headers.get('cache-control')).toBe('no-store');
  expect((await json(teller, '/?name=alex')).answer).toEqual({
    name: 'alex',
    sites: [
      { site: 'My List', url: 'https://my-list.example/vote', from: '2026-06-02T12:00:00.000Z' },
      { site: 'Twelve.example', url: 'https://twelve.example/vote', from: null },
      { site: 'No-Link.example', url: null, from: null },
    ],
  });
  teller.clock.advance(3 * HOUR + 20 * 60_000);
  expect((await json(teller, '/?name=alex')).answer.sites[0].from).toBeNull();
});

test('a name that never voted gets the bytes of one that voted long ago and may vote everywhere', async () => {
  const teller = await open();
  await vote(teller, 'Known');
  teller.clock.advance(40 * 24 * HOUR);
  const told = async (name: string) => {
    const { status, html, headers } = await get(teller, `/?name=${name}`);
    return {
      status,
      html: html.replaceAll(name, 'NAME'),
      headers: { ...Object.fromEntries(headers), date: '' },
    };
  };
  const known = await told('Known');
  expect(known.html).toContain('may vote on 3 of 3 sites now');
  expect(await told('Other')).toEqual(known);
});

test('a name that no player can have is refused with a sentence, and the page does not ask again by itself', async () => {
  const teller = await open();
  for (const [name, code] of [
    ['@a', 'name-not-allowed'],
    ['<b>x</b>', 'name-not-allowed'],
    ['"onfocus="x', 'name-not-allowed'],
    ['seventeen_letters', 'name-too-long'],
    ['!Alex', 'name-unknown-prefix'],
  ] as const) {
    const path = `/?name=${encodeURIComponent(name)}`;
    const { status, html } = await get(teller, path);
    expect([status, html.includes('id="name-fault"'), html.includes('data-refresh')]).toEqual([
      ...[422, true, false],
    ]);
    const answer = await get(teller, path, AS_JSON);
    expect([answer.status, JSON.parse(answer.html).code]).toEqual([422, code]);
  }
});

test('votes of a site for user IDs are not asked for by name', async () => {
  const sites = { default: {}, Cars: { game: 'fivem', url: 'https://cars.example/' }, Blocks: {} };
  const teller = await open({ sites });
  expect((await get(teller, '/?name=Alex')).text).toContain('Votes there are not by player name');
  expect((await json(teller, '/?name=Alex')).answer.sites).toEqual([
    { site: 'Blocks', url: null, from: null },
  ]);
});

test('without sites the page says so, and asks for no name', async () => {
  const { html } = await get(await open({ sites: { default: {} } }));
  expect([html.includes('No vote links yet'), html.includes('name="name"')]).toEqual([true, false]);
});

test('one network may ask for 30 names in a minute, and sees the links and tops all the same', async () => {
  const teller = await open();
  for (let at = 0; at < 30; at += 1) expect((await get(teller, `/?name=Player${at}`)).status).toBe(200);
  const { status, html, headers } = await get(teller, '/?name=Alex');
  expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  expect(html).toContain('Too many questions from your network');
  expect(html).toContain('href="https://my-list.example/vote"');
  expect((await json(teller, '/?name=Alex')).code).toBe('too-many-questions');
  expect((await get(teller)).status).toBe(200);
  teller.clock.advance(60_000);
  expect((await get(teller, '/?name=Alex')).status).toBe(200);
});

test('behind a trusted proxy, each client has questions of its own; behind another one, all share one limit', async () => {
  const trusted = await open({ console: { port: 0, trustedProxies: ['127.0.0.0/8'], public: { port: 0 } } });
  const ask = (teller: Here, at: number) =>
    get(teller, '/?name=Alex', { 'x-forwarded-for': `192.0.2.${at}` });
  for (let time = 0; time < 30; time += 1) await ask(trusted, 1);
  expect([(await ask(trusted, 1)).status, (await ask(trusted, 2)).status]).toEqual([429, 200]);
  const unnamed = await open();
  for (let at = 0; at < 30; at += 1) await ask(unnamed, at);
  const { status, text } = await ask(unnamed, 99);
  expect([status, text.includes('your network')]).toEqual([429, false]);
});

test('/top.json has tops, parties and sites, and pages of other web sites may read it; in shadow too', async () => {
  const teller = await open({ party: PARTY, tops: [TOP], pay: { mode: 'shadow' } });
  await vote(teller, 'Alex');
  await vote(teller, 'Alex', 'Twelve.example');
  await vote(teller, 'Steve');
  await vote(teller, 'Owner');
  const { status, html, headers } = await get(teller, '/top.json');
  expect([status, headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual([
    ...[200, '*', 'public, max-age=5'],
  ]);
  expect([headers.get('cross-origin-resource-policy'), headers.get('set-cookie')]).toEqual([null, null]);
  const places = [
    { place: 1, player: 'Alex', votes: 2 },
    { place: 2, player: 'Steve', votes: 1 },
  ];
  const top = JSON.parse(html);
  expect(top).toEqual({
    tops: [
      { top: null, per: 'day', period: '2026-06-01', places },
      { top: null, per: 'week', period: '2026-W23', places },
      { top: 'best', per: 'month', period: '2026-06', places },
    ],
    parties: [{ party: 'everyone', votes: 4, every: 50, left: 46 }],
    sites: [
      { site: 'My List', url: 'https://my-list.example/vote' },
      { site: 'Twelve.example', url: 'https://twelve.example/vote' },
      { site: 'No-Link.example', url: null },
    ],
  });
  expect(await json(teller)).toEqual({ ...top, answer: null });
  expect(await json(teller, '/?name=Alex')).toEqual({
    ...top,
    answer: expect.objectContaining({ name: 'Alex' }),
  });
});

test('a vote is shown within 5 seconds, and many visitors meanwhile see what was read before', async () => {
  const teller = await open({ party: PARTY });
  const votes = async () => (await json(teller, '/top.json')).parties[0].votes;
  expect(await votes()).toBe(0);
  await vote(teller, 'Alex');
  teller.clock.advance(4_999);
  expect(await votes()).toBe(0);
  teller.clock.advance(1);
  expect(await votes()).toBe(1);
});

test('a reload that excludes a player from a top takes them from every list at once', async () => {
  const teller = await open();
  await vote(teller, 'Owner');
  const named = async () =>
    (await json(teller, '/top.json')).tops.map((top: { places: [] }) => top.places.length);
  expect(await named()).toEqual([1, 1, 1]);
  const console = { port: 0, public: { port: 0 } };
  await teller.reload({ console, sites: SITES, timeZone: 'Europe/Berlin', rewards: [], tops: [TOP] });
  expect(await named()).toEqual([0, 0, 0]);
});

test('a player who was forgotten has no place, and the next one moves up', async () => {
  const teller = await open();
  for (const site of ['My-List.com', 'Twelve.example']) await vote(teller, 'Alex', site);
  await vote(teller, 'Steve');
  await json(teller, '/top.json');
  expect(await teller.run('players', 'forget', 'Alex', '--yes')).toMatchObject({ exit: 0 });
  teller.clock.advance(5_000);
  expect((await json(teller, '/top.json')).tops[0].places).toEqual([{ place: 1, player: 'Steve', votes: 1 }]);
  expect((await json(teller, '/?name=Alex')).answer.sites[0].from).toBeNull();
});

test('a top has at most 10 places, and players with as many votes share one if it says so', async () => {
  const teller = await open({ tops: [{ ...TOP, period: 'day', ties: 'share' }] });
  for (let at = 0; at < 12; at += 1) await vote(teller, `Player${at}`);
  const { tops } = await json(teller, '/top.json');
  const placesOf = (top: { places: { place: number }[] }) => top.places.map(({ place }) => place);
  expect(placesOf(tops[0])).toEqual(Array(10).fill(1));
  expect(placesOf(tops[1])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('two tops of one period are told apart by their names', async () => {
  const { text } = await get(await open({ tops: [TOP, { ...TOP, name: 'second', exclude: [] }] }));
  for (const part of ['Most votes this month: best', 'Most votes this month: second'])
    expect(text).toContain(part);
});

test.each([
  [{}, 'localhost:8195', 200],
  [{}, 'elsewhere.example', 421],
  [{ publicUrl: 'https://vote.example' }, 'vote.example', 200],
  [{ publicUrl: 'https://vote.example' }, 'elsewhere.example', 421],
  [{ host: '0.0.0.0' }, 'play.example:8195', 200],
])('rule 12: with %o, the host name %s is answered with %d', async (settings, host, status) => {
  const port = await freePort();
  await open({}, { ...settings, port });
  expect((await raw(port, 'GET / HTTP/1.1', `Host: ${host}`)).slice(9, 12)).toBe(`${status}`);
});

test('rule 12: nothing can be changed', async () => {
  const reader = player(await open());
  expect((await reader.post('/', { name: 'Alex' })).status).toBe(404);
  expect((await reader.post('/top.json')).status).toBe(404);
  expect((await reader.post('/', {}, { origin: 'http://elsewhere.example' })).status).toBe(403);
});

test('rule 11: what is not read is refused before its body comes, and a client that leaves then is no line in the log', async () => {
  const teller = await open();
  const before = teller.log.length;
  const { port, host } = new URL(addressOf(teller, 'public-page'));
  const head = `Host: ${host}\r\nOrigin: http://${host}\r\nTransfer-Encoding: chunked`;
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`${method} / HTTP/1.1\r\n${head}\r\n\r\n5\r\nname=`);
    const [answer] = await once(socket, 'data');
    expect(String(answer), method).toMatch(/^HTTP\/1\.1 404 /);
    socket.resetAndDestroy();
  }
  expect(teller.log.slice(before)).toEqual([]);
});

test('while the ledger cannot be read, the links stay and everything else says so', async () => {
  const teller = await open();
  await vote(teller, 'Alex');
  const ledger = join(teller.folder, 'data/teller.db');
  for (const file of [ledger, `${ledger}-wal`]) truncateSync(file, 100);
  teller.clock.advance(5_000);
  for (const path of ['/', '/?name=Alex']) {
    const { status, html } = await get(teller, path);
    expect([path, status]).toEqual([path, 503]);
    expect(html).toContain('Votes cannot be shown at the moment');
    expect(html).toContain('href="https://my-list.example/vote"');
  }
  const { status, html } = await get(teller, '/top.json');
  expect([status, JSON.parse(html).code]).toEqual([503, 'votes-unreadable']);
});

describe('what programs ask the console', () => {
  const TOKEN = 'token-of-the-metrics-page';
  const WITH_TOKEN = { console: { port: 0, metricsToken: TOKEN } };
  const PATHS = ['/healthz', '/readyz', '/metrics'];

  const asked = async (teller: Here, path: string, token?: string) =>
    (await visitor(teller)).get(path, token === undefined ? {} : { authorization: `Bearer ${token}` });

  test('without a session, a program learns that Teller is alive and ready, and nothing else: metrics are off until the config lets somebody read them', async () => {
    const teller = await here();
    for (const [path, said] of [
      ['/healthz', 'ok\n'],
      ['/readyz', 'ready\n'],
    ] as const) {
      const { status, html, headers } = await asked(teller, path);
      expect([status, html, headers.get('set-cookie')]).toEqual([200, said, null]);
    }
    const off = await asked(teller, '/metrics');
    expect([off.status, off.html.includes('[metrics-off]')]).toEqual([404, true]);
  });

  test('metrics need their own token, also on loopback; a vote, a refusal and a paid reward are counted', async () => {
    const teller = await here(WITH_TOKEN);
    for (const token of [undefined, 'another-token', '']) {
      const { status, html } = await asked(teller, '/metrics', token);
      expect([status, html.includes('[metrics-token-wrong]')]).toEqual([401, true]);
    }
    await teller.vote({ player: 'Steve' });
    await teller.vote({ player: 'Steve', token: 'a-token-that-nobody-has-here-0000' });
    await teller.untilGrants('delivered');
    const { status, html } = await asked(teller, '/metrics', TOKEN);
    expect(status).toBe(200);
    expect(html.split('\n')).toEqual(
      expect.arrayContaining([
        'teller_commands_total{server="main",outcome="delivered"} 1',
        'teller_votes_total{site="List",channel="listener-v2",version="2",decision="rewarded"} 1',
        'teller_refusals_total{code="v2-signature"} 1',
        'teller_vote_to_ok_seconds_count 1',
        'teller_vote_to_reward_seconds_count 1',
        'teller_ready 1',
      ]),
    );
  });

  test.each([
    ['another name, such as one that resolves to this machine', 'evil.example:8193', {}, 421],
    ['another name beside the configured one', 'evil.example', { publicUrl: 'https://teller.example' }, 421],
    ['a health check inside the container', '127.0.0.1:8193', {}, 200],
    ['the name in publicUrl', 'teller:8193', { publicUrl: 'http://teller:8193' }, 200],
    ['the address in publicUrl', '192.0.2.7:8193', { publicUrl: 'http://192.0.2.7:8193' }, 200],
  ])(
    'rule 12: programs are answered under %s (%s), with the headers of pages',
    async (_, host, settings, status) => {
      const port = await freePort(); // the URL of the console may be that of a proxy
      await here({ console: { port, metrics: 'open', ...settings } });
      for (const path of PATHS) {
        const answer = await raw(port, `GET ${path} HTTP/1.1`, `Host: ${host}`);
        expect([answer.slice(9, 12), answer.includes('[host-not-listed]')]).toEqual([
          `${status}`,
          status === 421,
        ]);
        for (const header of [
          ...["content-security-policy: default-src 'none'", 'cross-origin-resource-policy: same-origin'],
          ...['x-content-type-options: nosniff', 'x-frame-options: DENY', 'cache-control: no-store'],
        ])
          expect(answer.toLowerCase()).toContain(header.toLowerCase());
      }
    },
  );
});
