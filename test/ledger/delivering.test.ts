import { describe, expect, test } from 'vitest';
import { DAY, gameServers, type LedgerOfTest, ledgers, NOON, reward, SECOND } from '../kit/ledgers.ts';

const MAIN = { server: 'main', practice: false };
const COMMANDS = ['give {player} diamond 1', 'give {player} emerald 2'];
const DAILY = reward('daily', { when: 'online', commands: COMMANDS });
const THANKS = reward('thanks');
const SAFE = reward('safe', { safeToRunTwice: true });
const THREE = { gameServers: gameServers('main', 'other', 'third') };
const at = (...servers: readonly string[]) => ({ servers });
const kinds = (...pairs: readonly (readonly [string, string])[]) => new Map(pairs);

/** A ledger with one grant for each reward on `main`, all for one vote of Steve. Their IDs start at 1. */
async function owing(...rewards: readonly object[]): Promise<LedgerOfTest> {
  const ledger = await ledgers({ ...THREE, rewards: rewards.map((one) => ({ ...at('main'), ...one })) });
  await ledger.vote({});
  return ledger;
}
/** Of each grant its state, and the outcome of each of its commands: `held unknown none`. */
const states = async (ledger: LedgerOfTest) =>
  (await ledger.grants()).map(({ state, commands }) =>
    [state, ...commands.map(({ outcome }) => outcome ?? 'none')].join(' '),
  );
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ player: `P${from + n}` }));

test('a grant that may be tried is listed oldest first on its game server, with what is needed to pay it', async () => {
  const ledger = await owing(THANKS, DAILY, { ...THANKS, name: 'else', ...at('other') });
  const theirs = { recipientKey: 'steve', player: 'Steve', server: 'main', createdAt: NOON };
  const [first, second] = COMMANDS;
  expect(await ledger.pending(MAIN, NOON, 10)).toMatchObject([
    { ...theirs, id: 1, reward: 'thanks', when: 'always', commands: [{ text: 'say {player} voted' }] },
    { ...theirs, id: 2, reward: 'daily', when: 'online', commands: [{ text: first }, { text: second }] },
  ]);
  expect((await ledger.pending(MAIN, NOON, 1)).map(({ id }) => id)).toEqual([1]);
  expect([await ledger.due('other'), await ledger.due('nowhere')]).toEqual([[3], []]);
});

test('a grant that may be tried is owed on the same kind of server: practice never pays what a real one owes, nor the reverse (rule 9)', async () => {
  const ledger = await owing(THANKS, DAILY);
  await ledger.wait(2);
  const practice = { server: 'main', practice: true };
  expect(await ledger.pending(practice, NOON, 9)).toEqual([]);
  expect(await ledger.waiting(practice, ['steve'], NOON, 9)).toEqual([]);
  expect(await ledger.waitingFor(practice, 9, 0)).toEqual([]);
  expect(await ledger.nextDueAt(practice, NOON)).toBeNull();
});

test('a grant that may be tried must be due and not being sent, and its delivered commands are left out', async () => {
  const ledger = await owing(DAILY);
  await ledger.claim(1);
  expect([await ledger.due(), await ledger.nextDueAt(MAIN, NOON)]).toEqual([[], null]);
  await ledger.settle(1, 'delivered', { state: 'pending', dueAt: NOON + 1 });
  expect([await ledger.due(), await ledger.nextDueAt(MAIN, NOON)]).toEqual([[], NOON + 1]);
  expect(await ledger.pending(MAIN, NOON + 1, 9)).toMatchObject([{ commands: [{ position: 1 }] }]);
});

test('a grant that may be tried is due at once if it is new, or if a clock that was set back puts its due time further away than any delay', async () => {
  const ledger = await owing(THANKS);
  expect(await ledger.due('main', NOON - DAY)).toEqual([1]);
  await ledger.send(1, 'not-sent', { dueAt: NOON + 10 * SECOND });
  expect(await ledger.due('main', NOON)).toEqual([]);
  expect(await ledger.due('main', NOON - DAY)).toEqual([1]);
});

test('a grant that may be tried tells the player when they may vote again by their votes since, and keeps what was told', async () => {
  const commands = ['msg {player} {nextVote}'];
  const ledger = await ledgers({ rewards: [reward('told', { commands, if: { firstVote: true } })] });
  const later = NOON + 3 * DAY;
  await ledger.vote({}, { at: later });
  const text = `msg {player} {nextVote ${later + DAY}}`;
  expect(await ledger.pending(MAIN, later, 9)).toMatchObject([{ commands: [{ position: 0, text }] }]);
  await ledger.claim(1, { now: later + DAY / 2, text });
  expect((await ledger.grants())[0]?.commands[0]?.command).toBe('msg Steve 12 h');
});

test('a grant that may be tried may be waiting for a player; these players are listed page by page, each once', async () => {
  const ledger = await ledgers({ rewards: [DAILY, SAFE] });
  await ledger.vote({}, { player: 'Alex' }, { player: 'Eve' });
  for (let id = 1; id <= 6; id++) await ledger.wait(id);
  const players = async (after: number) =>
    (await ledger.waitingFor(MAIN, 2, after)).map(({ recipientId, player }) => `${recipientId} ${player}`);
  expect(await players(0)).toEqual(['1 Steve', '2 Alex']);
  expect([await players(2), await players(3)]).toEqual([['3 Eve'], []]);
  expect((await ledger.waiting(MAIN, ['alex', 'nobody'], NOON, 9)).map(({ id }) => id)).toEqual([3, 4]);
  expect([await ledger.waiting(MAIN, [], NOON, 9), await ledger.due()]).toEqual([[], []]);
});

test('claiming is refused for a grant that is held, refused, delivered or cancelled', async () => {
  const ended = ['held', 'refused', 'delivered', 'cancelled'] as const;
  const ledger = await owing(...ended.map((name) => ({ ...DAILY, name })));
  for (const [at, state] of ended.entries()) {
    await ledger.send(at + 1, 'held', { state });
    expect(await ledger.claim(at + 1, { position: 1 }), state).toBe(false);
  }
  expect(await states(ledger)).toEqual(ended.map((state) => `${state} unknown none`));
});

test('claiming is refused for a command that was delivered or does not exist', async () => {
  const ledger = await owing(DAILY);
  await ledger.send(1, 'delivered', { state: 'pending' });
  const claims = [ledger.claim(1), ledger.claim(1, { position: 2 }), ledger.claim(99)];
  expect(await Promise.all(claims)).toEqual([false, false, false]);
});

test('settling changes nothing (rule 5) if the command is not being sent: never claimed, or interrupted', async () => {
  const ledger = await owing(THANKS, DAILY);
  await ledger.settle(1, 'delivered');
  expect(await states(ledger)).toEqual(['pending none', 'pending none none']);
  await ledger.claim(1);
  await ledger.settleInterrupted(NOON);
  await ledger.settle(1, 'delivered');
  expect((await states(ledger))[0]).toBe('held unknown');
});

test('settling changes nothing (rule 5) if the answer comes after the command was claimed again, by another process or by this one', async () => {
  const ledger = await owing(THANKS);
  const former = await ledger.another();
  expect(await former.claim(1)).toBe(true);
  await ledger.settleInterrupted(NOON);
  await ledger.pay(1);
  expect(await ledger.claim(1)).toBe(true);
  await former.settle(1, 'refused');
  await ledger.settle(1, 'refused', { claim: 1 });
  expect([await states(ledger), await ledger.due()]).toEqual([['pending none'], []]);
  await ledger.settle(1, 'delivered', { claim: 2 });
  expect(await states(ledger)).toEqual(['delivered delivered']);
});

describe('settling one command and claiming the next', () => {
  const next = { position: 1, player: 'STEVE', now: NOON + 1 };

  test('is one step: the outcome is stored and the next command is being sent', async () => {
    const ledger = await owing(DAILY);
    await ledger.claim(1);
    expect(await ledger.settle(1, 'delivered', { state: 'pending', next })).toBe(true);
    const [grant] = await ledger.grants();
    expect(grant).toMatchObject({ state: 'pending', player: 'STEVE' });
    expect(grant?.commands[0]).toMatchObject({ outcome: 'delivered', attempts: 1 });
    expect(grant?.commands[1]).toMatchObject({ outcome: null, attempts: 1, startedAt: NOON + 1 });
    expect(await ledger.settleInterrupted(NOON + 2)).toBe(1);
  });

  test('is possible with a command of another grant, and stores the outcome even if that cannot be claimed', async () => {
    const ledger = await owing(THANKS, DAILY, { ...DAILY, name: 'gone' });
    const other = (grantId: number) => ({ ...next, grantId, position: 0 });
    await ledger.claim(1);
    await ledger.cancel(3);
    expect(await ledger.settle(1, 'delivered', { next: other(2) })).toBe(true);
    expect(await ledger.settle(2, 'delivered', { next: other(3) })).toBe(false);
    const paid = ['delivered delivered', 'delivered delivered none'];
    expect(await states(ledger)).toEqual([...paid, 'cancelled none none']);
  });

  test('claims nothing if there is nothing to settle', async () => {
    const ledger = await owing(DAILY);
    await ledger.claim(1);
    await ledger.settleInterrupted(NOON);
    await ledger.pay(1);
    expect(await ledger.settle(1, 'delivered', { state: 'pending', next })).toBe(false);
    const [, second] = (await ledger.grants())[0]?.commands ?? [];
    expect(second).toMatchObject({ outcome: null, attempts: 0 });
  });
});

describe('a new holder of the lock (rule 6)', () => {
  test('holds the grants whose commands the last holder was sending, except those that are safe to run twice', async () => {
    const ledger = await owing(THANKS, SAFE, DAILY);
    await ledger.claim(1);
    await ledger.claim(2);
    expect(await ledger.settleInterrupted(NOON + 9)).toBe(2);
    expect(await states(ledger)).toEqual(['held unknown', 'pending unknown', 'pending none none']);
    expect(await ledger.due('main', NOON + 9)).toEqual([2, 3]);
    expect(await ledger.settleInterrupted(NOON + 10)).toBe(0);
  });

  test('holds open grants of game servers that are gone, and no others', async () => {
    const names = ['open', 'waiting', 'cancelled', 'paid'];
    const ledger = await owing(...names.map((name) => ({ ...THANKS, name })));
    await ledger.wait(2);
    await ledger.cancel(3);
    await ledger.send(4, 'delivered');
    expect(await ledger.holdOrphaned(kinds(['main', 'rcon']), NOON)).toEqual({ held: 0, upTo: null });
    expect(await ledger.holdOrphaned(kinds(['other', 'rcon']), NOON)).toEqual({ held: 2, upTo: null });
    const found = (await ledger.grants()).map(({ state }) => state);
    expect(found).toEqual(['held', 'held', 'cancelled', 'delivered']);
  });

  const changed = kinds(['main', 'http']);
  /** 501 grants, of which the first call has held some after their game server got another kind. */
  async function beganToHold() {
    const ledger = await ledgers({ rewards: [THANKS] });
    await ledger.holdOrphaned(kinds(['main', 'rcon']), NOON);
    await ledger.vote(...many(501));
    return { ledger, first: await ledger.holdOrphaned(changed, NOON) };
  }

  test('holds 500 in a call, and the next call, or the next process, holds the rest', async () => {
    const { ledger, first } = await beganToHold();
    expect(first).toEqual({ held: 500, upTo: 501 });
    expect(await ledger.grantStates()).toEqual({ pending: 1, held: 500 });
    expect(await (await ledger.another()).holdOrphaned(changed, NOON)).toEqual({ held: 1, upTo: null });
    expect(await ledger.holdOrphaned(changed, NOON)).toEqual({ held: 0, upTo: null });
  });

  test('leaves grants alone that are created after the first call', async () => {
    const { ledger, first } = await beganToHold();
    await ledger.vote(...many(1, 501));
    expect((await ledger.holdOrphaned(changed, NOON, first.upTo as number)).held).toBe(1);
    expect(await ledger.grantStates()).toEqual({ held: 501, pending: 1 });
  });
});

const OFFLINE = { code: 'player-offline' } as const;

test('waiting for a player begins for all absent players at once: those of due grants with "when": "online"', async () => {
  const elsewhere = { ...DAILY, name: 'else', ...at('other') };
  const ledger = await owing(DAILY, THANKS, elsewhere);
  await ledger.vote({ player: 'ALEX' }, { player: 'Eve' });
  const page = { from: 0, limit: 500 };
  const absent = await ledger.waitForAbsent(MAIN, page, ['eve', 'steve2'], OFFLINE, NOON + 7);
  expect(absent).toEqual(['Steve', 'ALEX']);
  const waiting = { reward: 'daily', server: 'main', reason: OFFLINE, changedAt: NOON + 7 };
  expect(await ledger.grants({ state: 'waiting' })).toMatchObject([
    { ...waiting, id: 1, player: 'Steve' },
    { ...waiting, id: 4, player: 'ALEX' },
  ]);
  expect(await ledger.due()).toEqual([2, 5, 7, 8]);
});

test('waiting for a player begins for one page of pending grants, and names a player with several grants once', async () => {
  const ledger = await ledgers({ rewards: [DAILY, THANKS, { ...DAILY, name: 'more' }] });
  await ledger.vote({}, { player: 'Alex' }, { player: 'Eve' });
  const wait = (from: number, limit: number) =>
    ledger.waitForAbsent(MAIN, { from, limit }, [], OFFLINE, NOON);
  expect([await wait(4, 3), await wait(1, 2), await wait(10, 9)]).toEqual([['Alex'], ['Steve'], []]);
  expect(await ledger.due()).toEqual([2, 3, 5, 7, 8, 9]);
});

test('waiting for a player does not begin for a grant that is being sent, is not due yet, or is in another state', async () => {
  const ledger = await owing(
    ...['sending', 'later', 'held', 'cancelled', 'open'].map((name) => ({ ...DAILY, name })),
  );
  await ledger.claim(1);
  await ledger.send(2, 'not-sent', { dueAt: NOON + 10 * SECOND });
  await ledger.send(3, 'held');
  await ledger.cancel(4);
  await ledger.wait(4);
  await ledger.waitForAbsent(MAIN, { from: 0, limit: 500 }, [], OFFLINE, NOON);
  const found = (await ledger.grants()).map(({ state }) => state);
  expect(found).toEqual(['pending', 'pending', 'held', 'cancelled', 'waiting']);
});

describe('a grant for the game server that the player is on', () => {
  const POOL = 'sky or survival';
  const ROAMING = { ...DAILY, servers: 'where-online' };
  const servers = { gameServers: gameServers('sky', 'survival') };
  async function roaming(...more: readonly object[]) {
    const ledger = await ledgers({ ...servers, rewards: [ROAMING, ...more] });
    await ledger.vote({});
    return ledger;
  }
  const take = (server: string) => ({ take: { pool: POOL, server } });
  const places = async (ledger: LedgerOfTest) =>
    (await ledger.grants()).map(({ server, state }) => `${server} ${state}`);

  test('is taken by the first that claims a command, and is found under that one alone from then on', async () => {
    const ledger = await roaming();
    const found = async (server: string) => (await ledger.grants({ server })).length;
    expect([await found('sky'), await found('survival'), await found('lobby')]).toEqual([1, 1, 0]);
    expect(await ledger.claim(1, take('survival'))).toBe(true);
    expect(await ledger.claim(1, take('sky'))).toBe(false);
    await ledger.settle(1, 'delivered', { state: 'pending' });
    await ledger.wait(1, POOL);
    expect(await places(ledger)).toEqual(['survival pending']);
    expect(await ledger.claim(1, { position: 1, ...take('sky') })).toBe(false);
    expect([await ledger.due('sky'), await ledger.due('survival')]).toEqual([[], [1]]);
    expect([await found('sky'), await found('survival')]).toEqual([0, 1]);
    expect(await ledger.claim(1, { position: 1, ...take('survival') })).toBe(true);
  });

  test('stays with the others if one of its game servers is removed, and is held if all are', async () => {
    const ledger = await roaming();
    expect(await ledger.holdOrphaned(kinds(['survival', 'rcon']), NOON)).toMatchObject({ held: 0 });
    expect(await ledger.due('survival')).toEqual([1]);
    expect(await ledger.holdOrphaned(kinds(['lobby', 'rcon']), NOON)).toMatchObject({ held: 1 });
    expect(await ledger.owed()).toEqual([`Steve daily on ${POOL}: held other-game-server`]);
    expect(await ledger.pay(1, { kindByServer: kinds(['sky', 'rcon']) })).toEqual({ kind: 'changed' });
    expect(await ledger.due('sky')).toEqual([1]);
  });

  test('is held if the game server that took it is removed, although others of the pool are left', async () => {
    const ledger = await roaming();
    await ledger.send(1, 'delivered', { state: 'pending' }).catch(() => {});
    await ledger.claim(1, { position: 1, ...take('sky') });
    await ledger.settle(1, 'delivered', { state: 'pending' });
    expect(await ledger.holdOrphaned(kinds(['survival', 'rcon']), NOON)).toMatchObject({ held: 1 });
  });
});
