import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { systemRandom } from '../../src/platform/random.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { browserOfFile, complaintsOf, messageShown } from '../support/browser.ts';
import { TOKEN } from '../support/config-folder.ts';
import { openWithLink, pressWithKeys, SCRIPTS } from '../support/console-page.ts';
import { faultsOf } from '../support/page-faults.ts';
import { presentLink, runningConsole } from '../support/running-console.ts';
import { SettableClock } from '../support/settable-clock.ts';

const newPage = browserOfFile();

const PASSWORD = 'correct horse battery';
const QUICK_HASH = new Passwords(systemRandom, { ln: 4, r: 8, p: 1 }).hash(PASSWORD);

/** A visitor of a console with a password, or of one that opens only with links. */
async function visited({ hasPassword = true, javaScriptEnabled = true } = {}) {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const password = hasPassword ? { password: await QUICK_HASH } : {};
  const running = await runningConsole(clock, { console: { port: 0, ...password } });
  const page = await newPage({ javaScriptEnabled });
  const complaints = complaintsOf(page);
  onTestFinished(() => expect(complaints).toEqual([]));
  const nextLink = async (): Promise<string> => (await presentLink(running)) ?? '';
  return { ...running, clock, page, nextLink, open: (path: string) => page.goto(running.console.url + path) };
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
    const {
      page,
      open,
      nextLink,
      console: site,
    } = await visited({ hasPassword: false, javaScriptEnabled: script });
    await open('/figures');
    await heading(page, 'Sign in');
    expect(await page.getByLabel('Password').count()).toBe(0);
    if (script) expect(await faultsOf(page)).toEqual([]);
    await openWithLink(page, await nextLink());
    await heading(page, 'Figures');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await heading(page, 'Sign in');
    await page.goto(site.link);
    await messageShown(page, 'This link was used before', 'alert');
    if (script) expect(await faultsOf(page)).toEqual([]);
  },
);

test('Keys are copied, and asked for again five minutes after signing in', async () => {
  const { page, open, clock, console: site } = await visited();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
  await openWithLink(page, site.link);
  await pressWithKeys(page, 'Keys');
  await heading(page, 'Keys');
  const buttons = page.getByRole('button', { name: 'Copy' });
  expect(await buttons.count()).toBe(2);
  await buttons.last().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(TOKEN);
  clock.set('2026-06-01T12:06:00Z');
  await page.reload();
  await heading(page, 'Sign in again');
  expect(await page.content()).not.toContain(TOKEN);
  await tryPassword(page, 'wrong');
  await messageShown(page, 'Wrong password', 'alert');
  await open('/keys');
  await tryPassword(page, PASSWORD);
  await heading(page, 'Keys');
});
