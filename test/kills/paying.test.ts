import { expect } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { voting } from '../kit/each-write.ts';
import { rconGame } from '../kit/game.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { grantsOf, witness } from '../kit/witness.ts';
import { expectPaidOrHeld, isEachOnce, owedIn, recorded, SAY, story } from './story.ts';

const BOTH = ['give Steve diamond 1', 'give Steve emerald 2'];
const GIVE = {
  name: 'daily',
  when: 'always',
  commands: ['give {player} diamond 1', 'give {player} emerald 2'],
};
const SAID = 'say Steve voted on List';

story(
  'rule 1: a vote that is sent again after kill -9 is one vote, and is paid once or held',
  12,
  (_, at) => ({
    deaths: 9,
    act: voting({ player: 'Steve', at }),
    same: (after) => {
      expect(after.votes).toEqual(['Steve on List: rewarded']);
      expectPaidOrHeld(after, 'Steve thanks main', SAID);
    },
  }),
);

story(
  'rule 6: of a reward with two commands, each runs at most once, and none is skipped',
  12,
  (game, at) => {
    game.show('Steve');
    return {
      config: { rewards: [GIVE] },
      act: voting({ player: 'Steve', at }),
      same: (after) => expectPaidOrHeld(after, 'Steve daily main', ...BOTH),
    };
  },
);

story('a held grant that the operator pays is paid once by that, whenever kill -9 comes', 12, (game) => ({
  prepare: async (place) => {
    game.fault('run-and-close');
    await recorded(place, [{ player: 'Steve' }]);
    expect([(await witness(place)).grants, game.ran.length]).toEqual([['Steve thanks main: held'], 1]);
  },
  act: async (scene) => {
    const teller = await scene.start();
    const { json } = await typedHere(scene, 'grants', '--json');
    // An operator types it again only if the grant is still held.
    if (json[0].state === 'held' && json[0].actions.length === 0)
      await scene.type('grants', 'pay', '1', '--yes');
    await teller.settled();
  },
  same: (after) => expectPaidOrHeld(after, 'Steve thanks main', SAID),
}));

story('after kill -9 in a reload, votes earn what the config says that is in the file', 12, (game, at) => ({
  act: async (scene) => {
    const teller = await scene.start();
    const more = { ...SAY, name: 'more', commands: ['say more'] };
    rewrite(scene, { gameServers: { main: game.entry }, rewards: [SAY, more] });
    expect(await typedHere(scene, 'reload')).toMatchObject({ exit: 0 });
    expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
    await teller.settled();
  },
  same: (after) => {
    expect(after.votes).toEqual(['Steve on List: rewarded']);
    expect(owedIn(after)).toEqual(['Steve thanks main', 'Steve more main']);
    const delivered = after.grants.filter((grant) => grant.endsWith(': delivered')).length;
    expect([isEachOnce(after), after.ran.length >= delivered]).toEqual([true, true]);
  },
}));

story(
  'a grant for where the player is runs on one game server only, and goes on there',
  4,
  async (sky, at) => {
    const survival = await rconGame();
    return {
      config: {
        gameServers: { sky: sky.entry, survival: survival.entry },
        rewards: [{ ...GIVE, when: 'online', servers: 'where-online' }],
      },
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
      same: ({ grants, ran }) => {
        const [commands = [], ...others] = [ran, survival.ran.splice(0)].filter(({ length }) => length > 0);
        expect([commands, others]).toEqual([BOTH.slice(0, commands.length), []]);
        expect(grants[0]).toMatch(commands.length === 2 ? /: (?:delivered|held)$/ : /: (?:waiting|held)$/);
      },
    };
  },
);

story('an occasion is spent by the vote that reached it, and is paid once', 4, (_, at) => ({
  config: {
    sites: { default: { token: TOKEN }, One: {}, Two: {}, Three: {} },
    rewards: [{ ...SAY, name: 'second', if: { votes: { at: [2] } } }],
  },
  act: voting(...['One', 'Two', 'Three'].map((site) => ({ player: 'Steve', site, at }))),
  same: ({ votes, grants, ran }) => {
    expect(votes).toHaveLength(3);
    expect(grants).toEqual([expect.stringMatching(/^Steve second .*2 main: (?:delivered|held)$/)]);
    expect(ran.length).toBeLessThanOrEqual(1);
  },
}));

story('what is due later is paid once when it is due, also if Teller was away then', 4, (_, at) => ({
  config: { rewards: [{ ...SAY, delay: '1s' }] },
  act: async (scene) => {
    const teller = await scene.start();
    expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
    await teller.until(async () => !/: (?:pending|waiting)$/.test((await grantsOf(scene))[0] ?? ''));
  },
  same: (after) => expectPaidOrHeld(after, 'Steve thanks main', SAID),
}));
