import { describe, expect, test } from 'vitest';
import { type End, gameServers, june, type LedgerOfTest, ledgers, NOON, reward } from '../kit/ledgers.ts';

const COMMANDS = ['give {player} diamond 1', 'give {player} emerald 2'];
const DAILY = reward('daily', { when: 'online', commands: COMMANDS });
const SITUATIONS = ['pending', 'waiting', 'held', 'refused', 'delivered', 'cancelled', 'sending'] as const;
type Situation = (typeof SITUATIONS)[number];
const NO_CHANGE = { kindByServer: new Map<string, string>() };
const MAIN = { server: 'main', practice: false };

/** A ledger with one grant of two commands that is in this situation. */
async function grantThatIs(situation: Situation): Promise<LedgerOfTest> {
  const ledger = await ledgers({ rewards: [DAILY] });
  await ledger.vote({});
  if (situation === 'pending') return ledger;
  if (situation === 'waiting') await ledger.wait(1);
  else if (situation === 'cancelled') await ledger.cancel(1);
  else {
    await ledger.send(1, 'delivered', { state: 'pending' });
    await ledger.claim(1, { position: 1 });
    if (situation !== 'sending') await ledger.settle(1, situation);
  }
  return ledger;
}
const look = async (ledger: LedgerOfTest) => (await ledger.grants())[0]!;
const texts = async (ledger: LedgerOfTest) => (await look(ledger)).commands.map(({ command }) => command);

const LATER = NOON + 7;
const CHANGES: Readonly<Record<string, (ledger: LedgerOfTest, id?: number) => Promise<object>>> = {
  pay: (ledger, id = 1) => ledger.pay(id, {}, LATER),
  redirect: (ledger, id = 1) => ledger.pay(id, { to: '.Steve' }, LATER),
  'mark-paid': (ledger, id = 1) => ledger.markPaid(id, { by: 'ann' }, LATER),
  ran: (ledger, id = 1) => ledger.continueAfter(id, { by: 'ann', ...NO_CHANGE }, LATER),
  cancel: (ledger, id = 1) => ledger.cancel(id, {}, LATER),
};

describe.each<[string, readonly Situation[], string]>([
  ['pay', ['held', 'refused'], 'pending'],
  ['redirect', ['waiting', 'held', 'refused'], 'pending'],
  ['mark-paid', ['held', 'refused'], 'delivered'],
  ['ran', ['held', 'refused'], 'delivered'],
  ['cancel', ['pending', 'waiting', 'held', 'refused'], 'cancelled'],
])('%s', (name, from, to) => {
  const change = CHANGES[name]!;
  const others = SITUATIONS.filter((situation) => !from.includes(situation));

  test.each(from)(`brings a grant from %s to ${to}, once, and stores who did it`, async (situation) => {
    const ledger = await grantThatIs(situation);
    expect(await change(ledger)).toMatchObject({ kind: name === 'ran' ? 'continued' : 'changed' });
    const actions = [{ action: name, at: LATER, by: 'ann' }];
    expect(await look(ledger)).toMatchObject({ state: to, changedAt: LATER, actions });
    expect(await change(ledger)).toEqual({ kind: 'not-changed', state: to });
  });

  test.each(others)('does not change a grant that is %s, and says so', async (situation) => {
    const ledger = await grantThatIs(situation);
    const before = await look(ledger);
    expect(await change(ledger)).toEqual({ kind: 'not-changed', state: situation });
    expect(await look(ledger)).toEqual(before);
    expect(await change(ledger, 99)).toEqual({ kind: 'not-changed', state: 'missing' });
  });
});

test('a grant that is paid by order runs the command that stopped it again, never one that was delivered', async () => {
  const ledger = await grantThatIs('held');
  await ledger.pay(1);
  const commands = [{ position: 1, text: 'give {player} emerald 2', attempts: 1 }];
  expect(await ledger.pending(MAIN, NOON, 9)).toMatchObject([{ id: 1, commands }]);
  expect((await look(ledger)).commands.map(({ outcome }) => outcome)).toEqual(['delivered', null]);
});

test.each([
  ['refused', 'give Steve emerald 9'],
  ['delivered', 'give Steve emerald 2'],
] as const)(
  'a grant that is paid by order gets new texts only for commands that have not run: %s',
  async (situation, second) => {
    const ledger = await grantThatIs(situation);
    await ledger.pay(1, { texts: ['give {player} gold 9', 'give {player} emerald 9'] });
    expect(await texts(ledger)).toEqual(['give Steve diamond 1', second]);
  },
);

test('a grant that is paid by order and was held because its game server changed is owed on the new one', async () => {
  const ledger = await grantThatIs('held');
  const kindByServer = new Map([['main', 'practice']]);
  await ledger.pay(1, { kindByServer });
  expect(await ledger.grants()).toMatchObject([{ id: 1, state: 'pending', practice: true }]);
  expect(await ledger.holdOrphaned(kindByServer, NOON)).toMatchObject({ held: 0 });
});

test('a grant that is paid to another player is theirs, with what was delivered to the first one, and takes no window', async () => {
  const ledger = await grantThatIs('held');
  await ledger.pay(1, { to: '.Steve' }, LATER);
  const theirs = { recipient: '.steve', player: '.Steve' };
  expect(await look(ledger)).toMatchObject({ ...theirs, redirected: { insteadOf: 'Steve', at: LATER } });
  expect(await texts(ledger)).toEqual(['give Steve diamond 1', 'give .Steve emerald 2']);
  const [grant] = await ledger.pending(MAIN, LATER, 9);
  expect(grant).toMatchObject({ recipientKey: '.steve', player: '.Steve' });
  for (const recipient of ['Steve', '.Steve']) expect(await ledger.grants({ recipient })).toHaveLength(1);
  expect(await ledger.votes({ recipient: '.Steve' })).toEqual([]);
  expect(await ledger.vote({ player: '.Steve' })).toEqual(['rewarded']);
});

test('a grant that is paid to the player of its vote after all is not redirected any more', async () => {
  const ledger = await grantThatIs('waiting');
  await ledger.pay(1, { to: '.Steve' });
  await ledger.wait(1);
  await ledger.pay(1, { to: 'Steve' });
  expect(await look(ledger)).toMatchObject({ recipient: 'steve', player: 'Steve', redirected: null });
  for (const none of [{ recipient: '.Steve' }, { redirected: true }] as const)
    expect(await ledger.grants(none)).toEqual([]);
});

test('a grant that is paid to another player is not claimed by a process that read it with the first player, and stays on its kind of game server', async () => {
  const ledger = await grantThatIs('waiting');
  await ledger.pay(1, { to: '.Steve', kindByServer: new Map([['main', 'practice']]) });
  expect(await look(ledger)).toMatchObject({ state: 'pending', practice: false });
  expect(await ledger.claim(1)).toBe(false);
  expect(await ledger.claim(1, { player: '.Steve' })).toBe(true);
});

test('a refused command that the operator says has run keeps no empty reply, which would be read as that of an accepted command', async () => {
  const ledger = await ledgers({ rewards: [reward('thanks')] });
  await ledger.vote({});
  await ledger.send(1, { kind: 'refused', reply: '' }, { state: 'refused' });
  await CHANGES.ran!(ledger);
  const [command] = (await look(ledger)).commands;
  expect(command).toMatchObject({ outcome: 'delivered', reply: null, reason: { code: 'ran-by-operator' } });
});

describe('a grant that was shown to an operator', () => {
  const shown = { by: 'ann', shownChange: NOON };

  test.each<[string, (ledger: LedgerOfTest, id: number) => Promise<unknown>]>([
    ['pay', (ledger, id) => ledger.pay(id, shown)],
    ['ran', (ledger, id) => ledger.continueAfter(id, { ...shown, ...NO_CHANGE }, NOON)],
    ['mark-paid', (ledger, id) => ledger.markPaid(id, shown, NOON)],
    ['cancel', (ledger, id) => ledger.cancel(id, shown)],
  ])('is left as it is by %s if it has changed since, although it is held again', async (_, act) => {
    const ledger = await grantThatIs('held');
    await ledger.pay(1, { by: 'ben' }, NOON + 7);
    await ledger.send(1, 'held', { position: 1, endedAt: NOON + 8 });
    const before = await look(ledger);
    expect(await act(ledger, 1)).toEqual({ kind: 'not-changed', state: 'held' });
    expect(await look(ledger)).toEqual(before);
    expect(await act(ledger, 99)).toEqual({ kind: 'not-changed', state: 'missing' });
  });

  test('is changed if it has not changed since, and all who changed it are kept in order', async () => {
    const ledger = await grantThatIs('held');
    expect(await ledger.pay(1, shown, NOON + 7)).toEqual({ kind: 'changed' });
    await ledger.cancel(1, { by: 'ben' }, NOON + 8);
    expect((await look(ledger)).actions).toEqual([
      { action: 'pay', at: NOON + 7, by: 'ann' },
      { action: 'cancel', at: NOON + 8, by: 'ben' },
    ]);
  });
});

describe('a reward that the operator gives', () => {
  const limit = { per: 'player', count: 1, within: 'ever' };
  const total = reward('total', { if: { votes: { at: [2] } }, limit });
  const on = (date: number, player = 'Steve') => ({ at: june(date), player });

  test('spends its occasion for its player, and for no other one (rule 14)', async () => {
    const ledger = await ledgers({ rewards: [total] });
    const spent = { kind: 'refused', code: 'occasion-spent' };
    expect(await ledger.give('total', 'Steve', 'total 2')).toMatchObject({ kind: 'given' });
    expect(await ledger.give('total', 'Steve', 'total 2')).toEqual(spent);
    await ledger.vote(on(1), on(1, 'Alex'), on(2), on(2, 'Alex'));
    expect((await ledger.judged('total')).slice(-2)).toEqual(['occasion-spent', ['total 2']]);
    expect(await ledger.give('total', 'Alex', 'total 2')).toEqual(spent);
  });

  test('spends an occasion of the network for everyone', async () => {
    const first = reward('party', { if: { votes: { at: [1], of: 'network' } } });
    const ledger = await ledgers({ rewards: [first] });
    await ledger.give('party', 'Steve', 'network 1');
    await ledger.vote(on(1, 'Alex'));
    expect(await ledger.judged('party')).toEqual(['occasion-spent']);
  });

  test('for a streak is not paid again by the run that it belongs to', async () => {
    const ledger = await ledgers({ rewards: [reward('streak', { if: { streak: 2 } })] });
    await ledger.give('streak', 'Steve', 'streak 2 reached 2026-06-02');
    await ledger.vote(on(1), on(2), on(3), on(5), on(6));
    expect((await ledger.judged('streak')).slice(0, 4)).toEqual(Array(4).fill('streak'));
    expect((await ledger.judged('streak'))[4]).toEqual(['streak 2 reached 2026-06-06']);
  });
});

/** When the fourth vote came, after the others. */
const NOW = june(2);
type StuckFilter = Parameters<LedgerOfTest['stuckGrants']>[0];
type StuckWanted = Parameters<LedgerOfTest['stuckGrants']>[1];
const ALL: StuckWanted = { limit: 99, lookAt: 1_000 };

/** Grants 1 to 3 on main: held, refused, held; 4 on the lobby: held. Grant 5 is to be paid. They got stuck in the order 3, 1, 4, 2. */
async function stuck(): Promise<LedgerOfTest> {
  const thanks = (server: string) => ({
    gameServers: gameServers('main', 'lobby'),
    rewards: [reward('thanks', { servers: [server] })],
  });
  const ledger = await ledgers(thanks('main'));
  await ledger.vote({ player: 'Ann' }, { player: 'Ben' }, { player: 'Cleo' });
  await ledger.use(thanks('lobby'));
  await ledger.vote({ player: 'Dan', at: NOW });
  await ledger.use(thanks('main'));
  await ledger.vote({ player: 'Eve' });
  for (const [at, id] of [3, 1, 4].entries()) await stick(ledger, id, 'held', at + 1);
  await stick(ledger, 2, 'refused', 4);
  return ledger;
}
const stick = (ledger: LedgerOfTest, id: number, end: End, afterMs: number) =>
  ledger.send(id, end, { endedAt: NOW + afterMs });
const idsOf = async (ledger: LedgerOfTest, filter: StuckFilter, wanted: StuckWanted = ALL) =>
  (await ledger.stuckGrants(filter, wanted)).grants.map(({ id }) => id);

test.each<readonly [StuckFilter, readonly number[]]>([
  [{}, [2, 4, 1, 3]],
  [{ state: 'held' }, [4, 1, 3]],
  [{ state: 'refused' }, [2]],
  [{ server: 'lobby' }, [4]],
  [{ place: 'main' }, [2, 1, 3]],
  [{ place: 'main or lobby' }, []],
  [{ reward: 'thanks' }, [2, 4, 1, 3]],
  [{ reward: 'daily' }, []],
  [{ recipient: 'CLEO' }, [3]],
  [{ recipient: 'Eve' }, []],
  [{ reason: 'closed' }, [4, 1, 3]],
  [{ reason: 'refused', server: 'main' }, [2]],
  [{ reason: null }, []],
  [{ since: NOW }, [4]],
])('grants that need the operator are listed, the latest first or the oldest: %o', async (filter, ids) => {
  const ledger = await stuck();
  expect(await idsOf(ledger, filter)).toEqual(ids);
  expect(await idsOf(ledger, filter, { ...ALL, isOldestFirst: true })).toEqual(ids.toReversed());
});

test('a grant that was redirected is found by both players; their number is counted, up to a limit', async () => {
  const ledger = await stuck();
  expect([await ledger.stuckCount(9), await ledger.stuckCount(3)]).toEqual([4, 3]);
  await ledger.pay(1, { to: 'Zoe' });
  await stick(ledger, 1, 'held', 9);
  for (const recipient of ['ann', 'zoe']) expect(await idsOf(ledger, { recipient })).toEqual([1]);
});

test.each([1, 2, 3])('pages of %i go on where the last one ended', async (limit) => {
  const ledger = await stuck();
  const pageAfter = (after?: StuckWanted['after']) =>
    ledger.stuckGrants({}, { limit, lookAt: 1_000, ...(after === undefined ? {} : { after }) });
  let page = await pageAfter();
  const seen = [...page.grants];
  while (page.next !== null) {
    page = await pageAfter(page.next);
    seen.push(...page.grants);
  }
  expect(seen.map(({ id }) => id)).toEqual([2, 4, 1, 3]);
});

test('a page that found too few among those looked at goes on after the last one looked at', async () => {
  const ledger = await stuck();
  const first = await ledger.stuckGrants({ recipient: 'Cleo' }, { limit: 9, lookAt: 1_000 });
  expect([first.grants.map(({ id }) => id), first.next]).toEqual([[3], null]);
  const few = await ledger.stuckGrants({ reason: 'closed' }, { limit: 9, lookAt: 2 });
  expect([few.grants.map(({ id }) => id), few.next]).toEqual([[4], { changedAt: NOW + 3, id: 4 }]);
  const rest = await ledger.stuckGrants({ reason: 'closed' }, { limit: 9, lookAt: 3, after: few.next! });
  expect([rest.grants.map(({ id }) => id), rest.next]).toEqual([[1, 3], null]);
});

test('they are grouped by game server and reason, each with its number and its latest grants', async () => {
  const ledger = await stuck();
  const { groups, hasMore } = await ledger.stuckGroups({}, { limit: 1, lookAt: 1_000 });
  const of = ({ server, state, reason, count, changedAt, grants }: (typeof groups)[number]) =>
    `${server} ${state} ${reason}: ${count} until ${changedAt - NOW}, ${grants.map(({ id }) => id)}`;
  const shown = ['main refused refused: 1 until 4, 2', 'lobby held closed: 1 until 3, 4'];
  expect(groups.map(of)).toEqual([...shown, 'main held closed: 2 until 2, 1']);
  expect(hasMore).toBe(false);
  const few = await ledger.stuckGroups({}, { limit: 9, lookAt: 2 });
  expect([few.groups.map(({ count }) => count), few.hasMore]).toEqual([[1, 1], true]);
});
