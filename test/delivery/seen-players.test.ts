import { describe, expect, test } from 'vitest';
import { signBody } from '../../protocol/webhook/signature.ts';
import { Problem } from '../../src/core/problem.ts';
import type { Presence } from '../../src/delivery/game-server.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import { playersIn } from '../../src/delivery/kinds/http/answers.ts';
import { SeenPlayers } from '../../src/delivery/seen-players.ts';
import type { Ledger, SeenReport } from '../../src/ledger/ledger.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { rulesFor } from '../support/ledgers.ts';
import { reward } from '../support/rewards.ts';
import { HOUR, MINUTE, type QueueFixture, quiet, startQueue, states, vote } from './scripted-queue.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const DAILY = reward('daily', { when: 'online', commands: ['give {player} diamond 1'] });
const TAG = reward('tag', { when: 'always', commands: ['tag {player} add voter'] });

/** A list of players with their UUIDs. */
const list = (players: Record<string, string>): Presence => ({
  kind: 'known',
  names: Object.keys(players),
  uuids: new Map(Object.entries(players).map(([name, uuid]) => [name.toLowerCase(), uuid])),
});

/** From now on, the game server shows these players; those whom grants wait for are looked for. */
async function show({ server, pass }: QueueFixture, players: Record<string, string>): Promise<void> {
  server.answer = () => list(players);
  await pass(MINUTE);
}

/** A vote for Alex on the next day. */
async function nextVote(fixture: QueueFixture, earned: Reward): Promise<void> {
  await fixture.pass(25 * HOUR, HOUR);
  await vote(fixture, 'Alex', earned);
}

/** Alex has been seen, and one of their rewards waits. */
async function waitingForAlex(around?: (ledger: Ledger) => Ledger): Promise<QueueFixture> {
  const fixture = startQueue({}, around);
  fixture.server.answer = () => list({ Alex: ALEX });
  await vote(fixture, 'Alex', DAILY);
  fixture.server.answer = () => list({});
  await nextVote(fixture, DAILY);
  expect(fixture.server.commands).toEqual(['give Alex diamond 1']);
  return fixture;
}

/** What a game server that answers over HTTP says. */
function overHttp(players: readonly { readonly name: string; readonly uuid: string }[]): Presence {
  const text = JSON.stringify({ players });
  const body = Buffer.from(text);
  const signature = signBody(Buffer.from(`1.${text}`), 'secret');
  return playersIn({ kind: 'answered', status: 200, text, body, signature }, '1', 'secret');
}

test.each([
  ['ALEX', 'in other letters'],
  ['Robin', 'with the UUID of the player', ALEX],
  ['A'.repeat(32), 'that nobody can have'],
])('a second player %s, shown over HTTP %s, takes over nothing', async (name, _, uuid = STRANGER) => {
  const fixture = await waitingForAlex();
  const before = await fixture.ledger.players('Alex');
  fixture.server.answer = () =>
    overHttp([
      { name: 'Alex', uuid: ALEX },
      { name, uuid },
    ]);
  await fixture.pass(MINUTE);
  expect(await fixture.ledger.players('Alex')).toEqual(before);
  expect(await states(fixture)).toEqual(['delivered', 'waiting']);
  fixture.server.answer = () => overHttp([{ name: 'Alex', uuid: ALEX }]);
  await fixture.pass(MINUTE);
  expect(await states(fixture)).toEqual(['delivered', 'delivered']);
});

describe('a stranger who plays under the freed name of Alex', () => {
  test('gets nothing that waits for Alex, and Sasha, who was Alex, gets it', async () => {
    const fixture = await waitingForAlex();
    await show(fixture, { Alex: STRANGER });
    expect(await states(fixture)).toEqual(['delivered', 'held']);
    await nextVote(fixture, DAILY);
    expect(fixture.server.commands).toEqual(['give Alex diamond 1', 'give Alex diamond 1']);
    await vote(fixture, 'Kim', DAILY);
    await show(fixture, { Alex: STRANGER, Sasha: ALEX });
    await fixture.pass(MINUTE);
    expect(fixture.server.commands.slice(2)).toEqual(['give Sasha diamond 1']);
    expect(await fixture.ledger.players('Alex')).toMatchObject([{ votes: 1 }, { votes: 2 }]);
  });

  test('is stored before anything is paid: while the ledger cannot store it, nothing is', async () => {
    let isFull = false;
    const fixture = await waitingForAlex((ledger) => ({
      ...ledger,
      storeSeen: async (report, now) => {
        if (isFull) throw new Problem('ledger-full', 'The disk is full.');
        return ledger.storeSeen(report, now);
      },
    }));
    isFull = true;
    await show(fixture, { Alex: STRANGER });
    expect(await states(fixture)).toEqual(['delivered', 'waiting']);
    expect(fixture.server.commands).toHaveLength(1);
    isFull = false;
    await fixture.pass(MINUTE);
    expect(await states(fixture)).toEqual(['delivered', 'held']);
  });
});

test('a renamed player gets what waited for them under the old name', async () => {
  const fixture = await waitingForAlex();
  await show(fixture, { Sasha: ALEX });
  expect(fixture.server.commands).toEqual(['give Alex diamond 1', 'give Sasha diamond 1']);
});

test('a reward that does not wait for its player uses the name that they have now', async () => {
  const fixture = await waitingForAlex();
  await show(fixture, { Sasha: ALEX });
  await nextVote(fixture, TAG);
  expect(fixture.server.commands.at(-1)).toBe('tag Sasha add voter');
});

test('what the operator pays to a player whose name others have is held again', async () => {
  const fixture = await waitingForAlex();
  await show(fixture, { Alex: STRANGER });
  await fixture.ledger.pay(2, { texts: null, by: 'ann', kindByServer: new Map() }, fixture.clock.now());
  fixture.queue.nudge();
  await quiet();
  expect(await states(fixture)).toEqual(['delivered', 'held']);
  expect(fixture.server.commands).toHaveLength(1);
});

describe('between a reading and its payments', () => {
  test.each(['before it is stored', 'after it is stored'])(
    'a process that ends %s leaves a ledger from which the next one pays the right player',
    async (when) => {
      let isEnding = false;
      let endTest = (_: boolean): void => {};
      // The process ends here: what the queue asks of the ledger is not answered any more.
      const noAnswer = new Promise<boolean>((resolve) => (endTest = resolve));
      const first = await waitingForAlex((ledger) => ({
        ...ledger,
        storeSeen: async (report, now) => {
          if (!isEnding) return ledger.storeSeen(report, now);
          if (when === 'after it is stored') await ledger.storeSeen(report, now);
          return noAnswer;
        },
      }));
      isEnding = true;
      await show(first, { Alex: STRANGER, Sasha: ALEX });
      expect(first.server.commands).toHaveLength(1);

      const seen = new SeenPlayers(first.ledger, first.clock, {
        rules: rulesFor(),
        believed: new Set(['main']),
      });
      const next = new GameServerQueue({ ...first.parts, ledger: first.ledger, seen });
      next.start();
      await first.pass(MINUTE);
      expect(first.server.commands.slice(1)).toEqual(['give Sasha diamond 1']);
      expect(await states(first)).toEqual(['delivered', 'delivered']);
      await next.close();
      endTest(false);
    },
  );
});

describe('the ledger is asked', () => {
  const player = (name: string, uuid: string) => ({ name, uuid });

  /** Says what it was asked to store. */
  function asked(hasChanged = false, believed = ['main']) {
    const reports: string[] = [];
    const storeSeen = async ({ players, server }: SeenReport): Promise<boolean> => {
      reports.push(`${server}: ${players.map(({ name }) => name).join(' ')}`);
      return hasChanged;
    };
    const seen = new SeenPlayers({ storeSeen }, new FakeClock('2026-06-01T12:00:00Z'), {
      rules: rulesFor(),
      believed: new Set(believed),
    });
    return { seen, reports };
  }

  test('once for each name with its UUID', async () => {
    const { seen, reports } = asked();
    for (let times = 0; times < 3; times++)
      await seen.store('main', [player('Alex', ALEX), player('Kim', STRANGER)]);
    await seen.store('main', [player('alex', ALEX)]);
    expect(reports).toEqual(['main: Alex Kim']);
  });

  test('again if the name is another player’s, or the player has another name', async () => {
    const { seen, reports } = asked();
    for (const [name, uuid] of [
      ['Alex', ALEX],
      ['Alex', STRANGER],
      ['Alex', ALEX],
      ['Sasha', ALEX],
      ['Alex', ALEX],
    ] as const)
      await seen.store('main', [player(name, uuid)]);
    expect(reports).toHaveLength(5);
  });

  test('again about everyone if somebody has changed hands, or another process has written', async () => {
    const { seen, reports } = asked(true);
    await seen.store('main', [player('Kim', STRANGER)]);
    await seen.store('main', [player('Alex', ALEX)]);
    await seen.store('main', [player('Kim', STRANGER)]);
    expect(reports).toHaveLength(3);
    seen.forget();
    await seen.store('main', [player('Kim', STRANGER)]);
    expect(reports).toHaveLength(4);
  });

  test('a hundred at a time', async () => {
    const { seen, reports } = asked();
    const many = Array.from({ length: 250 }, (_, at) =>
      player(`P${at}`, ALEX.replace(/^..../, String(1000 + at))),
    );
    await seen.store('main', many);
    expect(reports.map((report) => report.split(' ').length - 1)).toEqual([100, 100, 50]);
  });

  test('never about practice servers beside real ones (rule 9)', async () => {
    const { seen, reports } = asked(false, ['real']);
    expect(await seen.store('practice', [player('Alex', ALEX)])).toBe(false);
    expect(reports).toEqual([]);
  });
});
