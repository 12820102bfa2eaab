import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { BUTTONS, FIELDS } from './labels.ts';
import { PASSWORD } from './listing-site.ts';

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
  await page.getByLabel(FIELDS.accountName).fill(name);
  await page.getByLabel(FIELDS.password).fill(PASSWORD);
  await page.getByRole('button', { name: BUTTONS.signIn }).click();
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
  const folder = join(cache, `chromium-${packageVersion()}`);
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

function packageVersion(): string {
  const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'));
  const manifest = readFileSync(join(entry, '../../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
