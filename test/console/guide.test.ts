import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, page } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { textOf } from '../support/page-text.ts';

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

test('a first start is led from a test vote over the network to the first diamond', async () => {
  const teller = await here(FRESH);
  expect(await steps(teller)).toEqual(AT_FIRST);
  const first = await page(teller, '/');
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

test('the steps are what has happened: a vote of a listing without a test vote leaves the first one open', async () => {
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

test('with a real game server the guide offers no test vote, because it would pay a real player', async () => {
  const teller = await here({ ...FRESH, gameServers: { main: (await rconGame()).entry } });
  await untilStep(teller, '✓ Done: Connect your game server');
  const { text } = await page(teller, '/');
  expect(text).not.toContain('Send a test vote for');
  expect(text).toContain('A test vote now pays a real player');
});

test('after the game server, the guide asks for a reward there, which the vote that the Test page suggests earns', async () => {
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

test('a first reward that was only a message does not say that the player has nothing', async () => {
  const teller = await here({ ...FRESH, rewards: [{ name: 'thanks', commands: ['say {player} voted'] }] });
  await teller.vote({ player: 'Steve', site: 'Teller test' });
  await untilStep(teller, '✓ Done: See the first reward');
  const { text } = await page(teller, '/');
  expect(text).toContain('A reward was paid.');
  expect(text).not.toContain('has nothing');
});

test('a game server that does not accept the login is no done step', async () => {
  const teller = await here({
    ...FRESH,
    gameServers: { main: (await rconGame({ password: 'not its own' })).entry },
  });
  await teller.until(async () =>
    (await page(teller, '/')).text.includes('main: The game server refused the password'),
  );
  expect(await steps(teller)).toContain('· Connect your game server');
});

test('the guide ends with a real game server and the vote of a listing', async () => {
  const teller = await here({ rewards: DAILY, gameServers: { main: (await rconGame()).entry } });
  await teller.vote({ player: 'Steve' });
  await teller.until(async () => (await steps(teller)).length === 0);
});

test('no token and no key is on the page: the guide leads to the page of keys', async () => {
  const { html } = await page(await here(), '/');
  expect(html).not.toContain(TOKEN);
  expect(html).toContain('href="/keys"');
});

/** A clock that practice has moved by a day, as in the loop. */
class MovedClock extends FakeClock {
  readonly practice = { offsetMs: 86_400_000, advance: async () => true, whenMoved: () => () => {} };
}

test('with a practice clock no real game server can be connected: the guide ends with the first reward', async () => {
  const teller = await here(FRESH, new MovedClock(Date.now()));
  expect(await steps(teller)).toEqual(AT_FIRST.slice(0, 2));
  for (const path of ['/', '/votes', '/rewards'])
    expect((await page(teller, path)).text).toMatch(/Practice clock[^<]* 24 h ahead of real time/);
  expect((await page(teller, '/now/game-server')).status).toBe(404);
  await teller.vote({ player: 'Steve', site: 'Teller test' });
  await teller.until(async () => (await steps(teller)).length === 0);
});
