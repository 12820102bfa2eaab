import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Access } from '../../../src/console/access/access.ts';
import { OneTimeLink } from '../../../src/console/access/one-time-link.ts';
import { consoleSite } from '../../../src/console/site.ts';
import { systemRandom } from '../../../src/platform/random.ts';
import { Passwords } from '../../../src/web/auth/passwords.ts';
import type { BrowserResponse } from '../../support/fake-browser.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { silentLog } from '../../support/log.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import { practice, PASSWORD as RCON_PASSWORD } from '../../support/rcon.ts';
import { openLink, presentLink, type RunningConsole, runningConsole } from '../../support/running-console.ts';
import { SettableClock } from '../../support/settable-clock.ts';

const START = '2026-06-01T12:00:00Z';
const SIX_MINUTES_LATER = '2026-06-01T12:06:00Z';
const PASSWORD = 'correct horse battery';

/** What asks for a new sign-in, with fields that it would accept. docs/operators/security.md lists it. */
const ASKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/now/game-server/write': { plan: '1' },
};

/** What does not: docs/operators/security.md says why. */
const ASKS_NOT = [
  ...['/sign-in', '/sign-out', '/sign-out/everywhere', '/open/:code'],
  ...[
    '/now/site',
    '/now/site/write',
    '/now/pay-held',
    '/now/resume',
    '/now/release-clock',
    '/now/game-server',
  ],
  ...['/grants/change', '/reload', '/test/votes', '/test/practice'],
];

const isAsking = ({ text }: BrowserResponse): boolean => text.includes('<h1>Sign in again</h1>');

/** A console whose operator signed in six minutes ago. */
async function signedInBefore(overrides: object = {}) {
  const clock = new SettableClock(START);
  const { log, lines } = loggedLines();
  const password = await new Passwords(systemRandom, { ln: 4, r: 8, p: 1 }).hash(PASSWORD);
  const running = await runningConsole(clock, { console: { port: 0, password }, ...overrides }, log);
  const browser = await running.operator();
  clock.set(SIX_MINUTES_LATER);
  await browser.get('/');
  return { ...running, browser, clock, lines };
}

/** Every address of the console to which something can be posted. */
async function changingRoutes({ app, control }: RunningConsole): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const clock = new SettableClock(START);
  const base = { teller: app, control, clock, random: systemRandom, log: silentLog };
  const link = new OneTimeLink(path.join(folder, 'link'), 'http://127.0.0.1', systemRandom);
  const sessionFile = path.join(folder, 'sessions');
  const access = await Access.open({ ...base, passwordHash: () => null, link, sessionFile });
  const more = {
    access,
    metrics: null,
    publicPage: null,
    command: (words: string) => `teller ${words}`,
    onEnd: (end: () => unknown) => onTestFinished(() => void end()),
  };
  const site = consoleSite({ ...base, ...more }, { hosts: [], https: false });
  const posted = site.routes.filter(({ method }) => method === 'POST').map((route) => route.path);
  return [...new Set(posted)].toSorted();
}

test('every route of the console that changes something is decided: it asks for a new sign-in, or it does not', async () => {
  const one = await signedInBefore();
  expect(await changingRoutes(one)).toEqual([...Object.keys(ASKS), ...ASKS_NOT].toSorted());
  for (const [route, fields] of Object.entries(ASKS)) {
    const answer = await one.browser.post(route, fields);
    expect([route, answer.status, isAsking(answer)]).toEqual([route, 403, true]);
  }
  for (const route of ASKS_NOT.filter((each) => !/^\/(sign-|open)/.test(each))) {
    const answer = await one.browser.post(route);
    expect([route, answer.status === 403, isAsking(answer)]).toEqual([route, false, false]);
  }
});

/** Fills in the form of a game server. @returns what writes it, and looks at the config. */
async function filledIn(one: Awaited<ReturnType<typeof signedInBefore>>) {
  const server = await practice();
  const entered = { name: 'main', host: '127.0.0.1', port: String(server.port), replaces: 'main' };
  const shown = await one.browser.post('/now/game-server', { ...entered, password: RCON_PASSWORD });
  const plan = /name="plan" value="([^"]*)"/.exec(shown.text)?.[1] ?? '';
  const write = (fields: object = {}) => one.browser.post('/now/game-server/write', { plan, ...fields });
  const before = readFileSync(one.config, 'utf8');
  const isUnchanged = (): boolean => readFileSync(one.config, 'utf8') === before;
  const written = (): unknown => JSON.parse(readFileSync(one.config, 'utf8')).gameServers.main;
  return { plan, write, isUnchanged, written, port: server.port };
}

test.each([
  ['the password was entered', 'password'],
  ['a new link was opened', 'link'],
])('a game server is not written into the config, and can be written after %s', async (_, by) => {
  const one = await signedInBefore();
  const { plan, write, isUnchanged, written, port } = await filledIn(one);
  const asked = await write();
  expect([asked.status, asked.text.includes('type="password"')]).toEqual([403, true]);
  expect([asked.text.includes(RCON_PASSWORD), isUnchanged()]).toEqual([false, true]);
  expect(one.lines.some(({ code }) => code === 'console-action')).toBe(false);
  const next = /name="next" value="([^"]*)"/.exec(asked.text)?.[1] ?? '';
  const { to } =
    by === 'password'
      ? await one.browser.post('/sign-in', { password: PASSWORD, next })
      : await openLink(one.browser, await presentLink(one));
  expect(to).toBe(next);
  const page = await one.browser.get(next);
  expect([page.status, page.text.includes(`name="plan" value="${plan}"`)]).toEqual([200, true]);
  expect((await write()).to).toBe('/');
  expect(written()).toMatchObject({ port });
});

test('a plan that is gone leads to the form', async () => {
  const { browser } = await signedInBefore();
  expect((await browser.get('/now/game-server/write?plan=9')).text).toContain('action="/now/game-server"');
});

test('within five minutes of signing in, nothing asks', async () => {
  const one = await signedInBefore();
  const { write } = await filledIn(one);
  one.clock.set('2026-06-01T12:04:59Z');
  expect((await write()).to).toBe('/');
});

test('a form that was opened before signing in again is still accepted, but none from before signing out', async () => {
  const one = await signedInBefore();
  const { csrf } = one.browser;
  const { plan, write } = await filledIn(one);
  await openLink(one.browser, await presentLink(one));
  expect((await write({ csrf })).to).toBe('/');
  await one.browser.post('/sign-out', { csrf });
  await openLink(one.browser, await presentLink(one));
  const refused = await one.browser.post('/now/game-server/write', { plan, csrf });
  expect(refused.text).toContain('403 form-outdated');
});
