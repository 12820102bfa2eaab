/** What the operator decides about grants that are stuck, with the buttons and forms of the console. */
import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, type Page, page, type Reader, signedIn, visitor } from '../kit/page.ts';
import { textOf } from '../support/page-text.ts';

const CHANGE = '/grants/change';
const BY = 'console from 127.0.0.1 by link';
const HELLO = {
  name: 'hello',
  when: 'always',
  servers: ['main'],
  commands: ['say {player} voted', 'say thanks, {player}'],
};
const BROKEN = {
  ...HELLO,
  name: 'broken',
  commands: ['nonsense {player} <b>diamond</b>', 'say {player} was paid'],
};
const FIXED = { ...BROKEN, commands: ['say {player} was paid at last'] };

const marksIn = ({ html }: Page): readonly string[] =>
  [...html.matchAll(/name="grant" value="(\d+\.\d+)"/g)].map(([, mark = '']) => mark).toSorted();

/** Steve’s grant 1, of whose first command the reply was lost, so it is held, or which the game server refused. */
async function stuck(state: 'held' | 'refused') {
  const game = await rconGame();
  const rewards = [state === 'held' ? HELLO : BROKEN];
  const teller = await here({ gameServers: { main: game.entry }, rewards });
  if (state === 'held') game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants(state);
  /** The grant, as the page names it: `1.3`. */
  const [mark = ''] = marksIn(await page(teller, '/grants'));
  /** Reloads with these rewards. */
  const reload = (...next: readonly object[]) =>
    teller.reload({ gameServers: { main: game.entry }, rewards: next });
  return { teller, game, reader: await operator(teller), mark, reload };
}

type Deciding = Awaited<ReturnType<typeof stuck>>;

const lost = (): Promise<Deciding> => stuck('held');

/** Beside grant 1, ten grants for each of these votes are held, because their game server is gone from the config. */
async function alsoGone(one: Deciding, votes: number): Promise<void> {
  const { teller, game, reload } = one;
  const lobby = { kind: 'practice', autoJoin: false };
  const old = Array.from({ length: 10 }, (_, at) => ({
    ...{ name: `old${at}`, servers: ['lobby'], commands: ['say {player} voted'] },
  }));
  await teller.reload({ gameServers: { main: game.entry, lobby }, rewards: old });
  for (let number = 0; number < votes; number++) await teller.vote({ player: `Bot${number}` });
  await reload(HELLO);
  const held = async () =>
    (await teller.run('grants', '--state', 'held', '--server', 'lobby', '--limit', '999', '--json')).json;
  await teller.until(async () => (await held()).length === 10 * votes);
}

const statesOf = async (teller: Here): Promise<readonly string[]> =>
  (await teller.grants()).map(({ state }) => state);

/** `pay by ann` for each thing that was done with a grant. */
async function actionsOf({ run }: Here, id: number): Promise<readonly string[]> {
  const grants: readonly { id: number; actions: { action: string; by: string }[] }[] = (
    await run('grants', '--limit', '999', '--json')
  ).json;
  return grants.find((grant) => grant.id === id)?.actions.map(({ action, by }) => `${action} by ${by}`) ?? [];
}

/** What a change would do, before it is done. */
async function shown(reader: Reader, query: string) {
  const { status, text, html } = await reader.get(`${CHANGE}?${query}`);
  const parts = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, part = '']) => part);
  return {
    ...{ status, text },
    /** With what the page has shown. */
    marks: parts(/name="grant" value="(\d+\.\d+\.[\w-]{16})"/g),
    /** What becomes of each command: `runs say hi`. */
    commands: parts(/<ol class="fates">(.*?)<\/ol>/gs)
      .flatMap((list) => list.split('</li>').slice(0, -1))
      .map((command) => textOf({ text: command })),
  };
}

/** Asks what would be done, and says yes. */
async function confirmed(reader: Reader, query: string): Promise<Page> {
  const { marks } = await shown(reader, query);
  const { action = '', player = '' } = Object.fromEntries(new URLSearchParams(query));
  return reader.post(CHANGE, { action, grant: marks, ...(player === '' ? {} : { player }) });
}

test.each([
  ['pay', 'will be paid by the running Teller.', ['say Steve voted', 'say thanks, Steve']],
  ['ran', 'continues after the command that ran.', ['say thanks, Steve']],
] as const)('%s continues the grant, which is delivered: grant 1 %s', async (action, said, commands) => {
  const { teller, game, reader, mark } = await lost();
  const answer = await reader.post(CHANGE, { only: `${action} ${mark}`, next: '/grants?state=held' });
  expect([answer.at, answer.text]).toEqual([
    '/grants?state=held',
    expect.stringContaining(`Grant 1 ${said}`),
  ]);
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted', ...commands]);
  expect(await actionsOf(teller, 1)).toEqual([`${action} by ${BY}`]);
  expect(teller.log.find(({ code }) => code === 'grants-changed')?.fields).toEqual({
    ...{ code: 'grants-changed', by: BY, action, grants: [1] },
  });
});

test.each([
  ['mark-paid', 'delivered'],
  ['cancel', 'cancelled'],
] as const)('%s shows that no command will run, and then runs none', async (action, state) => {
  const { teller, game, reader, mark } = await lost();
  const query = `action=${action}&grant=${mark}`;
  expect((await shown(reader, query)).commands).toEqual([
    'does not run say Steve voted',
    'does not run say thanks, Steve',
  ]);
  await confirmed(reader, query);
  await teller.pass(5_000);
  expect([await statesOf(teller), game.ran]).toEqual([[state], ['say Steve voted']]);
  expect(await actionsOf(teller, 1)).toEqual([`${action} by ${BY}`]);
});

test('another player is paid, by the commands that were shown; a name that no player can have pays nobody', async () => {
  const { teller, game, reader, mark } = await lost();
  expect((await shown(reader, `action=redirect&player=%40a&grant=${mark}`)).status).toBe(422);
  const bad = { action: 'redirect', player: '@a', grant: `${mark}.${'a'.repeat(16)}` };
  const answer = await reader.post(CHANGE, bad);
  expect([answer.status, answer.text.includes('Nobody is paid')]).toEqual([422, true]);
  expect(await statesOf(teller)).toEqual(['held']);

  const query = `action=redirect&player=Alex&grant=${mark}`;
  expect((await shown(reader, query)).commands).toEqual(['runs say Alex voted', 'runs say thanks, Alex']);
  await confirmed(reader, query);
  await teller.untilGrants('delivered');
  expect(game.ran.slice(1)).toEqual(['say Alex voted', 'say thanks, Alex']);
  expect(await actionsOf(teller, 1)).toEqual([`redirect by ${BY}`]);
});

test('after the reward was corrected, its new commands are shown, run and the old ones dropped; others than those shown do not run', async () => {
  const { teller, game, reader, mark, reload } = await stuck('refused');
  const before = game.ran.length;
  const query = `action=anew&grant=${mark}`;
  await reload(FIXED);
  const { commands, marks } = await shown(reader, query);
  expect(commands).toEqual([
    'no longer nonsense Steve <b>diamond</b>',
    'runs say Steve was paid at last',
    'dropped say Steve was paid',
  ]);
  await reload({ ...FIXED, commands: ['op {player}'] });
  const late = await reader.post(CHANGE, { action: 'anew', grant: marks });
  expect([late.status, late.text.includes('Something else would run now')]).toEqual([422, true]);
  await reload();
  const gone = await shown(reader, query);
  expect([gone.status, gone.text]).toEqual([
    422,
    expect.stringContaining('The config has no new commands for these grants'),
  ]);
  expect(await statesOf(teller)).toEqual(['refused']);
  await reload(FIXED);
  await confirmed(reader, query);
  await teller.untilGrants('delivered');
  expect(game.ran.slice(before)).toEqual(['say Steve was paid at last']);
});

test('a form is refused with what is missing or wrong in it; an action that ends a grant leads to the page that shows it', async () => {
  const { teller, reader, mark } = await lost();
  for (const [fields, why] of [
    [{ action: 'pay' }, 'Choose at least one grant.'],
    [{ action: 'pay', grant: '1' }, 'Choose at least one grant.'],
    [{ action: '', grant: '1.1' }, 'Choose what to do.'],
    [{ only: 'explode 1.1' }, 'Choose what to do.'],
    [{ only: 'pay 99.1' }, 'There is no grant 99 in the ledger.'],
    [
      { action: 'pay', grant: Array.from({ length: 501 }, (_, at) => `${at + 1}.1`) },
      'Choose at most 500 grants at once.',
    ],
  ] as const)
    expect((await reader.post(CHANGE, fields)).text).toContain(why);
  const answer = await reader.post(CHANGE, { action: 'cancel', grant: mark, next: '/grants' });
  expect(answer.at).toBe(`${CHANGE}?action=cancel&grant=${mark}&next=%2Fgrants`);
  expect(answer.text).toContain('Cancel 1 grant: no command will run');
  expect(await statesOf(teller)).toEqual(['held']);
});

test('a grant whose game server is not in the config is left, and the others are paid; no command of it can be counted as run', async () => {
  const one = await lost();
  await alsoGone(one, 1);
  const [first = '', other = ''] = marksIn(await page(one.teller, '/grants'));
  const id = Number.parseInt(other, 10);
  const { text } = await one.reader.post(CHANGE, { action: 'pay', grant: [first, other] });
  expect(text).toContain(
    `Grant 1 will be paid by the running Teller. Grant ${id} is for lobby, a game server that is not`,
  );
  expect([await actionsOf(one.teller, 1), await actionsOf(one.teller, id)]).toEqual([[`pay by ${BY}`], []]);
  const lobby = { kind: 'practice', autoJoin: false };
  await one.teller.reload({ gameServers: { main: one.game.entry, lobby }, rewards: [] });
  expect((await one.reader.post(CHANGE, { only: `ran ${other}` })).text).toContain(
    `No command of grant ${id} may have run`,
  );
});

test('a form that is sent twice at once pays once; a visitor who has not signed in pays nothing', async () => {
  const { teller, game, reader, mark } = await lost();
  const stranger = await visitor(teller);
  for (const path of ['/grants', '/grants/1', `${CHANGE}?all=1`])
    expect((await stranger.get(path)).to).toContain('/sign-in?next=');
  expect((await stranger.post(CHANGE, { only: `pay ${mark}` })).status).toBe(403);
  for (const path of ['/reload', '/test/votes', '/test/practice'])
    expect((await stranger.post(path)).status).toBe(403);
  const pay = () => reader.post(CHANGE, { only: `pay ${mark}` });
  expect((await Promise.all([pay(), pay()])).map(({ status }) => status)).toEqual([303, 303]);
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(teller, 1)).toEqual([`pay by ${BY}`]);
});

test('of two browsers that decide differently, the second is told that the grant has moved on', async () => {
  const { teller, reader, mark } = await lost();
  const other = await signedIn(teller);
  const { marks } = await shown(other, `action=cancel&grant=${mark}`);
  await reader.post(CHANGE, { only: `ran ${mark}` });
  await teller.untilGrants('delivered');
  const { text } = await other.post(CHANGE, { action: 'cancel', grant: marks });
  expect(text).toContain('Grant 1 is delivered, but “Cancel” is only for grants that are');
  expect(await statesOf(teller)).toEqual(['delivered']);
});

test('a page that was opened before a grant was paid and held again does not pay it again', async () => {
  const { teller, game, reader, mark } = await lost();
  game.fault('run-and-close');
  await reader.post(CHANGE, { only: `pay ${mark}` });
  await teller.until(async () => {
    const [grant] = await teller.grants();
    return grant?.state === 'held' && grant.commands[0]?.attempts === 2;
  });
  const { text } = await reader.post(CHANGE, { only: `pay ${mark}` });
  expect(text).toContain('Grant 1 has changed since it was shown');
  expect(game.ran).toEqual(['say Steve voted', 'say Steve voted']);
});

test('a grant that has moved on is left out before it is asked', async () => {
  const { teller, reader, mark } = await lost();
  await teller.run('grants', 'cancel', '1', '--yes');
  const { html, text } = await reader.get(`${CHANGE}?action=mark-paid&grant=${mark}`);
  expect(text).not.toContain('Mark 1 grant');
  for (const part of ['Nothing can be done', '1 grant left out', 'href="/grants/1"'])
    expect(html).toContain(part);
});

test('all that match a filter are shown with their commands, the longest owed first, and then changed', async () => {
  const one = await lost();
  await alsoGone(one, 3);
  const query = 'all=1&server=lobby&state=held&action=cancel';
  const { marks, text } = await shown(one.reader, query);
  expect(marks.map((mark) => Number.parseInt(mark, 10))).toEqual(
    Array.from({ length: 30 }, (_, at) => at + 2),
  );
  expect(text).not.toContain('that got stuck first');
  for (const part of ['Cancel 30 grants: no command will run', 'say Bot2 voted'])
    expect(text).toContain(part);
  await confirmed(one.reader, query);
  expect(await statesOf(one.teller)).toEqual(['held', ...Array<string>(30).fill('cancelled')]);
});

test('of more than 500 that match, the 500 that got stuck first are shown', async () => {
  const one = await lost();
  await alsoGone(one, 51);
  const { marks, text } = await shown(one.reader, 'all=1&server=lobby&action=cancel');
  expect([marks.length, Number.parseInt(marks.at(-1) ?? '', 10)]).toEqual([500, 501]);
  expect(text).toContain('These are the 500 that got stuck first');
});
