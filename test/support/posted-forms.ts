import type { BrowserResponse, FakeBrowser } from './fake-browser.ts';

/** A form that a page posts. */
export interface PostedForm {
  readonly action: string;
  /** Whether something can be typed into it. */
  readonly isTyped: boolean;
}

/** The forms of all pages that links lead to, by action. */
export async function postedForms(browser: FakeBrowser, starts: readonly string[]): Promise<PostedForm[]> {
  const open = [...starts];
  const seen = new Set(open);
  const forms = new Map<string, PostedForm>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const { text, headers } = await browser.get(path);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    for (const [, action = '', body = ''] of text.matchAll(
      /<form [^>]*method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g,
    ))
      forms.set(action, { action, isTyped: /<(?:textarea|input) ?class="input/.test(body) });
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="(\/[^"#?]*)/g)) {
      if (seen.has(href)) continue;
      seen.add(href);
      open.push(href);
    }
  }
  return [...forms.values()];
}

/** Follows redirects, as browsers do. */
export async function opened(browser: FakeBrowser, path: string): Promise<BrowserResponse> {
  const seen = await browser.get(path);
  return seen.to === null ? seen : opened(browser, seen.to);
}

export interface RefusedForm {
  /** The page that has it. */
  readonly page: string;
  /** Where it is sent, if not to its page. */
  readonly action?: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Sends a form, and looks at its answer: as it is shown, reloaded, and as the script of that page asks for it. */
export async function answerOf(browser: FakeBrowser, { page, action = page, fields }: RefusedForm) {
  await browser.get(page);
  const sent = await browser.post(action, fields);
  const shown = sent.to === null ? sent : await opened(browser, sent.to);
  const reloaded = await opened(browser, shown.at);
  const refreshed = await browser.get(shown.at, { 'x-refresh': '1' });
  return { shown, reloaded, refreshed };
}
