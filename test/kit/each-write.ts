/** What has to hold whenever the power fails: a process dies at each of its writes, and is started again. */
import { cpSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { compiled, type Finished } from '../support/processes.ts';
import { Seeded } from '../support/seeded.ts';
import { apart, type Started, startedHere, typedApart, typedHere } from './apart.ts';
import type { Place } from './place.ts';
import type { Vote } from './vote.ts';

const PRELOAD = pathToFileURL(compiled(join(import.meta.dirname, 'dies-at.ts'))).href;

/** Where something is done by processes that may die. */
export interface Scene extends Place {
  /** Starts a Teller, which is stopped when the act is over. */
  start(...flags: readonly string[]): Promise<Started>;
  /** Types a command. */
  type(...words: readonly string[]): Promise<Finished>;
}

export interface Story {
  /** Prepares a folder, once; each death gets a copy. */
  prepare(folder: string): Promise<Place>;
  /** What is done: in processes that may die, and then again in the process of the test, as a sender or an operator would. */
  act(scene: Scene): Promise<unknown>;
  /** What has to hold after that. */
  same(scene: Scene): Promise<void>;
  /** Several processes act, and once all are ready, what the one that dies leaves behind is done by the others: nothing is done again. */
  readonly goesOn?: boolean;
  /** How many writes are chosen at each change: 4 by default, and 12 for what every operator relies on. */
  readonly points?: number;
}

/** With EACH_WRITE=all every write is chosen. */
const IS_EACH = process.env.EACH_WRITE === 'all';
const POINTS = 4;
/** Most happens once Teller is ready: of the chosen writes, one of so many comes before that. */
const STARTING = 4;

/** @returns how often a process was killed. */
export async function eachWrite(story: Story): Promise<number> {
  const { points = POINTS, goesOn = false } = story;
  const prepared = await story.prepare(temporaryFolder());
  const { writes, starting } = await acted(story, copyOf(prepared), 0);
  let killed = 0;
  for (const at of chosenWrites(writes, goesOn ? starting : 0, starting, points)) {
    const place = copyOf(prepared);
    try {
      const { writes: made } = await acted(story, place, at);
      // Threads write in other portions each time, so there may be fewer writes than before.
      if (made < at) continue;
      killed += 1;
      if (!goesOn) await acted(story, place, null);
    } catch (error) {
      throw new Error(`after a kill at write ${at} of ${writes}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return killed;
}

/**
 * Acts once, and checks what has to hold unless there is something to do again.
 *
 * @param diesAt the write at which a process dies; 0: at none; null: at none, and nothing needs a process of its own.
 * @returns the writes that were made, and those until Teller was ready.
 */
async function acted(
  story: Story,
  place: Place,
  diesAt: number | null,
): Promise<{ readonly writes: number; readonly starting: number }> {
  const count = join(temporaryFolder(), 'writes');
  const within = ['env', `NODE_OPTIONS=--import ${PRELOAD}`, `DIES_AT=${diesAt}`, `WRITES=${count}`];
  const writes = (): number => (existsSync(count) ? statSync(count).size : 0);
  const hasDied = (): boolean => diesAt !== null && diesAt > 0 && writes() >= diesAt;
  const ends: (() => Promise<unknown>)[] = [];
  let starting = 0;
  const scene: Scene = {
    ...place,
    start: async (...flags) => {
      if (diesAt === null) {
        const teller = await startedHere(place, flags);
        ends.push(teller.stop);
        return teller;
      }
      const teller = await apart(place, within, flags);
      ends.push(() => (hasDied() ? teller.kill() : teller.stop()));
      starting = writes();
      return teller;
    },
    type: async (...words) => {
      if (diesAt === null) {
        const { exit: code, ...said } = await typedHere(place, ...words);
        return { code, ...said };
      }
      const finished = await typedApart(place, words, within);
      if (finished.code === null) throw new Error(`killed: teller ${words.join(' ')}`);
      return finished;
    },
  };
  try {
    await story.act(scene);
  } catch (error) {
    if (story.goesOn || !hasDied()) throw error;
  }
  for (const end of ends) await end();
  if (story.goesOn || !hasDied()) await story.same(scene);
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

/**
 * Which of so many writes are tried, in order.
 *
 * @param from those before it are left out.
 * @param starting how many are made until Teller is ready.
 */
export function chosenWrites(count: number, from: number, starting: number, points: number): number[] {
  const random = new Seeded(1);
  const all = Array.from({ length: count }, (_, at) => at + 1);
  if (IS_EACH) return all.slice(from);
  const some = (left: number[], wanted: number): number[] =>
    Array.from({ length: Math.min(wanted, left.length) }, () =>
      left.splice(random.below(left.length), 1),
    ).flat();
  const before = some(all.slice(from, starting), Math.floor(points / STARTING));
  return [...before, ...some(all.slice(starting), points - before.length)].toSorted((a, b) => a - b);
}
