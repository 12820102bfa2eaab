import { describe, expect, test } from 'vitest';
import { NO_TERMS } from '../../src/core/grant-terms.ts';
import type { PlayerCondition } from '../../src/core/player-condition.ts';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { DAILY } from '../support/ledgers.ts';
import { MINUTE, type QueueFixture, quiet, startQueue, states, vote } from './scripted-queue.ts';

const VIP: PlayerCondition = { kind: 'tag', tag: 'vip' };
const FOR_VIPS: Reward = { ...DAILY, payIf: { condition: VIP, orElse: [] } };
const OR_ELSE: Reward = {
  ...DAILY,
  payIf: { condition: VIP, orElse: ['say {player} is no VIP', 'give {player} dirt 1'] },
};
const UNMET = { state: 'waiting', reason: { code: 'condition-unmet' } };
const BOTH = ['give Steve diamond 1', 'give Steve emerald 2'];
const ELSE = ['say Steve is no VIP', 'give Steve dirt 1'];

/** Steve is online; who has the tag can change. */
function game(): QueueFixture & { readonly vips: Set<string> } {
  const here = startQueue();
  const vips = new Set<string>();
  here.server.online = ['Steve'];
  here.server.reply = (question) => {
    const [, form, name = '', tag] =
      /^(minecraft:)?execute if entity @a\[name=(\w+)(,tag=vip)?\]$/.exec(question) ?? [];
    if (form !== undefined) return 'Unknown or incomplete command, see below for error';
    const isThere = here.server.online.includes(name) && (tag === undefined || vips.has(name));
    return isThere ? 'Test passed, count: 1' : 'Test failed';
  };
  return { ...here, vips };
}

const reasonOf = async ({ ledger }: QueueFixture) => (await ledger.grants({ limit: 1 }))[0]?.reason;

describe('a reward with a condition on its game server', () => {
  test('is paid if the player meets it, which is asked once before the first command', async () => {
    const here = game();
    here.vips.add('Steve');
    await vote(here, 'Steve', FOR_VIPS);
    expect(here.server.commands).toEqual(BOTH);
    expect(here.server.questions).toEqual([
      'minecraft:execute if entity @a[name=Steve,tag=vip]',
      'execute if entity @a[name=Steve,tag=vip]',
    ]);
    await vote(here, 'Alex', FOR_VIPS);
    expect(await states(here)).toEqual(['delivered', 'waiting']);
  });

  test('waits with the reason, and is looked at again less and less often', async () => {
    const here = game();
    await vote(here, 'Steve', FOR_VIPS);
    const checkedAt = here.clock.now();
    expect(await reasonOf(here)).toEqual({
      code: 'condition-unmet',
      facts: { missing: 'tag vip', times: 1, checkedAt },
    });
    here.server.questions.length = 0;
    await here.pass(60 * MINUTE, 10_000);
    // 10 s, 20 s, 40 s … up to 10 minutes; each time one question about the tag and one about the player.
    expect(here.server.questions).toHaveLength(20);
    expect(here.server.commands).toEqual([]);
    here.vips.add('Steve');
    await here.pass(12 * MINUTE, 10_000);
    expect(here.server.commands).toEqual(BOTH);
  });

  test('is looked at again at once when the player joins', async () => {
    const here = game();
    await vote(here, 'Steve', FOR_VIPS);
    await here.pass(30 * MINUTE, 10_000);
    here.server.online = [];
    await here.pass(MINUTE);
    here.vips.add('Steve');
    here.server.online = ['Steve'];
    await here.pass(10_000);
    expect(here.server.commands).toEqual(BOTH);
  });

  test('is looked at again at once by the next process', async () => {
    const here = game();
    await vote(here, 'Steve', FOR_VIPS);
    await here.pass(30 * MINUTE, 10_000);
    await here.queue.close();
    here.vips.add('Steve');
    here.clock.advance(1_000);
    const next = new GameServerQueue(here.parts);
    next.start();
    await quiet();
    await next.close();
    expect(here.server.commands).toEqual(BOTH);
  });

  test('runs `orElse` instead if it has that, and does not ask again', async () => {
    const here = game();
    await vote(here, 'Steve', OR_ELSE);
    expect(here.server.commands).toEqual(ELSE);
    expect(await here.ledger.grants({ limit: 9 })).toMatchObject([
      {
        state: 'delivered',
        choice: { from: 'orElse' },
        commands: [{ command: ELSE[0] }, { command: ELSE[1] }],
      },
    ]);
  });

  test('is paid before the condition is asked about the next grant of the player, which `orElse` may change', async () => {
    const here = game();
    here.server.online = [];
    await vote(here, 'Steve', OR_ELSE, { ...OR_ELSE, name: 'another' });
    here.server.outcome = (command) => {
      if (command === ELSE[0]) here.vips.add('Steve');
      return { kind: 'delivered', reply: '' };
    };
    here.server.online = ['Steve'];
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual([...ELSE, ...BOTH]);
  });

  test('keeps the decision for `orElse` if the player leaves before it is paid', async () => {
    const here = game();
    here.server.outcome = () => {
      here.server.online = [];
      return { kind: 'player-offline', reply: 'No player was found' };
    };
    await vote(here, 'Steve', OR_ELSE);
    here.server.outcome = () => ({ kind: 'delivered', reply: '' });
    here.vips.add('Steve');
    here.server.online = ['Steve'];
    await here.pass(5 * MINUTE);
    expect(here.server.commands).toEqual([ELSE[0], ...ELSE]);
  });

  test('is asked for again if the first command certainly did not run', async () => {
    const here = game();
    here.vips.add('Steve');
    here.server.outcome = () => {
      here.vips.clear();
      return { kind: 'player-offline', reply: 'No player was found' };
    };
    await vote(here, 'Steve', FOR_VIPS);
    here.server.outcome = () => ({ kind: 'delivered', reply: '' });
    await here.pass(5 * MINUTE);
    expect(here.server.commands).toEqual(BOTH.slice(0, 1));
    expect(await reasonOf(here)).toMatchObject({ code: 'condition-unmet' });
  });

  test('is not asked for between two commands', async () => {
    const here = game();
    here.vips.add('Steve');
    here.server.outcome = () => {
      here.vips.clear();
      here.clock.advance(2_000);
      return { kind: 'delivered', reply: 'Gave' };
    };
    await vote(here, 'Steve', FOR_VIPS);
    expect(here.server.commands).toEqual(BOTH);
  });

  test('decides nothing about a player who has just left: neither `orElse` nor the reward is paid', async () => {
    const here = game();
    const { reply } = here.server;
    here.server.reply = (question) => {
      here.server.online = [];
      return reply(question);
    };
    await vote(here, 'Steve', OR_ELSE);
    expect(here.server.commands).toEqual([]);
    expect(await reasonOf(here)).toEqual({ code: 'player-offline' });
    here.server.reply = reply;
    here.vips.add('Steve');
    here.server.online = ['Steve'];
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual(BOTH);
  });

  test.each([
    ['an empty reply', ''],
    ['a server that does not know the command', 'Unknown command. Type "/help" for help.'],
    ['a doubtful reply', 'An unexpected error occurred trying to execute that command'],
  ])('waits and says so after %s, which decides nothing', async (_, text) => {
    const here = game();
    const { reply } = here.server;
    here.server.reply = () => text;
    await vote(here, 'Steve', OR_ELSE);
    expect(here.server.commands).toEqual([]);
    expect(await reasonOf(here)).toMatchObject({
      code: 'condition-unclear',
      facts: { question: 'execute if entity @a[name=Steve,tag=vip]', reply: text, times: 1 },
    });
    here.server.reply = reply;
    here.vips.add('Steve');
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual(BOTH);
  });

  test('is asked for each grant, and never claimed together with the one before it', async () => {
    const here = game();
    here.vips.add('Steve');
    await vote(here, 'Steve', { ...DAILY, name: 'plain' }, FOR_VIPS);
    expect(here.server.commands).toEqual([...BOTH, ...BOTH]);
    expect(here.server.questions.filter((question) => question.startsWith('execute'))).toHaveLength(1);
  });

  test.each<[PlayerCondition, string, string]>([
    [{ kind: 'team', team: 'red' }, 'Steve', 'execute if entity @a[name=Steve,team=red]'],
    [
      { kind: 'score', objective: 'votes', range: '5..' },
      'Steve',
      'execute if score Steve votes matches 5..',
    ],
    [
      { kind: 'dimension', dimension: 'minecraft:the_nether' },
      'Steve',
      'execute in minecraft:the_nether if entity @a[name=Steve,distance=0..]',
    ],
    [VIP, '*Steve', 'execute if entity @a[name="*Steve",tag=vip]'],
    [
      { kind: 'score', objective: 'votes', range: '..3' },
      '*Steve',
      'execute if score *Steve votes matches ..3',
    ],
  ])('%j of %s is asked for as `%s`', async (condition, player, question) => {
    const here = startQueue();
    here.server.online = [player];
    await vote(here, player, { ...DAILY, payIf: { condition, orElse: [] } });
    expect(here.server.questions).toEqual([`minecraft:${question}`, question]);
  });

  describe('whose waiting grants are paid as one', () => {
    const DAY = 24 * 60 * MINUTE;
    const combine = { ...NO_TERMS, combine: true };
    const commands = ['give {player} diamond {count}'];

    /** Steve votes on three days and is back after them. */
    async function backAfterThree(reward: Reward) {
      const here = game();
      here.server.online = [];
      for (const _ of [1, 2, 3]) {
        await vote(here, 'Steve', reward);
        await here.pass(DAY, DAY / 24);
      }
      here.server.online = ['Steve'];
      here.server.questions.length = 0;
      await here.pass(10_000);
      return here;
    }
    const asked = ({ server }: QueueFixture) =>
      server.questions.filter((question) => question.startsWith('execute') && question.includes('tag='));

    test('is asked once for all of them, and is not met by all of them', async () => {
      const here = await backAfterThree({ ...FOR_VIPS, commands, terms: combine });
      expect(asked(here)).toHaveLength(1);
      expect(await here.ledger.grants({ limit: 9 })).toMatchObject([UNMET, UNMET, UNMET]);
      here.vips.add('Steve');
      await here.pass(MINUTE);
      expect(here.server.commands).toEqual(['give Steve diamond 3']);
    });

    test('runs `orElse` as one', async () => {
      const payIf = { condition: VIP, orElse: ['give {player} dirt {count}'] };
      const here = await backAfterThree({ ...DAILY, commands, payIf, terms: combine });
      await here.pass(1_000);
      expect(asked(here)).toHaveLength(1);
      expect(here.server.commands).toEqual(['give Steve dirt 3']);
    });
  });
});
