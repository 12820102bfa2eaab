/** Stories about a Teller with one game server: something is done, a process dies at a write of it, and it is done again. */
import { expect, test } from 'vitest';
import { apart } from '../kit/apart.ts';
import { eachWrite, type Scene, type Story } from '../kit/each-write.ts';
import { type RconGame, rconGame } from '../kit/game.ts';
import { furnish, type Place } from '../kit/place.ts';
import type { Vote } from '../kit/vote.ts';
import { type Seen, witness } from '../kit/witness.ts';

export const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };

/** What is seen in the end. Nothing is wrong with the ledger. */
export interface After extends Omit<Seen, 'faults'> {
  /** What the game server ran since the end before. */
  readonly ran: readonly string[];
  readonly scene: Scene;
}

interface Told extends Pick<Story, 'act' | 'goesOn'> {
  /** Replaces keys at the top of the config. */
  readonly config?: object;
  /** Once, before it. */
  readonly prepare?: (place: Place) => Promise<unknown>;
  readonly same: (after: After) => unknown;
  /** How many processes die at least. */
  readonly deaths?: number;
}

/** @param at the time of its votes. */
type Tell = (game: RconGame, at: number) => Told | Promise<Told>;

/** @param points how many writes are chosen: see `Story`. */
export function story(title: string, points: number, tell: Tell): void {
  test(title, { timeout: 600_000 }, async () => {
    const game = await rconGame();
    const { config, prepare, act, goesOn = false, same, deaths = 2 } = await tell(game, Date.now());
    const killed = await eachWrite({
      ...{ points, act, goesOn },
      prepare: async (folder) => {
        const place = furnish(folder, { gameServers: { main: game.entry }, ...config });
        await prepare?.(place);
        game.ran.length = 0;
        return place;
      },
      same: async (scene) => {
        const { faults, ...seen } = await witness(scene);
        expect(faults).toEqual([]);
        await same({ ...seen, ran: game.ran.splice(0), scene });
      },
    });
    expect(killed).toBeGreaterThanOrEqual(deaths);
  });
}

/** Lets a Teller receive and pay these votes, and stops it. */
export async function recorded(place: Place, votes: readonly Vote[], ...flags: string[]): Promise<void> {
  const teller = await apart(place, [], flags);
  for (const vote of votes) expect(await teller.vote(vote)).toBe('ok');
  await teller.settled();
  await teller.stop();
}

/** Of the only grant, every command ran, or it is held and the first of them ran. None ran twice. */
export function expectPaidOrHeld({ grants, ran }: After, grant: string, ...commands: string[]): void {
  if (grants[0] === `${grant}: delivered`) expect([grants.length, ran]).toEqual([1, commands]);
  else expect([grants, ran]).toEqual([[`${grant}: held`], commands.slice(0, ran.length)]);
}

/** Grants without their states. */
export const owedIn = ({ grants }: After): string[] =>
  grants.map((grant) => grant.replace(/: (?:delivered|held)$/, ''));

export const isEachOnce = ({ ran }: After): boolean => new Set(ran).size === ran.length;
