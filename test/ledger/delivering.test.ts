import { describe, expect, test } from 'vitest';
import {
  DAY,
  type End,
  gameServers,
  HOUR,
  type LedgerOfTest,
  ledgers,
  NOON,
  reward,
  SECOND,
} from '../kit/ledgers.ts';

const MAIN = { server: 'main', practice: false };
const DAILY = reward('daily', {
  when: 'online',
  commands: ['give {player} diamond 1', 'give {player} emerald 2'],
});
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
/** The state of each grant, and the outcome of each of its commands. */
const states = async (ledger: LedgerOfTest) =>
  (await ledger.grants()).map(({ state, commands }) => [state, ...commands.map(({ outcome }) => outcome)]);
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ player: `P${from + n}` }));

describe('a grant that may be tried', () => {
  test('is listed oldest first on its game server, with what is needed to pay it', async () => {
    const ledger = await owing(THANKS, DAILY, { ...THANKS, name: 'else', ...at('other') });
    expect(await ledger.pending(MAIN, NOON, 10)).toEqual(
      [
        {
          id: 1,
          reward: 'thanks',
          when: 'always',
          commands: [{ position: 0, text: 'say {player} voted', attempts: 0 }],
        },
        {
          ...{ id: 2, reward: 'daily', when: 'online' },
          commands: [
            { position: 0, text: 'give {player} diamond 1', attempts: 0 },
            { position: 1, text: 'give {player} emerald 2', attempts: 0 },
          ],
        },
      ].map((one) => ({
        ...{ recipientKey: 'steve', player: 'Steve', isNameTaken: false, server: 'main', createdAt: NOON },
        ...{ safeToRunTwice: false, announcement: null, ...one },
      })),
    );
    expect((await ledger.pending(MAIN, NOON, 1)).map(({ id }) => id)).toEqual([1]);
    expect([await ledger.due('other'), await ledger.due('nowhere')]).toEqual([[3], []]);
  });

  test('is owed on the same kind of server: practice never pays what a real one owes, nor the reverse (rule 9)', async () => {
    const ledger = await owing(THANKS, DAILY);
    await ledger.wait(2);
    const practice = { server: 'main', practice: true };
    expect(await ledger.pending(practice, NOON, 9)).toEqual([]);
    expect(await ledger.waiting(practice, ['steve'], NOON, 9)).toEqual([]);
    expect(await ledger.waitingFor(practice, 9, 0)).toEqual([]);
    expect(await ledger.nextDueAt(practice, NOON)).toBeNull();
  });

  test('must be due and not being sent, and its delivered commands are left out', async () => {
    const ledger = await owing(DAILY);
    await ledger.claim(1);
    expect([await ledger.due(), await ledger.nextDueAt(MAIN, NOON)]).toEqual([[], null]);
    await ledger.settle(1, 'delivered', { state: 'pending', dueAt: NOON + 1 });
    expect([await ledger.due(), await ledger.nextDueAt(MAIN, NOON)]).toEqual([[], NOON + 1]);
    expect(await ledger.pending(MAIN, NOON + 1, 9)).toMatchObject([{ commands: [{ position: 1 }] }]);
  });

  test('is due at once if it is new, or if a clock that was set back puts its due time further away than any delay', async () => {
    const ledger = await owing(THANKS);
    expect(await ledger.due('main', NOON - DAY)).toEqual([1]);
    await ledger.send(1, 'not-sent', { dueAt: NOON + 10 * SECOND });
    expect(await ledger.due('main', NOON)).toEqual([]);
    expect(await ledger.due('main', NOON - DAY)).toEqual([1]);
  });

  test('tells the player when they may vote again by their votes since, and keeps what was told', async () => {
    const ledger = await ledgers({
      rewards: [reward('told', { commands: ['msg {player} {nextVote}'], if: { firstVote: true } })],
    });
    const later = NOON + 3 * DAY;
    await ledger.vote({}, { at: later });
    const [grant] = await ledger.pending(MAIN, later, 9);
    const text = `msg {player} {nextVote ${later + DAY}}`;
    expect(grant?.commands).toEqual([{ position: 0, text, attempts: 0 }]);
    await ledger.claim(1, { now: later + DAY / 2, text });
    expect((await ledger.grants())[0]?.commands[0]?.command).toBe('msg Steve 12 h');
  });

  test('may be waiting for a player; these players are listed page by page, each once', async () => {
    const ledger = await ledgers({ rewards: [DAILY, SAFE] });
    await ledger.vote({}, { player: 'Alex' }, { player: 'Eve' });
    for (let id = 1; id <= 6; id++) await ledger.wait(id);
    const players = async (after: number) =>
      (await ledger.waitingFor(MAIN, 2, after)).map(({ recipientId, player }) => `${recipientId} ${player}`);
    expect([await players(0), await players(2), await players(3)]).toEqual([
      ['1 Steve', '2 Alex'],
      ['3 Eve'],
      [],
    ]);
    expect((await ledger.waiting(MAIN, ['alex', 'nobody'], NOON, 9)).map(({ id }) => id)).toEqual([3, 4]);
    expect([await ledger.waiting(MAIN, [], NOON, 9), await ledger.due()]).toEqual([[], []]);
  });
});

describe('claiming', () => {
  test('marks the command as being sent, counts the attempt and keeps the spelling of the name; it succeeds once', async () => {
    const ledger = await owing(THANKS);
    expect(await ledger.claim(1, { player: 'STEVE' })).toBe(true);
    expect(await ledger.claim(1)).toBe(false);
    expect(await ledger.grants()).toMatchObject([
      {
        ...{ state: 'pending', player: 'STEVE' },
        commands: [{ command: 'say STEVE voted', attempts: 1, startedAt: NOON, endedAt: null }],
      },
    ]);
  });

  test('succeeds for a grant that waits for its player', async () => {
    const ledger = await owing(DAILY);
    await ledger.wait(1);
    expect(await ledger.claim(1)).toBe(true);
  });

  test.each(['held', 'refused', 'delivered', 'cancelled'] as const)(
    'is refused for a grant that is %s',
    async (state) => {
      const ledger = await owing(DAILY);
      await ledger.send(1, 'held', { state });
      expect(await ledger.claim(1, { position: 1 })).toBe(false);
      expect(await states(ledger)).toEqual([[state, 'unknown', null]]);
    },
  );

  test('is refused for a command that was delivered or does not exist', async () => {
    const ledger = await owing(DAILY);
    await ledger.send(1, 'delivered', { state: 'pending' });
    expect(await ledger.claim(1)).toBe(false);
    expect(await ledger.claim(1, { position: 2 })).toBe(false);
    expect(await ledger.claim(99)).toBe(false);
  });
});

describe('settling (rule 5)', () => {
  test.each<[End | { kind: 'refused'; reply: null; reason: 'command-too-long' }, object, object]>([
    [
      'delivered',
      { state: 'delivered', reason: null },
      { outcome: 'delivered', reply: 'Gave', reason: null },
    ],
    [
      'refused',
      { state: 'refused', reason: { code: 'refused' } },
      { outcome: 'refused', reply: 'Unknown item' },
    ],
    ['offline', { state: 'waiting' }, { outcome: 'player-offline', reply: 'No player was found' }],
    ['not-sent', { state: 'pending' }, { outcome: 'not-sent', reply: null, reason: { code: 'unreachable' } }],
    [
      'held',
      { state: 'held', reason: { code: 'closed' } },
      { outcome: 'unknown', reply: null, reason: { code: 'closed' } },
    ],
    [
      { kind: 'refused', reply: null, reason: 'command-too-long' },
      { reason: { code: 'command-too-long' } },
      { outcome: 'refused', reply: null, reason: { code: 'command-too-long' } },
    ],
  ])('keeps the outcome, reply and reason of %j', async (end, grant, command) => {
    const ledger = await owing(THANKS);
    await ledger.send(1, end, { endedAt: NOON + 5 });
    expect(await ledger.grants()).toMatchObject([{ changedAt: NOON + 5, ...grant }]);
    expect((await ledger.grants())[0]?.commands).toMatchObject([{ endedAt: NOON + 5, ...command }]);
  });

  test('changes nothing if the command is not being sent: never claimed, or interrupted', async () => {
    const ledger = await owing(THANKS, DAILY);
    await ledger.settle(1, 'delivered');
    expect(await states(ledger)).toEqual([
      ['pending', null],
      ['pending', null, null],
    ]);
    await ledger.claim(1);
    await ledger.settleInterrupted(NOON);
    await ledger.settle(1, 'delivered');
    expect((await states(ledger))[0]).toEqual(['held', 'unknown']);
  });
});

describe('settling one command and claiming the next', () => {
  const next = { position: 1, player: 'STEVE', now: NOON + 1 };

  test('is one step: the outcome is stored and the next command is being sent', async () => {
    const ledger = await owing(DAILY);
    await ledger.claim(1);
    expect(await ledger.settle(1, 'delivered', { state: 'pending', next })).toBe(true);
    expect(await ledger.grants()).toMatchObject([
      {
        ...{ state: 'pending', player: 'STEVE' },
        commands: [
          { outcome: 'delivered', attempts: 1 },
          { outcome: null, attempts: 1, startedAt: NOON + 1 },
        ],
      },
    ]);
    expect(await ledger.settleInterrupted(NOON + 2)).toBe(1);
  });

  test('is possible with a command of another grant, and stores the outcome even if that cannot be claimed', async () => {
    const ledger = await owing(THANKS, DAILY, { ...DAILY, name: 'gone' });
    const other = (grantId: number) => ({ ...next, grantId, position: 0 });
    await ledger.claim(1);
    await ledger.cancel(3);
    expect(await ledger.settle(1, 'delivered', { next: other(2) })).toBe(true);
    expect(await ledger.settle(2, 'delivered', { next: other(3) })).toBe(false);
    expect(await states(ledger)).toEqual([
      ['delivered', 'delivered'],
      ['delivered', 'delivered', null],
      ['cancelled', null, null],
    ]);
  });

  test('claims nothing if there is nothing to settle', async () => {
    const ledger = await owing(DAILY);
    await ledger.claim(1);
    await ledger.settleInterrupted(NOON);
    await ledger.pay(1);
    expect(await ledger.settle(1, 'delivered', { state: 'pending', next })).toBe(false);
    expect((await ledger.grants())[0]?.commands).toMatchObject([
      { attempts: 1 },
      { outcome: null, attempts: 0 },
    ]);
  });
});

describe('a new holder of the lock (rule 6)', () => {
  test('holds the grants whose commands the last holder was sending, except those that are safe to run twice', async () => {
    const ledger = await owing(THANKS, SAFE, DAILY);
    await ledger.claim(1);
    await ledger.claim(2);
    expect(await ledger.settleInterrupted(NOON + 9)).toBe(2);
    expect(await states(ledger)).toEqual([
      ['held', 'unknown'],
      ['pending', 'unknown'],
      ['pending', null, null],
    ]);
    expect(await ledger.due('main', NOON + 9)).toEqual([2, 3]);
    expect(await ledger.settleInterrupted(NOON + 10)).toBe(0);
  });

  test('holds open grants of game servers that are gone or have changed kind, and no others', async () => {
    const ledger = await owing(
      { ...THANKS, ...at('main', 'other', 'third') },
      { ...DAILY, ...at('main', 'other') },
    );
    const ids = new Map(
      (await ledger.grants()).map(({ id, reward: name, server }) => [`${name} ${server}`, id]),
    );
    await ledger.wait(ids.get('daily other') ?? 0, 'other');
    await ledger.cancel(ids.get('thanks other') ?? 0);
    const now = kinds(['main', 'rcon'], ['third', 'practice']);
    expect(await ledger.holdOrphaned(now, NOON)).toEqual({ held: 2, upTo: null });
    expect(
      (await ledger.grants())
        .map(({ reward: name, server, state }) => `${name} ${server} ${state}`)
        .toSorted(),
    ).toEqual([
      'daily main pending',
      'daily other held',
      'thanks main pending',
      'thanks other cancelled',
      'thanks third held',
    ]);
    expect(await ledger.holdOrphaned(now, NOON)).toMatchObject({ held: 0 });
  });

  test('holds open grants of a game server that was rcon at the last start and is http now, once', async () => {
    const ledger = await owing({ ...THANKS, ...at('main', 'other') });
    const [before, after] = [
      kinds(['main', 'rcon'], ['other', 'rcon']),
      kinds(['main', 'http'], ['other', 'rcon']),
    ];
    expect(await ledger.holdOrphaned(before, NOON)).toMatchObject({ held: 0 });
    expect(await ledger.holdOrphaned(after, NOON)).toMatchObject({ held: 1 });
    expect(await ledger.grants({ state: 'held' })).toMatchObject([
      { server: 'main', reason: { code: 'other-game-server' } },
    ]);
    await ledger.pay(1, { kindByServer: after });
    expect(await ledger.holdOrphaned(after, NOON)).toMatchObject({ held: 0 });
    expect(await ledger.grantStates()).toEqual({ pending: 2 });
  });

  test('holds 500 in a call, and the next call, or the next process, holds the rest', async () => {
    const ledger = await ledgers({ rewards: [THANKS] });
    await ledger.holdOrphaned(kinds(['main', 'rcon']), NOON);
    await ledger.vote(...many(501));
    const changed = kinds(['main', 'http']);
    const { held, upTo } = await ledger.holdOrphaned(changed, NOON);
    expect([held, upTo]).toEqual([500, 501]);
    expect(await ledger.grantStates()).toEqual({ pending: 1, held: 500 });
    expect(await (await ledger.another()).holdOrphaned(changed, NOON)).toEqual({ held: 1, upTo: null });
    expect(await ledger.holdOrphaned(changed, NOON)).toEqual({ held: 0, upTo: null });
  });

  test('leaves grants alone that are created after the first call', async () => {
    const ledger = await ledgers({ rewards: [THANKS] });
    await ledger.holdOrphaned(kinds(['main', 'rcon']), NOON);
    await ledger.vote(...many(501));
    const { upTo } = await ledger.holdOrphaned(kinds(['main', 'http']), NOON);
    await ledger.vote(...many(1, 501));
    expect(await ledger.holdOrphaned(kinds(['main', 'http']), NOON, upTo as number)).toEqual({
      held: 1,
      upTo: null,
    });
    expect(await ledger.grantStates()).toEqual({ held: 501, pending: 1 });
  });
});

describe('waiting for a player', () => {
  const OFFLINE = { code: 'player-offline' } as const;

  test('begins for all absent players at once: those of due grants with "when": "online"', async () => {
    const elsewhere = { ...DAILY, name: 'else', ...at('other') };
    const ledger = await ledgers({
      ...THREE,
      rewards: [{ ...DAILY, ...at('main') }, { ...THANKS, ...at('main') }, elsewhere],
    });
    await ledger.vote({}, { player: 'ALEX' }, { player: 'Eve' });
    const page = { from: 0, limit: 500 };
    expect(await ledger.waitForAbsent(MAIN, page, ['eve', 'steve2'], OFFLINE, NOON + 7)).toEqual([
      'Steve',
      'ALEX',
    ]);
    expect(await ledger.grants({ state: 'waiting' })).toMatchObject([
      { id: 1, player: 'Steve', reward: 'daily', server: 'main', reason: OFFLINE, changedAt: NOON + 7 },
      { id: 4, player: 'ALEX', reward: 'daily', server: 'main', reason: OFFLINE, changedAt: NOON + 7 },
    ]);
    expect(await ledger.due()).toEqual([2, 5, 7, 8]);
  });

  test('begins for one page of pending grants, and names a player with several grants once', async () => {
    const ledger = await ledgers({ rewards: [DAILY, THANKS, { ...DAILY, name: 'more' }] });
    await ledger.vote({}, { player: 'Alex' }, { player: 'Eve' });
    const wait = (from: number, limit: number) =>
      ledger.waitForAbsent(MAIN, { from, limit }, [], OFFLINE, NOON);
    expect([await wait(4, 3), await wait(1, 2), await wait(10, 9)]).toEqual([['Alex'], ['Steve'], []]);
    expect(await ledger.due()).toEqual([2, 3, 5, 7, 8, 9]);
  });

  test('does not begin for a grant that is being sent, is not due yet, or is in another state', async () => {
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

  test('keeps who is probably meant with all grants of that player that wait, and only with those', async () => {
    const ledger = await ledgers({ rewards: [DAILY, THANKS] });
    await ledger.vote({ player: 'BedHead' }, { player: 'Alex' });
    await ledger.waitForAbsent(MAIN, { from: 0, limit: 500 }, [], OFFLINE, NOON);
    const likely = ['bedhead', 'nobody'].map((key) => ({ recipientKey: key, likely: `.${key}` }));
    await ledger.storeLikelyPlayers({ ...MAIN, server: 'other' }, likely);
    expect((await ledger.grants()).map(({ likelyPlayer }) => likelyPlayer)).toEqual(Array(4).fill(null));
    await ledger.storeLikelyPlayers(MAIN, likely);
    expect((await ledger.grants()).map(({ likelyPlayer }) => likelyPlayer)).toEqual([
      '.bedhead',
      null,
      null,
      null,
    ]);
  });
});

describe('a grant for the game server that the player is on', () => {
  const POOL = 'sky or survival';
  const SKY = { server: 'sky', practice: false };
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

  test('is one grant, which the queues of its game servers read and no others', async () => {
    const ledger = await roaming({ ...THANKS, ...at('sky') });
    expect(await ledger.grants()).toMatchObject([
      { id: 1, server: POOL, pool: POOL },
      { id: 2, server: 'sky', pool: null },
    ]);
    expect([await ledger.due('sky'), await ledger.due('survival'), await ledger.due('lobby')]).toEqual([
      [1, 2],
      [1],
      [],
    ]);
    expect(await ledger.pending({ ...SKY, practice: true }, NOON, 9)).toEqual([]);
    expect(await ledger.pending(SKY, NOON, 1)).toMatchObject([{ id: 1, server: POOL }]);
    expect(await ledger.nextDueAt({ ...SKY, server: 'survival' }, NOON)).toBe(0);
  });

  test('waits for its player on each of them', async () => {
    const ledger = await roaming({ ...DAILY, name: 'own', ...at('sky') });
    const pool = { ...SKY, server: POOL };
    expect(
      await ledger.waitForAbsent(pool, { from: 1, limit: 9 }, [], { code: 'player-offline' }, NOON),
    ).toEqual(['Steve']);
    await ledger.wait(2, 'sky');
    for (const [server, ids] of [
      ['sky', [1, 2]],
      ['survival', [1]],
    ] as const) {
      const queue = { ...SKY, server };
      expect(await ledger.waitingFor(queue, 9, 0)).toMatchObject([{ recipientId: 1, player: 'Steve' }]);
      expect((await ledger.waiting(queue, ['steve'], NOON, 9)).map(({ id }) => id)).toEqual(ids);
    }
  });

  test('is taken by the first that claims a command, and is found under that one alone from then on', async () => {
    const ledger = await roaming();
    const found = async (server: string) => (await ledger.grants({ server })).length;
    expect([await found('sky'), await found('survival'), await found('lobby')]).toEqual([1, 1, 0]);
    expect([await ledger.claim(1, take('survival')), await ledger.claim(1, take('sky'))]).toEqual([
      true,
      false,
    ]);
    await ledger.settle(1, 'delivered', { state: 'pending' });
    await ledger.wait(1, POOL);
    expect(await places(ledger)).toEqual(['survival pending']);
    expect(await ledger.claim(1, { position: 1, ...take('sky') })).toBe(false);
    expect([await ledger.due('sky'), await ledger.due('survival')]).toEqual([[], [1]]);
    expect([await found('sky'), await found('survival')]).toEqual([0, 1]);
    expect(await ledger.claim(1, { position: 1, ...take('survival') })).toBe(true);
  });

  test('may be taken by another if its first command has certainly not run, also if the config names no pool any more', async () => {
    const ledger = await roaming();
    await ledger.claim(1, take('survival'));
    await ledger.use({ ...servers, rewards: [] });
    expect(await ledger.due('sky')).toEqual([]);
    await ledger.settle(1, 'not-sent', { startsOver: true });
    expect([await places(ledger), await ledger.due('sky')]).toEqual([[`${POOL} pending`], [1]]);
    expect(await ledger.claim(1, take('sky'))).toBe(true);
  });

  test('stays with the game server that was sending a command of it when the process died', async () => {
    const ledger = await roaming({ ...ROAMING, name: 'safe', safeToRunTwice: true });
    await ledger.claim(1, take('sky'));
    await ledger.claim(2, take('sky'));
    expect(await ledger.settleInterrupted(NOON)).toBe(2);
    expect(await places(ledger)).toEqual(['sky held', 'sky pending']);
    expect([await ledger.due('survival'), await ledger.due('sky')]).toEqual([[], [2]]);
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
    await ledger.settle(1, 'delivered', { position: 1, state: 'pending' });
    expect(await ledger.holdOrphaned(kinds(['survival', 'rcon']), NOON)).toMatchObject({ held: 1 });
  });

  test('has an occasion that is accepted once, whichever game server pays it (rule 14)', async () => {
    const ledger = await ledgers({ ...servers, rewards: [{ ...ROAMING, if: { firstVote: 'day' } }] });
    await ledger.vote({});
    await ledger.claim(1, take('sky'));
    await ledger.vote({ on: 'Other' });
    expect(await ledger.grants()).toMatchObject([{ occasion: 'day 2026-06-01 total 1', server: 'sky' }]);
  });

  test.each<[string, (ledger: LedgerOfTest) => Promise<unknown>]>([
    ['is pending', async () => {}],
    ['waits for its player', (ledger) => ledger.wait(1, POOL)],
    ['is held', (ledger) => ledger.holdOrphaned(kinds(['lobby', 'rcon']), NOON)],
  ])('is found under its game servers as long as it %s, whatever the config names', async (_, change) => {
    const ledger = await roaming();
    await change(ledger);
    await ledger.use({ ...servers, rewards: [] });
    expect(await ledger.grants({ server: 'sky' })).toHaveLength(1);
  });

  test('leaves no pool behind that no open grant and no reward of the config names', async () => {
    const ledger = await roaming();
    const pools = async () => ledger.sql("SELECT pool FROM pools WHERE server = 'sky'").length;
    await ledger.use({ ...servers, rewards: [] });
    expect(await pools()).toBe(1);
    await ledger.cancel(1);
    await ledger.use({ ...servers, rewards: [] });
    expect(await pools()).toBe(0);
    await ledger.use({ ...servers, rewards: [ROAMING] });
    await ledger.vote({ player: 'Alex' });
    expect(await ledger.due('sky')).toEqual([2]);
  });
});

describe('an announcement', () => {
  const here = (now: number) => ({ now, isHere: true, isTooOften: false });
  async function announced(...players: readonly string[]) {
    const news = reward('news', {
      commands: ['give {player} diamond 1'],
      broadcast: '{player} voted',
    });
    const ledger = await ledgers({ rewards: [news] });
    await ledger.vote(...players.map((player) => ({ player })));
    return ledger;
  }

  test('is for players who were seen: on another game server of that kind, on this one now, or it is over', async () => {
    const ledger = await announced('Alex', 'Steve', 'Sasha');
    expect((await ledger.pending(MAIN, NOON, 9))[0]?.announcement).toEqual({ first: 1, atMost: null });
    await ledger.storePresent(['alex', 'alex'], false, NOON);
    await ledger.storePresent(['steve', 'sasha'], true, NOON);
    const unknown = { now: NOON, isHere: null, isTooOften: false };
    expect(await ledger.announce(1, unknown)).toBe('send');
    expect([await ledger.announce(2, unknown), await ledger.announce(2, here(NOON))]).toEqual([
      'unseen',
      'send',
    ]);
    expect(await ledger.announce(3, { ...unknown, isHere: false })).toBe('over');
    expect(await ledger.announce(3, here(NOON))).toBe('over');
    expect(await ledger.grants({ id: 3 })).toMatchObject([
      {
        ...{ state: 'cancelled', reason: { code: 'stranger' } },
        commands: [{ outcome: null }, { outcome: 'not-sent', reason: { code: 'stranger' } }],
      },
    ]);
  });

  test('expires after two minutes, and is over if it comes too often or its grant was cancelled', async () => {
    const ledger = await announced('Alex', 'Steve', 'Sasha', 'Ben', 'Kim');
    expect(await ledger.announce(1, here(NOON + HOUR / 30))).toBe('send');
    expect(await ledger.announce(2, here(NOON + HOUR / 30 + 1))).toBe('over');
    expect(await ledger.announce(3, { ...here(NOON), isTooOften: true })).toBe('over');
    expect(await ledger.announce(4, { now: NOON, isHere: false, isTooOften: true })).toBe('over');
    await ledger.cancel(5);
    expect(await ledger.announce(5, here(NOON))).toBe('over');
    const codes = (await ledger.grants()).map(({ reason }) => reason?.code ?? null);
    expect(codes.slice(2, 4)).toEqual(['too-often', 'stranger']);
  });
});
