import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { PASSWORD } from '../kit/listing-people.ts';
import type { FakeBrowser } from './fake-browser.ts';

const ROOT = join(import.meta.dirname, '../..');
const ARGS = ['--no-sandbox', '--headless=shell', '--disable-gpu'];
const TIMEOUT_MS = 8_000;
const LAUNCH_MS = 60_000;

/** Opens a page with separate cookies, which is closed when the test ends. */
export type NewPage = (options?: BrowserContextOptions) => Promise<Page>;

/** One headless Chromium for all tests of a file, because launching takes longer than most tests. */
export function browserOfFile(): NewPage {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: await executable(), args: ARGS });
  }, LAUNCH_MS);
  afterAll(() => browser?.close());
  return async (options) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => context.close());
    return context.newPage();
  };
}

/** Collects the browser's own errors: exceptions in scripts and violations of the content policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Chromium also logs the status of the page itself, such as 404, as an error.
    const isOwnStatus = message.location().url === page.url() && /with a status of/.test(message.text());
    if (message.type() === 'error' && !isOwnStatus) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  return complaints;
}

/** Signs in with the form. */
export async function signIn(
  page: Page,
  { url }: { readonly url: string },
  name: string,
  next = '',
): Promise<void> {
  await page.goto(`${url}/sign-in${next && `?next=${encodeURIComponent(next)}`}`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name, exact: true }).waitFor();
}

/** Runs an action that opens another page, and waits until it has loaded: a reload before that would fail. */
export async function opening(page: Page, act: () => Promise<void>): Promise<void> {
  const loaded = page.waitForEvent('load');
  await act();
  await loaded;
}

/** Waits for an alert or a status message with this text. */
export const messageShown = (
  page: Page,
  text: string | RegExp,
  role: 'alert' | 'status' = 'status',
): Promise<void> => page.getByRole(role).filter({ hasText: text }).first().waitFor();

/** The texts of the cells of a row, counted from 1, in the table with this caption. */
export const row = async (page: Page, caption: string, number: number): Promise<string[]> =>
  page.getByRole('table', { name: caption }).locator('tr').nth(number).getByRole('cell').allInnerTexts();

const executable = async (): Promise<string> => process.env.CHROME_PATH ?? unpacked();

/**
 * The package unpacks itself into the temporary folder, file by file, and assumes that existing files are complete. So it
 * gets a separate folder, which is renamed when it is complete: test files that start at the same time both unpack, and
 * neither launches an incomplete browser.
 */
async function unpacked(): Promise<string> {
  const cache = join(ROOT, 'node_modules/.cache');
  const manifest = readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8');
  const folder = join(cache, `chromium-${JSON.parse(manifest).version}`);
  const browser = join(folder, 'chromium');
  if (existsSync(browser)) return browser;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  try {
    await unpackInto(draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(browser)) throw error;
  }
  return browser;
}

/** In a separate process, because only its environment can change the temporary folder. */
async function unpackInto(folder: string): Promise<void> {
  const script = "import('@sparticuz/chromium').then((chromium) => chromium.default.executablePath())";
  const env = { ...process.env, TMPDIR: folder, TMP: folder, TEMP: folder };
  await promisify(execFile)(process.execPath, ['--eval', script], { cwd: ROOT, env });
}

const SESSION = 'teller-console-session';

/** A page of a real browser, in the session of the operator, that has not opened anything yet. */
export async function operatorsPage(
  newPage: NewPage,
  { console: site, browser }: { readonly console: { readonly url: string }; readonly browser: FakeBrowser },
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
