import { describe, expect, test } from 'vitest';
import { rewardCommand } from '../../src/commands/reward.ts';
import { accountName } from '../../src/platform/account.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { naming, tableIn } from '../support/naming.ts';
import { runningApp } from '../support/running-app.ts';
import { operator } from './operator.ts';
import { runCommand } from './run-command.ts';

const CONFIG = {
  rewards: [
    { name: 'daily', commands: ['give {player} diamond 1'] },
    { name: 'milestone', if: { votes: { at: [25] } }, prizes: { 25: ['give {player} beacon 1'] } },
    { name: 'thanks', commands: ['say {player} voted on {site}'] },
  ],
};

describe('reward NAME', () => {
  test('grants a reward without a vote, and every trace shows who gave it and when', async () => {
    const one = await operator(CONFIG);
    const { out, exit } = await one.teller('reward', 'daily', '--player', 'Steve');
    expect([exit, out]).toEqual([0, expect.stringContaining('give Steve diamond 1')]);
    const given = { by: accountName(), at: '2026-06-01T12:00:00.000Z' };
    const row = { id: 1, voteId: null, reward: 'daily', cause: 'operator', given };
    expect(JSON.parse((await one.teller('grants', '--json')).out)).toMatchObject([row]);
    expect(JSON.parse((await one.teller('explain', 'Steve', '--json')).out)).toMatchObject([
      { id: null, given: [row] },
    ]);
    expect((await one.teller('explain', 'Steve')).out.split('\n')).toContainEqual(
      naming(accountName(), '2026-06-01T12:00:00.000Z'),
    );
    expect(tableIn((await one.teller('grants')).out)[1]).toContain('-');
  });

  test('spends the occasion that is named, once', async () => {
    const one = await operator(CONFIG);
    const words = ['milestone', '--player', 'Steve', '--occasion', 'total 25'];
    const { out } = await one.teller('reward', ...words, '--json');
    expect(JSON.parse(out)).toMatchObject([
      { occasion: 'total 25', commands: [{ command: 'give Steve beacon 1' }] },
    ]);
    const again = await one.teller('reward', ...words);
    expect([again.exit, again.err]).toEqual([1, expect.stringContaining('[occasion-spent]')]);
  });

  test('its grant can be paid with the commands of a changed config', async () => {
    const one = await operator(CONFIG);
    await one.teller('reward', 'daily', '--player', 'Steve');
    await one.answer(1, 0, { kind: 'refused', reply: 'no' });
    expect((await one.teller('grants', 'pay', '1', '--rerender')).exit).toBe(0);
    expect(await one.ledger.grants({ id: 1, limit: 1 })).toMatchObject([
      { state: 'pending', commands: [{ command: 'give Steve diamond 1' }] },
    ]);
  });

  test.each([
    ['a reward that is not in the config', ['daly', '--player', 'Steve'], 2, 'reward-unknown'],
    ['a name that no player can have', ['daily', '--player', 'a b;'], 2, 'player-not-allowed'],
    ['a text that is no occasion', ['daily', '--player', 'Steve', '--occasion', '25'], 2, 'occasion-unknown'],
    [
      'a game server that the reward does not have',
      ['daily', '--player', 'Steve', '--server', 'x'],
      2,
      'usage',
    ],
    ['a reward whose commands name a site', ['thanks', '--player', 'Steve'], 1, 'reward-unfit'],
    ['a reward with nothing to run', ['milestone', '--player', 'Steve'], 1, 'reward-unfit'],
  ])('refuses %s', async (_, words, exit, code) => {
    const one = await operator(CONFIG);
    expect(await one.teller('reward', ...words)).toMatchObject({
      exit,
      err: expect.stringContaining(`[${code}]`),
    });
    expect(await one.ledger.grants({ limit: 9 })).toEqual([]);
  });
});

test('a running Teller pays what another process gives', async () => {
  const running = await runningApp(systemClock, { rewards: [CONFIG.rewards[0]] });
  const terminal = fakeTerminal(false);
  const command = rewardCommand(terminal, { clock: systemClock, random: fixedRandom(7) });
  const words = ['daily', '--player', 'Steve', '--config', running.config];
  expect((await runCommand(command, terminal, words)).exit).toBe(0);
  await expect
    .poll(async () => (await running.look.grants({ limit: 9 })).map(({ state }) => state))
    .toEqual(['delivered']);
});
