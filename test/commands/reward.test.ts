import { describe, expect, test } from 'vitest';
import { clerk } from '../kit/clerk.ts';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { naming, tableIn } from '../support/naming.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const CONFIG = {
  rewards: [
    DAILY,
    { name: 'milestone', if: { votes: { at: [25] } }, prizes: { 25: ['give {player} beacon 1'] } },
    { name: 'thanks', commands: ['say {player} voted on {site}'] },
  ],
};

describe('reward NAME', () => {
  test('grants a reward without a vote, and every trace shows who gave it and when', async () => {
    const { run } = clerk(CONFIG);
    const { out, exit } = await run('reward', 'daily', '--player', 'Steve');
    expect([exit, out]).toEqual([0, expect.stringContaining('give Steve diamond 1')]);
    const given = { by: expect.stringMatching(/\w/), at: '2026-06-01T12:00:00.000Z' };
    const row = { id: 1, voteId: null, reward: 'daily', cause: 'operator', given };
    const grants = await run('grants', '--json');
    expect(grants.json).toMatchObject([row]);
    expect((await run('explain', 'Steve', '--json')).json).toMatchObject([{ id: null, given: [row] }]);
    expect((await run('explain', 'Steve')).out.split('\n')).toContainEqual(
      naming(grants.json[0].given.by, '2026-06-01T12:00:00.000Z'),
    );
    expect(tableIn((await run('grants')).out)[1]).toContain('-');
  });

  test('spends the occasion that is named, once', async () => {
    const { run } = clerk(CONFIG);
    const words = ['milestone', '--player', 'Steve', '--occasion', 'total 25'];
    expect((await run('reward', ...words, '--json')).json).toMatchObject([
      { occasion: 'total 25', commands: [{ command: 'give Steve beacon 1' }] },
    ]);
    const again = await run('reward', ...words);
    expect([again.exit, again.err]).toEqual([1, expect.stringContaining('[occasion-spent]')]);
  });

  test('is paid by a running Teller, and can be paid again with the commands of a changed config', async () => {
    const game = await rconGame();
    game.show('Steve');
    const gameServers = { main: game.entry };
    const nonsense = { ...DAILY, commands: ['nonsense {player}'] };
    const teller = await here({ gameServers, rewards: [nonsense] });
    await teller.run('reward', 'daily', '--player', 'Steve');
    await teller.untilGrants('refused');
    await teller.reload({ gameServers, rewards: [DAILY] });
    expect((await teller.run('grants', 'pay', '1', '--rerender')).exit).toBe(0);
    await teller.untilGrants('delivered');
    expect(game.ran.at(-1)).toBe('give Steve diamond 1');
  });

  test.each([
    ['a reward that is not in the config', ['daly'], 2, 'reward-unknown'],
    ['a name that no player can have', ['daily', '--player', 'a b;'], 2, 'player-not-allowed'],
    ['a text that is no occasion', ['daily', '--occasion', '25'], 2, 'occasion-unknown'],
    ['a game server that the reward does not have', ['daily', '--server', 'x'], 2, 'usage'],
    ['a reward whose commands name a site', ['thanks'], 1, 'reward-unfit'],
    ['a reward with nothing to run', ['milestone'], 1, 'reward-unfit'],
  ])('refuses %s', async (_, words, exit, code) => {
    const { run } = clerk(CONFIG);
    const refused = await run('reward', '--player', 'Steve', ...words);
    expect(refused).toMatchObject({ exit, err: expect.stringContaining(`[${code}]`) });
    expect((await run('grants', '--json')).json).toEqual([]);
  });
});
