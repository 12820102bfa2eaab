/** What the operator decides about grants that are stuck, with the buttons and forms of the console. */
import { expect, test } from 'vitest';
import { type Game, rconGame } from '../kit/game.ts';
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

interface Deciding {
  readonly teller: Here;
  readonly game: Game;
  readonly reader: Reader;
  /** The first grant, as the page names it: `1.3`. */
  readonly mark: string;
  /** Reloads with these rewards. */
  reload(...rewards: readonly object[]): Promise<unknown>;
}

const marksIn = ({ html }: Page): readonly string[] =>
  [...html.matchAll(/name="grant" value="(\d+\.\d+)"/g)].map(([, mark = '']) => mark).toSorted();

async function deciding(teller: Here, game: Game): Promise<Deciding> {
  const [mark = ''] = marksIn(await page(teller, '/grants'));
  const reload = (...rewards: readonly object[]) =>
    teller.reload({ gameServers: { main: game.entry }, rewards });
  return { teller, game, reader: await operator(teller), mark, reload };
}

/** The reply to the first command of Steve’s grant 1 was lost, so it is held. */
async function lost(): Promise<Deciding> {
  const game = await rconGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards: [HELLO] });
  game.fault('run-and-close');
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held');
  return deciding(teller, game);
}

/** The game server refused the first command of Steve’s grant 1. */
async function refused(): Promise<Deciding> {
  const game = await rconGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards: [BROKEN] });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('refused');
  return deciding(teller, game);
}

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

test('pay runs the command again and the ones after it, and the grant is delivered', async () => {
  const { teller, game, reader, mark } = await lost();
  const { text } = await reader.post(CHANGE, { only: `pay ${mark}` });
  expect(text).toContain('Grant 1 will be paid by the running Teller.');
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(teller, 1)).toEqual([`pay by ${BY}`]);
  expect(teller.log.find(({ code }) => code === 'grants-changed')?.fields).toEqual({
    ...{ code: 'grants-changed', by: BY, action: 'pay', grants: [1] },
  });
});

test('it ran runs only the commands after it', async () => {
  const { teller, game, reader, mark } = await lost();
  await reader.post(CHANGE, { only: `ran ${mark}` });
  await teller.untilGrants('delivered');
  expect(game.ran).toEqual(['say Steve voted', 'say thanks, Steve']);
  expect(await actionsOf(teller, 1)).toEqual([`ran by ${BY}`]);
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

test('after the reward was corrected, its new commands are shown, run and the old ones dropped', async () => {
  const { teller, game, reader, mark, reload } = await refused();
  const before = game.ran.length;
  await reload(FIXED);
  expect((await shown(reader, `action=anew&grant=${mark}`)).commands).toEqual([
    'no longer nonsense Steve <b>diamond</b>',
    'runs say Steve was paid at last',
    'dropped say Steve was paid',
  ]);
  await confirmed(reader, `action=anew&grant=${mark}`);
  await teller.untilGrants('delivered');
  expect(game.ran.slice(before)).toEqual(['say Steve was paid at last']);
});

test('commands of a config that was reloaded since they were shown do not run', async () => {
  const { teller, reader, mark, reload } = await refused();
  await reload(FIXED);
  const { marks } = await shown(reader, `action=anew&grant=${mark}`);
  await reload({ ...FIXED, commands: ['op {player}'] });
  const { status, text } = await reader.post(CHANGE, { action: 'anew', grant: marks });
  expect([status, text.includes('Something else would run now')]).toEqual([422, true]);
  expect(await statesOf(teller)).toEqual(['refused']);
});

test('a reward that is gone from the config gives no new commands', async () => {
  const { reader, mark, reload } = await refused();
  await reload();
  const { status, text } = await shown(reader, `action=anew&grant=${mark}`);
  expect([status, text.includes('The config has no new commands for these grants')]).toEqual([422, true]);
});

test('a form is refused with what is missing or wrong in it', async () => {
  const { reader } = await lost();
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
});

test('an action that ends a grant leads to the page that shows it', async () => {
  const { teller, reader, mark } = await lost();
  const answer = await reader.post(CHANGE, { action: 'cancel', grant: mark, next: '/grants' });
  expect(answer.at).toBe(`${CHANGE}?action=cancel&grant=${mark}&next=%2Fgrants`);
  expect(answer.text).toContain('Cancel 1 grant: no command will run');
  expect(await statesOf(teller)).toEqual(['held']);
});

test('the message of a change is shown on the page that it leads back to', async () => {
  const { reader, mark } = await lost();
  const answer = await reader.post(CHANGE, { only: `ran ${mark}`, next: '/grants?state=held' });
  expect(answer.at).toBe('/grants?state=held');
  expect(answer.text).toContain('Grant 1 continues after the command that ran.');
});

test('a grant whose game server is not in the config is left, and the others are paid', async () => {
  const one = await lost();
  await alsoGone(one, 1);
  const [first = '', other = ''] = marksIn(await page(one.teller, '/grants'));
  const { text } = await one.reader.post(CHANGE, { action: 'pay', grant: [first, other] });
  const id = Number.parseInt(other, 10);
  expect(text).toContain(
    `Grant 1 will be paid by the running Teller. Grant ${id} is for lobby, a game server that is not`,
  );
  expect([await actionsOf(one.teller, 1), await actionsOf(one.teller, id)]).toEqual([[`pay by ${BY}`], []]);
});

test('a grant that is held for a reason other than a command cannot be counted as run', async () => {
  const one = await lost();
  await alsoGone(one, 1);
  const lobby = { kind: 'practice', autoJoin: false };
  await one.teller.reload({ gameServers: { main: one.game.entry, lobby }, rewards: [] });
  const [, other = ''] = marksIn(await page(one.teller, '/grants'));
  const { text } = await one.reader.post(CHANGE, { only: `ran ${other}` });
  expect(text).toContain(`No command of grant ${Number.parseInt(other, 10)} may have run`);
});

test('a form that is sent twice at once pays once', async () => {
  const { teller, game, reader, mark } = await lost();
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

test('a visitor who has not signed in changes nothing', async () => {
  const { teller, mark } = await lost();
  const stranger = await visitor(teller);
  for (const path of ['/grants', '/grants/1', `${CHANGE}?all=1`])
    expect((await stranger.get(path)).to).toContain('/sign-in?next=');
  expect((await stranger.post(CHANGE, { only: `pay ${mark}` })).status).toBe(403);
  expect(await statesOf(teller)).toEqual(['held']);
});
