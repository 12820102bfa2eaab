/** A Teller with a practice server, on which players join and leave as the test says, for what players earn together. */
import { FakeClock } from '../support/fake-clock.ts';
import { typedHere } from './apart.ts';
import { type Here, here } from './here.ts';
import { TOKEN } from './vote.ts';

export interface Together {
  readonly teller: Here;
  /** The commands that ran on the practice server, in order, without those that ask. */
  ran(): readonly string[];
  /** `Steve: party 1 on main` for each grant, oldest first. */
  owed(): Promise<readonly string[]>;
  /** Time passes until so many grants are owed, for two minutes at most. */
  untilOwed(count: number): Promise<void>;
  /** Time passes until so many commands ran, for two minutes at most. */
  untilRan(count: number): Promise<void>;
  /** A vote of each, on a site of its own: `List 1`, `List 2`, … */
  vote(...players: readonly string[]): Promise<void>;
  join(player: string, uuid?: string): Promise<void>;
  leave(player: string): Promise<void>;
  /** Lets time pass in steps; after each, what waits on sockets of this machine is read. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** The machine sleeps until then, in ISO 8601. */
  sleepUntil(time: string): void;
}

const MAIN = { kind: 'practice', autoJoin: false, joinDelay: '0s' };

/** It is noon on 1 June 2026. @param more replaces keys at the top of the config. */
export async function together(more: object = {}): Promise<Together> {
  const sites = { default: { token: TOKEN, cooldown: '1s' } };
  const config = { timeZone: 'UTC', sites, gameServers: { main: MAIN }, rewards: [], ...more };
  const teller = await here(config, new FakeClock('2026-06-01T12:00:00Z'));
  const { clock } = teller;
  let votes = 0;
  const pass: Together['pass'] = (ms, stepMs = 1_000) => teller.pass(ms, stepMs);
  const until = async (seen: () => boolean | Promise<boolean>): Promise<void> => {
    for (let seconds = 0; seconds < 120 && !(await seen()); seconds += 1) await pass(1_000);
  };
  const ran: Together['ran'] = () =>
    teller.log
      .filter(({ code }) => code === 'practice-command')
      .map(({ fields }) => String((fields as { command?: string }).command))
      .filter((command) => !/^(?:minecraft:)?(?:list|execute)\b/.test(command));
  const owed: Together['owed'] = async () =>
    (await teller.grants()).map(({ player, occasion, server }) => `${player}: ${occasion} on ${server}`);
  return {
    ...{ teller, ran, owed, pass },
    untilOwed: (count) => until(async () => (await owed()).length >= count),
    untilRan: (count) => until(() => ran().length >= count),
    vote: async (...players) => {
      for (const player of players) {
        votes += 1;
        // Beyond the window of services without an entry.
        clock.sleep(1_001);
        const answer = await teller.vote({ player, site: `List ${votes}` });
        if (answer !== 'ok') throw new Error(answer);
      }
    },
    join: async (player, uuid) => {
      const flags = uuid === undefined ? [] : ['--uuid', uuid];
      await typedHere(teller, 'practice', 'join', player, ...flags);
    },
    leave: async (player) => void (await typedHere(teller, 'practice', 'leave', player)),
    sleepUntil: (time) => clock.sleep(Date.parse(time) - clock.now()),
  };
}
