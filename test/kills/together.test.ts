import { expect, test } from 'vitest';
import { apart, typedHere } from '../kit/apart.ts';
import { eachWrite } from '../kit/each-write.ts';
import { rconGame } from '../kit/game.ts';
import { furnish } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { grantsOf, witness } from '../kit/witness.ts';

const TIMEOUT = { timeout: 600_000 };

test(
  'a party is given once to each voter, and the next one begins with the vote after it',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    const at = Date.now();
    const voters = ['Steve', 'Alex', 'Noor', 'Kim'];
    game.show(...voters);
    await eachWrite({
      points: 12,
      prepare: async (folder) =>
        furnish(folder, {
          gameServers: { main: game.entry },
          rewards: [],
          party: [
            {
              name: 'cake',
              every: 3,
              for: 'voters',
              when: 'always',
              servers: ['main'],
              commands: ['give {player} cake 1'],
            },
          ],
        }),
      act: async (scene) => {
        const teller = await scene.start();
        for (const player of voters) expect(await teller.vote({ player, at })).toBe('ok');
        await teller.until(async () => (await grantsOf(scene)).length === 3);
        await teller.settled();
      },
      same: async (scene) => {
        const { grants, faults } = await witness(scene);
        expect(faults).toEqual([]);
        expect(grants.map((grant) => grant.replace(/: (?:delivered|held)$/, '')).toSorted()).toEqual([
          'Alex cake party 1 main',
          'Noor cake party 1 main',
          'Steve cake party 1 main',
        ]);
        const ran = game.ran.splice(0);
        expect(new Set(ran).size).toBe(ran.length);
        const { json } = await typedHere(scene, 'party', '--json');
        expect(json[0]).toMatchObject({ votes: 1 });
      },
    });
  },
);

test(
  'the places of a day are stored and paid once, and never change, whenever kill -9 comes as the day ends',
  TIMEOUT,
  async () => {
    const prizes = { '1': ['give {player} beacon 1'], '2': ['give {player} diamond 2'] };
    await eachWrite({
      points: 12,
      prepare: async (folder) => {
        const place = furnish(folder, {
          sites: { default: { token: TOKEN }, List: {}, Other: {} },
          rewards: [],
          tops: [{ name: 'best', period: 'day', settle: '1h', servers: ['main'], prizes }],
        });
        const teller = await apart(place, [], ['--practice-clock']);
        for (const [player, site] of [
          ['Steve', 'List'],
          ['Alex', 'List'],
          ['Alex', 'Other'],
        ] as const)
          expect(await teller.vote({ player, site })).toBe('ok');
        await teller.settled();
        await teller.stop();
        return place;
      },
      act: async (scene) => {
        const teller = await scene.start('--practice-clock');
        // A running Teller looks at once when the clock is moved.
        await scene.type('practice', 'clock', '26h');
        await teller.until(async () => (await grantsOf(scene)).length === 2);
        await teller.settled();
      },
      same: async (scene) => {
        const { grants, faults } = await witness(scene);
        expect(faults).toEqual([]);
        expect(
          grants.map((grant) => grant.replace(/ top \S+/, '').replace(/: (?:delivered|held)$/, '')),
        ).toEqual(['Alex best place 1 main', 'Steve best place 2 main']);
      },
    });
  },
);

test(
  'a party of 1,200 players who are away is one grant for each, though it is stored in portions',
  TIMEOUT,
  async () => {
    const PLAYERS = 1_200;
    const game = await rconGame();
    const at = Date.now();
    await eachWrite({
      prepare: async (folder) => {
        const place = furnish(folder, {
          gameServers: { main: game.entry },
          rewards: [],
          party: [
            {
              name: 'cake',
              every: PLAYERS,
              for: 'voters',
              servers: ['main'],
              commands: ['give {player} cake 1'],
            },
          ],
        });
        const teller = await apart(place);
        for (let from = 1; from < PLAYERS; from += 50) {
          const players = Array.from(
            { length: Math.min(50, PLAYERS - from) },
            (_, index) => `P${from + index}`,
          );
          const answers = await Promise.all(players.map((player) => teller.vote({ player, at })));
          expect(new Set(answers)).toEqual(new Set(['ok']));
        }
        await teller.stop();
        return place;
      },
      act: async (scene) => {
        const teller = await scene.start();
        expect(await teller.vote({ player: 'P0', at })).toBe('ok');
        await teller.until(async () => (await grantsOf(scene)).length === PLAYERS);
      },
      same: async (scene) => {
        const grants = await grantsOf(scene);
        expect([grants.length, new Set(grants).size]).toEqual([PLAYERS, PLAYERS]);
        const { json } = await typedHere(scene, 'party', '--json');
        expect(json[0]).toMatchObject({ votes: 0, number: 2 });
      },
    });
  },
);
