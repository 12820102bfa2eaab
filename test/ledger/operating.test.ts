import { describe, expect, test } from 'vitest';
import { DAY, june, type LedgerOfTest, ledgers, NOON, reward } from '../kit/ledgers.ts';

const DAILY = reward('daily', {
  when: 'online',
  commands: ['give {player} diamond 1', 'give {player} emerald 2'],
});
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
    if (situation !== 'sending') await ledger.settle(1, situation, { position: 1 });
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

  test.each(from)(`brings a grant from %s to ${to}, once, and stores who did it`, async (situation) => {
    const ledger = await grantThatIs(situation);
    expect((await change(ledger)) as { kind: string }).toMatchObject({
      kind: name === 'ran' ? 'continued' : 'changed',
    });
    expect(await look(ledger)).toMatchObject({
      ...{ state: to, changedAt: LATER, actions: [{ action: name, at: LATER, by: 'ann' }] },
    });
    expect(await change(ledger)).toEqual({ kind: 'not-changed', state: to });
  });

  test.each(SITUATIONS.filter((situation) => !from.includes(situation)))(
    'does not change a grant that is %s, and says so',
    async (situation) => {
      const ledger = await grantThatIs(situation);
      const before = await look(ledger);
      expect(await change(ledger)).toEqual({ kind: 'not-changed', state: situation });
      expect(await look(ledger)).toEqual(before);
      expect(await change(ledger, 99)).toEqual({ kind: 'not-changed', state: 'missing' });
    },
  );
});

describe('a grant that is paid by order', () => {
  test('runs the command that stopped it again, never one that was delivered', async () => {
    const ledger = await grantThatIs('held');
    await ledger.pay(1);
    expect(await ledger.pending(MAIN, NOON, 9)).toMatchObject([
      { id: 1, commands: [{ position: 1, text: 'give {player} emerald 2', attempts: 1 }] },
    ]);
    expect((await look(ledger)).commands.map(({ outcome }) => outcome)).toEqual(['delivered', null]);
  });

  test.each([
    [
      'refused',
      ['give {player} gold 9', 'give {player} emerald 9'],
      ['give Steve diamond 1', 'give Steve emerald 9'],
    ],
    ['delivered', ['say no', 'say no'], ['give Steve diamond 1', 'give Steve emerald 2']],
  ] as const)('gets new texts only for commands that have not run: %s', async (situation, given, stored) => {
    const ledger = await grantThatIs(situation);
    await ledger.pay(1, { texts: given });
    expect(await texts(ledger)).toEqual(stored);
  });

  test('with fewer commands loses those that have not run, and is delivered if none is left', async () => {
    const ledger = await grantThatIs('pending');
    await ledger.holdOrphaned(new Map([['other', 'rcon']]), NOON);
    await ledger.pay(1, { texts: ['say hi'] });
    expect(await look(ledger)).toMatchObject({
      ...{ state: 'pending', reason: { code: 'by-operator', facts: { dropped: 1 } } },
      commands: [{ command: 'say hi', outcome: null }],
    });
    const refused = await grantThatIs('refused');
    await refused.pay(1, { texts: ['give {player} diamond 1'] });
    expect(await look(refused)).toMatchObject({
      ...{ state: 'delivered', commands: [{ command: 'give Steve diamond 1', outcome: 'delivered' }] },
    });
  });

  test('and was held because its game server changed is owed on the new one', async () => {
    const ledger = await grantThatIs('held');
    const kindByServer = new Map([['main', 'practice']]);
    await ledger.pay(1, { kindByServer });
    expect(await ledger.grants()).toMatchObject([{ id: 1, state: 'pending', practice: true }]);
    expect(await ledger.holdOrphaned(kindByServer, NOON)).toMatchObject({ held: 0 });
  });
});

describe('a grant that is paid to another player', () => {
  test('is theirs, with what was delivered to the first one, and takes no window', async () => {
    const ledger = await grantThatIs('held');
    await ledger.pay(1, { to: '.Steve' }, LATER);
    expect(await look(ledger)).toMatchObject({
      ...{ recipient: '.steve', player: '.Steve', redirected: { insteadOf: 'Steve', at: LATER } },
    });
    expect(await texts(ledger)).toEqual(['give Steve diamond 1', 'give .Steve emerald 2']);
    expect(await ledger.pending(MAIN, LATER, 9)).toMatchObject([
      { recipientKey: '.steve', player: '.Steve' },
    ]);
    for (const recipient of ['Steve', '.Steve']) expect(await ledger.grants({ recipient })).toHaveLength(1);
    expect(await ledger.votes({ recipient: '.Steve' })).toEqual([]);
    expect(await ledger.vote({ player: '.Steve' })).toEqual(['rewarded']);
  });

  test('is not claimed by a process that read it with the first player, and stays on its kind of game server', async () => {
    const ledger = await grantThatIs('waiting');
    await ledger.pay(1, { to: '.Steve', kindByServer: new Map([['main', 'practice']]) });
    expect(await look(ledger)).toMatchObject({ state: 'pending', practice: false });
    expect(await ledger.claim(1)).toBe(false);
    expect(await ledger.claim(1, { player: '.Steve' })).toBe(true);
  });

  test('is an ordinary payment if the other player is the same', async () => {
    const ledger = await grantThatIs('held');
    await ledger.pay(1, { to: 'Steve' });
    expect((await look(ledger)).actions.map(({ action }) => action)).toEqual(['pay']);
  });
});

describe('a command that the operator says has run', () => {
  test.each([
    ['held', { reply: null, reason: { code: 'ran-by-operator', facts: { before: 'closed' } } }],
    ['refused', { reply: 'Unknown item', reason: { code: 'ran-by-operator' } }],
  ] as const)(
    'ends a grant that is %s if it was the last, and keeps what was known before',
    async (situation, kept) => {
      const ledger = await grantThatIs(situation);
      expect(await CHANGES.ran!(ledger)).toEqual({ kind: 'continued', state: 'delivered' });
      expect(await look(ledger)).toMatchObject({
        ...{ state: 'delivered', reason: { code: 'ran-by-operator' } },
        commands: [
          { outcome: 'delivered', reply: 'Gave', reason: null },
          { outcome: 'delivered', ...kept },
        ],
      });
    },
  );

  test('keeps no empty reply: it was refused, and would be read as an accepted command', async () => {
    const ledger = await ledgers({ rewards: [reward('thanks')] });
    await ledger.vote({});
    await ledger.send(1, { kind: 'refused', reply: '' }, { state: 'refused' });
    await CHANGES.ran!(ledger);
    expect(await look(ledger)).toMatchObject({
      commands: [{ outcome: 'delivered', reply: null, reason: { code: 'ran-by-operator' } }],
    });
  });

  test('lets the grant go on with the next one, and never runs again', async () => {
    const ledger = await ledgers({ rewards: [DAILY] });
    await ledger.vote({});
    await ledger.send(1, 'held');
    expect(await CHANGES.ran!(ledger)).toEqual({ kind: 'continued', state: 'pending' });
    expect(await ledger.pending(MAIN, NOON, 9)).toMatchObject([{ id: 1, commands: [{ position: 1 }] }]);
    expect(await ledger.claim(1)).toBe(false);
  });

  test('is not known of a grant that is held for a reason other than a command', async () => {
    const ledger = await grantThatIs('pending');
    await ledger.holdOrphaned(new Map([['other', 'rcon']]), NOON);
    expect(await CHANGES.ran!(ledger)).toEqual({ kind: 'none-ran', state: 'held' });
    expect(await look(ledger)).toMatchObject({ state: 'held' });
  });
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
  const total = reward('total', {
    if: { votes: { at: [2] } },
    limit: { per: 'player', count: 1, within: 'ever' },
  });
  const on = (date: number, player = 'Steve') => ({ at: june(date), player });

  test('needs no vote, condition or limit, and its grant says by whom and when', async () => {
    const ledger = await ledgers({ rewards: [total] });
    expect(await ledger.give('total')).toEqual({ kind: 'given', grantIds: [1] });
    expect(await ledger.give('total')).toEqual({ kind: 'given', grantIds: [2] });
    expect(await ledger.grants({ recipient: 'steve', given: true })).toMatchObject([
      { id: 1, state: 'pending', reason: { code: 'by-operator' }, occasion: '' },
      { id: 2, voteId: null, player: 'Steve', given: { by: 'ann', at: NOON } },
    ]);
    expect([await ledger.votes(), (await ledger.grants({ since: NOON })).length]).toEqual([[], 2]);
  });

  test('spends its occasion for its player, and for no other one (rule 14)', async () => {
    const ledger = await ledgers({ rewards: [total] });
    expect(await ledger.give('total', 'Steve', 'total 2')).toMatchObject({ kind: 'given' });
    expect(await ledger.give('total', 'Steve', 'total 2')).toEqual({
      kind: 'refused',
      code: 'occasion-spent',
    });
    await ledger.vote(on(1), on(1, 'Alex'), on(2), on(2, 'Alex'));
    expect((await ledger.judged('total')).slice(-2)).toEqual(['occasion-spent', ['total 2']]);
    expect(await ledger.give('total', 'Alex', 'total 2')).toMatchObject({ code: 'occasion-spent' });
  });

  test('spends an occasion of the network for everyone', async () => {
    const ledger = await ledgers({
      rewards: [reward('party', { if: { votes: { at: [1], of: 'network' } } })],
    });
    await ledger.give('party', 'Steve', 'network 1');
    await ledger.vote(on(1, 'Alex'));
    expect(await ledger.judged('party')).toEqual(['occasion-spent']);
  });

  test('for a streak is not paid again by the run that it belongs to', async () => {
    const ledger = await ledgers({ rewards: [reward('streak', { if: { streak: 2 } })] });
    await ledger.give('streak', 'Steve', 'streak 2 reached 2026-06-02');
    await ledger.vote(on(1), on(2), on(3), on(5), on(6));
    expect(await ledger.judged('streak')).toEqual([
      ...Array(4).fill('streak'),
      ['streak 2 reached 2026-06-06'],
    ]);
  });

  test('runs the commands of its occasion, which show what the player has, or is refused if there are none', async () => {
    const prizes = { '10': ['say {votes} {streak} {occasion}'] };
    const ledger = await ledgers({
      rewards: [{ name: 'prizes', if: { votes: { at: [5, 10] } }, when: 'always', prizes }],
    });
    await ledger.vote(on(8), on(9));
    expect(await ledger.give('prizes', 'Steve', 'total 5')).toEqual({
      kind: 'refused',
      code: 'reward-unfit',
    });
    await ledger.give('prizes', 'Steve', 'total 10', june(9));
    expect(await ledger.grants()).toMatchObject([
      {
        occasion: 'total 10',
        choice: { from: 'prizes', name: '10' },
        commands: [{ command: 'say 2 2 total 10' }],
      },
    ]);
  });

  test('can be redirected, cancelled and found', async () => {
    const ledger = await ledgers({ rewards: [reward('thanks')] });
    await ledger.give('thanks');
    await ledger.wait(1);
    expect(await ledger.pay(1, { to: '.Steve' })).toEqual({ kind: 'changed' });
    expect(await ledger.grants({ recipient: 'Steve', given: true })).toMatchObject([
      { player: '.Steve', redirected: { insteadOf: 'Steve' } },
    ]);
    expect(await ledger.cancel(1)).toEqual({ kind: 'changed' });
    expect(await ledger.grants({ since: NOON + DAY })).toEqual([]);
  });
});
