import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, page, stream } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';
import { factsOf, noticeOf, rowsOf, stateSentenceOf } from '../support/page-text.ts';

const REWARDS = [{ name: 'daily', when: 'always', commands: ['say {player}'] }];
const ANOTHER = 'another-token-of-thirty-two-chars';

const sites = async (teller: Here) => rowsOf((await page(teller, '/')).html, 'Sites');
const gameServer = async (teller: Here) => factsOf((await page(teller, '/')).html)[0] ?? {};

test('before the first vote the page says where Teller listens, that it is for practice, and that no vote came', async () => {
  const teller = await here({ sites: { default: { token: TOKEN } } });
  const { html, text } = await page(teller, '/');
  expect(stateSentenceOf(html)).toMatch(
    /^Listening on port \d{4,5}\. For practice only\. No site is in the config yet\. No vote yet\.$/,
  );
  expect(noticeOf(html)).toContain('no real player is paid');
  expect(text).toContain('No site has sent a vote yet');
});

test('each site is shown with its votes, its vote page and what was refused of it, and the listed ones come first', async () => {
  const teller = await here({
    sites: { default: { token: TOKEN }, Listed: { url: 'https://listed.example/vote' }, Silent: {} },
  });
  await teller.vote({ player: 'Steve', site: 'Unlisted' });
  await teller.vote({ player: 'Steve', site: 'Listed' });
  await teller.vote({ player: 'Alex', site: 'Listed' });
  await teller.vote({ player: 'Alex', site: 'Silent', token: ANOTHER });
  await teller.until(async () => (await sites(teller))[1]?.['Refused today'] === '1');
  expect(await sites(teller)).toMatchObject([
    { Site: 'Listed', 'Votes today': '2', 'Refused today': '0', State: 'Listed' },
    { Site: 'Silent', 'Last vote': 'never', 'Votes today': '0', State: 'Only refused' },
    { Site: 'Unlisted', 'Votes today': '1', State: 'Unlisted' },
  ]);
  const { html, text } = await page(teller, '/');
  expect(html).toContain('<a href="https://listed.example/vote"');
  expect(text).toMatch(/Refused once: [^:]*127\.0\.0\.1.*with a wrong token.* v2-signature/);
});

test('the names of services are shown as text', async () => {
  const teller = await here();
  await teller.vote({ player: 'Steve', site: '<script>alert(1)</script>\u202E' });
  const { html } = await page(teller, '/');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u202e');
  expect(html).not.toContain('<script>alert');
});

test('who is online is asked without delaying the page, and shown by a later one', async () => {
  const game = await rconGame();
  game.show('Steve');
  const teller = await here({ gameServers: { main: game.entry } });
  expect(await gameServer(teller)).toMatchObject({ Online: 'Not asked yet.' });
  await teller.until(async () => (await gameServer(teller)).Online !== 'Not asked yet.');
  expect(await gameServer(teller)).toMatchObject({
    Connection: 'It accepts commands.',
    Online: '1 player: Steve',
    Reports: 'Its players by name, without UUIDs.',
  });
});

test('a game server that refuses the password is shown with what to do, and with what it owes', async () => {
  const { entry } = await rconGame({ password: 'not its password' });
  const teller = await here({ gameServers: { main: entry }, rewards: REWARDS });
  await teller.vote({ player: 'Steve' });
  await teller.until(async () => / wrong-password$/.test((await gameServer(teller)).Connection ?? ''));
  expect(await gameServer(teller)).toMatchObject({ Online: 'Not known.', Queue: '1 to pay now' });
  const { text } = await page(teller, '/');
  expect(text).toContain(`, 127.0.0.1:${(entry as { port: number }).port}`);
  expect(text).toContain('compare it with rcon.password in server.properties');
});

test('every page says that nothing is paid in shadow, or before the hand-over, but only to who has signed in', async () => {
  const shadow = await here({ pay: { mode: 'shadow' } });
  expect((await page(shadow, '/')).text).toContain('nothing is paid here, because pay.mode');
  expect((await page(shadow, '/', 'visitor')).text).not.toContain('Shadow');
  const later = await here({ pay: { from: '2090-01-01T00:00:00Z' } });
  expect((await page(later, '/no-such-page')).text).toContain(
    'votes that arrive before 1 Jan 2090 00:00:00 UTC are paid by the other listener',
  );
});

test('a pause by a command is said on the next page', async () => {
  const teller = await here();
  await teller.run('pause');
  expect(noticeOf((await page(teller, '/')).html)).toMatch(
    /^Paused: all rewards have been paused since .+ by .+\. ?Practice: /,
  );
});

test('an open page is told of a vote within a second, and of a player who joined, because it is watched who is online', async () => {
  const game = await rconGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards: REWARDS });
  await teller.until(async () => (await gameServer(teller)).Online === 'Nobody.');
  const events = await stream(await operator(teller));
  await teller.vote({ player: 'Steve' });
  let told: string | null = null;
  void events.next().then((event) => {
    told = event;
  });
  await teller.pass(1_000);
  await expect.poll(() => told).toBe('change');
  await teller.untilGrants('delivered');
  game.show('Alex');
  await teller.until(async () => (await gameServer(teller)).Online === '1 player: Alex');
});

/** How long ago a vote was, and how that is said. */
const AGES = [
  [0, 'just now'],
  [59_999, 'just now'],
  [60_000, '1 minute ago'],
  [59 * 60_000, '59 minutes ago'],
  [60 * 60_000 - 29_000, '1 hour ago'],
  [24 * 3_600_000, '24 hours ago'],
  [48 * 3_600_000, '2 days ago'],
] as const;

test('times are said in words, by the page and in the same way by its script, and exactly for machines', async () => {
  const teller = await here();
  const votedAt = teller.clock.now();
  await teller.vote({ player: 'Steve' });
  const { html } = await page(teller, '/');
  const [, asset = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? [];
  const script = (await (await operator(teller)).get(asset)).html;
  const wording = script.slice(0, script.indexOf('function activate'));
  for (const [ms, words] of AGES) {
    teller.clock.jump(votedAt + ms - teller.clock.now());
    const { html: later } = await page(teller, '/');
    expect(stateSentenceOf(later)).toContain(`Last vote ${words}.`);
    expect(later).toContain(`<time datetime="${new Date(votedAt).toISOString()}"`);
    const browser = { document: { documentElement: { dataset: { now: String(votedAt + ms) } } }, Intl };
    const Frozen = class extends Date {
      static override now = () => votedAt + ms;
    };
    const said = runInNewContext(`${wording}; (dateTime) => ago({ dateTime })`, { ...browser, Date: Frozen });
    expect(said(new Date(votedAt).toISOString())).toBe(words);
  }
});
