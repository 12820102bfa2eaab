import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { linkFileIn, sessionFileIn } from '../../../src/console/access/files.ts';
import { controlFolder } from '../../../src/control/place.ts';
import { systemRandom } from '../../../src/runtime/random.ts';
import { Passwords } from '../../../src/web/auth/passwords.ts';
import { openLink, pathOf, presentLink, runningConsole } from '../../support/running-console.ts';
import { systemClock } from '../../../src/runtime/clock.ts';

const PASSWORD = 'correct horse battery';
const hashed = () => new Passwords(systemRandom, { ln: 4, r: 8, p: 1 }).hash(PASSWORD);

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

test('a program without a session gets a refusal with a code', async () => {
  const { visitor } = await runningConsole(systemClock);
  const answer = await visitor().get('/', { accept: 'application/json' });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, 'signed-out']);
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
  const foreign = { origin: 'http://evil.example', accept: 'application/json' };
  expect(JSON.parse((await browser.post(link, {}, foreign)).text).code).toBe('cross-site');
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

test('a used link says so with a code', async () => {
  const { visitor } = await runningConsole(systemClock);
  const answer = await visitor().get('/open/not-a-link', { accept: 'application/json' });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([410, 'link-used']);
});

test('the password opens the console; a wrong one does not', async () => {
  const { visitor } = await runningConsole(systemClock, { console: { port: 0, password: await hashed() } });
  const browser = visitor();
  await browser.get('/sign-in');
  const wrong = await browser.post('/sign-in', { password: 'wrong' }, { accept: 'application/json' });
  expect([wrong.status, JSON.parse(wrong.text).code]).toEqual([422, 'sign-in-wrong']);
  expect((await browser.post('/sign-in', { password: PASSWORD, next: '/votes' })).to).toBe('/votes');
  expect((await browser.get('/')).status).toBe(200);
});

test('after ten wrong passwords, an address has to wait', async () => {
  const { visitor } = await runningConsole(systemClock, { console: { port: 0, password: await hashed() } });
  const browser = visitor();
  await browser.get('/sign-in');
  const codes: string[] = [];
  for (let n = 0; n < 11; n += 1) {
    const answer = await browser.post('/sign-in', { password: 'wrong' }, { accept: 'application/json' });
    codes.push(JSON.parse(answer.text).code);
  }
  expect(codes.at(9)).toBe('sign-in-wrong');
  expect(codes.at(10)).toBe('too-many-attempts');
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
  const foreign = { origin: 'http://evil.example', accept: 'application/json' };
  const form = await browser.post('/sign-out', {}, foreign);
  expect(JSON.parse(form.text).code).toBe('cross-site');
});
