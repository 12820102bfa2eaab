import { expect, test } from 'vitest';
import { apart, typedHere } from '../kit/apart.ts';
import { eachWrite, voting } from '../kit/each-write.ts';
import { type Game, rconGame } from '../kit/game.ts';
import { furnish, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { grantsOf, witness } from '../kit/witness.ts';

const TIMEOUT = { timeout: 600_000 };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };
const GIVE = {
  name: 'daily',
  when: 'always',
  commands: ['give {player} diamond 1', 'give {player} emerald 2'],
};

/** What ran since the last question. */
const ranOn = (game: Pick<Game, 'ran'>): readonly string[] => game.ran.splice(0);

test(
  'rule 1: a vote that is sent again after kill -9 is one vote, and is paid once or held',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    const at = Date.now();
    const killed = await eachWrite({
      points: 12,
      prepare: async (folder) => furnish(folder, { gameServers: { main: game.entry } }),
      act: voting({ player: 'Steve', at }),
      same: async (scene) => {
        const { votes, grants, faults } = await witness(scene);
        expect([votes, faults]).toEqual([['Steve on List: rewarded'], []]);
        const ran = ranOn(game);
        if (grants[0] === 'Steve thanks main: delivered') expect(ran).toEqual(['say Steve voted on List']);
        else expect([grants, ran.length <= 1]).toEqual([['Steve thanks main: held'], true]);
      },
    });
    expect(killed).toBeGreaterThan(8);
  },
);

test(
  'rule 6: of a reward with two commands, each runs at most once, and none is skipped',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    game.show('Steve');
    const at = Date.now();
    await eachWrite({
      points: 12,
      prepare: async (folder) => furnish(folder, { gameServers: { main: game.entry }, rewards: [GIVE] }),
      act: voting({ player: 'Steve', at }),
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
  },
);

test(
  'a held grant that the operator pays is paid once by that, whenever kill -9 comes',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    await eachWrite({
      points: 12,
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
        // An operator types it again only if the grant is still held.
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
    points: 12,
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

test('a grant for where the player is runs on one game server only, and goes on there', TIMEOUT, async () => {
  const [sky, survival] = [await rconGame(), await rconGame()];
  const at = Date.now();
  await eachWrite({
    prepare: async (folder) =>
      furnish(folder, {
        gameServers: { sky: sky.entry, survival: survival.entry },
        rewards: [{ ...GIVE, when: 'online', servers: 'where-online' }],
      }),
    act: async (scene) => {
      // A player who got something on one game server has gone to the other one since.
      const [here, there] = sky.ran.length > 0 ? [survival, sky] : [sky, survival];
      here.show('Steve');
      there.show();
      const teller = await scene.start();
      expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
      const isDue = async () => (await grantsOf(scene))[0]?.endsWith(': waiting') && sky.ran.length === 0;
      await teller.until(async () => !(await isDue()));
      await teller.settled();
    },
    same: async (scene) => {
      const { grants, faults } = await witness(scene);
      expect(faults).toEqual([]);
      const ran = [ranOn(sky), ranOn(survival)].filter(({ length }) => length > 0);
      const [commands = [], ...others] = ran;
      expect(others).toEqual([]);
      const both = ['give Steve diamond 1', 'give Steve emerald 2'];
      expect(commands).toEqual(both.slice(0, commands.length));
      expect(grants[0]).toMatch(commands.length === 2 ? /: (?:delivered|held)$/ : /: (?:waiting|held)$/);
    },
  });
});

test('an occasion is spent by the vote that reached it, and is paid once', TIMEOUT, async () => {
  const game = await rconGame();
  const at = Date.now();
  await eachWrite({
    prepare: async (folder) =>
      furnish(folder, {
        gameServers: { main: game.entry },
        sites: { default: { token: TOKEN }, One: {}, Two: {}, Three: {} },
        rewards: [{ ...SAY, name: 'second', if: { votes: { at: [2] } } }],
      }),
    act: voting(...['One', 'Two', 'Three'].map((site) => ({ player: 'Steve', site, at }))),
    same: async (scene) => {
      const { votes, grants, faults } = await witness(scene);
      expect([votes.length, faults]).toEqual([3, []]);
      expect(grants).toEqual([expect.stringMatching(/^Steve second .*2 main: (?:delivered|held)$/)]);
      expect(ranOn(game).length).toBeLessThanOrEqual(1);
    },
  });
});

test('what is due later is paid once when it is due, also if Teller was away then', TIMEOUT, async () => {
  const game = await rconGame();
  const at = Date.now();
  await eachWrite({
    prepare: async (folder) =>
      furnish(folder, { gameServers: { main: game.entry }, rewards: [{ ...SAY, delay: '1s' }] }),
    act: async (scene) => {
      const teller = await scene.start();
      expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
      await teller.until(async () => !/: (?:pending|waiting)$/.test((await grantsOf(scene))[0] ?? ''));
    },
    same: async (scene) => {
      const { grants, faults } = await witness(scene);
      expect([grants, faults]).toEqual([
        [expect.stringMatching(/^Steve thanks main: (?:delivered|held)$/)],
        [],
      ]);
      const ran = ranOn(game);
      expect(ran).toEqual(['say Steve voted on List'].slice(0, ran.length));
      if (grants[0]?.endsWith(': delivered')) expect(ran).toHaveLength(1);
    },
  });
});
