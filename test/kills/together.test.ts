import { expect } from 'vitest';
import { apart, typedHere } from '../kit/apart.ts';
import { TOKEN } from '../kit/vote.ts';
import { grantsOf } from '../kit/witness.ts';
import { isEachOnce, owedIn, recorded, story } from './story.ts';

const cakes = (every: number, more: object = {}) => ({
  rewards: [],
  party: [
    { name: 'cake', every, for: 'voters', servers: ['main'], commands: ['give {player} cake 1'], ...more },
  ],
});

story(
  'a party is given once to each voter, and the next one begins with the vote after it',
  12,
  (game, at) => {
    const voters = ['Steve', 'Alex', 'Noor', 'Kim'];
    game.show(...voters);
    return {
      config: cakes(3, { when: 'always' }),
      act: async (scene) => {
        const teller = await scene.start();
        for (const player of voters) expect(await teller.vote({ player, at })).toBe('ok');
        await teller.until(async () => (await grantsOf(scene)).length === 3);
        await teller.settled();
      },
      same: async (after) => {
        const owed = ['Alex cake party 1 main', 'Noor cake party 1 main', 'Steve cake party 1 main'];
        expect([owedIn(after).toSorted(), isEachOnce(after)]).toEqual([owed, true]);
        const { json } = await typedHere(after.scene, 'party', '--json');
        expect(json[0]).toMatchObject({ votes: 1 });
      },
    };
  },
);

story(
  'the places of a day are stored and paid once, and never change, whenever kill -9 comes as the day ends',
  12,
  () => ({
    config: {
      gameServers: { main: { kind: 'practice', joinDelay: '0s' } },
      sites: { default: { token: TOKEN }, List: {}, Other: {} },
      rewards: [],
      tops: [
        {
          ...{ name: 'best', period: 'day', settle: '1h', servers: ['main'] },
          prizes: { '1': ['give {player} beacon 1'], '2': ['give {player} diamond 2'] },
        },
      ],
    },
    prepare: (place) =>
      recorded(
        place,
        [
          { player: 'Steve', site: 'List' },
          { player: 'Alex', site: 'List' },
          { player: 'Alex', site: 'Other' },
        ],
        '--practice-clock',
      ),
    act: async (scene) => {
      const teller = await scene.start('--practice-clock');
      // A running Teller looks at once when the clock is moved.
      await scene.type('practice', 'clock', '26h');
      await teller.until(async () => (await grantsOf(scene)).length === 2);
      await teller.settled();
    },
    same: (after) =>
      expect(owedIn(after).map((grant) => grant.replace(/ top \S+/, ''))).toEqual([
        'Alex best place 1 main',
        'Steve best place 2 main',
      ]),
  }),
);

/** More than are stored in one transaction. */
const PLAYERS = 600;
const AT_ONCE = 50;

story(
  'a party of 600 players who are away is one grant for each, though it is stored in portions',
  4,
  (_, at) => ({
    config: cakes(PLAYERS),
    prepare: async (place) => {
      const teller = await apart(place);
      const players = Array.from({ length: PLAYERS - 1 }, (__, index) => `P${index + 1}`);
      while (players.length > 0) {
        const some = players.splice(0, AT_ONCE).map((player) => teller.vote({ player, at }));
        expect(new Set(await Promise.all(some))).toEqual(new Set(['ok']));
      }
      await teller.stop();
    },
    act: async (scene) => {
      const teller = await scene.start();
      expect(await teller.vote({ player: 'P0', at })).toBe('ok');
      const isWhole = async () =>
        (await typedHere(scene, 'grants', '--limit', '1', '--json')).json[0]?.id === PLAYERS;
      await teller.until(isWhole);
    },
    same: async ({ grants, scene }) => {
      expect([grants.length, new Set(grants).size]).toEqual([PLAYERS, PLAYERS]);
      const { json } = await typedHere(scene, 'party', '--json');
      expect(json[0]).toMatchObject({ votes: 0, number: 2 });
    },
  }),
);
