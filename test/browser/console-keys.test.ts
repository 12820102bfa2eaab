import { expect, test } from 'vitest';
import { browserOfFile } from '../support/browser.ts';
import { openWithLink, signedIn } from '../support/console-page.ts';
import { NOW } from '../support/console-states/state.ts';
import { faultsOf } from '../support/page-faults.ts';
import { presentLink } from '../support/running-console.ts';
import { SettableClock } from '../support/settable-clock.ts';

const newPage = browserOfFile();

const SITES = { default: { token: 'token-of-every-other-listing' } };

test('Keys are shown for five minutes after signing in, then not until the operator signs in again', async () => {
  const clock = new SettableClock(NOW);
  const running = await signedIn(newPage, clock, { sites: SITES });
  const { page, console: site } = running;
  await page.goto(`${site.url}/keys`);
  await page.getByText('token-of-every-other-listing').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  clock.set('2026-06-17T18:45:00Z');
  const answered = await page.goto(`${site.url}/keys`);
  expect(answered?.status()).toBe(403);
  expect(await page.content()).not.toContain('token-of');
  expect(await faultsOf(page)).toEqual([]);
  await openWithLink(page, (await presentLink(running)) ?? '');
  expect(new URL(page.url()).pathname).toBe('/keys');
  await page.getByText('token-of-every-other-listing').waitFor();
});
