/** What has to hold whenever the power fails: a process dies at each of its writes, and is started again. */
import { cpSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { compiled, type Finished } from '../support/processes.ts';
import { Seeded } from '../support/seeded.ts';
import { type Apart, apart, typedApart } from './apart.ts';
import type { Place } from './place.ts';
import type { Vote } from './vote.ts';

const PRELOAD = pathToFileURL(compiled(join(import.meta.dirname, 'dies-at.ts'))).href;

/** Where something is done by processes that may die. */
export interface Scene extends Place {
  /** Starts a Teller, which is stopped when the act is over. */
  start(...flags: readonly string[]): Promise<Apart>;
  /** Types a command in a process of its own. */
  type(...words: readonly string[]): Promise<Finished>;
}

export interface Story {
  /** Prepares a folder, once; each death gets a copy. */
  prepare(folder: string): Promise<Place>;
  /** What is done: in processes that may die, and then again in some that live, as a sender or an operator would. */
  act(scene: Scene): Promise<unknown>;
  /** What has to hold after that. */
  same(scene: Scene): Promise<void>;
}

/** At each change so many writes are chosen: a few until Teller is ready, and more after it. With EACH_WRITE=all every write is one. */
const IS_EACH = process.env.EACH_WRITE === 'all';
const POINTS = { starting: 3, started: 9 };

/** @returns how often a process was killed. */
export async function eachWrite(story: Story, seed = 1): Promise<number> {
  const prepared = await story.prepare(temporaryFolder());
  const { writes, starting } = await acted(story, copyOf(prepared), 0);
  let killed = 0;
  for (const at of chosenWrites(writes, starting, seed)) {
    const place = copyOf(prepared);
    const { writes: made } = await acted(story, place, at);
    // Threads write in other portions each time, so there may be fewer writes than before.
    if (made < at) continue;
    killed += 1;
    try {
      await acted(story, place, 0);
    } catch (error) {
      throw new Error(`after a kill at write ${at} of ${writes}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return killed;
}

/** Acts once, and checks what has to hold if nothing was killed. @returns the writes that were made, and those until Teller was ready. */
async function acted(
  story: Story,
  place: Place,
  diesAt: number,
): Promise<{ readonly writes: number; readonly starting: number }> {
  const count = join(temporaryFolder(), 'writes');
  const within = ['env', `NODE_OPTIONS=--import ${PRELOAD}`, `DIES_AT=${diesAt}`, `WRITES=${count}`];
  const writes = (): number => (existsSync(count) ? statSync(count).size : 0);
  const running: Apart[] = [];
  let starting = 0;
  const scene: Scene = {
    ...place,
    start: async (...flags) => {
      const teller = await apart(place, within, flags);
      running.push(teller);
      starting = writes();
      return teller;
    },
    type: async (...words) => {
      const finished = await typedApart(place, words, within);
      if (finished.code === null) throw new Error(`killed: teller ${words.join(' ')}`);
      return finished;
    },
  };
  try {
    await story.act(scene);
  } catch (error) {
    if (diesAt === 0 || writes() < diesAt) throw error;
  }
  for (const teller of running) await (diesAt === 0 ? teller.stop() : teller.kill());
  if (diesAt === 0) await story.same(scene);
  return { writes: writes(), starting };
}

/** An act: a Teller gets these votes, and pays what it can. */
export const voting =
  (...votes: readonly Vote[]) =>
  async (scene: Scene): Promise<void> => {
    const teller = await scene.start();
    for (const vote of votes) expect(await teller.vote(vote)).toBe('ok');
    await teller.settled();
  };

function copyOf({ folder, config }: Place): Place {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return { folder: copy, config: join(copy, config.slice(folder.length)) };
}

/** Which of so many writes are tried, in order; the seed chooses. @param starting how many of them are made until Teller is ready. */
export function chosenWrites(count: number, starting = 0, seed = 1): number[] {
  const random = new Seeded(seed);
  const all = Array.from({ length: count }, (_, at) => at + 1);
  if (IS_EACH) return all;
  const some = (left: number[], wanted: number): number[] =>
    Array.from({ length: Math.min(wanted, left.length) }, () =>
      left.splice(random.below(left.length), 1),
    ).flat();
  const before = some(all.slice(0, starting), POINTS.starting);
  return [...before, ...some(all.slice(starting), POINTS.starting + POINTS.started - before.length)].toSorted(
    (a, b) => a - b,
  );
}
