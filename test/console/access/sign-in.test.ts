import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { linkFileIn, sessionFileIn } from '../../../src/console/access/files.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log.ts';
import { controlFolder } from '../../../src/operator/control/place.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemRandom } from '../../../src/platform/random.ts';
import { Passwords } from '../../../src/web/auth/passwords.ts';
import { writeConfig } from '../../support/config-folder.ts';
import type { FakeBrowser } from '../../support/fake-browser.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import {
  openLink,
  pathOf,
  presentLink,
  type RunningConsole,
  runningConsole,
} from '../../support/running-console.ts';

const PASSWORD = 'correct horse battery';
const hashed = () => new Passwords(systemRandom, { ln: 4, r: 8, p: 1 }).hash(PASSWORD);
const SESSION = 'teller-console-session';
const KNOWN = 'teller-console-known';
/** A console with a password, and a browser that has signed in with it. */
async function withPassword(clock: Clock = systemClock, log?: Log) {
  const running = await runningConsole(clock, { console: { port: 0, password: await hashed() } }, log);
  const browser = running.visitor();
  await browser.get('/sign-in');
  await browser.post('/sign-in', { password: PASSWORD });
  return { ...running, browser };
}

/** Gives the console a new hash, of the same password. */
async function setAnotherHash({ config, reload }: RunningConsole): Promise<void> {
  writeConfig(config, { console: { port: 0, password: await hashed() } });
  await reload();
}

test('a visitor is sent to the page for signing in, and from there back to the page they wanted', async () => {
  const { visitor } = await runningConsole(systemClock);
  const answer = await visitor().get('/');
  expect([answer.status, answer.to]).toEqual([303, '/sign-in?next=%2F']);
});

test('the one-time link leads back to the wanted page, and not to the stream that a page left open asks for', async () => {
  const running = await runningConsole(systemClock);
  const opened = async (...asked: readonly string[]) => {
    const browser = running.visitor();
    for (const path of asked) await browser.get((await browser.get(path)).to ?? '');
    return (await openLink(browser, await presentLink(running))).to;
  };
  expect(await opened('/votes')).toBe('/votes');
  expect(await opened('/live')).toBe('/');
});

test('a request for JSON is answered as any other, with and without a session', async () => {
  const { visitor, operator } = await runningConsole(systemClock);
  const asJson = { accept: 'application/json' };
  expect((await visitor().get('/', asJson)).to).toBe('/sign-in?next=%2F');
  const browser = await operator();
  expect((await browser.get('/', asJson)).text).toContain('<h1>Now</h1>');
  expect(await browser.post('/now/resume', { server: 'main' }, asJson)).toMatchObject({
    status: 303,
    to: '/',
  });
  expect((await browser.get('/no-such-page', asJson)).text).toContain('404 not-found');
});

test('the one-time link opens the console once, and the file then has another one', async () => {
  const running = await runningConsole(systemClock);
  const { console, visitor } = running;
  const first = await presentLink(running);
  const browser = visitor();
  expect((await openLink(browser, console.link)).to).toBe('/');
  expect((await browser.get('/')).status).toBe(200);
  expect((await openLink(visitor(), console.link)).status).toBe(410);
  const second = await presentLink(running);
  expect([first, second === first]).toEqual([console.link, false]);
  expect((await openLink(visitor(), second)).to).toBe('/');
});

test('looking at the one-time link uses nothing up: only its button, pressed on our own page, opens the console', async () => {
  const { console, visitor } = await runningConsole(systemClock);
  const link = pathOf(console.link);
  const head = await fetch(console.link, { method: 'HEAD' });
  expect(head.headers.getSetCookie().join()).not.toContain('teller-console-session');
  const browser = visitor();
  for (const headers of [{ 'sec-purpose': 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, {}]) {
    const looked = await browser.get(link, headers);
    expect([looked.status, looked.text.match(/<button/g)?.length]).toEqual([200, 1]);
  }
  expect((await browser.get('/')).status).toBe(303);
  const foreign = { origin: 'http://evil.example' };
  expect((await browser.post(link, {}, foreign)).text).toContain('403 cross-site');
  await browser.get(link);
  expect((await browser.post(link)).to).toBe('/');
  expect((await browser.get('/')).status).toBe(200);
});

test('two browsers that press the button of one link are not both let in', async () => {
  const { console, visitor } = await runningConsole(systemClock);
  const browsers = [visitor(), visitor()];
  for (const browser of browsers) await browser.get(pathOf(console.link));
  const answers = await Promise.all(browsers.map((browser) => browser.post(pathOf(console.link))));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410]);
});

test('only the user who runs Teller can read the link and the sessions', async () => {
  const { operator, app } = await runningConsole(systemClock);
  await operator();
  const modes = [linkFileIn, sessionFileIn].map(
    (fileIn) => statSync(fileIn(controlFolder(app.config.ledger))).mode & 0o777,
  );
  expect(modes).toEqual([0o600, 0o600]);
});

test('a used link says so', async () => {
  const { visitor } = await runningConsole(systemClock);
  const answer = await visitor().get('/open/not-a-link');
  expect([answer.status, answer.text]).toEqual([410, expect.stringContaining('This link was used before')]);
});

test('the password opens the console; a wrong one does not', async () => {
  const { visitor } = await runningConsole(systemClock, { console: { port: 0, password: await hashed() } });
  const browser = visitor();
  await browser.get('/sign-in');
  const wrong = await browser.post('/sign-in', { password: 'wrong' });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Wrong password')]);
  expect((await browser.post('/sign-in', { password: PASSWORD, next: '/votes' })).to).toBe('/votes');
  expect((await browser.get('/')).status).toBe(200);
});

test('after ten wrong passwords, an address has to wait', async () => {
  const { visitor } = await runningConsole(systemClock, { console: { port: 0, password: await hashed() } });
  const browser = visitor();
  await browser.get('/sign-in');
  const answers: string[] = [];
  for (let n = 0; n < 11; n += 1) answers.push((await browser.post('/sign-in', { password: 'wrong' })).text);
  expect(answers.at(9)).toContain('Wrong password');
  expect(answers.at(10)).toContain('Too many attempts');
});

test('without a password in the config, no password opens the console', async () => {
  const { visitor } = await runningConsole(systemClock);
  const browser = visitor();
  await browser.get('/sign-in');
  await browser.post('/sign-in', { password: '' });
  await browser.post('/sign-in', { password: PASSWORD });
  expect((await browser.get('/')).status).toBe(303);
});

test('signing out ends the session, also for a copy of its cookie', async () => {
  const { operator, visitor } = await runningConsole(systemClock);
  const browser = await operator();
  const copy = visitor();
  copy.setCookie('teller-console-session', browser.cookieNamed('teller-console-session') ?? '');
  await browser.get('/');
  expect((await copy.get('/')).status).toBe(200);
  expect((await browser.post('/sign-out')).to).toBe('/sign-in');
  expect((await copy.get('/')).status).toBe(303);
});

test('another host name is refused, and so is a form of another site', async () => {
  const { operator } = await runningConsole(systemClock);
  const browser = await operator();
  await browser.get('/');
  const form = await browser.post('/sign-out', {}, { origin: 'http://evil.example' });
  expect(form.text).toContain('403 cross-site');
});

/** Where a copy of this browser's session leads: 200 to the page, 303 to the page for signing in. */
async function copied(from: FakeBrowser, to: FakeBrowser): Promise<number> {
  to.setCookie(SESSION, from.cookieNamed(SESSION) ?? '');
  return (await to.get('/votes')).status;
}

test('a new password ends every session, however it began', async () => {
  const one = await withPassword();
  const byLink = one.visitor();
  await openLink(byLink, await presentLink(one));
  const pages = () =>
    Promise.all([one.browser, byLink].map(async (each) => (await each.get('/votes')).status));
  expect(await pages()).toEqual([200, 200]);
  await setAnotherHash(one);
  expect(await pages()).toEqual([303, 303]);
  await one.browser.get('/sign-in');
  await one.browser.post('/sign-in', { password: PASSWORD });
  expect(await pages()).toEqual([200, 303]);
});

test('a session survives a restart, but not one with a new password', async () => {
  const one = await withPassword();
  expect(await copied(one.browser, (await one.restart())())).toBe(200);
  const other = await withPassword();
  await setAnotherHash(other);
  expect(await copied(other.browser, (await other.restart())())).toBe(303);
});

test('a session that a new password has ended stays ended when the old hash comes back', async () => {
  const one = await withPassword();
  const before = readFileSync(one.config, 'utf8');
  await setAnotherHash(one);
  await one.browser.get('/votes');
  writeFileSync(one.config, before);
  await one.reload();
  expect((await one.browser.get('/votes')).status).toBe(303);
});

test('the button “Sign out everywhere” of each page ends all sessions', async () => {
  const { log, lines } = loggedLines();
  const one = await withPassword(systemClock, log);
  const byLink = one.visitor();
  await openLink(byLink, await presentLink(one));
  const { text } = await byLink.get('/votes');
  for (const part of ['action="/sign-out/everywhere"', '>Sign out everywhere</button>'])
    expect(text).toContain(part);
  expect((await byLink.post('/sign-out/everywhere')).to).toBe('/sign-in');
  for (const browser of [byLink, one.browser]) expect((await browser.get('/votes')).status).toBe(303);
  expect(await copied(one.browser, (await one.restart())())).toBe(303);
  expect(lines.filter(({ code }) => code === 'sessions-ended').map(({ fields }) => fields)).toEqual([
    { code: 'sessions-ended', by: 'console from 127.0.0.1 by link' },
  ]);
});

test('a visitor who has not signed in ends nobody’s session', async () => {
  const one = await withPassword();
  const visitor = one.visitor();
  await visitor.get('/sign-in');
  expect((await visitor.post('/sign-out/everywhere')).to).toBe('/sign-in');
  expect((await one.browser.get('/votes')).status).toBe(200);
});

/** Tries so many wrong passwords from a browser that has never signed in. @returns that browser. */
async function guessed(visitor: () => FakeBrowser, times: number): Promise<FakeBrowser> {
  const browser = visitor();
  await browser.get('/sign-in');
  for (let n = 0; n < times; n += 1) await browser.post('/sign-in', { password: `wrong ${n}` });
  return browser;
}

/** What became of a sign-in: `Signed in`, or the title of what was wrong. */
async function endOfTry(browser: FakeBrowser, password = PASSWORD): Promise<string | undefined> {
  await browser.get('/sign-in');
  const { to, text } = await browser.post('/sign-in', { password });
  return to === '/' ? 'Signed in' : /class="alert-title">([^<]*)</.exec(text)?.[1];
}

test('forty wrong passwords from its address lock out neither a browser that has signed in before, nor the link', async () => {
  const one = await withPassword();
  await one.browser.get('/');
  await one.browser.post('/sign-out');
  const other = await guessed(one.visitor, 40);
  expect(await endOfTry(other)).toBe('Too many attempts');
  expect(await endOfTry(one.browser)).toBe('Signed in');
  expect(await endOfTry(other)).toBe('Too many attempts');
  expect((await openLink(other, await presentLink(one))).to).toBe('/');
});

test('a browser that has signed in before has ten tries of its own, also after a restart', async () => {
  const one = await withPassword();
  const visitor = await one.restart();
  await guessed(visitor, 40);
  const browser = visitor();
  browser.setCookie(KNOWN, one.browser.cookieNamed(KNOWN) ?? '');
  for (let n = 0; n < 10; n += 1) expect(await endOfTry(browser, 'wrong')).toBe('Wrong password');
  expect(await endOfTry(browser)).toBe('Too many attempts');
});

test.each([
  ['that was invented', () => `${'A'.repeat(22)}.${'B'.repeat(43)}`],
  ['with another ID than the signed one', (known: string) => `${'A'.repeat(22)}.${known.split('.')[1]}`],
])('a cookie %s gives no tries of its own', async (_, forged) => {
  const one = await withPassword();
  const browser = await guessed(one.visitor, 40);
  browser.setCookie(KNOWN, forged(one.browser.cookieNamed(KNOWN) ?? ''));
  expect(await endOfTry(browser)).toBe('Too many attempts');
});

test('who had signed in with the old password has no tries of their own after a new one', async () => {
  const one = await withPassword();
  await one.browser.get('/');
  await one.browser.post('/sign-out');
  await setAnotherHash(one);
  await guessed(one.visitor, 40);
  expect(await endOfTry(one.browser)).toBe('Too many attempts');
});
