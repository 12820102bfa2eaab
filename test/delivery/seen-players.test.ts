import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { httpGame, signed } from '../kit/http-game.ts';

const DAY = 24 * 60 * 60_000;
const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const DAILY = { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] };
const TAG = { name: 'tag', when: 'always', commands: ['tag {player} add voter'] };
const is = (name: string, uuid: string): string => `${name} (${uuid})`;

/** Alex has been seen and paid, and their reward of the next day waits. */
async function waitingForAlex(rewards: readonly object[] = [DAILY]) {
  const game = await rconGame();
  const teller = await here({ gameServers: { main: game.entry }, rewards });
  game.show(is('Alex', ALEX));
  await teller.vote({ player: 'Alex' });
  await teller.until(async () => (await teller.grants()).every(({ state }) => state === 'delivered'));
  game.show();
  teller.clock.sleep(DAY + 60_000);
  await teller.pass(3_000);
  await teller.vote({ player: 'Alex' });
  await teller.until(async () => (await teller.grants()).some(({ state }) => state === 'waiting'));
  expect(game.ran).toContain('give Alex diamond 1');
  game.ran.length = 0;
  return { game, teller };
}

test('a renamed player gets what waited for them under the old name; a reward that does not wait uses the new one too', async () => {
  const { game, teller } = await waitingForAlex([DAILY, TAG]);
  game.show(is('Sasha', ALEX));
  await teller.until(async () => (await teller.grants()).every(({ state }) => state === 'delivered'));
  expect(game.ran.filter((command) => command.startsWith('give'))).toEqual(['give Sasha diamond 1']);
  await teller.vote({ player: 'Alex', site: 'Other' });
  await teller.until(() => game.ran.at(-1) === 'tag Sasha add voter' || game.ran.length > 3);
  expect(game.ran).toContain('tag Sasha add voter');
});

test('what the operator pays to a player whose name another one has is held again; the next process knows whose name it is', async () => {
  const { game, teller } = await waitingForAlex();
  game.show(is('Alex', STRANGER));
  await teller.untilGrants('delivered', 'held');
  expect(await teller.run('grants', 'pay', '2', '--yes')).toMatchObject({ exit: 0 });
  await teller.pass(5_000);
  await teller.untilGrants('delivered', 'held');
  expect(game.ran).toEqual([]);
  await teller.restart();
  game.show(is('Alex', STRANGER), is('Sasha', ALEX));
  await teller.vote({ player: 'Kim' });
  await teller.untilGrants('delivered', 'delivered', 'waiting');
  expect(game.ran).toEqual(['give Sasha diamond 1']);
});

test('a second player who is shown over HTTP under the name or the UUID of another takes over nothing', async () => {
  const game = await httpGame({ answers: true, joinDelay: '0s', presenceInterval: '1s' });
  let players: readonly object[] = [{ name: 'Alex', uuid: ALEX }];
  game.answer((asked) =>
    signed(asked, asked.said.ask === 'players' ? { players } : { outcome: 'delivered' }),
  );
  const teller = await here({ gameServers: { main: game.entry }, rewards: [DAILY] });
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('delivered');
  players = [];
  await teller.pass(3_000);
  await teller.vote({ player: 'Alex', site: 'Other' });
  await teller.untilGrants('delivered', 'waiting');
  const alex = { name: 'Alex', uuid: ALEX };
  for (const second of [
    { name: 'ALEX', uuid: STRANGER },
    { name: 'Robin', uuid: ALEX },
    // Nobody can have this name.
    { name: 'A'.repeat(32), uuid: STRANGER },
  ]) {
    players = [alex, second];
    await teller.pass(5_000);
    expect(await teller.grants(), second.name).toMatchObject([{ state: 'delivered' }, { state: 'waiting' }]);
  }
  players = [alex];
  await teller.untilGrants('delivered', 'delivered');
});
