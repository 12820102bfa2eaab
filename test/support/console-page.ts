import type { BrowserContextOptions, Page } from 'playwright-core';
import { systemClock } from '../../src/platform/clock.ts';
import type { NewPage } from './browser.ts';
import type { FakeBrowser } from './fake-browser.ts';
import type { RunningConsole } from './running-console.ts';

const SESSION = 'teller-console-session';

/** A console in which an operator has signed in. */
export interface SignedInConsole extends Pick<RunningConsole, 'console'> {
  readonly browser: FakeBrowser;
}

/** A page of a real browser, in the session of the operator, that has not opened anything yet. */
export async function operatorsPage(
  newPage: NewPage,
  { console: site, browser }: SignedInConsole,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await newPage(options);
  const value = browser.cookieNamed(SESSION) ?? '';
  await page.context().addCookies([{ name: SESSION, value, url: site.url }]);
  return page;
}

/** Opens a one-time link and presses its button. */
export async function openWithLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/open/'));
}

/** For tests that run with and without script. */
export const SCRIPTS = [
  ['with script', true],
  ['without script', false],
] as const;

const NAME_IN_FOCUS = `(({ labels, ariaLabel, textContent }) =>
  (labels?.[0]?.textContent ?? ariaLabel ?? textContent).trim().replaceAll(/\\s+/g, ' '))(document.activeElement)`;

const STEPS_MOST = 90;

/** Moves the focus with the Tab key alone to the control with this name, and presses Enter on it. */
export async function pressWithKeys(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < STEPS_MOST; steps += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate<string>(NAME_IN_FOCUS)) === name) return page.keyboard.press('Enter');
  }
  throw new Error(`the keyboard does not reach ${name}`);
}

/** Opens a page, and waits until it hears of changes and has caught up with those before. */
export async function openLive(page: Page, url: string): Promise<void> {
  const streaming = page.waitForRequest(/\/live$/);
  const caughtUp = page.waitForResponse((answer) => answer.request().headers()['x-refresh'] === '1');
  await page.goto(url);
  await Promise.all([streaming, caughtUp]);
}

const GIVE_UP_MS = 8_000;

/**
 * The milliseconds from the end of a change until the open page contains a text, by this machine's clock. The page itself
 * looks after each change of its content, so that what the test does meanwhile takes no part. `Infinity` if it does not.
 */
export async function shownAfterMs(
  page: Page,
  text: string,
  change: () => Promise<unknown>,
): Promise<number> {
  await page.evaluate(`window.seenAt = new Promise((seen) => {
    const look = () => document.body.textContent.includes(${JSON.stringify(text)}) && seen(Date.now());
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    setTimeout(seen, ${GIVE_UP_MS}, Infinity);
  }); 0`);
  await change();
  const changedAt = systemClock.now();
  return (await page.evaluate<number>('window.seenAt')) - changedAt;
}
