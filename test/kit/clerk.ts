/** An operator who adds votes by hand while no Teller runs, each at its own time. */
import { FakeClock } from '../support/fake-clock.ts';
import { desk } from './place.ts';

export type Clerk = ReturnType<typeof clerk>;

/** @param more replaces keys at the top of the config: see `furnish`. */
export function clerk(more: object = {}) {
  const one = desk(more, {}, new FakeClock('2026-06-01T12:00:00Z'));
  /** From now on it is this time, in ISO 8601. */
  const at = (time: string): void => one.clock.jump(Date.parse(time) - one.clock.now());
  return {
    ...one,
    at,
    /** Adds a vote that is cast then, by default now. @returns what `votes add --json` says of it. */
    vote: async (player: string, site = 'List', time?: string) => {
      if (time !== undefined) at(time);
      const { json, err } = await one.run('votes', 'add', '--player', player, '--site', site, '--json');
      if (json === null) throw new Error(err);
      return json[0];
    },
  };
}
