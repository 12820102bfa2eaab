import { expect, test } from 'vitest';
import { apart, furnish, rewrite, typedHere } from '../kit/apart.ts';
import { eachWrite } from '../kit/each-write.ts';
import { type Game, rconGame } from '../kit/game.ts';
import { witness } from '../kit/witness.ts';

const TIMEOUT = { timeout: 600_000 };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };
const GIVE = {
  name: 'daily',
  when: 'always',
  commands: ['give {player} diamond 1', 'give {player} emerald 2'],
};

/** What ran since the last question. */
const ranOn = (game: Game): readonly string[] => game.ran.splice(0);

test('a vote that is sent again after kill -9 is one vote, and is paid once or held', TIMEOUT, async () => {
  const game = await rconGame();
  const at = Date.now();
  const killed = await eachWrite({
    prepare: async (folder) => furnish(folder, { gameServers: { main: game.entry } }),
    act: async (scene) => {
      const teller = await scene.start();
      expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
      await teller.settled();
    },
    same: async (scene) => {
      const { votes, grants, faults } = await witness(scene);
      expect([votes, faults]).toEqual([['Steve on List: rewarded'], []]);
      const ran = ranOn(game);
      if (grants[0] === 'Steve thanks main: delivered') expect(ran).toEqual(['say Steve voted on List']);
      else expect([grants, ran.length <= 1]).toEqual([['Steve thanks main: held'], true]);
    },
  });
  expect(killed).toBeGreaterThan(8);
});

test('of a reward with two commands, each runs at most once, and none is skipped', TIMEOUT, async () => {
  const game = await rconGame();
  const at = Date.now();
  await eachWrite({
    prepare: async (folder) => furnish(folder, { gameServers: { main: game.entry }, rewards: [GIVE] }),
    act: async (scene) => {
      const teller = await scene.start();
      expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
      await teller.settled();
    },
    same: async (scene) => {
      const { grants, faults } = await witness(scene);
      const both = ['give Steve diamond 1', 'give Steve emerald 2'];
      const ran = ranOn(game);
      expect(faults).toEqual([]);
      if (grants[0] === 'Steve daily main: delivered') expect(ran).toEqual(both);
      else {
        expect(grants).toEqual(['Steve daily main: held']);
        expect(ran).toEqual(both.slice(0, ran.length));
      }
    },
  });
});

test(
  'a held grant that the operator pays is paid once by that, whenever kill -9 comes',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    await eachWrite({
      prepare: async (folder) => {
        const place = furnish(folder, { gameServers: { main: game.entry } });
        game.fault('run-and-close');
        const teller = await apart(place);
        expect(await teller.vote({ player: 'Steve' })).toBe('ok');
        await teller.settled();
        await teller.stop();
        expect((await witness(place)).grants).toEqual(['Steve thanks main: held']);
        expect(ranOn(game)).toHaveLength(1);
        return place;
      },
      act: async (scene) => {
        const teller = await scene.start();
        const { json } = await typedHere(scene, 'grants', '--json');
        // Who has typed it sees whether it is still held, and types it again only if it is.
        if (json[0].state === 'held' && json[0].actions.length === 0)
          await scene.type('grants', 'pay', '1', '--yes');
        await teller.settled();
      },
      same: async (scene) => {
        const { grants, faults } = await witness(scene);
        const ran = ranOn(game);
        expect(faults).toEqual([]);
        if (grants[0] === 'Steve thanks main: delivered') expect(ran).toHaveLength(1);
        else expect([grants, ran.length <= 1]).toEqual([['Steve thanks main: held'], true]);
      },
    });
  },
);

test('after kill -9 in a reload, votes earn what the config says that is in the file', TIMEOUT, async () => {
  const game = await rconGame();
  const gameServers = { main: game.entry };
  const at = Date.now();
  await eachWrite({
    prepare: async (folder) => furnish(folder, { gameServers }),
    act: async (scene) => {
      const teller = await scene.start();
      rewrite(scene, { gameServers, rewards: [SAY, { ...SAY, name: 'more', commands: ['say more'] }] });
      expect(await typedHere(scene, 'reload')).toMatchObject({ exit: 0 });
      expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
      await teller.settled();
    },
    same: async (scene) => {
      const { votes, grants, faults } = await witness(scene);
      expect([votes, faults]).toEqual([['Steve on List: rewarded'], []]);
      expect(grants.map((grant) => grant.replace(/: \w+$/, ''))).toEqual([
        'Steve thanks main',
        'Steve more main',
      ]);
      const held = grants.filter((grant) => grant.endsWith(': held')).length;
      const ran = ranOn(game);
      expect(new Set(ran).size).toBe(ran.length);
      expect([
        2 - held <= ran.length,
        grants.filter((each) => /: (?:held|delivered)$/.test(each)).length,
      ]).toEqual([true, 2]);
    },
  });
});
