/** Who a player is, and what a doubted clock has held, after kill -9 while a game server or the operator says otherwise. */
import { expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { eachWrite } from '../kit/each-write.ts';
import { rconGame } from '../kit/game.ts';
import { ledgerFileOf } from '../kit/ledger-file.ts';
import { type Cast, DAY, june, ledgers, NOON } from '../kit/ledgers.ts';
import { furnish, type Place } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { grantsOf, witness } from '../kit/witness.ts';
import { temporaryFolder } from '../support/folder.ts';

const TIMEOUT = { timeout: 600_000 };
const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const DAILY = { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] };
const TOTAL_25 = { name: 'milestone', if: { votes: { at: [25] } }, commands: ['give {player} beacon 1'] };
const SITES = { default: { token: TOKEN }, List: {}, Other: {} };

/** A player's votes, one on each day from the first of June on. */
const votesOf = (player: string, count: number, on: string): readonly Cast[] =>
  Array.from({ length: count }, (_, at) => ({ player, on, at: june(1 + at) }));

/** Alex, whose UUID is known, has 20 votes and Sasha so many; nothing is paid yet. */
async function voted(folder: string, sashas: number, more: object = {}) {
  const config = { timeZone: 'UTC', sites: SITES, rewards: [DAILY, TOTAL_25], ...more };
  const place = furnish(folder, config);
  const ledger = await ledgers(config, ledgerFileOf(place));
  await ledger.vote(...votesOf('Alex', 20, 'List'), ...votesOf('Sasha', sashas, 'Other'));
  await ledger.see({ Alex: ALEX });
  return { place, ledger };
}

const shown = async (place: Place, name: string) =>
  (await typedHere(place, 'players', 'show', name, '--json')).json;

const countOf = (all: readonly string[], pattern: RegExp): number =>
  all.filter((each) => pattern.test(each)).length;

const isOver = (grant: string): boolean => !/: (?:pending|waiting)$/.test(grant);

test(
  'a player who is seen under the name of another voter is one player with the votes of both, and each is paid once or held',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    game.show(`Sasha (${ALEX})`);
    const killed = await eachWrite({
      prepare: async (folder) => (await voted(folder, 8, { gameServers: { main: game.entry } })).place,
      act: async (scene) => {
        const teller = await scene.start();
        await teller.until(async () => (await grantsOf(scene)).every(isOver));
      },
      same: async (scene) => {
        const { votes, grants, faults } = await witness(scene);
        expect(faults).toEqual([]);
        expect([countOf(votes, /^Alex on List/), countOf(votes, /^Sasha on Other/)]).toEqual([20, 8]);
        expect(await shown(scene, 'Alex')).toMatchObject([
          {
            votes: 28,
            names: [{ name: 'alex' }, { name: 'sasha' }],
            changes: [{ kind: 'joined', by: 'main' }],
          },
        ]);
        // The joined votes pass 25, which is nobody's vote.
        const [held, paid] = [countOf(grants, / daily .*: held$/), countOf(grants, / daily .*: delivered$/)];
        expect([held <= 1, held + paid, grants.length]).toEqual([true, 28, 28]);
        const ran = game.ran.splice(0);
        expect(ran).toEqual(ran.map(() => 'give Sasha diamond 1'));
        expect([paid, paid + held]).toContain(ran.length);
      },
    });
    expect(killed).toBeGreaterThan(2);
  },
);

test.each([
  ['nobody knows where Alex is, so what they are owed is held', [`Alex (${STRANGER})`], 1],
  ['Alex is seen as Sasha, and is paid as that', [`Alex (${STRANGER})`, `Sasha (${ALEX})`], 2],
] as const)(
  'a stranger who is seen as Alex and votes gets their own vote alone, and %s',
  TIMEOUT,
  async (_, players, names) => {
    const game = await rconGame();
    game.show(...players);
    const at = Date.now();
    await eachWrite({
      prepare: async (folder) => (await voted(folder, 0, { gameServers: { main: game.entry } })).place,
      act: async (scene) => {
        const teller = await scene.start();
        await teller.until(async () => (await grantsOf(scene)).every(isOver));
        expect(await teller.vote({ player: 'Alex', site: 'Other', at })).toBe('ok');
        await teller.until(async () => (await grantsOf(scene)).every(isOver));
      },
      same: async (scene) => {
        const { grants, faults } = await witness(scene);
        expect([grants.length, faults]).toEqual([21, []]);
        const [stranger, alex] = await shown(scene, 'Alex');
        expect([stranger.votes, alex.votes, alex.names.length]).toEqual([1, 20, names]);
        expect(alex.changes[0]).toMatchObject({ kind: 'name-taken', name: 'alex', by: 'main' });
        const ran = game.ran.splice(0);
        expect(countOf(ran, /^give Alex/)).toBeLessThanOrEqual(1);
        expect(countOf(ran, /^give Sasha/)).toBeLessThanOrEqual(names === 1 ? 0 : 20);
        expect(countOf(grants, /: delivered$/)).toBeLessThanOrEqual(ran.length);
        // One command may have been running.
        const held = countOf(grants, /: held$/) - (names === 1 ? 20 : 0);
        expect([held <= 1, ran.length + held >= (names === 1 ? 1 : 21)]).toEqual([true, true]);
      },
    });
  },
);

test(
  'names that are split again after kill -9 are two players, each with their own votes and grants',
  TIMEOUT,
  async () => {
    await eachWrite({
      prepare: async (folder) => {
        const { place, ledger } = await voted(folder, 8);
        await ledger.merge('Sasha', 'Alex');
        return place;
      },
      // The second time, the names may be split already.
      act: async (scene) =>
        expect([0, 1]).toContain((await scene.type('players', 'split', 'Sasha', '--yes')).code),
      same: async (scene) => {
        expect((await witness(scene)).faults).toEqual([]);
        for (const [name, votes] of [
          ['Alex', 20],
          ['Sasha', 8],
        ] as const) {
          const changes = [{ kind: 'merged' }, { kind: 'split' }];
          expect(await shown(scene, name)).toMatchObject([
            { votes, names: [{ name: name.toLowerCase() }], changes },
          ]);
          const { json } = await typedHere(scene, 'grants', '--player', name, '--limit', '99', '--json');
          expect(json).toHaveLength(votes);
        }
      },
    });
  },
);

const PLAYERS = 1_200;

test(
  'a release of the clock that is ordered again after kill -9 pays each of 1,200 grants once, and leaves the believed times of their votes',
  TIMEOUT,
  async () => {
    const thanks = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
    const ahead = NOON + 2 * DAY;
    const shownAt = (player: string, wall: number): Cast => ({
      ...{ player, at: wall, via: 'listener-v1', reading: { wall, monotonic: 0 } },
    });
    const killed = await eachWrite({
      points: 8,
      prepare: async (folder) => {
        const config = { timeZone: 'UTC', sites: SITES, rewards: [thanks] };
        const place = furnish(folder, config);
        const ledger = await ledgers(config, ledgerFileOf(place));
        await ledger.vote(shownAt('First', NOON));
        await ledger.vote(...Array.from({ length: PLAYERS }, (_, at) => shownAt(`P${at}`, ahead)));
        expect(await ledger.grantStates()).toEqual({ pending: 1, held: PLAYERS });
        return place;
      },
      act: async (scene) => expect((await scene.type('clock', 'release', '--yes')).code).toBe(0),
      same: async (scene) => {
        const { json } = await typedHere(scene, 'votes', '--limit', '9999', '--json');
        const times: number[] = json.map(({ castAt }: { castAt: string }) => Date.parse(castAt));
        expect(times).toEqual(Array(PLAYERS + 1).fill(NOON));
        const { grants, faults } = await witness(scene);
        expect([countOf(grants, /: pending$/), grants.length, faults]).toEqual([
          PLAYERS + 1,
          PLAYERS + 1,
          [],
        ]);
        const [clock] = (await typedHere(scene, 'clock', '--json')).json;
        expect(clock).toMatchObject({ doubt: null, held: 0, doubts: [{ endedBy: 'released' }] });
      },
    });
    expect(killed).toBeGreaterThan(2);
  },
);

test('a sighting that two processes store joins the names once', async () => {
  const { ledger } = await voted(temporaryFolder(), 8);
  const other = await ledger.another();
  expect([await ledger.see({ Sasha: ALEX }), await other.see({ Sasha: ALEX })]).toEqual([true, false]);
  expect(await other.players('alex')).toMatchObject([{ votes: 28, changes: [{ kind: 'joined' }] }]);
});
