/** Two processes record on one ledger, and one of them pays; when one dies, the other does the rest. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Apart, typedHere } from '../kit/apart.ts';
import { eachWrite, type Scene } from '../kit/each-write.ts';
import { type Game, rconGame } from '../kit/game.ts';
import { furnish } from '../kit/place.ts';
import { TOKEN, type Vote } from '../kit/vote.ts';
import { grantsOf, witness } from '../kit/witness.ts';

const TIMEOUT = { timeout: 600_000 };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };
const SOON_MS = 30_000;
const LOOK_MS = 100;

const ranOn = (game: Game): readonly string[] => game.ran.splice(0);

/** Sends each vote to one of them, in turn; what is not answered goes to the other, as a listing sends it again. */
async function castBy(tellers: readonly Apart[], votes: readonly Vote[]): Promise<void> {
  for (const [at, vote] of votes.entries()) {
    const answers: string[] = [];
    for (const turn of tellers.keys())
      if (!answers.includes('ok')) {
        const teller = tellers[(at + turn) % tellers.length] as Apart;
        answers.push(await teller.vote(vote).catch(String));
      }
    expect(answers).toContain('ok');
  }
}

/** Resolves when the grants are as they should be, whoever of them pays. */
async function until(scene: Scene, seen: (grants: readonly string[]) => boolean): Promise<void> {
  for (let left = SOON_MS; left > 0; left -= LOOK_MS) {
    if (seen(await grantsOf(scene))) return;
    await sleep(LOOK_MS);
  }
  throw new Error(`these are the grants still: ${(await grantsOf(scene)).join('; ')}`);
}

const areOver = (count: number) => (grants: readonly string[]) =>
  grants.length === count && grants.every((grant) => !/: (?:pending|waiting)$/.test(grant));

/** An act: two Tellers get these votes in turn, and then all grants are over, whoever of them pays. */
const voting =
  (votes: readonly Vote[], grants: number) =>
  async (scene: Scene): Promise<void> => {
    await castBy([await scene.start(), await scene.start()], votes);
    await until(scene, areOver(grants));
  };

/** None ran twice; at most one is held, because it may have run; and every other one has run. */
function expectPaidOnce(grants: readonly string[], ran: readonly string[]): void {
  expect(new Set(ran).size).toBe(ran.length);
  const held = grants.filter((grant) => grant.endsWith(': held')).length;
  expect([held, grants.filter((grant) => grant.endsWith(': delivered')).length]).toEqual([
    held > 0 ? 1 : 0,
    grants.length - held,
  ]);
  expect([grants.length, grants.length - held]).toContain(ran.length);
}

test('what is paid at once, on joining and after a delay is paid once or held', TIMEOUT, async () => {
  const game = await rconGame();
  game.show('Alex', 'Steve', 'Kim');
  const at = Date.now();
  const players = ['Alex', 'Steve', 'Kim'];
  await eachWrite({
    goesOn: true,
    prepare: async (folder) =>
      furnish(folder, {
        gameServers: { main: game.entry },
        rewards: [
          SAY,
          { name: 'coins', commands: ['say a coin for {player}'] },
          { name: 'late', when: 'always', delay: '1s', commands: ['say late for {player}'] },
        ],
      }),
    act: voting(
      players.map((player) => ({ player, at })),
      9,
    ),
    same: async (scene) => {
      const { votes, grants, faults } = await witness(scene);
      expect([votes.length, faults]).toEqual([3, []]);
      expectPaidOnce(grants, ranOn(game));
    },
  });
});

test('an announcement is sent at most once, and is never held', TIMEOUT, async () => {
  const game = await rconGame();
  game.show('Alex', 'Steve', 'Kim');
  const at = Date.now();
  const spoken = { ...SAY, name: 'spoken', announce: true, commands: ['say {player} has voted'] };
  await eachWrite({
    goesOn: true,
    prepare: async (folder) => furnish(folder, { gameServers: { main: game.entry }, rewards: [spoken] }),
    act: voting(
      ['Alex', 'Steve', 'Kim'].map((player) => ({ player, at })),
      3,
    ),
    same: async (scene) => {
      const { grants, faults } = await witness(scene);
      expect([grants.map((grant) => grant.replace(/^.*: /, '')), faults]).toEqual([
        ['delivered', 'delivered', 'delivered'],
        [],
      ]);
      const ran = ranOn(game);
      expect(new Set(ran).size).toBe(ran.length);
      // What may have been sent counts as sent.
      expect(ran.length).toBeGreaterThan(1);
    },
  });
});

test('a party is fixed once, and paid to nobody twice', TIMEOUT, async () => {
  const game = await rconGame();
  const at = Date.now();
  const players = ['Alex', 'Steve', 'Kim', 'Noor', 'Robin', 'Sasha'];
  const cake = {
    ...{ name: 'cake', every: 6, for: 'voters', when: 'always', servers: ['main'], announceLeft: [] },
    commands: ['say cake for {player}'],
  };
  await eachWrite({
    goesOn: true,
    prepare: async (folder) =>
      furnish(folder, { gameServers: { main: game.entry }, rewards: [], party: [cake] }),
    act: voting(
      players.map((player) => ({ player, at })),
      6,
    ),
    same: async (scene) => {
      const { grants, faults } = await witness(scene);
      expect(faults).toEqual([]);
      expect(grants.map((grant) => grant.replace(/: \w+$/, '')).toSorted()).toEqual(
        players.map((player) => `${player} cake party 1 main`).toSorted(),
      );
      expectPaidOnce(grants, ranOn(game));
    },
  });
});

test(
  'the votes of a service that `sites add` lists are paid once by the one that lives',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    const at = Date.now();
    const services = ['One', 'Two', 'Three', 'Four'];
    await eachWrite({
      goesOn: true,
      prepare: async (folder) =>
        furnish(folder, {
          gameServers: { main: game.entry },
          rewards: [SAY],
          sites: { default: { token: TOKEN } },
        }),
      act: async (scene) => {
        const tellers = [await scene.start(), await scene.start()];
        const votes = services.map((site) => ({ player: 'Steve', site, at }));
        await castBy(tellers, votes);
        const add = () => typedHere(scene, 'sites', 'add', ...services, '--yes');
        // It says so if one of them has not answered, and can be typed again.
        if ((await add()).exit !== 0) expect(await add()).toMatchObject({ exit: 0 });
        await until(scene, areOver(4));
      },
      same: async (scene) => {
        const { votes, grants, faults } = await witness(scene);
        expect([votes, faults]).toEqual([services.map((site) => `Steve on ${site}: rewarded`), []]);
        expectPaidOnce(grants, ranOn(game));
      },
    });
  },
);
