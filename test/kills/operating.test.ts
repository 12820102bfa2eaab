import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apart, typedApart, typedHere } from '../kit/apart.ts';
import { eachWrite } from '../kit/each-write.ts';
import { rconGame } from '../kit/game.ts';
import { furnish, type Place } from '../kit/place.ts';
import { TOKEN, type Vote } from '../kit/vote.ts';
import { witness } from '../kit/witness.ts';

const TIMEOUT = { timeout: 600_000 };

/** Lets a Teller receive and pay these votes, and stops it. */
async function votesIn(place: Place, ...votes: readonly Vote[]): Promise<Place> {
  const teller = await apart(place);
  for (const vote of votes) expect(await teller.vote(vote)).toBe('ok');
  await teller.settled();
  await teller.stop();
  return place;
}

test(
  'a service that is added while its votes wait has an entry, and each vote is paid once or held',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    await eachWrite({
      points: 12,
      prepare: async (folder) =>
        votesIn(
          furnish(folder, { gameServers: { main: game.entry } }),
          { player: 'Steve', site: 'Other' },
          { player: 'Alex', site: 'Other' },
        ),
      act: async (scene) => {
        const teller = await scene.start();
        // Adding a site that is there already is no error, so an operator can type it again.
        await scene.type('sites', 'add', 'Other', '--yes');
        await teller.settled();
      },
      same: async (scene) => {
        const { votes, grants, faults } = await witness(scene);
        expect(faults).toEqual([]);
        expect(votes).toEqual(['Steve on Other: rewarded', 'Alex on Other: rewarded']);
        expect(grants.map((grant) => grant.replace(/: (?:delivered|held)$/, ''))).toEqual([
          'Steve thanks main',
          'Alex thanks main',
        ]);
        const ran = game.ran.splice(0);
        expect(new Set(ran).size).toBe(ran.length);
        expect(JSON.parse(readFileSync(scene.config, 'utf8')).sites).toHaveProperty('Other');
      },
    });
  },
);

test('players who are imported again after kill -9 have their figures once', TIMEOUT, async () => {
  const players = Array.from({ length: 60 }, (_, at) => `Player${at}`);
  const game = await rconGame();
  await eachWrite({
    points: 12,
    prepare: async (folder) => {
      const place = furnish(folder, { gameServers: { main: game.entry } });
      const rows = players.map((name, at) => `${name},${at + 1},${at % 7}`);
      writeFileSync(join(folder, 'players.csv'), `player,total,month\n${rows.join('\n')}\n`);
      return votesIn(place, { player: 'Player7' });
    },
    act: async (scene) => {
      const { code, err } = await scene.type('import', 'players', 'table', join(scene.folder, 'players.csv'));
      expect([code, err]).toEqual([0, expect.any(String)]);
    },
    same: async (scene) => {
      const { faults } = await witness(scene);
      expect(faults).toEqual([]);
      // The vote that the ledger had of Player7 is one of the eight.
      for (const [name, votes] of [
        ['Player0', 1],
        ['Player7', 8],
        ['Player59', 60],
      ] as const) {
        const { json } = await typedHere(scene, 'players', 'show', name, '--json');
        expect(json[0].votes).toBe(votes);
        expect(json[0].balances.filter(({ what }: { what: string }) => what === 'total')).toHaveLength(1);
      }
    },
  });
});

test(
  'a backup that is restored again after kill -9 is whole, and what was owed is held',
  TIMEOUT,
  async () => {
    await eachWrite({
      points: 12,
      prepare: async (folder) => {
        const place = furnish(folder, {
          gameServers: {
            main: { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' },
          },
        });
        const teller = await apart(place);
        expect(await teller.vote({ player: 'Steve' })).toBe('ok');
        expect(await typedApart(place, ['backup', join(folder, 'backup')])).toMatchObject({ code: 0 });
        await teller.stop();
        return place;
      },
      act: async (scene) => {
        const { code, err } = await scene.type('restore', join(scene.folder, 'backup'), '--yes');
        expect([code, err]).toEqual([0, expect.any(String)]);
      },
      same: async (scene) => {
        const { votes, grants, faults } = await witness(scene);
        expect([votes, grants, faults]).toEqual([
          ['Steve on List: rewarded'],
          ['Steve thanks main: held'],
          [],
        ]);
        expect(await typedHere(scene, 'config', 'check', scene.config)).toMatchObject({ exit: 0 });
      },
    });
  },
);

test(
  'a player who is forgotten again after kill -9 is named nowhere, and their vote still counts',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    await eachWrite({
      points: 12,
      prepare: async (folder) =>
        votesIn(
          furnish(folder, { gameServers: { main: game.entry } }),
          { player: 'Steve' },
          { player: 'Alex' },
        ),
      act: async (scene) => {
        // The second time, nobody has this name any more.
        const { code } = await scene.type('players', 'forget', 'Steve', '--yes');
        expect([0, 1, 2]).toContain(code);
      },
      same: async (scene) => {
        const { votes, grants, faults } = await witness(scene);
        expect(faults).toEqual([]);
        expect(votes).toHaveLength(2);
        expect(JSON.stringify([votes, grants]).toLowerCase()).not.toContain('steve');
        expect(votes[1]).toBe('Alex on List: rewarded');
      },
    });
  },
);

test('names that are joined again after kill -9 are one player with the votes of both', TIMEOUT, async () => {
  const game = await rconGame();
  await eachWrite({
    prepare: async (folder) =>
      votesIn(
        furnish(folder, {
          gameServers: { main: game.entry },
          sites: { default: { token: TOKEN }, List: {}, Other: {} },
        }),
        { player: 'Steve' },
        { player: 'Alex', site: 'Other' },
      ),
    act: (scene) => scene.type('players', 'merge', 'Alex', '--into', 'Steve', '--yes'),
    same: async (scene) => {
      const { votes, faults } = await witness(scene);
      expect([votes, faults]).toEqual([['Steve on List: rewarded', 'Alex on Other: rewarded'], []]);
      for (const name of ['Steve', 'Alex']) {
        const { json } = await typedHere(scene, 'players', 'show', name, '--json');
        expect([json[0].names.length, json[0].votes]).toEqual([2, 2]);
      }
    },
  });
});
