import { describe, expect, test } from 'vitest';
import { forwardText, readForward } from '../../src/core/forward.ts';
import {
  type Cast,
  DAY,
  gameServers,
  HOUR,
  june,
  type LedgerOfTest,
  ledgers,
  NOON,
  reward,
  SECOND,
} from '../kit/ledgers.ts';

/** When votes come here; they claim no time, unless they do. */
const NOW = NOON + 250;
const OLD = { kind: 'votifier', port: 8_194, token: 'the-token-of-the-old-listener' };
const THANKS = [reward('thanks', { servers: ['main'] })];

/** A ledger of a Teller that forwards votes to `old`, and to these others. */
const forwarding = (others: object = {}, more: object = {}) =>
  ledgers({ gameServers: { ...gameServers('main'), old: OLD, ...others }, rewards: THANKS, ...more });
const cast = (more: Partial<Cast> = {}): Cast => ({ received: NOW, ...more });
const forwards = async (ledger: LedgerOfTest) =>
  (await ledger.grants())
    .filter(({ server }) => server !== 'main')
    .map(({ voteId, server, state }) => `${voteId} ${server} ${state}`);

describe('a vote, with a game server that takes votes', () => {
  test('is owed to it as a grant with the service, player, address and time, which expires', async () => {
    const ledger = await forwarding();
    expect(await ledger.record(ledger.arrival(cast()), null)).toMatchObject({ isForwarded: true });
    const text = forwardText({ service: 'List', player: 'Steve', address: '203.0.113.9', at: NOW });
    expect(readForward(text)).toMatchObject({ player: 'Steve', address: '203.0.113.9' });
    expect(await ledger.grants({ server: 'old' })).toMatchObject([
      {
        ...{ cause: 'vote', voteId: 1, practice: false, state: 'pending', expiresAt: NOW + DAY },
        commands: [{ command: text, outcome: null }],
      },
    ]);
    expect(await ledger.pending({ server: 'old', practice: false }, NOW, 9)).toMatchObject([
      { player: null },
    ]);
    await ledger.applyTerms(NOW + DAY + 1);
    expect(await ledger.grants({ server: 'old' })).toMatchObject([
      { state: 'cancelled', reason: { code: 'expired' } },
    ]);
  });

  test('is owed to each one, whatever was decided, in the order in which the votes came', async () => {
    const ledger = await forwarding({ older: { ...OLD, port: 8_195 } });
    const second = cast({ received: NOW + SECOND });
    const decisions = await ledger.vote(cast(), second, { ...second, unrewarded: 'too-old' });
    expect(decisions).toEqual(['rewarded', 'cooldown', 'too-old']);
    const owed = [1, 2, 3].flatMap((vote) => [`${vote} old pending`, `${vote} older pending`]);
    expect(await forwards(ledger)).toEqual(owed);
  });

  test('is not owed again when the same vote comes again, nor if it names no player', async () => {
    const ledger = await forwarding();
    await ledger.vote(cast({ claim: NOW }), cast({ claim: NOW }), cast({ user: '8035' }));
    expect(await forwards(ledger)).toEqual(['1 old pending']);
  });

  test('is owed to one that pays only if it is not paid here', async () => {
    const from = new Date(NOON + SECOND).toISOString();
    const ledger = await forwarding(
      { payer: { ...OLD, port: 8_195, pays: true } },
      { pay: { mode: 'real', from } },
    );
    await ledger.vote(cast(), cast({ player: 'Alex', received: NOON + SECOND }));
    expect(await forwards(ledger)).toEqual(['1 old pending', '1 payer pending', '2 old pending']);
  });
});

describe('a vote that comes back from where it was forwarded to', () => {
  /** Sends a vote, and then what the other side makes of it: with the time that it was forwarded with. */
  async function backAndForth(
    sent: Cast,
    receivedAt: number,
    change: (at: number) => Partial<Cast> = () => ({}),
  ) {
    const ledger = await forwarding();
    await ledger.vote(sent);
    const [grant] = await ledger.grants({ server: 'old' });
    const { at } = readForward(grant?.commands[0]?.command ?? '') as { at: number };
    const back = {
      claim: at,
      received: receivedAt,
      at: receivedAt,
      via: 'listener-v1',
      ...change(at),
    } as const;
    const [answer] = await ledger.vote(back);
    return [answer, (await forwards(ledger)).length];
  }

  test.each<[string, Cast]>([
    ['has a claimed time', cast({ claim: NOON - 1_875 })],
    ['has no claimed time', cast()],
    ['claims a time that cannot be believed', cast({ claim: NOON + 6 * HOUR + 125 })],
    ['claims a time long ago', cast({ claim: Date.UTC(2020, 0, 1) + 125 })],
    ['came by webhook', { via: 'webhook', event: 'vote-1', claim: NOON, received: NOW }],
  ])('is the same vote if it %s', async (_, sent) => {
    expect(await backAndForth(sent, NOW + 3 * HOUR)).toEqual(['same 1', 1]);
  });

  test('is the same vote if it comes back with whole seconds', async () => {
    const whole = (at: number) => ({ claim: Math.floor(at / SECOND) * SECOND });
    expect(await backAndForth(cast(), NOW + 3 * HOUR, whole)).toEqual(['same 1', 1]);
  });

  test.each<[string, Partial<Cast>]>([
    ['its time differs from the receipt', { claim: NOW + 1 }],
    ['it is for another player', { player: 'Alex' }],
    ['it is for another service', { on: 'Other' }],
  ])('is another vote if %s', async (_, change) => {
    const [answer] = await backAndForth(cast(), NOW, () => change);
    expect(answer).not.toContain('same');
  });

  test('is looked for by its time of receipt only where votes are forwarded', async () => {
    const ledger = await ledgers({ rewards: THANKS });
    expect(await ledger.vote(cast(), cast({ claim: NOW }))).toEqual(['rewarded', 'cooldown']);
  });
});

const SHADOW = { pay: { mode: 'shadow' } };
const FROM_NOON = { pay: { mode: 'real', from: '2026-06-01T12:00:00Z' } };

describe('a vote that another listener pays', () => {
  test('is decided and stored, and no command of what it earned can be sent', async () => {
    const ledger = await ledgers({ ...SHADOW, rewards: THANKS });
    expect(await ledger.vote({})).toEqual(['rewarded']);
    expect(await ledger.votes()).toMatchObject([{ decision: 'rewarded', isPaidElsewhere: true }]);
    expect(await ledger.owed()).toEqual(['Steve thanks: cancelled shadow']);
    expect(await ledger.due('main', NOON + 200 * DAY)).toEqual([]);
  });

  test('is the cause of its grant, with its site and its occasion', async () => {
    const ledger = await ledgers({
      ...SHADOW,
      rewards: [reward('first', { if: { firstVote: true } }), ...THANKS],
    });
    await ledger.vote({});
    expect(await Promise.all([1, 2, 99].map((id) => ledger.causeOf(id)))).toEqual([
      { vote: 1, site: 'List', occasion: 'total 1' },
      { vote: 1, site: 'List', occasion: '' },
      null,
    ]);
  });

  test('takes its window, so that the next vote within it is not rewarded here either', async () => {
    const ledger = await ledgers({ ...FROM_NOON, rewards: THANKS });
    expect(await ledger.vote({ at: NOON - 1 }, { at: NOON + HOUR / 2 })).toEqual(['rewarded', 'cooldown']);
    expect(await ledger.owed()).toEqual(['Steve thanks: cancelled shadow']);
  });

  test('spends its occasions and takes its places of limits', async () => {
    const one = reward('one', { limit: { per: 'network', count: 1, within: 'ever' } });
    const rewards = [reward('second', { if: { votes: { at: [2] } } }), one];
    const ledger = await ledgers({ ...FROM_NOON, rewards, sites: { A: {}, B: {}, C: {} } });
    await ledger.vote(
      { on: 'A', at: june(1, 10) },
      { on: 'B', at: june(1, 11) },
      { on: 'C', at: june(1, 13) },
    );
    expect(await ledger.owed()).toEqual([
      'Steve one: cancelled shadow',
      'Steve second total 2: cancelled shadow',
    ]);
    expect(await ledger.judged('one')).toEqual(['granted', 'limit', 'limit']);
    expect(await ledger.judged('second')).toEqual(['votes', ['total 2'], 'votes']);
  });

  test('has no grants that wait for a delay or for a game server', async () => {
    const late = {
      name: 'late',
      commands: ['say hi'],
      delay: '1m',
      expiresAfter: '1m',
      servers: 'where-online',
    };
    const ledger = await ledgers({ ...SHADOW, gameServers: gameServers('main', 'sky'), rewards: [late] });
    await ledger.vote({}, { on: 'Other' });
    expect((await ledger.grants()).map(({ state, reason }) => `${state} ${reason?.code}`)).toEqual(
      Array(2).fill('cancelled shadow'),
    );
    const queue = { server: 'main', practice: false };
    expect([await ledger.waitingFor(queue, 9, 0), await ledger.nextDueAt(queue, 0)]).toEqual([[], null]);
  });

  test('stays theirs when its service is listed afterwards', async () => {
    const ledger = await ledgers({ ...FROM_NOON, rewards: THANKS });
    await ledger.vote({ on: 'A', at: june(1, 10) }, { on: 'B', at: june(1, 11) });
    expect(await ledger.list(['B'], june(1, 13))).toMatchObject({ votes: 1, grants: 1 });
    expect(await ledger.owed()).toEqual(Array(2).fill('Steve thanks: cancelled shadow'));
  });
});

describe('at the hand-over', () => {
  test('votes received from then on are paid, and a late one that was cast before is not', async () => {
    const ledger = await ledgers({ ...FROM_NOON, rewards: THANKS });
    await ledger.vote(
      { player: 'Alex', at: NOON - 1 },
      { player: 'Steve', at: NOON },
      { player: 'Ben', at: NOON - 1, received: NOON },
      ...(['webhook', 'api', 'operator'] as const).flatMap((via) => [
        { player: `Late-${via}`, via, event: `1 ${via}`, at: NOON - 1, received: NOON + 1 },
        { player: `New-${via}`, via, event: `2 ${via}`, at: NOON, received: NOON + 1 },
      ]),
    );
    const paid = (await ledger.owed())
      .filter((one) => one.endsWith('pending'))
      .map((one) => one.split(' ')[0]);
    expect(paid).toEqual(['Steve', 'Ben', 'New-webhook', 'New-api', 'New-operator']);
  });

  test('a party is paid by the side that pays the vote which reached it', async () => {
    const party = [{ name: 'all', every: 2, when: 'always', commands: ['say cake'] }];
    const ledger = await ledgers({ ...FROM_NOON, party });
    for (const [index, hour] of [9, 10, 11, 12].entries())
      await ledger.vote({ player: `P${index}`, at: june(1, hour) });
    await ledger.fix();
    expect((await ledger.grants()).map(({ player, state }) => `${player} ${state}`)).toEqual([
      ...['P0 cancelled', 'P1 cancelled', 'P2 pending', 'P3 pending'],
    ]);
  });

  test.each([
    ['2026-07-01T00:00:00Z', 'pending'],
    ['2026-07-01T00:00:01Z', 'cancelled'],
  ])('the top of June is paid here if the hand-over is at %s: %s', async (from, state) => {
    const tops = [{ name: 'best', period: 'month', prizes: { '1': ['say {player} won'] }, when: 'always' }];
    const ledger = await ledgers({ pay: { mode: 'real', from }, tops });
    await ledger.vote({ at: june(5) });
    const endedAt = Date.UTC(2026, 6, 1);
    const places = [
      { place: 1, recipientId: 1, player: 'Steve', votes: 1, reachedAt: 0, kind: 'player' as const },
    ];
    await ledger.settlePlaces('best', { period: 12 * 56 + 5, endedAt, places });
    expect((await ledger.grants()).map((grant) => grant.state)).toEqual([state]);
  });
});
