import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { HASH, PASSWORD, rewrite } from '../kit/place.ts';
import { practiceServer, PASSWORD as RCON_PASSWORD } from '../kit/practice.ts';
import { TOKEN } from '../kit/vote.ts';
import {
  browserOfFile,
  complaintsOf,
  messageShown,
  opening,
  openLive,
  openWithLink,
  operatorsPage,
  pressWithKeys,
  SCRIPTS,
  shownAfterMs,
} from '../support/browser.ts';
import { liveConsole, type StuckConsole, stuckConsole } from '../support/live-console.ts';
import { faultsOf } from '../support/page-faults.ts';
import { median } from '../support/seeded.ts';

const newPage = browserOfFile();
const LONG = { timeout: 90_000 };

/** A first start, whose link a newcomer has opened. */
async function newcomer(javaScriptEnabled: boolean) {
  const one = await liveConsole({
    sites: { default: { token: TOKEN } },
    rewards: [{ name: 'daily', commands: ['give {player} diamond 1'] }],
  });
  const page = await newPage({ javaScriptEnabled });
  const complaints = complaintsOf(page);
  await openWithLink(page, await one.link());
  return { ...one, page, complaints };
}

async function fillIn(page: Page, { port }: { readonly port: number }): Promise<void> {
  await page.getByLabel('Port', { exact: true }).fill(String(port));
  await page.getByLabel('Password').fill(RCON_PASSWORD);
}

test(
  'a newcomer comes from the first start to the first diamond and to a real game server, by keyboard alone',
  LONG,
  async () => {
    const { page, complaints } = await newcomer(true);
    await pressWithKeys(page, 'Send a test vote for Steve');
    await page.getByText('Steve has 1 diamond.').waitFor();
    await pressWithKeys(page, 'Connect a game server');
    const server = await practiceServer();
    await fillIn(page, server);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is written yet.').waitFor();
    await pressWithKeys(page, 'Write it and connect');
    await page.getByText('main is in the config, and accepts the login.').waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  },
);

test('the same works without script', LONG, async () => {
  const { page, states } = await newcomer(false);
  await opening(page, () => page.getByRole('button', { name: 'Send a test vote for Steve' }).click());
  await expect.poll(states).toEqual(['delivered']);
  await page.reload();
  await page.getByText('Steve has 1 diamond.').waitFor();
  await page.getByRole('link', { name: 'Connect a game server' }).click();
  const server = await practiceServer();
  await fillIn(page, server);
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await page.getByRole('button', { name: 'Write it and connect' }).click();
  await page.getByText('main is in the config, and accepts the login.').waitFor();
});

/** A visitor of a console with a password, or of one that opens only with links. */
async function visited({ hasPassword = true, javaScriptEnabled = true } = {}) {
  const password = hasPassword ? { password: HASH } : {};
  const running = await liveConsole({ console: { port: 0, ...password } });
  const page = await newPage({ javaScriptEnabled });
  const complaints = complaintsOf(page);
  onTestFinished(() => expect(complaints).toEqual([]));
  return { ...running, page, open: (path: string) => page.goto(running.console.url + path) };
}

async function tryPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

test.each(SCRIPTS)(
  '%s, the password opens the page that was wanted, and signing out closes it',
  async (_, script) => {
    const { page, open } = await visited({ javaScriptEnabled: script });
    await open('/votes?player=steve');
    await heading(page, 'Sign in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await messageShown(page, 'Fix this field', 'alert');
    await tryPassword(page, 'wrong');
    await messageShown(page, 'Wrong password', 'alert');
    expect(await page.title()).toBe('Error: Sign in · Teller');
    await tryPassword(page, PASSWORD);
    await heading(page, 'Votes');
    expect(page.url()).toContain('/votes?player=steve');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await messageShown(page, 'You’re signed out.');
    await open('/votes');
    await heading(page, 'Sign in');
  },
);

test('with the keyboard alone, a wrong password is corrected: its field has the focus', async () => {
  const { page, open } = await visited();
  await open('/');
  await page.getByLabel('Password').focus();
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await messageShown(page, 'Wrong password', 'alert');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await heading(page, 'Now');
  await pressWithKeys(page, 'Sign out');
  await messageShown(page, 'You’re signed out.');
});

test.each(SCRIPTS)(
  '%s, a link opens the console once, and leads to the page that was wanted',
  async (_, script) => {
    const { page, open, link } = await visited({ hasPassword: false, javaScriptEnabled: script });
    const first = await link();
    await open('/figures');
    await heading(page, 'Sign in');
    expect(await page.getByLabel('Password').count()).toBe(0);
    if (script) expect(await faultsOf(page)).toEqual([]);
    await openWithLink(page, first);
    await heading(page, 'Figures');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await heading(page, 'Sign in');
    await page.goto(first);
    await messageShown(page, 'This link was used before', 'alert');
    if (script) expect(await faultsOf(page)).toEqual([]);
  },
);

/** A busy machine can take a second for itself, so it gets another try. */
const WITHIN_A_SECOND = { timeout: 60_000, retry: 2 };
const TRIES = 3;

interface Change {
  /** What the page shows then, and not before. */
  readonly text: string;
  readonly make: () => Promise<unknown>;
}

const voteOn = (one: StuckConsole, number: number): Change => ({
  text: `List-${number}.example`,
  make: () => one.vote({ site: `List-${number}.example` }),
});

const stuckVote = (one: StuckConsole, number: number): Change => ({
  text: `Player${number}`,
  make: () => one.vote({ player: `Player${number}` }),
});

const cancelled = (one: StuckConsole, number: number): Change => ({
  text: 'cancelled',
  make: () => one.run('grants', 'cancel', String(number), '--yes'),
});

const joined = (one: StuckConsole, number: number): Change => ({
  text: `Visitor${number}`,
  make: () => one.run('practice', 'join', `Visitor${number}`),
});

const reloaded = (one: StuckConsole, number: number): Change => ({
  text: `newest-${number}`,
  make: () => {
    const reward = { name: `newest-${number}`, when: 'always', commands: ['say {player}'] };
    rewrite(one, { log: { level: 'debug' }, rewards: [reward] });
    return one.run('reload');
  },
});

test.each([
  ['Now', () => '/', voteOn],
  ['Votes', () => '/votes', voteOn],
  ['a player', () => '/players/Steve', voteOn],
  ['Needs you', () => '/grants', stuckVote],
  ['Figures', () => '/figures', stuckVote],
  ['Rewards', () => '/rewards', reloaded],
  ['Test', () => '/test', joined],
  ['a vote', (number: number) => `/votes/${number}`, cancelled],
  ['a grant', (number: number) => `/grants/${number}`, cancelled],
])('%s shows a change within a second', WITHIN_A_SECOND, async (_, pathOf, change) => {
  const one = await stuckConsole('broken', ['Steve', 'Alex', 'Notch']);
  const page = await operatorsPage(newPage, one);
  const complaints = complaintsOf(page);
  const took: number[] = [];
  for (let number = 1; number <= TRIES; number += 1) {
    await openLive(page, one.console.url + pathOf(number));
    const { text, make } = change(one, number);
    expect(await page.locator('body').innerText()).not.toContain(text);
    took.push(await shownAfterMs(page, text, make));
  }
  expect(median(took)).toBeLessThan(1_000);
  expect(complaints).toEqual([]);
});

test('the menu shows by itself how many grants need the operator, also while it has the focus', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  await openLive(page, `${one.console.url}/votes`);
  const link = page.getByRole('link', { name: 'Needs you' });
  expect(await link.textContent()).toBe('Needs you1 grant');
  await link.focus();
  await one.vote({ player: 'Alex' });
  await page.getByRole('link', { name: 'Needs you 2 grants' }).waitFor({ timeout: 20_000 });
});

test.each([
  ['Now', '/', '#guide a'],
  ['Votes', '/votes', '#votes td a'],
  ['a player', '/players/Steve', '#player a'],
  ['Needs you', '/grants', '#stuck button'],
  ['a vote', '/votes/1', '#vote summary'],
  ['a grant', '/grants/1', '#grant button'],
])('%s does not take the focus from a reader, and catches up when they leave', async (_, path, control) => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  await openLive(page, one.console.url + path);
  await page.locator(control).first().focus();
  await page.evaluate('window.focused = document.activeElement; 0');
  await one.vote({ site: 'Another-List' });
  await page.locator('.region.stale').first().waitFor();
  expect(await page.evaluate('focused === document.activeElement && focused.isConnected')).toBe(true);
  await page.getByRole('link', { name: 'Keys' }).focus();
  await expect.poll(() => page.locator('.region.stale').count()).toBe(0);
});

test('a hidden page has no stream, and is up to date as soon as it is shown again', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  await openLive(page, `${one.console.url}/votes`);
  // Chromium without a window cannot hide a page, so the page is told that it is hidden.
  const setHidden = (hidden: boolean): Promise<void> =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
  await setHidden(true);
  await one.vote({ site: 'Unseen.example' });
  expect(await page.locator('body').innerText()).not.toContain('Unseen.example');
  await setHidden(false);
  await page.getByText('Unseen.example').first().waitFor();
});

test('a page says that it is no longer up to date when Teller does not answer', async () => {
  const one = await stuckConsole('broken', []);
  const page = await operatorsPage(newPage, one);
  await openLive(page, `${one.console.url}/votes`);
  const notice = page.getByText('no longer up to date');
  expect(await notice.isVisible()).toBe(false);
  await one.stop();
  await notice.waitFor();
});

test('what is to be copied is copied, or selected where the browser does not allow it', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  await page.goto(`${one.console.url}/players/Steve`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Selected: press Ctrl+C' }).waitFor();
  expect(await page.evaluate('getSelection().toString()')).toBe(await page.locator('#answer').innerText());
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: one.console.url });
  await pressWithKeys(page, 'Keys');
  await heading(page, 'Keys');
  const buttons = page.getByRole('button', { name: 'Copy' });
  expect(await buttons.count()).toBe(2);
  await buttons.last().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(TOKEN);
});

test.each(SCRIPTS)(
  '%s, the numbers of a day are shown by keyboard, as a table and as a file',
  async (_, script) => {
    const one = await stuckConsole('broken', ['Steve', 'Alex']);
    const page = await operatorsPage(newPage, one, { javaScriptEnabled: script });
    await page.goto(`${one.console.url}/figures`);
    const chart = page.locator('.axes').first();
    const tip = chart.locator('.column:is(:hover, :focus-within) > .tip');
    await chart.locator('.column').last().hover();
    const hovered = await tip.innerText();
    expect(hovered).toMatch(/:\s+2 votes/);
    await page.mouse.move(0, 0);
    await chart.getByRole('radio').last().focus();
    expect(await tip.innerText()).toBe(hovered);
    await page.keyboard.press('ArrowLeft');
    expect(await tip.innerText()).not.toBe(hovered);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await chart.getByRole('row').count()).toBe(91);
    const downloading = page.waitForEvent('download');
    await chart.getByRole('link', { name: 'Download CSV' }).click();
    expect((await downloading).suggestedFilename()).toBe('votes-by-day.csv');
  },
);

/** A page in a real browser, in the session of the operator. */
async function opened(one: StuckConsole, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await operatorsPage(newPage, one, options);
  const complaints = complaintsOf(page);
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.goto(`${one.console.url}${path}`);
  return page;
}

test.each(SCRIPTS)(
  '%s, a held grant is paid from the list and delivered on the practice server',
  async (_, javaScriptEnabled) => {
    const one = await stuckConsole('hello', ['Steve'], { lost: 1 });
    const page = await opened(one, '/grants', { javaScriptEnabled });
    await page.getByText('1 grant needs you.').waitFor();
    await page.getByRole('button', { name: 'Pay grant 1 of Steve' }).click();
    await messageShown(page, 'Grant 1 will be paid by the running Teller.');
    await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
    expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
    await page.goto(`${one.console.url}/grants`);
    await page.getByText('Nothing needs you.').waitFor();
    await page
      .getByRole('cell', { name: /console from 127\.0\.0\.1 by link ordered its payment at/ })
      .waitFor();
  },
);

test('with the keyboard alone, two refused grants are cancelled after their commands were shown', async () => {
  const one = await stuckConsole('broken', ['Steve', 'Alex']);
  const page = await opened(one, '/grants');
  for (const name of ['grant 1 of Steve', 'grant 2 of Alex']) {
    await page.getByRole('checkbox', { name }).focus();
    await page.keyboard.press('Space');
  }
  await page.getByLabel('With the chosen ones:').focus();
  await page.keyboard.type('Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Cancel 2 grants: no command will run' }).waitFor();
  await page.getByRole('button', { name: 'Cancel 2 grants' }).focus();
  await page.keyboard.press('Enter');
  await messageShown(page, '2 grants are cancelled.');
  expect(await one.states()).toEqual(['cancelled', 'cancelled']);
});

test('what gets stuck is shown within a second, and a tick stays until it is used', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await opened(one, '/grants');
  const streaming = page.waitForRequest(/\/live$/);
  await page.reload();
  await streaming;
  await page.getByRole('checkbox', { name: 'grant 1 of Steve' }).check();
  await page.getByRole('heading', { name: 'Needs you' }).click();
  await one.vote({ player: 'Bot0' });
  await page.getByText('2 grants need you.').waitFor({ timeout: 2_000 });
  expect(await page.getByRole('checkbox').count()).toBe(1);
  expect(await page.getByRole('checkbox', { name: 'grant 1 of Steve' }).isChecked()).toBe(true);
  await page.getByRole('checkbox', { name: 'grant 1 of Steve' }).uncheck();
  await page.getByRole('link', { name: 'Keys' }).focus();
  await page.getByRole('checkbox', { name: 'grant 2 of Bot0' }).waitFor();
});
