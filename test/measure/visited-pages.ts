import { browserOf } from '../support/fake-browser.ts';
import { unescaped } from '../support/page-text.ts';

/** Every page that can be reached by links from one: what it answers, what it says, and its JSON. The first one may be a one-time link. */
export async function pagesFrom(first: string, name: string, seen: Map<string, unknown>): Promise<void> {
  const { origin, pathname } = new URL(first);
  const browser = browserOf(origin);
  if (pathname.startsWith('/open/')) {
    await browser.get(pathname);
    await browser.post(pathname);
  }
  /** IDs and times differ from run to run, the order in which pages link to them does not. */
  const ids: string[] = [];
  const named = (path: string): string =>
    path.replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{10,}/g, (id) => {
      if (!ids.includes(id)) ids.push(id);
      return `id${ids.indexOf(id) + 1}`;
    });
  const waiting = ['/'];
  const known = new Set(waiting);
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const page = await browser.get(path);
    const type = page.headers.get('content-type');
    const text = type?.includes('html') ? page.text : '';
    const asked = await browser.get(path, { accept: 'application/json' });
    const json = asked.headers.get('content-type')?.includes('json') ? JSON.parse(asked.text) : null;
    const says = linesOf(text).map(named);
    seen.set(`pages/${name}${named(path).replace(/\/$/, '/index')}`, {
      ...{ status: page.status, location: page.to, type, says, json },
    });
    for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
      const to = new URL(unescaped(href), origin + path);
      const next = to.pathname + to.search;
      const isPage = to.origin === origin && !/\.(?:css|js|svg|png|ico|csv)$|^\/live/.test(to.pathname);
      if (isPage && !known.has(next) && known.size < 150) {
        known.add(next);
        waiting.push(next);
      }
    }
  }
}

/** What a page says, a line for each paragraph, cell, field and button; what a script or a picture has inside is left out. */
const linesOf = (html: string): readonly string[] =>
  html
    .replaceAll(/<(script|style|svg|template)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->/g, '')
    .replaceAll(/<input\b[^>]*\btype="hidden"[^>]*>/g, '')
    .replaceAll(/<input\b[^>]*\bname="([^"]*)"[^>]*>/g, '\n[$1]\n')
    .replaceAll(/<\/(?:p|li|tr|t[dh]|d[dt]|h\d|div|label|button|option|summary|legend|title)>|<br>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .split('\n')
    .map((line) => unescaped(line).replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '');
