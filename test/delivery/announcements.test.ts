import { describe, expect, test } from 'vitest';
import type { AnnouncementRules } from '../../src/core/announcement.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { record, rulesFor } from '../support/ledgers.ts';
import { reward } from '../support/rewards.ts';
import { arrival } from '../support/votes.ts';
import { MINUTE, type QueueFixture, quiet, startQueue, states, vote } from './scripted-queue.ts';

const RULES: AnnouncementRules = { isWhole: true, atMost: null };

/** A reward that only announces. */
const announcing = (rules: Partial<AnnouncementRules> = {}, more: Partial<Reward> = {}): Reward =>
  reward('news', {
    when: 'always',
    commands: ['say {player} voted'],
    announcement: { ...RULES, ...rules },
    ...more,
  });

/** A reward that pays and tells everyone. */
const broadcasting = (rules: Partial<AnnouncementRules> = {}): Reward =>
  reward('daily', {
    when: 'always',
    commands: ['give {player} diamond 1'],
    messages: ['say {player} voted'],
    announcement: { ...RULES, isWhole: false, ...rules },
  });

function started(change: Parameters<typeof startQueue>[0] = {}): QueueFixture {
  const fixture = startQueue(change);
  fixture.queue.keepsSeen = true;
  return fixture;
}

const outcomes = async ({ ledger }: QueueFixture, id: number): Promise<unknown[]> => {
  const [grant] = await ledger.grants({ id, limit: 1 });
  return (grant?.commands ?? []).map(({ outcome, reason }) => [outcome, reason?.code ?? null]);
};

const reasonOf = async ({ ledger }: QueueFixture, id: number): Promise<unknown> =>
  (await ledger.grants({ id, limit: 1 }))[0]?.reason?.code ?? null;

const UNKNOWN: Outcome = { kind: 'unknown', reason: 'timeout' as never };
const REFUSED: Outcome = { kind: 'refused', reply: 'Unknown command' };
const NOT_SENT: Outcome = { kind: 'not-sent', reason: 'refused-connection' as never };

describe('an announcement', () => {
  test('is sent for a player who is on the game server, and later also while they are away', async () => {
    const one = started();
    one.server.online = ['Steve'];
    await vote(one, 'Steve', announcing());
    one.server.online = [];
    await one.pass(MINUTE);
    const elsewhere = arrival({ player: 'Steve', site: 'Other', receivedAt: one.clock.now() });
    await record(one.ledger, [elsewhere], rulesFor(announcing()));
    one.queue.nudge();
    await quiet();
    expect(one.server.commands).toEqual(['say Steve voted', 'say Steve voted']);
    expect(await states(one)).toEqual(['delivered', 'delivered']);
  });

  test('is not sent for a player whom no game server has shown, who is still paid', async () => {
    const one = started();
    await vote(one, 'Stranger', announcing(), broadcasting());
    expect(one.server.commands).toEqual(['give Stranger diamond 1']);
    expect(await states(one)).toEqual(['cancelled', 'delivered']);
    expect([await reasonOf(one, 1), await outcomes(one, 2)]).toEqual([
      'stranger',
      [
        ['delivered', null],
        ['not-sent', 'stranger'],
      ],
    ]);
    one.server.online = ['Stranger'];
    await one.pass(5 * MINUTE);
    expect(one.server.commands).toEqual(['give Stranger diamond 1']);
  });

  test('is sent for anybody on a game server that cannot report who is online, without asking it', async () => {
    const one = started({ isSilent: true });
    await vote(one, 'Stranger', announcing());
    expect([one.server.commands, one.server.reads]).toEqual([['say Stranger voted'], []]);
  });

  test('waits for the connection, but no longer than two minutes', async () => {
    const one = started();
    one.server.online = ['Alex'];
    one.server.outcome = () => NOT_SENT;
    await vote(one, 'Alex', announcing(), broadcasting());
    await one.pass(2 * MINUTE);
    const tries = one.server.commands.length;
    expect(tries).toBeGreaterThan(3);
    one.server.outcome = () => ({ kind: 'delivered', reply: '' });
    await one.pass(MINUTE);
    expect(one.server.commands.slice(tries)).toEqual(['give Alex diamond 1']);
    expect(await reasonOf(one, 1)).toBe('expired');
    expect(await states(one)).toEqual(['cancelled', 'delivered']);
    expect(await outcomes(one, 2)).toEqual([
      ['delivered', null],
      ['not-sent', 'expired'],
    ]);
  });

  test('is sent exactly two minutes after its vote, and not a millisecond later', async () => {
    for (const [ms, sent] of [
      [2 * MINUTE, ['say Alex voted']],
      [2 * MINUTE + 1, []],
    ] as const) {
      const one = started();
      one.server.online = ['Alex'];
      one.server.opening = async () => ({
        kind: 'resting',
        reason: 'refused-connection' as never,
        restMs: ms,
      });
      await vote(one, 'Alex', broadcasting());
      one.server.opening = async () => ({ kind: 'open' });
      await one.pass(ms, ms);
      expect(one.server.commands.slice(1), String(ms)).toEqual(sent);
    }
  });

  test.each([
    ['unknown', UNKNOWN, 'delivered'],
    ['refused', REFUSED, 'cancelled'],
  ])('whose outcome is %s is over, and is neither held nor sent again', async (kind, outcome, state) => {
    const one = started();
    one.server.online = ['Alex'];
    one.server.outcome = (command) =>
      command.startsWith('say') ? outcome : { kind: 'delivered', reply: '' };
    await vote(one, 'Alex', announcing(), broadcasting());
    await one.pass(10 * MINUTE, 10_000);
    expect(one.server.commands).toEqual(['say Alex voted', 'give Alex diamond 1', 'say Alex voted']);
    expect(await states(one)).toEqual([state, 'delivered']);
    expect((await outcomes(one, 2))[1]).toEqual([kind, kind === 'unknown' ? 'timeout' : null]);
  });

  test('of several commands goes on after one that was refused', async () => {
    const one = started();
    one.server.online = ['Alex'];
    one.server.outcome = (command) => (command === 'say one' ? REFUSED : { kind: 'delivered', reply: '' });
    await vote(one, 'Alex', announcing({}, { commands: ['say one', 'say two', 'say three'] }));
    expect(one.server.commands).toEqual(['say one', 'say two', 'say three']);
    expect(await states(one)).toEqual(['delivered']);
  });

  test('that a process was sending when it died is not sent by the next one, nor are those after it', async () => {
    const one = started();
    one.server.online = ['Alex'];
    let isDead = false;
    one.server.outcome = () => {
      isDead = true;
      return UNKNOWN;
    };
    const { ledger } = one;
    await one.queue.close();
    await vote(one, 'Alex', announcing({}, { commands: ['say one', 'say two'] }), broadcasting());
    await ledger.claim({ grantId: 1, position: 0, player: 'Alex', uuid: null, now: one.clock.now() });
    expect([isDead, await ledger.settleInterrupted(one.clock.now())]).toEqual([false, 1]);
    expect([await states(one), await outcomes(one, 1)]).toEqual([
      ['delivered', 'pending'],
      [
        ['unknown', 'process-ended'],
        ['not-sent', 'process-ended'],
      ],
    ]);
    expect(await ledger.pending({ server: 'main', practice: false }, one.clock.now(), 9)).toMatchObject([
      { id: 2 },
    ]);
  });

  test('of a reward that waits for its player is sent while they are there', async () => {
    const one = started();
    await vote(one, 'Alex', announcing({}, { when: 'online' }));
    expect([one.server.commands, await states(one)]).toEqual([[], ['waiting']]);
    one.server.online = ['Alex'];
    await one.pass(MINUTE);
    expect([one.server.commands, await states(one)]).toEqual([['say Alex voted'], ['delivered']]);
  });

  test('about a payment that waited for its player is not sent when they come back a day later', async () => {
    const one = started();
    await vote(one, 'Alex', { ...broadcasting(), when: 'online' });
    await one.pass(60 * MINUTE, MINUTE);
    one.server.online = ['Alex'];
    await one.pass(MINUTE);
    expect([one.server.commands, await states(one)]).toEqual([['give Alex diamond 1'], ['delivered']]);
  });

  test('for a player who was seen on a practice server only is not sent on a real one', async () => {
    const one = started();
    await one.ledger.storePresent(['alex'], true, one.clock.now());
    await vote(one, 'Alex', announcing());
    expect([one.server.commands, await reasonOf(one, 1)]).toEqual([[], 'stranger']);
  });
});

describe('atMost', () => {
  const LIMITED = broadcasting({ atMost: { count: 1, withinMs: 10 * MINUTE } });

  const startedFor = (...players: readonly string[]): QueueFixture => {
    const one = started();
    one.server.online = [...players];
    return one;
  };

  const said = ({ server }: QueueFixture) => server.commands.filter((command) => command.startsWith('say'));

  test('leaves out what comes too soon, and pays it', async () => {
    const one = startedFor('Alex', 'Steve', 'Noor', 'Zoe');
    for (const player of ['Alex', 'Steve']) await vote(one, player, LIMITED);
    await one.pass(10 * MINUTE - 1_000, MINUTE);
    await vote(one, 'Noor', LIMITED);
    await one.pass(MINUTE, MINUTE);
    await vote(one, 'Zoe', LIMITED);
    expect(said(one)).toEqual(['say Alex voted', 'say Noor voted']);
    expect(one.server.commands).toContain('give Steve diamond 1');
    expect(new Set(await states(one))).toEqual(new Set(['delivered']));
    expect((await outcomes(one, 2))[1]).toEqual(['not-sent', 'too-often']);
  });

  test('counts each reward by itself, and cancels what would only have been announced', async () => {
    const one = startedFor('Alex', 'Steve', 'Sasha');
    const limited = (name: string) => announcing({ atMost: { count: 2, withinMs: MINUTE } }, { name });
    for (const player of ['Alex', 'Steve', 'Sasha']) await vote(one, player, limited('a'), limited('b'));
    expect(await states(one)).toEqual([...Array(4).fill('delivered'), 'cancelled', 'cancelled']);
    expect(await reasonOf(one, 5)).toBe('too-often');
  });

  test('counts a grant of several announcements once, also if the connection breaks between them', async () => {
    const one = startedFor('Alex');
    let isBroken = true;
    one.server.outcome = (command) =>
      command === 'say two' && isBroken ? NOT_SENT : { kind: 'delivered', reply: '' };
    const twice = announcing(
      { atMost: { count: 1, withinMs: MINUTE } },
      { commands: ['say one', 'say two'] },
    );
    await vote(one, 'Alex', twice);
    isBroken = false;
    await one.pass(30_000);
    expect(said(one).filter((command) => command === 'say one')).toHaveLength(1);
    expect(said(one).at(-1)).toBe('say two');
    expect(await states(one)).toEqual(['delivered']);
  });

  test('does not count an announcement that could not be sent', async () => {
    const one = startedFor('Alex', 'Steve');
    one.server.outcome = (command) =>
      command.startsWith('say') ? NOT_SENT : { kind: 'delivered', reply: '' };
    await vote(one, 'Alex', LIMITED);
    await one.pass(3 * MINUTE, 10_000);
    one.server.outcome = () => ({ kind: 'delivered', reply: '' });
    one.server.commands.length = 0;
    await vote(one, 'Steve', LIMITED);
    expect(one.server.commands).toEqual(['give Steve diamond 1', 'say Steve voted']);
  });

  test('counts anew after a restart', async () => {
    const one = startedFor('Alex', 'Steve');
    await vote(one, 'Alex', LIMITED);
    await one.queue.close();
    const next = new GameServerQueue(one.parts);
    next.start();
    await vote({ ...one, queue: next }, 'Steve', LIMITED);
    await quiet();
    await next.close();
    expect(said(one)).toEqual(['say Alex voted', 'say Steve voted']);
  });
});

test('a plain reward asks nothing about announcements', async () => {
  const asked: string[] = [];
  const one = startQueue({}, (ledger) => ({
    ...ledger,
    announce: async (...args) => {
      asked.push('announce');
      return ledger.announce(...args);
    },
    storePresent: async (...args) => {
      asked.push('storePresent');
      return ledger.storePresent(...args);
    },
  }));
  one.server.online = ['Alex'];
  await vote(one, 'Alex', reward('plain', { when: 'online' }));
  expect([one.server.commands.length, asked]).toEqual([1, []]);
});
