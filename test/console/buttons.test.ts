import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, page } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';
import { freePort } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
import { answerOf, postedForms } from '../support/fake-browser.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { findingsOf, noticeOf, outsideRegions } from '../support/page-text.ts';

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const SITES = { default: { token: TOKEN } };
const DAY = 86_400_000;

/** Waits until *Now* has a button that posts there, and presses it. */
async function press(teller: Here, action: string) {
  let now = await page(teller, '/');
  await teller.until(async () => {
    now = await page(teller, '/');
    return findingsOf(now.html).some(({ button }) => button === action);
  });
  return (await operator(teller)).submit(now, action);
}

const sent = async (teller: Here, action: string, fields = {}): Promise<string> => {
  await page(teller, '/');
  return (await (await operator(teller)).post(action, fields)).text;
};

test('a config file that is newer than what runs is applied by a button, unless its changes need a restart', async () => {
  const teller = await here({ sites: SITES });
  await operator(teller);
  const newer = async () =>
    findingsOf((await page(teller, '/')).html).find(({ code }) => code === 'config-older');
  rewrite(teller, { sites: { ...SITES, New: {} } });
  await teller.until(async () => (await newer()) !== undefined);
  expect(await newer()).toMatchObject({
    ...{ mark: 'warning', button: '/reload' },
    sentence: expect.stringContaining('sites.New'),
  });
  const after = await press(teller, '/reload');
  expect([after.status, after.at]).toEqual([303, '/']);
  expect(after.text).toContain('Applied sites.New.');
  await teller.until(async () => (await newer()) === undefined);
  rewrite(teller, { sites: { ...SITES, New: {} }, listener: { host: '127.0.0.1', port: await freePort() } });
  await teller.until(async () => (await newer()) !== undefined);
  expect(await newer()).toMatchObject({ button: null, toDo: 'Restart Teller' });
});

test('what is held is paid: its commands run again, unless its game server is not in the config any more', async () => {
  const game = await rconGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards: THANKS });
  game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  const after = await press(teller, '/now/pay-held');
  expect(after.text).toContain('1 grant will be paid.');
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve', 'say Steve']);
  const again = () => sent(teller, '/now/pay-held', { server: 'main' });
  expect(await again()).toContain('Nothing that can be paid is held there any more.');
  game.fault('run-and-close');
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('delivered', 'held');
  await teller.reload({ gameServers: { other: { kind: 'practice' } }, rewards: THANKS });
  expect(await again()).toContain('None can be paid: see grant 2 under Needs you.');
  expect((await teller.grants()).map(({ state }) => state)).toEqual(['delivered', 'held']);
});

test('a pause is ended', async () => {
  const teller = await here();
  await teller.run('pause', '--server', 'main');
  const after = await press(teller, '/now/resume');
  expect(after.text).toContain('The pause of all rewards on main is over.');
  expect(noticeOf(after.html)).toMatch(/^Practice: [^:]*$/);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
});

test('ending a pause is refused with why, and what was refused is logged with who asked for it', async () => {
  const teller = await here();
  for (const [sentence, fields] of [
    ['There is no pause of all rewards on main any more.', { server: 'main' }],
    ['No game server in the config is called "nowhere".', { server: 'nowhere' }],
    ['No reward in the config is called "nothing".', { reward: 'nothing' }],
  ] as const)
    expect(await sent(teller, '/now/resume', fields)).toContain(sentence);
  await sent(teller, '/now/pay-held', { server: 'main' });
  const by = 'console from 127.0.0.1 by link';
  const actions = teller.log.filter(({ code }) => code === 'console-action').map(({ fields }) => fields);
  expect(actions).toHaveLength(4);
  expect([actions[0], actions[3]]).toMatchObject([
    { action: '/now/resume', by, ended: 'not-paused' },
    { action: '/now/pay-held', by, ended: 'nothing-held' },
  ]);
});

test('what is held because of the clock is a problem of the clock alone, which is released, and then it is paid', async () => {
  const teller = await here({ rewards: THANKS }, new FakeClock('2026-06-01T12:00:00Z'));
  // Without a time, so that this machine’s clock decides.
  await teller.vote({ player: 'Steve', timestamp: '' });
  teller.clock.jump(DAY + 2 * 3_600_000);
  await teller.vote({ player: 'Alex', timestamp: '' });
  const codes = async () => findingsOf((await page(teller, '/')).html).map(({ code }) => code);
  await teller.until(async () => (await codes()).includes('clock-doubtful'));
  expect(await codes()).not.toContain('grants-stuck');
  const after = await press(teller, '/now/release-clock');
  expect(after.text).toContain('1 reward will be paid');
  await teller.untilGrants('delivered', 'delivered');
});

test('the clock is not released while it is trusted, or while it shows 1970', async () => {
  const teller = await here({}, new FakeClock('2026-06-01T12:00:00Z'));
  expect(await sent(teller, '/now/release-clock')).toContain(
    'The clock is trusted, and nothing is held because of it.',
  );
  teller.clock.jump(Date.parse('1970-01-01T00:10:00Z') - teller.clock.now());
  expect(await sent(teller, '/now/release-clock')).toContain('This machine’s clock is not set.');
});

interface Refused {
  readonly page: string;
  /** Where it is sent, if not to its page. */
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** What the answer has of it. */
  readonly typed: readonly string[];
  /** What else the config has. */
  readonly config?: object;
}

const SERVER = { name: 'main', host: 'typed.example', port: '99', replaces: 'main' };
const VOTES = { page: '/test', action: '/test/votes' };

/** Every form into which something can be typed, and those that write what was typed before. */
const FORMS: readonly Refused[] = [
  { page: '/now/site', fields: { service: '', url: 'no page' }, typed: ['value="no page"'] },
  {
    ...{ page: '/now/site', action: '/now/site/write' },
    ...{ fields: { service: 'Typed', url: '' }, typed: ['value="Typed"'] },
  },
  {
    ...{ page: '/now/game-server', fields: { ...SERVER, name: 'no name' } },
    typed: ['value="no name"', 'value="typed.example"', 'value="99"'],
  },
  {
    ...{ page: '/now/game-server', action: '/now/game-server/write', fields: { ...SERVER, plan: 'gone' } },
    typed: ['value="typed.example"', 'value="99"'],
  },
  {
    ...{ ...VOTES, fields: { player: 'Typed', service: '', version: 'v1' } },
    typed: ['value="Typed"', 'value="v1" checked'],
  },
  {
    ...{ ...VOTES, fields: { player: 'Typed', service: 'Bare', version: 'v2' } },
    ...{ typed: ['value="Typed"', 'value="Bare"'], config: { sites: { default: {} } } },
  },
  {
    ...{ page: '/test', action: '/test/practice', typed: ['value="no name"'] },
    fields: { world: 'main', joining: 'no name', move: 'join' },
  },
];

test.each(FORMS)(
  'a refused form of $page ($fields) is shown with what was typed, also when it is reloaded, and is refreshed',
  async ({ page: path, action = path, fields, typed, config }) => {
    const { cookies } = await operator(await here(config));
    const { shown, reloaded, refreshed } = await answerOf(cookies, { page: path, action, fields });
    expect([409, 422]).toContain(reloaded.status);
    for (const { text } of [shown, reloaded]) for (const part of typed) expect(text).toContain(part);
    expect([refreshed.status, refreshed.to]).toEqual([200, null]);
  },
);

test('no form into which something can be typed is missing above, and the address of each form leads to a page', async () => {
  const teller = await here();
  const { cookies } = await operator(teller);
  const forms = await postedForms(cookies, ['/', '/test', '/now/site', '/now/game-server', '/grants']);
  const known = FORMS.map(({ page: path, action = path }) => action);
  const typed = new Set(forms.filter(({ isTyped }) => isTyped).map(({ action }) => action));
  expect([...typed].filter((action) => !known.includes(action))).toEqual([]);
  expect(typed.size).toBe(4);
  for (const action of new Set(forms.map((form) => form.action)))
    expect((await page(teller, action)).text).not.toContain('Page not found');
});

const PATHS = ['/', '/votes', '/votes/1', '/players/Steve', '/grants', '/grants/1', '/figures', '/rewards'];

test('what an open page does not refresh stays true: a vote comes, a grant is cancelled, the config changes', async () => {
  const broken = { name: 'broken', when: 'always', commands: ['giv {player} diamond'] };
  const teller = await here({ rewards: [broken], sites: { default: { token: TOKEN } } });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused');
  const kept = async (): Promise<Record<string, string>> => {
    const pages: Record<string, string> = {};
    for (const path of PATHS) pages[path] = outsideRegions((await page(teller, path)).html);
    return pages;
  };
  const before = await kept();
  await teller.vote({ player: 'Steve', site: 'Another-List' });
  expect(await kept()).toEqual(before);
  await teller.run('grants', 'cancel', '1', '--yes');
  expect(await kept()).toEqual(before);
  await teller.reload({ pay: { mode: 'shadow' }, sites: { default: { token: TOKEN }, 'Another-List': {} } });
  expect(await kept()).toEqual(before);
});
