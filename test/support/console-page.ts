import type { BrowserContextOptions, Page } from 'playwright-core';
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
