import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { apart, typedApart, typedHere } from '../kit/apart.ts';
import { TOKEN } from '../kit/vote.ts';
import { isEachOnce, owedIn, recorded, story } from './story.ts';

story(
  'a service that is added while its votes wait has an entry, and each vote is paid once or held',
  12,
  () => ({
    prepare: (place) =>
      recorded(place, [
        { player: 'Steve', site: 'Other' },
        { player: 'Alex', site: 'Other' },
      ]),
    act: async (scene) => {
      const teller = await scene.start();
      // Adding a site that is there already is no error, so an operator can type it again.
      await scene.type('sites', 'add', 'Other', '--yes');
      await teller.settled();
    },
    same: (after) => {
      expect(after.votes).toEqual(['Steve on Other: rewarded', 'Alex on Other: rewarded']);
      expect(owedIn(after)).toEqual(['Steve thanks main', 'Alex thanks main']);
      expect(isEachOnce(after)).toBe(true);
      expect(JSON.parse(readFileSync(after.scene.config, 'utf8')).sites).toHaveProperty('Other');
    },
  }),
);

story('a backup that is restored again after kill -9 is whole, and what was owed is held', 12, () => ({
  config: {
    gameServers: { main: { kind: 'rcon', host: '127.0.0.1', port: 9, password: 'nobody-listens-there' } },
  },
  prepare: async (place) => {
    const teller = await apart(place);
    expect(await teller.vote({ player: 'Steve' })).toBe('ok');
    const words = ['backup', join(place.folder, 'backup')];
    expect(await typedApart(place, words)).toMatchObject({ code: 0 });
    await teller.stop();
  },
  act: async (scene) => {
    const { code, err } = await scene.type('restore', join(scene.folder, 'backup'), '--yes');
    expect([code, err]).toEqual([0, expect.any(String)]);
  },
  same: async ({ votes, grants, scene }) => {
    expect([votes, grants]).toEqual([['Steve on List: rewarded'], ['Steve thanks main: held']]);
    expect(await typedHere(scene, 'config', 'check', scene.config)).toMatchObject({ exit: 0 });
  },
}));

story(
  'a player who is forgotten again after kill -9 is named nowhere, and their vote still counts',
  12,
  () => ({
    prepare: (place) => recorded(place, [{ player: 'Steve' }, { player: 'Alex' }]),
    act: async (scene) => {
      // The second time, nobody has this name any more.
      const { code } = await scene.type('players', 'forget', 'Steve', '--yes');
      expect([0, 1, 2]).toContain(code);
    },
    same: ({ votes, grants }) => {
      expect(votes).toHaveLength(2);
      expect(JSON.stringify([votes, grants]).toLowerCase()).not.toContain('steve');
      expect(votes[1]).toBe('Alex on List: rewarded');
    },
  }),
);

story('names that are joined again after kill -9 are one player with the votes of both', 4, () => ({
  config: { sites: { default: { token: TOKEN }, List: {}, Other: {} } },
  prepare: (place) => recorded(place, [{ player: 'Steve' }, { player: 'Alex', site: 'Other' }]),
  act: (scene) => scene.type('players', 'merge', 'Alex', '--into', 'Steve', '--yes'),
  same: async ({ votes, scene }) => {
    expect(votes).toEqual(['Steve on List: rewarded', 'Alex on Other: rewarded']);
    for (const name of ['Steve', 'Alex']) {
      const { json } = await typedHere(scene, 'players', 'show', name, '--json');
      expect([json[0].names.length, json[0].votes]).toEqual([2, 2]);
    }
  },
}));
