import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { writeConfig } from '../support/config-folder.ts';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { openLink, presentLink } from '../support/running-console.ts';
import { holdMany, type StuckConsole, stuckConsole } from '../support/stuck-grants.ts';

const BY = 'console from 127.0.0.1 by link';

/** The mark of each grant that needs the operator, by its ID. */
async function marksIn({ json }: StuckConsole): Promise<Readonly<Record<number, string>>> {
  const { groups } = await json('/grants');
  const grants = groups.flatMap((group: { grants: { id: number; mark: string }[] }) => group.grants);
  return Object.fromEntries(grants.map(({ id, mark }: { id: number; mark: string }) => [id, mark]));
}

const actionsOf = async ({ json }: StuckConsole, id: number): Promise<readonly string[]> =>
  (await json(`/grants/${id}`)).actions.map(
    ({ action, by }: { action: string; by: string }) => `${action} by ${by}`,
  );

/** A second browser that has signed in. */
async function second(one: StuckConsole): Promise<FakeBrowser> {
  const browser = one.visitor();
  await openLink(browser, await presentLink(one));
  await browser.get('/grants');
  return browser;
}

/** Asks what would be done, and sends the marks of the answer. */
async function shownAndSent(one: StuckConsole, query: string, more: Record<string, string> = {}) {
  const { action, grants } = await one.json(`/grants/change?${query}`);
  const grant = grants.map(({ mark }: { mark: string }) => mark);
  return one.post({ action, grant, ...more });
}

const LOST = { lost: 1 };

test('pay runs the command again and the ones after it, and the grant is delivered', async () => {
  const { log, lines } = loggedLines();
  const one = await stuckConsole('hello', ['Steve'], { ...LOST, log });
  const { 1: mark = '' } = await marksIn(one);
  const [status, answer] = await one.post({ only: `pay ${mark}` });
  expect([status, answer.changes]).toMatchObject([200, [{ id: 1, changed: true, problem: null }]]);
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(one, 1)).toEqual([`pay by ${BY}`]);
  const logged = lines.find(({ code }) => code === 'grants-changed');
  expect(logged?.fields).toEqual({ code: 'grants-changed', by: BY, action: 'pay', grants: [1] });
});

test('it ran runs only the commands after it', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  await one.post({ only: `ran ${mark}` });
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(one, 1)).toEqual([`ran by ${BY}`]);
});

test.each([
  ['mark-paid', 'delivered'],
  ['cancel', 'cancelled'],
] as const)('%s shows that no command will run, and then runs none', async (action, state) => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  expect(await one.json(`/grants/change?action=${action}&grant=${mark}`)).toMatchObject({
    action,
    grants: [{ id: 1, commands: [{ fate: 'does-not-run' }, { fate: 'does-not-run' }] }],
  });
  expect((await shownAndSent(one, `action=${action}&grant=${mark}`))[0]).toBe(200);
  expect(await one.states()).toEqual([state]);
  expect(one.commandsRun()).toEqual(['say Steve voted']);
  expect(await actionsOf(one, 1)).toEqual([`${action} by ${BY}`]);
});

test('another player is paid, by the commands that were shown', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  const query = `action=redirect&player=Alex&grant=${mark}`;
  const { grants } = await one.json(`/grants/change?${query}`);
  expect(grants[0].commands).toEqual([
    { fate: 'runs', command: 'say Alex voted' },
    { fate: 'runs', command: 'say thanks, Alex' },
  ]);
  expect((await shownAndSent(one, query, { player: 'Alex' }))[0]).toBe(200);
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun().slice(1)).toEqual(['say Alex voted', 'say thanks, Alex']);
  expect(await actionsOf(one, 1)).toEqual([`redirect by ${BY}`]);
});

test('a name that no player can have pays nobody', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  const shown = await one.browser.get(`/grants/change?action=redirect&player=%40a&grant=${mark}`);
  expect(shown.status).toBe(422);
  const digest = 'a'.repeat(16);
  const [status, answer] = await one.post({ action: 'redirect', player: '@a', grant: `${mark}.${digest}` });
  expect([status, answer.code]).toEqual([422, 'player-not-allowed']);
  expect(await one.states()).toEqual(['held']);
});

const FIXED = { name: 'broken', when: 'always', commands: ['say {player} was paid at last'] };

test('after the reward was corrected, its new commands are shown, run and the old ones dropped', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  writeConfig(one.config, { rewards: [FIXED] });
  await one.reload();
  const { 1: mark = '' } = await marksIn(one);
  const { grants } = await one.json(`/grants/change?action=anew&grant=${mark}`);
  expect(grants[0].commands).toEqual([
    { fate: 'replaced', command: 'giv Steve <b>diamond</b>' },
    { fate: 'runs', command: 'say Steve was paid at last' },
    { fate: 'dropped', command: 'say Steve was paid' },
  ]);
  await shownAndSent(one, `action=anew&grant=${mark}`);
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve was paid at last']);
});

test('commands of a config that was reloaded since they were shown do not run', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  writeConfig(one.config, { rewards: [FIXED] });
  await one.reload();
  const { 1: mark = '' } = await marksIn(one);
  const { grants } = await one.json(`/grants/change?action=anew&grant=${mark}`);
  writeConfig(one.config, { rewards: [{ ...FIXED, commands: ['op {player}'] }] });
  await one.reload();
  const [status, answer] = await one.post({ action: 'anew', grant: grants[0].mark });
  expect([status, answer.code]).toEqual([422, 'commands-changed']);
  expect(await one.states()).toEqual(['refused']);
});

test('a reward that is gone from the config gives no new commands', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  writeConfig(one.config, { rewards: [] });
  await one.reload();
  const { 1: mark = '' } = await marksIn(one);
  expect((await one.json(`/grants/change?action=anew&grant=${mark}`)).code).toBe('rerender-impossible');
  expect(await one.states()).toEqual(['refused']);
});

test.each([
  ['no grant', { action: 'pay' }, 'no-grants'],
  ['something that is no mark', { action: 'pay', grant: '1' }, 'no-grants'],
  ['nothing to do', { action: '', grant: '1.1' }, 'action-unknown'],
  ['an action that does not exist', { only: 'explode 1.1' }, 'action-unknown'],
  ['an action that was not shown', { action: 'cancel', grant: '1.1' }, 'not-shown'],
  ['a grant that does not exist', { only: 'pay 99.1' }, 'grant-missing'],
  [
    'too many grants',
    { action: 'pay', grant: Array.from({ length: 501 }, (_, at) => `${at + 1}.1`) },
    'too-many-grants',
  ],
] as const)('a form with %s is refused', async (_, fields, code) => {
  const { post } = await stuckConsole('hello', []);
  const [status, answer] = await post(fields);
  expect([status, answer.code]).toEqual([409, code]);
});

test('without JSON, an action that ends a grant leads to the page that shows it', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  const answer = await one.browser.post('/grants/change', { action: 'cancel', grant: mark, next: '/grants' });
  expect(answer.to).toBe(`/grants/change?action=cancel&grant=${mark}&next=%2Fgrants`);
  const { text } = await one.browser.get(answer.to ?? '');
  expect(text).toContain('Cancel 1 grant: no command will run');
  expect(await one.states()).toEqual(['held']);
});

test('a grant whose game server is not in the config is left, and the others are paid', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  await holdMany(one, 1);
  const { 1: first = '', 2: other = '' } = await marksIn(one);
  const [status, answer] = await one.post({ action: 'pay', grant: [first, other] });
  expect([status, answer.code]).toEqual([409, 'grant-nowhere']);
  expect(answer.changes.map(({ id, changed }: { id: number; changed: boolean }) => [id, changed])).toEqual([
    [1, true],
    [2, false],
  ]);
  expect((await one.json('/grants/2')).actions).toEqual([]);
});

test('a grant that is held for a reason other than a command cannot be counted as run', async () => {
  const one = await stuckConsole('hello', []);
  await holdMany(one, 1);
  writeConfig(one.config, {
    rewards: [],
    gameServers: { main: { kind: 'practice' }, lobby: { kind: 'practice' } },
  });
  await one.reload();
  const { 1: mark = '' } = await marksIn(one);
  const [status, answer] = await one.post({ only: `ran ${mark}` });
  expect([status, answer.code]).toEqual([409, 'grant-none-ran']);
});

test('a form that is sent twice at once pays once', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  const answers = await Promise.all([one.post({ only: `pay ${mark}` }), one.post({ only: `pay ${mark}` })]);
  expect(answers.map(([status]) => status).toSorted()).toEqual([200, 409]);
  expect(answers.find(([status]) => status === 409)?.[1].code).toBe('grant-moved-on');
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(one, 1)).toEqual([`pay by ${BY}`]);
});

test('of two browsers that decide differently, the second is told that the grant has moved on', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const other = await second(one);
  const { 1: mark = '' } = await marksIn(one);
  const { grants } = await one.json(`/grants/change?action=cancel&grant=${mark}`, other);
  await one.post({ only: `ran ${mark}` });
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  const [status, answer] = await one.post({ action: 'cancel', grant: grants[0].mark }, other);
  expect([status, answer.code]).toEqual([409, 'grant-moved-on']);
  expect(await one.states()).toEqual(['delivered']);
});

test('a page that was opened before a grant was paid and held again does not pay it again', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  one.app.practiceServers.get('main')?.setFault('run-and-close', 1);
  await one.post({ only: `pay ${mark}` });
  const grant = async () =>
    (await one.json('/grants/1')) as { state: string; commands: { attempts: number }[] };
  await expect.poll(async () => (await grant()).commands[0]?.attempts, { timeout: 10_000 }).toBe(2);
  await expect.poll(async () => (await grant()).state, { timeout: 10_000 }).toBe('held');
  const [status, answer] = await one.post({ only: `pay ${mark}` });
  expect([status, answer.code]).toEqual([409, 'grant-moved-on']);
  expect(answer.message).toContain('has changed since it was shown');
  expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted']);
});

test('a grant that has moved on is left out before it is asked', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  await one.app.ledger.cancel(1, { by: 'ann' }, systemClock.now());
  const path = `/grants/change?action=mark-paid&grant=${mark}`;
  expect(await one.json(path)).toMatchObject({ grants: [], movedOn: [1] });
  expect((await one.browser.get(path)).text).toContain('Nothing can be done');
});

test('all that match a filter are shown with their commands, the longest owed first, and then changed', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  await holdMany(one, 30);
  const query = 'all=1&server=lobby&state=held&action=cancel';
  const { grants, hasMore } = await one.json(`/grants/change?${query}`);
  expect([grants.length, hasMore]).toEqual([30, false]);
  expect(grants.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 30 }, (_, at) => at + 2));
  const { text } = await one.browser.get(`/grants/change?${query}`);
  expect(text).toContain('Cancel 30 grants: no command will run');
  expect(text).toContain('say Bot29 voted');
  const [status, answer] = await shownAndSent(one, query);
  expect([status, answer.changes.length]).toEqual([200, 30]);
  expect(await one.look.grantStates()).toEqual({ refused: 1, cancelled: 30 });
});

test('of more than 500 that match, the 500 that got stuck first are shown', async () => {
  const one = await stuckConsole('hello', []);
  await holdMany(one, 501);
  const { grants, hasMore } = await one.json('/grants/change?all=1&action=cancel');
  expect([grants.length, grants.at(-1).id, hasMore]).toEqual([500, 500, true]);
  expect((await one.browser.get('/grants/change?all=1')).text).toContain(
    'These are the 500 that got stuck first',
  );
});

test('a visitor who has not signed in changes nothing', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  const visitor = one.visitor();
  for (const path of ['/grants', '/grants/1', '/grants/change?all=1'])
    expect((await one.json(path, visitor)).code).toBe('signed-out');
  const [status, answer] = await one.post({ only: `pay ${mark}` }, visitor);
  expect([status, answer.code]).toEqual([403, 'form-outdated']);
  expect(await one.states()).toEqual(['held']);
});

test('without script, the message of a change is shown on the page that it leads back to', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await marksIn(one);
  const answer = await one.browser.post('/grants/change', {
    only: `ran ${mark}`,
    next: '/grants?state=held',
  });
  expect(answer.to).toBe('/grants?state=held');
  expect((await one.browser.get('/grants?state=held')).text).toContain(
    'Grant 1 continues after the command that ran.',
  );
});
