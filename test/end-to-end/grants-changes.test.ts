import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { writeConfig } from '../support/config-folder.ts';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { openLink, presentLink } from '../support/running-console.ts';
import { holdMany, type StuckConsole, stuckConsole } from '../support/stuck-grants.ts';

const BY = 'console from 127.0.0.1 by link';

const actionsOf = async ({ look }: StuckConsole, id: number): Promise<readonly string[]> => {
  const [grant] = await look.grants({ id, limit: 1 });
  return (grant?.actions ?? []).map(({ action, by }) => `${action} by ${by}`);
};

/** A second browser that has signed in. */
async function second(one: StuckConsole): Promise<FakeBrowser> {
  const browser = one.visitor();
  await openLink(browser, await presentLink(one));
  await browser.get('/grants');
  return browser;
}

/** Asks what would be done, and sends the marks of the answer. */
async function shownAndSent(one: StuckConsole, query: string, more: Record<string, string> = {}) {
  const { marks } = await one.shown(query);
  const action = new URLSearchParams(query).get('action') ?? '';
  return one.post({ action, grant: marks, ...more });
}

const LOST = { lost: 1 };

test('pay runs the command again and the ones after it, and the grant is delivered', async () => {
  const { log, lines } = loggedLines();
  const one = await stuckConsole('hello', ['Steve'], { ...LOST, log });
  const { 1: mark = '' } = await one.marks();
  expect((await one.post({ only: `pay ${mark}` })).said).toContain(
    'Grant 1 will be paid by the running Teller.',
  );
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(one, 1)).toEqual([`pay by ${BY}`]);
  const logged = lines.find(({ code }) => code === 'grants-changed');
  expect(logged?.fields).toEqual({ code: 'grants-changed', by: BY, action: 'pay', grants: [1] });
});

test('it ran runs only the commands after it', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
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
  const { 1: mark = '' } = await one.marks();
  expect((await one.shown(`action=${action}&grant=${mark}`)).commands).toEqual([
    'does not run say Steve voted',
    'does not run say thanks, Steve',
  ]);
  await shownAndSent(one, `action=${action}&grant=${mark}`);
  expect(await one.states()).toEqual([state]);
  expect(one.commandsRun()).toEqual(['say Steve voted']);
  expect(await actionsOf(one, 1)).toEqual([`${action} by ${BY}`]);
});

test('another player is paid, by the commands that were shown', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  const query = `action=redirect&player=Alex&grant=${mark}`;
  expect((await one.shown(query)).commands).toEqual(['runs say Alex voted', 'runs say thanks, Alex']);
  await shownAndSent(one, query, { player: 'Alex' });
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun().slice(1)).toEqual(['say Alex voted', 'say thanks, Alex']);
  expect(await actionsOf(one, 1)).toEqual([`redirect by ${BY}`]);
});

test('a name that no player can have pays nobody', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  const shown = await one.browser.get(`/grants/change?action=redirect&player=%40a&grant=${mark}`);
  expect(shown.status).toBe(422);
  const digest = 'a'.repeat(16);
  const { status, said } = await one.post({ action: 'redirect', player: '@a', grant: `${mark}.${digest}` });
  expect([status, said.includes('Nobody is paid')]).toEqual([422, true]);
  expect(await one.states()).toEqual(['held']);
});

const FIXED = { name: 'broken', when: 'always', commands: ['say {player} was paid at last'] };

test('after the reward was corrected, its new commands are shown, run and the old ones dropped', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  writeConfig(one.config, { rewards: [FIXED] });
  await one.reload();
  const { 1: mark = '' } = await one.marks();
  expect((await one.shown(`action=anew&grant=${mark}`)).commands).toEqual([
    'no longer giv Steve <b>diamond</b>',
    'runs say Steve was paid at last',
    'dropped say Steve was paid',
  ]);
  await shownAndSent(one, `action=anew&grant=${mark}`);
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve was paid at last']);
});

test('commands of a config that was reloaded since they were shown do not run', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  writeConfig(one.config, { rewards: [FIXED] });
  await one.reload();
  const { 1: mark = '' } = await one.marks();
  const { marks } = await one.shown(`action=anew&grant=${mark}`);
  writeConfig(one.config, { rewards: [{ ...FIXED, commands: ['op {player}'] }] });
  await one.reload();
  const { status, said } = await one.post({ action: 'anew', grant: marks });
  expect([status, said.includes('Something else would run now')]).toEqual([422, true]);
  expect(await one.states()).toEqual(['refused']);
});

test('a reward that is gone from the config gives no new commands', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  writeConfig(one.config, { rewards: [] });
  await one.reload();
  const { 1: mark = '' } = await one.marks();
  const { status, text } = await one.shown(`action=anew&grant=${mark}`);
  expect([status, text.includes('The config has no new commands for these grants')]).toEqual([422, true]);
  expect(await one.states()).toEqual(['refused']);
});

test.each([
  ['no grant', { action: 'pay' }, 'Choose at least one grant.'],
  ['something that is no mark', { action: 'pay', grant: '1' }, 'Choose at least one grant.'],
  ['nothing to do', { action: '', grant: '1.1' }, 'Choose what to do.'],
  ['an action that does not exist', { only: 'explode 1.1' }, 'Choose what to do.'],
  ['a grant that does not exist', { only: 'pay 99.1' }, 'There is no grant 99 in the ledger.'],
  [
    'too many grants',
    { action: 'pay', grant: Array.from({ length: 501 }, (_, at) => `${at + 1}.1`) },
    'Choose at most 500 grants at once.',
  ],
] as const)('a form with %s is refused', async (_, fields, why) => {
  const { post } = await stuckConsole('hello', []);
  expect((await post(fields)).said).toContain(why);
});

test('an action that ends a grant leads to the page that shows it', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  const answer = await one.browser.post('/grants/change', { action: 'cancel', grant: mark, next: '/grants' });
  expect(answer.to).toBe(`/grants/change?action=cancel&grant=${mark}&next=%2Fgrants`);
  const { text } = await one.browser.get(answer.to ?? '');
  expect(text).toContain('Cancel 1 grant: no command will run');
  expect(await one.states()).toEqual(['held']);
});

test('a grant whose game server is not in the config is left, and the others are paid', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  await holdMany(one, 1);
  const { 1: first = '', 2: other = '' } = await one.marks();
  const { said } = await one.post({ action: 'pay', grant: [first, other] });
  expect(said).toContain(
    'Grant 1 will be paid by the running Teller. Grant 2 is for lobby, a game server that is not',
  );
  expect([await actionsOf(one, 1), await actionsOf(one, 2)]).toEqual([[`pay by ${BY}`], []]);
});

test('a grant that is held for a reason other than a command cannot be counted as run', async () => {
  const one = await stuckConsole('hello', []);
  await holdMany(one, 1);
  writeConfig(one.config, {
    rewards: [],
    gameServers: { main: { kind: 'practice' }, lobby: { kind: 'practice' } },
  });
  await one.reload();
  const { 1: mark = '' } = await one.marks();
  const { said } = await one.post({ only: `ran ${mark}` });
  expect(said).toContain('No command of grant 1 may have run');
});

test('a form that is sent twice at once pays once', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  const pay = () => one.browser.post('/grants/change', { only: `pay ${mark}` });
  expect((await Promise.all([pay(), pay()])).map(({ status }) => status)).toEqual([303, 303]);
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(one, 1)).toEqual([`pay by ${BY}`]);
});

test('of two browsers that decide differently, the second is told that the grant has moved on', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const other = await second(one);
  const { 1: mark = '' } = await one.marks();
  const { marks } = await one.shown(`action=cancel&grant=${mark}`, other);
  await one.post({ only: `ran ${mark}` });
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  const { said } = await one.post({ action: 'cancel', grant: marks }, other);
  expect(said).toContain('Grant 1 is delivered, but “Cancel” is only for grants that are');
  expect(await one.states()).toEqual(['delivered']);
});

test('a page that was opened before a grant was paid and held again does not pay it again', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  one.app.practiceServers.get('main')?.setFault('run-and-close', 1);
  await one.post({ only: `pay ${mark}` });
  const grant = async () => (await one.look.grants({ id: 1, limit: 1 }))[0];
  await expect.poll(async () => (await grant())?.commands[0]?.attempts, { timeout: 10_000 }).toBe(2);
  await expect.poll(async () => (await grant())?.state, { timeout: 10_000 }).toBe('held');
  const { said } = await one.post({ only: `pay ${mark}` });
  expect(said).toContain('Grant 1 has changed since it was shown');
  expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted']);
});

test('a grant that has moved on is left out before it is asked', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  await one.app.ledger.cancel(1, { by: 'ann' }, systemClock.now());
  const { marks, text } = await one.shown(`action=mark-paid&grant=${mark}`);
  expect(marks).toEqual([]);
  for (const part of ['Nothing can be done', '1 grant left out', 'href="/grants/1"'])
    expect(text).toContain(part);
});

test('all that match a filter are shown with their commands, the longest owed first, and then changed', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  await holdMany(one, 30);
  const query = 'all=1&server=lobby&state=held&action=cancel';
  const { marks, text } = await one.shown(query);
  expect(marks.map((mark) => Number.parseInt(mark, 10))).toEqual(
    Array.from({ length: 30 }, (_, at) => at + 2),
  );
  expect(text).not.toContain('that got stuck first');
  expect(text).toContain('Cancel 30 grants: no command will run');
  expect(text).toContain('say Bot29 voted');
  await shownAndSent(one, query);
  expect(await one.look.grantStates()).toEqual({ refused: 1, cancelled: 30 });
});

test('of more than 500 that match, the 500 that got stuck first are shown', async () => {
  const one = await stuckConsole('hello', []);
  await holdMany(one, 501);
  const { marks, text } = await one.shown('all=1&action=cancel');
  expect([marks.length, Number.parseInt(marks.at(-1) ?? '', 10)]).toEqual([500, 500]);
  expect(text).toContain('These are the 500 that got stuck first');
});

test('a visitor who has not signed in changes nothing', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  const visitor = one.visitor();
  for (const path of ['/grants', '/grants/1', '/grants/change?all=1'])
    expect((await visitor.get(path)).to).toContain('/sign-in?next=');
  expect((await one.post({ only: `pay ${mark}` }, visitor)).status).toBe(403);
  expect(await one.states()).toEqual(['held']);
});

test('without script, the message of a change is shown on the page that it leads back to', async () => {
  const one = await stuckConsole('hello', ['Steve'], LOST);
  const { 1: mark = '' } = await one.marks();
  const answer = await one.browser.post('/grants/change', {
    only: `ran ${mark}`,
    next: '/grants?state=held',
  });
  expect(answer.to).toBe('/grants?state=held');
  expect((await one.browser.get('/grants?state=held')).text).toContain(
    'Grant 1 continues after the command that ran.',
  );
});
