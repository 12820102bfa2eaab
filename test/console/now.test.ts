import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type RconGame, rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, page, stream } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { factsOf, isChecked, noticeOf, rowsOf, stateSentenceOf, textOf } from '../support/page-text.ts';

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

test('each site is shown with its votes, its vote page and what was refused of it, by its name as text, and the listed ones come first', async () => {
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
  await teller.vote({ player: 'Zoe', site: '<script>alert(1)</script>\u202E' });
  const hostile = (await page(teller, '/')).html;
  expect(hostile).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\\u202e');
  expect(hostile).not.toContain('<script>alert');
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

test('every page says that nothing is paid for real, in shadow or before the hand-over, but only to who has signed in', async () => {
  const main = { kind: 'practice' };
  const real = { kind: 'rcon', port: 9, password: 'of-that-server' };
  for (const [config, sentences, notice] of [
    [{}, ['For practice only.'], 'Practice: rewards go to a practice server inside Teller'],
    [{ gameServers: { main, real } }, [], 'Practice: rewards on main go to a practice server'],
    [{ pay: { mode: 'shadow' } }, ['In shadow: nothing is paid here.'], 'Shadow: votes are stored'],
    [
      { pay: { from: '2026-06-01T12:01Z' } },
      ['The other listener still pays.'],
      'votes that arrive before 1 Jun 2026 12:01:00 UTC are paid by the other listener',
    ],
    [{ pay: { from: '2026-06-01T12:00Z' } }, ['For practice only.'], 'Practice: '],
  ] as const) {
    const sitesNow = { default: { token: TOKEN } };
    const teller = await here(
      { timeZone: 'UTC', sites: sitesNow, rewards: [], ...config },
      new FakeClock('2026-06-01T12:00:00Z'),
    );
    await teller.until(async () => isChecked((await page(teller, '/')).html));
    const { html } = await page(teller, '/no-such-page');
    const now = (await page(teller, '/')).html;
    expect(stateSentenceOf(now)).toEqual(naming('Listening on port', ...sentences));
    if (sentences.length === 0) expect(stateSentenceOf(now)).not.toContain('practice');
    for (const shown of [html, now]) expect(noticeOf(shown)).toContain(notice);
    if (notice === 'Practice: ') expect(now).not.toContain('Hand-over');
    for (const code of ['practice', 'shadow', 'hand-over']) expect(now).not.toContain(`>${code}<`);
    expect(noticeOf((await page(teller, '/', 'visitor')).html)).toBe('');
    await teller.stop();
  }
});

/** How often a game server was asked who is there while its page was open for so long, from the first look on. */
async function watched(game: RconGame, more: object = {}) {
  const teller = await here({ gameServers: { main: { ...game.entry, ...more } }, rewards: [] });
  const look = async (afterMs: number) => {
    teller.clock.advance(afterMs);
    const shown = await gameServer(teller);
    await teller.pass(50, 1);
    return shown;
  };
  await look(0);
  await teller.until(async () => !/Not asked|untried/.test((await gameServer(teller)).Online ?? ''), 10);
  return { teller, look };
}

test('a game server is asked at most every 5 seconds and only while somebody looks, and an answer is forgotten after 15', async () => {
  const game = await rconGame();
  game.show('Steve');
  const { look } = await watched(game);
  const asked = game.asked.length;
  await look(4_000);
  expect(game.asked.length).toBe(asked);
  await look(1_000);
  expect(game.asked.length).toBeGreaterThan(asked);
  expect((await look(14_000)).Online).toBe('1 player: Steve');
  // The last answer came within 50 ms after that look.
  game.reply(() => 'silent');
  expect((await look(15_051)).Online).not.toContain('Steve');
});

test('one whose list is not understood is asked once a minute; that another shows UUIDs is remembered while nobody is online', async () => {
  const mute = await rconGame({}, () => 'Nobody but us chickens');
  const { look } = await watched(mute);
  const asked = mute.asked.length;
  await look(58_000);
  expect(mute.asked.length).toBe(asked);
  await look(2_000);
  expect(mute.asked.length).toBeGreaterThan(asked);
  const game = await rconGame();
  game.show('Steve (8667ba71-b85a-4004-af54-457a9734eed7)');
  const other = await watched(game);
  const reports = (await other.look(0)).Reports;
  game.show();
  await other.look(5_000);
  expect(await other.look(0)).toMatchObject({ Online: 'Nobody.', Reports: reports });
});

const DAILY = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
/** Sites as a first start has them. */
const FRESH = { rewards: DAILY, sites: { default: { token: TOKEN } } };

const AT_FIRST = [
  '→ Now: Send a test vote',
  '· See the first reward',
  '· Connect your game server',
  '· See a reward on your game server',
  '· Tell your listings where to send votes',
];

/** The steps of the guide: `✓` done, `→` current, `·` to do. */
async function steps(teller: Here): Promise<string[]> {
  const { html } = await page(teller, '/');
  return [...html.matchAll(/<li class="step ([\w-]+)".*?step-title">(.*?)<\/p>/gs)].map(
    ([, state = '', title = '']) => `${{ done: '✓', current: '→' }[state] ?? '·'} ${textOf({ text: title })}`,
  );
}

const untilStep = (teller: Here, step: string): Promise<void> =>
  teller.until(async () => (await steps(teller)).includes(step));

test('the guide of a first start: a first start is led from a test vote over the network to the first diamond', async () => {
  const teller = await here(FRESH);
  expect(await steps(teller)).toEqual(AT_FIRST);
  const first = await page(teller, '/');
  // No token and no key is on the page: the guide leads to the page of keys.
  expect([first.html.includes(TOKEN), first.html.includes('href="/keys"')]).toEqual([false, true]);
  expect(first.text).toContain('Send a test vote for Steve');
  const sent = await (await operator(teller)).submit(first, '/test/votes');
  expect([sent.status, sent.at]).toEqual([303, '/']);
  await untilStep(teller, '✓ Done: See the first reward');
  expect(await steps(teller)).toEqual([
    '✓ Done: Send a test vote',
    '✓ Done: See the first reward',
    '→ Now: Connect your game server',
    ...AT_FIRST.slice(3),
  ]);
  const { text } = await page(teller, '/');
  expect(text).toContain('Steve has 1 diamond.');
  expect(text).toContain('Send a test vote for Alex');
  expect(text).toContain('The last one was for Steve: vote 1.');
});

test('the guide of a first start: the steps are what has happened: a vote of a listing without a test vote leaves the first one open', async () => {
  const teller = await here(FRESH);
  await teller.vote({ player: 'Steve' });
  await untilStep(teller, '✓ Done: See the first reward');
  expect(await steps(teller)).toEqual([
    '→ Now: Send a test vote',
    '✓ Done: See the first reward',
    '· Connect your game server',
    '· See a reward on your game server',
    '✓ Done: Tell your listings where to send votes',
  ]);
});

test('the guide of a first start: with a real game server the guide offers no test vote, because it would pay a real player, and ends with the vote of a listing', async () => {
  const teller = await here({ rewards: DAILY, gameServers: { main: (await rconGame()).entry } });
  await untilStep(teller, '✓ Done: Connect your game server');
  const { text } = await page(teller, '/');
  expect(text).not.toContain('Send a test vote for');
  expect(text).toContain('A test vote now pays a real player');
  await teller.vote({ player: 'Steve' });
  await teller.until(async () => (await steps(teller)).length === 0);
});

test('the guide of a first start: after the game server, the guide asks for a reward there, which the vote that the Test page suggests earns', async () => {
  const game = await rconGame();
  game.show('Alex');
  const teller = await here(FRESH);
  await teller.vote({ player: 'Steve', site: 'Teller test' });
  await untilStep(teller, '✓ Done: See the first reward');
  await teller.reload({ ...FRESH, gameServers: { main: game.entry } });
  await untilStep(teller, '→ Now: See a reward on your game server');
  expect((await page(teller, '/')).text).toContain('Choose another name than Steve');
  const trial = await page(teller, '/test');
  await (await operator(teller)).submit(trial, '/test/votes', { player: 'Alex' });
  await untilStep(teller, '→ Now: Tell your listings where to send votes');
  expect((await steps(teller)).slice(0, 4).every((step) => step.startsWith('✓'))).toBe(true);
  expect((await page(teller, '/')).text).toContain('main paid daily to Alex.');
  expect(game.ran).toEqual(['give Alex diamond 1']);
});

test('the guide of a first start: a first reward that was only a message does not say that the player has nothing', async () => {
  const teller = await here({ ...FRESH, rewards: [{ name: 'thanks', commands: ['say {player} voted'] }] });
  await teller.vote({ player: 'Steve', site: 'Teller test' });
  await untilStep(teller, '✓ Done: See the first reward');
  const { text } = await page(teller, '/');
  expect(text).toContain('A reward was paid.');
  expect(text).not.toContain('has nothing');
});

test('the guide of a first start: a game server that does not accept the login is no done step', async () => {
  const teller = await here({
    ...FRESH,
    gameServers: { main: (await rconGame({ password: 'not its own' })).entry },
  });
  await teller.until(async () =>
    (await page(teller, '/')).text.includes('main: The game server refused the password'),
  );
  expect(await steps(teller)).toContain('· Connect your game server');
});

/** A clock that practice has moved by a day, as in the loop. */
class MovedClock extends FakeClock {
  readonly practice = { offsetMs: 86_400_000, advance: async () => true, whenMoved: () => () => {} };
}

test('the guide of a first start: with a practice clock no real game server can be connected: the guide ends with the first reward', async () => {
  const teller = await here(FRESH, new MovedClock(Date.now()));
  expect(await steps(teller)).toEqual(AT_FIRST.slice(0, 2));
  for (const path of ['/', '/votes', '/rewards'])
    expect((await page(teller, path)).text).toMatch(/Practice clock[^<]* 24 h ahead of real time/);
  expect((await page(teller, '/now/game-server')).status).toBe(404);
  await teller.vote({ player: 'Steve', site: 'Teller test' });
  await teller.until(async () => (await steps(teller)).length === 0);
});
