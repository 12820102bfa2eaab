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
const AS_JSON = { accept: 'application/json' };
const COMMAND = { server: 'main', command: 'give Steve diamond 3' };

/** What asks for a new sign-in, with fields that it would accept. docs/operators/security.md lists it. */
const ASKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/test/commands': { ...COMMAND, confirmed: 'yes' },
  '/now/game-server/write': { plan: '1' },
};

/** What does not: docs/operators/security.md says why. */
const ASKS_NOT = [
  ...['/sign-in', '/sign-out', '/open/:code', '/sessions/end'],
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

const codeOf = ({ text }: BrowserResponse): string | undefined => JSON.parse(text).code;

/** A console whose operator signed in six minutes ago. */
async function signedInBefore(overrides: object = {}) {
  const clock = new SettableClock(START);
  const { log, lines } = loggedLines();
  const password = await new Passwords(systemRandom, { ln: 4, r: 8, p: 1 }).hash(PASSWORD);
  const running = await runningConsole(clock, { console: { port: 0, password }, ...overrides }, log);
  const browser = await running.operator();
  clock.set(SIX_MINUTES_LATER);
  await browser.get('/test');
  running.app.practiceServers.get('main')?.join('Steve');
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
    const answer = await one.browser.post(route, fields, AS_JSON);
    expect([route, answer.status, codeOf(answer)]).toEqual([route, 403, 'sign-in-again']);
  }
  for (const route of ASKS_NOT.filter((each) => !/^\/(sign-|open|sessions)/.test(each))) {
    const answer = await one.browser.post(route, {}, AS_JSON);
    expect([route, codeOf(answer)]).not.toEqual([route, 'sign-in-again']);
  }
});

test('a command of the operator’s own is not run, and can be run after the password was entered', async () => {
  const { app, browser, lines } = await signedInBefore();
  const diamonds = () => app.practiceServers.get('main')?.inventory('Steve');
  const asked = await browser.post('/test/commands', COMMAND);
  expect([asked.status, asked.text.includes('type="password"')]).toEqual([403, true]);
  expect([diamonds(), lines.some(({ code }) => code === 'test-command')]).toEqual([{}, false]);
  const next = /name="next" value="([^"]*)"/.exec(asked.text)?.[1] ?? '';
  const back = await browser.post('/sign-in', { password: PASSWORD, next });
  expect(back.to).toBe(next);
  const page = await browser.get(next);
  expect([page.status, page.text.includes(COMMAND.command)]).toEqual([200, true]);
  expect((await browser.post('/test/commands', { ...COMMAND, confirmed: 'yes' })).to).toBe(
    '/test/commands/1',
  );
  expect(diamonds()).toEqual({ diamond: 3 });
});

test('a new link leads back to the command too', async () => {
  const one = await signedInBefore();
  await one.browser.post('/test/commands', COMMAND);
  const { to } = await openLink(one.browser, await presentLink(one));
  expect((await one.browser.get(to ?? '')).text).toContain(COMMAND.command);
  expect((await one.browser.post('/test/commands', COMMAND)).status).toBe(303);
});

test('a real game server still asks whether to run it, after the new sign-in', async () => {
  const { port } = await practice();
  const main = { kind: 'rcon', host: '127.0.0.1', port, password: RCON_PASSWORD, joinDelay: '0s' };
  const one = await signedInBefore({ gameServers: { main } });
  await one.browser.post('/test/commands', COMMAND);
  const { to } = await openLink(one.browser, await presentLink(one));
  const page = await one.browser.get(to ?? '');
  expect(page.text).toContain('main is a real game server');
  expect(page.text).toContain('name="confirmed" value="yes"');
});

test('a game server is not written into the config, and what was entered is still there after signing in', async () => {
  const server = await practice();
  const one = await signedInBefore();
  const before = readFileSync(one.config, 'utf8');
  const entered = { name: 'main', host: '127.0.0.1', port: String(server.port), replaces: 'main' };
  const shown = await one.browser.post('/now/game-server', { ...entered, password: RCON_PASSWORD });
  const plan = /name="plan" value="([^"]*)"/.exec(shown.text)?.[1] ?? '';
  const asked = await one.browser.post('/now/game-server/write', { plan });
  expect([asked.status, asked.text.includes(RCON_PASSWORD)]).toEqual([403, false]);
  expect(readFileSync(one.config, 'utf8')).toBe(before);
  const { to } = await openLink(one.browser, await presentLink(one));
  const page = await one.browser.get(to ?? '');
  expect([page.status, page.text.includes(`name="plan" value="${plan}"`)]).toEqual([200, true]);
  expect((await one.browser.post('/now/game-server/write', { plan })).to).toBe('/');
  expect(JSON.parse(readFileSync(one.config, 'utf8')).gameServers.main).toMatchObject({ port: server.port });
});

test('a plan that is gone leads to the form', async () => {
  const { browser } = await signedInBefore();
  expect((await browser.get('/now/game-server/write?plan=9')).text).toContain('action="/now/game-server"');
});

test('within five minutes of signing in, nothing asks', async () => {
  const { browser, clock } = await signedInBefore();
  clock.set('2026-06-01T12:04:59Z');
  expect((await browser.post('/test/commands', COMMAND)).status).toBe(303);
});

test('a form that was opened before signing in again is still accepted, but none from before signing out', async () => {
  const one = await signedInBefore();
  const { csrf } = one.browser;
  await openLink(one.browser, await presentLink(one));
  expect((await one.browser.post('/test/commands', { ...COMMAND, csrf })).status).toBe(303);
  await one.browser.post('/sign-out', { csrf });
  await openLink(one.browser, await presentLink(one));
  const refused = await one.browser.post('/test/commands', { ...COMMAND, csrf }, AS_JSON);
  expect(codeOf(refused)).toBe('form-outdated');
});
