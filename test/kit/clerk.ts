/** An operator who adds votes by hand while no Teller runs, each at its own time. */
import { FakeClock } from '../support/fake-clock.ts';
import { type Desk, desk } from './place.ts';

export interface Clerk extends Desk {
  readonly clock: FakeClock;
  /** From now on it is this time, in ISO 8601. */
  at(time: string): void;
  /** Adds a vote that is cast then, by default now. @returns what `votes add --json` says of it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of every shape
  vote(player: string, site?: string, time?: string): Promise<any>;
}

/** @param more replaces keys at the top of the config: see `furnish`. */
export function clerk(more: object = {}): Clerk {
  const one = desk(more, {}, new FakeClock('2026-06-01T12:00:00Z'));
  const at = (time: string): void => one.clock.jump(Date.parse(time) - one.clock.now());
  return {
    ...one,
    at,
    vote: async (player, site = 'List', time) => {
      if (time !== undefined) at(time);
      const { json, err } = await one.run('votes', 'add', '--player', player, '--site', site, '--json');
      if (json === null) throw new Error(err);
      return json[0];
    },
  };
}
