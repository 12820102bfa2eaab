/** A Teller with a practice server, on which players join and leave as the test says, for what players earn together. */
import { FakeClock } from '../support/fake-clock.ts';
import { typedHere } from './apart.ts';
import { here } from './here.ts';
import { TOKEN } from './vote.ts';

export type Together = Awaited<ReturnType<typeof together>>;

const MAIN = { kind: 'practice', autoJoin: false, joinDelay: '0s' };

/** It is noon on 1 June 2026. @param more replaces keys at the top of the config. */
export async function together(more: object = {}) {
  const sites = { default: { token: TOKEN, cooldown: '1s' } };
  const config = { timeZone: 'UTC', sites, gameServers: { main: MAIN }, rewards: [], ...more };
  const teller = await here(config, new FakeClock('2026-06-01T12:00:00Z'));
  const { clock } = teller;
  let votes = 0;
  /** Lets time pass in steps; after each, what waits on sockets of this machine is read. */
  const pass = (ms: number, stepMs = 1_000): Promise<void> => teller.pass(ms, stepMs);
  const until = async (seen: () => boolean | Promise<boolean>): Promise<void> => {
    for (let seconds = 0; seconds < 120 && !(await seen()); seconds += 1) await pass(1_000);
  };
  /** The commands that ran on the practice server, in order, without those that ask. */
  const ran = (): readonly string[] =>
    teller.log
      .filter(({ code }) => code === 'practice-command')
      .map(({ fields }) => String((fields as { command?: string }).command))
      .filter((command) => !/^(?:minecraft:)?(?:list|execute)\b/.test(command));
  /** `Steve: party 1 on main` for each grant, oldest first. */
  const owed = async (): Promise<readonly string[]> =>
    (await teller.grants()).map(({ player, occasion, server }) => `${player}: ${occasion} on ${server}`);
  return {
    ...{ teller, ran, owed, pass },
    /** Time passes until so many grants are owed, or commands ran, for two minutes at most. */
    untilOwed: (count: number) => until(async () => (await owed()).length >= count),
    untilRan: (count: number) => until(() => ran().length >= count),
    /** A vote of each, on a site of its own: `List 1`, `List 2`, … */
    vote: async (...players: readonly string[]): Promise<void> => {
      for (const player of players) {
        votes += 1;
        // Beyond the window of services without an entry.
        clock.sleep(1_001);
        const answer = await teller.vote({ player, site: `List ${votes}` });
        if (answer !== 'ok') throw new Error(answer);
      }
    },
    join: async (player: string, uuid?: string): Promise<void> => {
      const flags = uuid === undefined ? [] : ['--uuid', uuid];
      await typedHere(teller, 'practice', 'join', player, ...flags);
    },
    leave: async (player: string): Promise<void> =>
      void (await typedHere(teller, 'practice', 'leave', player)),
    /** The machine sleeps until then, in ISO 8601. */
    sleepUntil: (time: string): void => clock.sleep(Date.parse(time) - clock.now()),
  };
}
