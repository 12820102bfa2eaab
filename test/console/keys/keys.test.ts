import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/platform/random.ts';
import { Passwords } from '../../../src/web/auth/passwords.ts';
import { writeConfig } from '../../support/config-folder.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import { textOf } from '../../support/page-text.ts';
import { openLink, presentLink, runningConsole } from '../../support/running-console.ts';
import { SettableClock } from '../../support/settable-clock.ts';

const START = '2026-06-01T12:00:00Z';
const SIX_MINUTES_LATER = '2026-06-01T12:06:00Z';
const TOKENS = {
  default: { token: 'token-of-every-other-listing' },
  'MyList.com': { token: 'token-of-my-list' },
};
const PASSWORD = 'correct horse battery';

test('within five minutes of signing in, the page shows every token and the public key', async () => {
  const clock = new SettableClock(START);
  const { operator, folder, app } = await runningConsole(clock, { sites: TOKENS });
  const browser = await operator();
  const page = await browser.get('/keys');
  expect(page.status).toBe(200);
  expect(textOf(page)).toContain(`Port${app.listener.port}`);
  expect(page.text).toContain('token-of-every-other-listing');
  expect(page.text).toContain('token-of-my-list');
  expect(page.text).toContain(readFileSync(path.join(folder, 'data/keys/public.key'), 'utf8').trim());
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(Number(page.headers.get('refresh'))).toBe(300);
});

test.each([
  ['five minutes after signing in', '2026-06-01T12:05:00Z'],
  ['if the clock was set back', '2026-06-01T11:59:00Z'],
])('the page asks to sign in again %s, and has no secret', async (_, instant) => {
  const clock = new SettableClock(START);
  const { operator } = await runningConsole(clock, { sites: TOKENS });
  const browser = await operator();
  clock.set(instant);
  const page = await browser.get('/keys');
  expect([page.status, page.text.includes('token-of')]).toEqual([403, false]);
  expect(page.text).toContain('<h1>Sign in again</h1>');
});

test('a visitor has to sign in first', async () => {
  const clock = new SettableClock(START);
  const { visitor } = await runningConsole(clock, { sites: TOKENS });
  expect((await visitor().get('/keys')).to).toBe('/sign-in?next=%2Fkeys');
});

test('the next link leads back to the keys, in a new session; the old session has ended', async () => {
  const clock = new SettableClock(START);
  const running = await runningConsole(clock, { sites: TOKENS });
  const browser = await running.operator();
  const before = browser.cookieNamed('teller-console-session') ?? '';
  clock.set(SIX_MINUTES_LATER);
  await browser.get('/keys');
  expect((await openLink(browser, await presentLink(running))).to).toBe('/keys');
  expect((await browser.get('/keys')).status).toBe(200);
  const copy = running.visitor();
  copy.setCookie('teller-console-session', before);
  expect((await copy.get('/')).status).toBe(303);
  expect((await openLink(browser, await presentLink(running))).to).toBe('/');
});

test('a link leads a visitor to the page that they wanted, with its filters', async () => {
  const clock = new SettableClock(START);
  const running = await runningConsole(clock);
  const browser = running.visitor();
  const { to } = await browser.get('/?day=2026-06-01');
  expect(to).toBe('/sign-in?next=%2F%3Fday%3D2026-06-01');
  await browser.get(to ?? '');
  expect((await openLink(browser, await presentLink(running))).to).toBe('/?day=2026-06-01');
});

test('a wanted page on another site is not led to', async () => {
  const clock = new SettableClock(START);
  const running = await runningConsole(clock);
  const browser = running.visitor();
  browser.setCookie('teller-console-wanted', encodeURIComponent('//evil.example/'));
  expect((await openLink(browser, await presentLink(running))).to).toBe('/');
});

test('the password also opens the keys again', async () => {
  const clock = new SettableClock(START);
  const password = await new Passwords(systemRandom, { ln: 4, r: 8, p: 1 }).hash(PASSWORD);
  const { operator } = await runningConsole(clock, { sites: TOKENS, console: { port: 0, password } });
  const browser = await operator();
  clock.set(SIX_MINUTES_LATER);
  expect((await browser.get('/keys')).text).toContain('name="next" value="/keys"');
  const wrong = await browser.post('/sign-in', { password: 'wrong', next: '/keys' });
  expect([wrong.status, wrong.text.includes('Wrong password')]).toEqual([422, true]);
  expect((await browser.get('/keys')).status).toBe(403);
  expect((await browser.post('/sign-in', { password: PASSWORD, next: '/keys' })).to).toBe('/keys');
  expect((await browser.get('/keys')).status).toBe(200);
});

test('the log says who saw the keys, and nothing of them', async () => {
  const clock = new SettableClock(START);
  const { log, lines } = loggedLines();
  const { operator } = await runningConsole(clock, { sites: TOKENS }, log);
  await (await operator()).get('/keys');
  const shown = lines.filter(({ code }) => code === 'keys-shown').map(({ fields }) => fields);
  expect(shown).toEqual([{ code: 'keys-shown', by: 'console from 127.0.0.1 by link' }]);
  expect(JSON.stringify(lines)).not.toContain('token-of');
});

test('a key pair that is gone is a page with a code, not a failure', async () => {
  const clock = new SettableClock(START);
  const { operator, folder } = await runningConsole(clock, { sites: TOKENS });
  const browser = await operator();
  rmSync(path.join(folder, 'data/keys/public.key'));
  const answer = await browser.get('/keys');
  expect([answer.status, answer.text.includes('key-missing')]).toEqual([500, true]);
});

test('a page that wants nothing secret links to the keys', async () => {
  const clock = new SettableClock(START);
  const { operator } = await runningConsole(clock);
  expect((await (await operator()).get('/')).text).toContain('<a href="/keys"');
});

test('the page says that the config has changed since Teller read it, and shows what Teller accepts', async () => {
  const clock = new SettableClock(START);
  const { operator, config, control } = await runningConsole(clock, { sites: TOKENS });
  const browser = await operator();
  const hint = 'has changed since Teller read it';
  expect((await browser.get('/keys')).text).not.toContain(hint);
  writeConfig(config, { sites: { default: { token: 'another-token-of-my-own' } } });
  await control.compare();
  const { text } = await browser.get('/keys');
  expect([text.includes(hint), text.includes('token-of-my-list'), text.includes('another-token')]).toEqual([
    ...[true, true, false],
  ]);
});
