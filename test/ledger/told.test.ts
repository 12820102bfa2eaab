/** What other programs are told: votes that are forwarded to another listener, and events. */
import { describe, expect, test } from 'vitest';
import type { Cast, LedgerOfTest } from '../kit/ledgers.ts';
import { DAY, gameServers, HOUR, june, ledgers, MINUTE, NOON, reward, SECOND } from '../kit/ledgers.ts';

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

test('a vote, with a game server that takes votes, is owed to it as a grant with the service, player, address and time, which expires', async () => {
  const ledger = await forwarding();
  expect(await ledger.record(ledger.arrival(cast()), null)).toMatchObject({ isForwarded: true });
  const text = JSON.stringify({ service: 'List', player: 'Steve', address: '203.0.113.9', at: NOW });
  const old = async () => (await ledger.grants({ server: 'old' }))[0];
  expect(await old()).toMatchObject({
    ...{ cause: 'vote', voteId: 1, practice: false, state: 'pending', expiresAt: NOW + DAY },
    commands: [{ command: text, outcome: null }],
  });
  const [pending] = await ledger.pending({ server: 'old', practice: false }, NOW, 9);
  expect(pending).toMatchObject({ player: null });
  await ledger.applyTerms(NOW + DAY + 1);
  expect(await old()).toMatchObject({ state: 'cancelled', reason: { code: 'expired' } });
});

test('a vote, with a game server that takes votes, is owed to each one, whatever was decided, in the order in which the votes came', async () => {
  const ledger = await forwarding({ older: { ...OLD, port: 8_195 } });
  const second = cast({ received: NOW + SECOND });
  const decisions = await ledger.vote(cast(), second, { ...second, unrewarded: 'too-old' });
  expect(decisions).toEqual(['rewarded', 'cooldown', 'too-old']);
  const owed = [1, 2, 3].flatMap((vote) => [`${vote} old pending`, `${vote} older pending`]);
  expect(await forwards(ledger)).toEqual(owed);
});

test('a vote, with a game server that takes votes, is not owed again when the same vote comes again, nor if it names no player', async () => {
  const ledger = await forwarding();
  await ledger.vote(cast({ claim: NOW }), cast({ claim: NOW }), cast({ user: '8035' }));
  expect(await forwards(ledger)).toEqual(['1 old pending']);
});

test('a vote, with a game server that takes votes, is owed to one that pays only if it is not paid here', async () => {
  const from = new Date(NOON + SECOND).toISOString();
  const payer = { ...OLD, port: 8_195, pays: true };
  const ledger = await forwarding({ payer }, { pay: { mode: 'real', from } });
  await ledger.vote(cast(), cast({ player: 'Alex', received: NOON + SECOND }));
  expect(await forwards(ledger)).toEqual(['1 old pending', '1 payer pending', '2 old pending']);
});

describe('a vote that comes back from where it was forwarded to', () => {
  /** Sends a vote, and then what the other side makes of it: with the time that it was forwarded with. */
  const same = (): Partial<Cast> => ({});
  async function backAndForth(sent: Cast, receivedAt: number, change: (at: number) => Partial<Cast> = same) {
    const ledger = await forwarding();
    await ledger.vote(sent);
    const [grant] = await ledger.grants({ server: 'old' });
    const { at } = JSON.parse(grant?.commands[0]?.command ?? '') as { at: number };
    const back: Cast = { claim: at, received: receivedAt, at: receivedAt, via: 'listener-v1' };
    const [answer] = await ledger.vote({ ...back, ...change(at) });
    return [answer, (await forwards(ledger)).length];
  }

  test.each<[string, Cast]>([
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

const FROM_NOON = { pay: { mode: 'real', from: '2026-06-01T12:00:00Z' } };

test('a vote that another listener pays takes its window, so that the next vote within it is not rewarded here either', async () => {
  const ledger = await ledgers({ ...FROM_NOON, rewards: THANKS });
  expect(await ledger.vote({ at: NOON - 1 }, { at: NOON + HOUR / 2 })).toEqual(['rewarded', 'cooldown']);
  expect(await ledger.owed()).toEqual(['Steve thanks: cancelled shadow']);
});

test('a vote that another listener pays spends its occasions and takes its places of limits', async () => {
  const one = reward('one', { limit: { per: 'network', count: 1, within: 'ever' } });
  const rewards = [reward('second', { if: { votes: { at: [2] } } }), one];
  const ledger = await ledgers({ ...FROM_NOON, rewards, sites: { A: {}, B: {}, C: {} } });
  for (const [on, hour] of Object.entries({ A: 10, B: 11, C: 13 }))
    await ledger.vote({ on, at: june(1, hour) });
  const owed = ['Steve one: cancelled shadow', 'Steve second total 2: cancelled shadow'];
  expect(await ledger.owed()).toEqual(owed);
  expect(await ledger.judged('one')).toEqual(['granted', 'limit', 'limit']);
  expect(await ledger.judged('second')).toEqual(['votes', ['total 2'], 'votes']);
});

test('a vote that another listener pays has no grants that wait for a delay or for a game server', async () => {
  const terms = { delay: '1m', expiresAfter: '1m', servers: 'where-online' };
  const rewards = [{ name: 'late', commands: ['say hi'], ...terms }];
  const servers = gameServers('main', 'sky');
  const ledger = await ledgers({ pay: { mode: 'shadow' }, gameServers: servers, rewards });
  await ledger.vote({}, { on: 'Other' });
  expect(await ledger.owed()).toEqual(Array(2).fill('Steve late on main or sky: cancelled shadow'));
  const queue = { server: 'main', practice: false };
  expect([await ledger.waitingFor(queue, 9, 0), await ledger.nextDueAt(queue, 0)]).toEqual([[], null]);
});

test('a vote that another listener pays stays theirs when its service is listed afterwards', async () => {
  const ledger = await ledgers({ ...FROM_NOON, rewards: THANKS });
  await ledger.vote({ on: 'A', at: june(1, 10) }, { on: 'B', at: june(1, 11) });
  expect(await ledger.list(['B'], june(1, 13))).toMatchObject({ votes: 1, grants: 1 });
  expect(await ledger.owed()).toEqual(Array(2).fill('Steve thanks: cancelled shadow'));
});

test('at the hand-over, votes received from then on are paid, and a late one that was cast before is not', async () => {
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
  const paid = (await ledger.owed()).filter((one) => one.endsWith('pending')).map((one) => one.split(' ')[0]);
  expect(paid).toEqual(['Steve', 'Ben', 'New-webhook', 'New-api', 'New-operator']);
});

test('at the hand-over, a party is paid by the side that pays the vote which reached it', async () => {
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
])('at the hand-over, the top of June is paid here if the hand-over is at %s: %s', async (from, state) => {
  const tops = [{ name: 'best', period: 'month', prizes: { '1': ['say {player} won'] }, when: 'always' }];
  const ledger = await ledgers({ pay: { mode: 'real', from }, tops });
  await ledger.vote({ at: june(5) });
  const endedAt = Date.UTC(2026, 6, 1);
  const first = { place: 1, recipientId: 1, player: 'Steve', votes: 1, reachedAt: 0 };
  await ledger.settlePlaces('best', { period: 12 * 56 + 5, endedAt, places: [first] });
  expect((await ledger.grants()).map((grant) => grant.state)).toEqual([state]);
});

const PLUGIN = 'plugin';
const CHAT = 'chat';
type EventKind = Parameters<LedgerOfTest['latestEvents']>[0][number];
const EVENT_KINDS: readonly EventKind[] = [
  ...(['vote.rewarded', 'vote.cooldown', 'vote.refused', 'grant.delivered', 'grant.held'] as const),
  ...(['party', 'health'] as const),
];
type Wants = Readonly<Record<string, readonly EventKind[]>>;

const use = (ledger: LedgerOfTest, wants: Wants, at = NOON) => {
  const receivers = Object.entries(wants).map(([receiver, kinds]) => ({ receiver, kinds }));
  return ledger.useConfig({ told: { receivers, at }, today: 0 });
};
/** A ledger of which these receivers want every event, or those of some kinds, with these votes. */
async function told(wants: Wants = { [PLUGIN]: EVENT_KINDS }, ...casts: Cast[]): Promise<LedgerOfTest> {
  const ledger = await ledgers({ rewards: [reward('thanks')] });
  await use(ledger, wants);
  await ledger.vote(...casts);
  return ledger;
}
const voters = (count: number): Cast[] => Array.from({ length: count }, (_, n) => ({ player: `Player${n}` }));
/** In the order in which they were stored. */
const events = async (ledger: LedgerOfTest) => (await ledger.latestEvents(EVENT_KINDS, 99)).toReversed();

test('what happened is not stored if nobody wants to know', async () => {
  const ledger = await told({ [PLUGIN]: ['grant.held'] }, {});
  await ledger.send(1, 'delivered');
  await ledger.storeEvents([{ kind: 'health', at: NOON, facts: {}, key: 'disk' }]);
  expect(await events(ledger)).toEqual([]);
  expect(await ledger.isEventWanted('grant.held')).toBe(true);
  expect(await ledger.isEventWanted('health')).toBe(false);
});

test('what happened includes neither copies of a vote nor imported votes nor votes that no window decided', async () => {
  const once: Cast = { event: 'e1', via: 'webhook' };
  const imported: Cast = { player: 'Alex', via: 'import' };
  const tooOld: Cast = { player: 'Robin', unrewarded: 'too-old' };
  const ledger = await told({ [PLUGIN]: EVENT_KINDS }, once, once, imported, tooOld);
  expect((await events(ledger)).map(({ subject }) => subject)).toEqual([1]);
});

test('what happened is stored once for each key', async () => {
  const ledger = await told();
  const began = { kind: 'health', at: NOON, facts: { alarm: 'disk-low' }, key: 'disk-low 1' } as const;
  await ledger.storeEvents([began, { ...began, at: NOON + 1 }]);
  await ledger.storeEvents([began]);
  expect(await events(ledger)).toMatchObject([{ kind: 'health', at: NOON, facts: began.facts }]);
});

describe('refusals', () => {
  const refused = (code: string, service: string | null, count: number, sender = '192.0.2.1') => ({
    ...{ code, service, sender, count, lastAt: NOON + MINUTE },
  });

  test('of more than 50 causes are summed up with the number of the others', async () => {
    const ledger = await told();
    await ledger.countRefusals(Array.from({ length: 52 }, (_, n) => refused('no-site', `List ${n}`, 60 - n)));
    await ledger.summariseRefusals(NOON + 2 * HOUR);
    const [event] = await events(ledger);
    expect(event?.facts).toMatchObject({ total: 1_794, others: 19 });
    expect(event?.facts?.refusals).toHaveLength(50);
  });

  test('before the receiver was in the config are not summed up', async () => {
    const ledger = await told({});
    await ledger.countRefusals([refused('bad-signature', 'List', 3)]);
    await use(ledger, { [PLUGIN]: ['vote.refused'] }, NOON + HOUR);
    await ledger.summariseRefusals(NOON + 3 * HOUR);
    expect(await events(ledger)).toEqual([]);
  });
});

describe('posts', () => {
  async function claimed(ledger: LedgerOfTest, most = 9, now = NOON) {
    const free = [CHAT, PLUGIN].map((receiver) => ({ receiver, most }));
    return (await ledger.takePosts({ ended: [], free, now })).claimed;
  }
  const claim = async (...of: Parameters<typeof claimed>) =>
    (await claimed(...of)).map((one) => `${one.receiver} ${one.event.id}, failed ${one.failures}`);
  type Posts = Parameters<LedgerOfTest['takePosts']>[0]['ended'];
  const end = (ledger: LedgerOfTest, ends: Readonly<Record<number, Posts[number]['end']>>, now = NOON) => {
    const ended = Object.entries(ends).map(([event, one]) => {
      return { receiver: PLUGIN, event: Number(event), end: one };
    });
    return ledger.takePosts({ ended, free: [], now });
  };

  test('wait for each receiver that wants the kind, and are claimed once', async () => {
    const wants: Wants = { [PLUGIN]: ['vote.rewarded'], [CHAT]: ['vote.rewarded', 'party'] };
    const ledger = await told(wants, ...voters(2));
    expect(await ledger.nextPostAt()).toBe(0);
    expect(await claim(ledger, 1)).toEqual(['chat 1, failed 0', 'plugin 1, failed 0']);
    expect(await claim(ledger)).toEqual(['chat 2, failed 0', 'plugin 2, failed 0']);
    expect([await claim(ledger), await ledger.nextPostAt()]).toEqual([[], null]);
  });

  test('that have failed are due again at their time, with the number of failures', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, {});
    await claim(ledger);
    const dueAt = NOON + 10_000;
    const failed = { state: 'waiting', dueAt, status: 503, reason: 'receiver-failed' } as const;
    expect((await end(ledger, { 1: failed })).nextDueAt).toBe(dueAt);
    expect(await claim(ledger, 9, NOON + 9_999)).toEqual([]);
    expect(await claim(ledger, 9, NOON + 10_000)).toEqual(['plugin 1, failed 1']);
  });

  test('that were cut off, or that a killed process was sending, are sent again and count no failure', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, {});
    await claim(ledger);
    await end(ledger, { 1: { state: 'again', dueAt: 0, status: null, reason: 'cut-off' } });
    const [before] = await claimed(ledger);
    await ledger.resumePosts();
    const [after] = await claimed(ledger);
    expect([before, after]).toMatchObject(Array(2).fill({ failures: 0, event: { id: 1 } }));
    expect(after?.event).toEqual(before?.event);
  });

  test('older than a week are removed with their events, and those that never arrived are counted', async () => {
    const ledger = await told({ [PLUGIN]: EVENT_KINDS }, ...voters(3));
    await claim(ledger, 1);
    await end(ledger, { 1: { state: 'delivered', status: 200, reason: null } });
    await ledger.removeOldEvents(NOON + 7 * DAY);
    expect(await events(ledger)).toHaveLength(3);
    expect(await ledger.removeOldEvents(NOON + 7 * DAY + 1)).toBe(false);
    // The newest one stays.
    expect((await events(ledger)).map(({ id }) => id)).toEqual([3]);
    expect(await ledger.receiverStates()).toMatchObject([{ waiting: 1, delivered: 1, dropped: 1 }]);
  });
});
