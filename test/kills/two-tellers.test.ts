/** Two processes record on one ledger, and one of them pays; when one dies, the other does the rest. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Started, typedHere } from '../kit/apart.ts';
import type { Scene } from '../kit/each-write.ts';
import { TOKEN, type Vote } from '../kit/vote.ts';
import { grantsOf } from '../kit/witness.ts';
import { type After, isEachOnce, owedIn, SAY, story } from './story.ts';

const SOON_MS = 30_000;
const LOOK_MS = 100;
const PLAYERS = ['Alex', 'Steve', 'Kim'];

/** Sends each vote to one of them, in turn; what is not answered goes to the other, as a listing sends it again. */
async function castBy(tellers: readonly Started[], votes: readonly Vote[]): Promise<void> {
  for (const [at, vote] of votes.entries()) {
    const answers: string[] = [];
    for (const turn of tellers.keys())
      if (!answers.includes('ok')) {
        const teller = tellers[(at + turn) % tellers.length] as Started;
        answers.push(await teller.vote(vote).catch(String));
      }
    expect(answers).toContain('ok');
  }
}

/** Resolves when there are so many grants and none can be paid any more, whoever of them pays. */
async function untilOver(scene: Scene, count: number): Promise<void> {
  let grants: readonly string[] = [];
  for (let left = SOON_MS; left > 0; left -= LOOK_MS) {
    grants = await grantsOf(scene);
    if (grants.length === count && !grants.some((grant) => /: (?:pending|waiting)$/.test(grant))) return;
    await sleep(LOOK_MS);
  }
  throw new Error(`these are the grants still: ${grants.join('; ')}`);
}

/** An act: two Tellers get these votes in turn, and then all grants are over. */
const voting = (votes: readonly Vote[], grants: number) => async (scene: Scene) => {
  await castBy([await scene.start(), await scene.start()], votes);
  await untilOver(scene, grants);
};

/** None ran twice; at most one is held, because it may have run; and every other one has run. */
function expectPaidOnce(after: After): void {
  const { grants, ran } = after;
  const held = grants.filter((grant) => grant.endsWith(': held')).length;
  const delivered = grants.filter((grant) => grant.endsWith(': delivered')).length;
  expect([isEachOnce(after), held <= 1, held + delivered]).toEqual([true, true, grants.length]);
  expect([grants.length, delivered]).toContain(ran.length);
}

story('what is paid at once, on joining and after a delay is paid once or held', 4, (game, at) => {
  game.show(...PLAYERS);
  return {
    goesOn: true,
    config: {
      rewards: [
        SAY,
        { name: 'coins', commands: ['say a coin for {player}'] },
        { name: 'late', when: 'always', delay: '1s', commands: ['say late for {player}'] },
      ],
    },
    act: voting(
      PLAYERS.map((player) => ({ player, at })),
      9,
    ),
    same: (after) => {
      expect(after.votes).toHaveLength(3);
      expectPaidOnce(after);
    },
  };
});

story('two Tellers send an announcement at most once, and never hold it', 4, (game, at) => {
  game.show(...PLAYERS);
  return {
    goesOn: true,
    config: { rewards: [{ ...SAY, announce: true }] },
    act: voting(
      PLAYERS.map((player) => ({ player, at })),
      3,
    ),
    same: (after) => {
      expect(after.grants.map((grant) => grant.replace(/^.*: /, ''))).toEqual(Array(3).fill('delivered'));
      // What may have been sent counts as sent.
      expect([isEachOnce(after), after.ran.length > 1]).toEqual([true, true]);
    },
  };
});

story('a party is fixed once, and paid to nobody twice', 4, (_, at) => {
  const players = [...PLAYERS, 'Noor', 'Robin', 'Sasha'];
  const cake = {
    ...{ name: 'cake', every: 6, for: 'voters', when: 'always', servers: ['main'], announceLeft: [] },
    commands: ['say cake for {player}'],
  };
  return {
    goesOn: true,
    config: { rewards: [], party: [cake] },
    act: voting(
      players.map((player) => ({ player, at })),
      6,
    ),
    same: (after) => {
      expect(owedIn(after).toSorted()).toEqual(
        players.map((player) => `${player} cake party 1 main`).toSorted(),
      );
      expectPaidOnce(after);
    },
  };
});

story('the votes of a service that `sites add` lists are paid once by the one that lives', 4, (_, at) => {
  const services = ['One', 'Two', 'Three', 'Four'];
  return {
    goesOn: true,
    config: { sites: { default: { token: TOKEN } } },
    act: async (scene) => {
      const tellers = [await scene.start(), await scene.start()];
      const votes = services.map((site) => ({ player: 'Steve', site, at }));
      await castBy(tellers, votes);
      const add = () => typedHere(scene, 'sites', 'add', ...services, '--yes');
      // It says so if one of them has not answered, and can be typed again.
      if ((await add()).exit !== 0) expect(await add()).toMatchObject({ exit: 0 });
      await untilOver(scene, 4);
    },
    same: (after) => {
      expect(after.votes).toEqual(services.map((site) => `Steve on ${site}: rewarded`));
      expectPaidOnce(after);
    },
  };
});
