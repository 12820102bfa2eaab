import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { browserOfFile } from '../support/browser.ts';
import {
  type ConsoleState,
  consoleStates,
  type NamedPage,
  openPages,
  pagesOf,
  testPagesOf,
} from '../support/console-states.ts';
import { isChecked } from '../support/page-text.ts';

interface View {
  /** In pixels. */
  readonly width: 1280 | 390;
  readonly colorScheme: 'light' | 'dark';
}

const VIEWS: readonly View[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'dark' },
];

const FOLDER = process.env.SHOTS_FOLDER ?? '';
const COOKIE = 'teller-console-session';
/** Longer pages are cut off. In pixels. */
const HEIGHT_MAX = 6_000;
/** Below what the picture in the README shows. In pixels. */
const MARGIN = 24;

const newPage = browserOfFile();
/** Their files, by page and state. */
const pictures = new Map<string, string[]>();

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

afterAll(() => {
  const file = join(FOLDER, 'index.html');
  writeFileSync(file, indexPage());
  say(`${[...pictures.values()].flat().length} pictures, side by side in ${file}`);
});

/** A window of this size and scheme, in which it is as late as in the state. */
async function opened({ clock, browser, console: site }: ConsoleState, view: View, signedIn: boolean) {
  const { width, colorScheme } = view;
  const page = await newPage({ viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' });
  await page.clock.setFixedTime(clock.now());
  const value = browser.cookieNamed(COOKIE) ?? '';
  if (signedIn) await page.context().addCookies([{ name: COOKIE, value, url: site.url }]);
  return page;
}

async function take(page: Page, url: string, file: string): Promise<void> {
  await page.goto(url, { waitUntil: 'load' });
  const full = await page.evaluate<number>('document.documentElement.scrollHeight');
  const { width } = page.viewportSize()!;
  const clip = { x: 0, y: 0, width, height: Math.min(full, HEIGHT_MAX) };
  await page.screenshot({ path: join(FOLDER, file), fullPage: true, clip });
}

async function takeAll(name: string, state: ConsoleState, pages: readonly NamedPage[], signedIn: boolean) {
  for (const view of VIEWS) {
    const page = await opened(state, view, signedIn);
    for (const [title, path] of pages) {
      const file = `${name}-${title}-${view.width}-${view.colorScheme}.png`;
      await take(page, state.console.url + path, file);
      const row = `${title} · ${name}`;
      pictures.set(row, [...(pictures.get(row) ?? []), file]);
    }
    await page.context().close();
    say(`${name} at ${view.width} pixels, ${view.colorScheme}: ${pages.map(([title]) => title).join(', ')}`);
  }
}

/** The picture in the README: the upper part of the first page. */
async function takeForReadme(state: ConsoleState): Promise<void> {
  const page = await opened(state, VIEWS[0]!, true);
  await page.goto(state.console.url, { waitUntil: 'load' });
  const sites = page.getByRole('table', { name: 'Sites' });
  // The page may put a newer table in its place while it is measured.
  let box: Awaited<ReturnType<typeof sites.boundingBox>> = null;
  while (box === null) {
    await sites.waitFor();
    box = await sites.boundingBox();
  }
  const clip = { x: 0, y: 0, width: VIEWS[0]!.width, height: Math.ceil(box.y + box.height + MARGIN) };
  await page.screenshot({ path: join(FOLDER, 'console.png'), fullPage: true, clip });
  await page.context().close();
}

test.each(Object.entries(consoleStates))('%s', async (name, start) => {
  expect(FOLDER).not.toBe('');
  mkdirSync(FOLDER, { recursive: true });
  const state = await start();
  const pages = await pagesOf(state);
  const textOf = async (path: string) => (await state.browser.get(path)).text;
  // What `check` finds is shown when it has been looked at once; what takes a while is worked out in the background.
  await expect.poll(async () => isChecked(await textOf('/'))).toBe(true);
  const figures = expect.poll(() => textOf('/figures'), { timeout: 90_000, interval: 1_000 });
  const counted = figures.not.toContain('data-refresh');
  await counted.catch(() => say(`${name}: figures are not complete yet`));
  if (name === 'busy') await takeForReadme(state);
  await takeAll(name, state, pages, true);
  await takeAll(name, state, await testPagesOf(state), true);
  await takeAll(name, state, openPages, false);
});

/** A page for a browser with all pictures: a heading for each page and state, and below it the views side by side. */
function indexPage(): string {
  const rows = [...pictures].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const shown = (file: string): string =>
    `<a href="${file}"><img src="${file}" alt="${file}" loading="lazy"></a>`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Pages of the console</title><style>${STYLE}</style></head>
<body>
${rows.map(([row, files]) => `<section><h2>${row}</h2><div>${files.map(shown).join('')}</div></section>`).join('\n')}
</body>
</html>
`;
}

const STYLE = `
  body { font: 16px system-ui, sans-serif; margin: 24px; background: #888; }
  h2 { margin: 24px 0 8px; }
  div { display: flex; gap: 16px; align-items: start; }
  a { flex: 1 1 0; max-height: 90vh; overflow: auto; }
  a:nth-child(2), a:nth-child(3) { flex: 0 0 18%; }
  img { width: 100%; display: block; }
`;
