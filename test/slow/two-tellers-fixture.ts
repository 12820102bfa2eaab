import { join } from 'node:path';
import { expect } from 'vitest';
import type { GrantState } from '../../src/core/settlement.ts';
import { uuid4 } from '../../src/core/uuid.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN } from '../support/config-folder.ts';
import type { KillPoint } from '../support/killing-teller.ts';
import { type Running, startScript, startTeller, type TellerReady, teller } from '../support/processes.ts';
import { practice } from '../support/rcon.ts';

const KILLING_TELLER = join(import.meta.dirname, '../support/killing-teller.ts');

export type Teller = Running<TellerReady>;
export const SOON = { timeout: 20_000, interval: 100 };

/** A ledger that two processes open, and the game server that either of them pays on. */
export async function twoTellers(settings: { readonly sites?: readonly string[] } & Record<string, unknown>) {
  const { sites = [], ...rest } = settings;
  // Its own, so that no Teller of another test can log in if the port was theirs before.
  const server = await practice({ password: uuid4(systemRandom) });
  const { host, port, password } = server;
  const waits = { commandPause: '0ms', joinDelay: '0s', presenceInterval: '1s' };
  const here = configFolder({
    sites: { default: { token: TOKEN }, ...Object.fromEntries(sites.map((name) => [name, {}])) },
    gameServers: { main: { kind: 'rcon', host, port, password, ...waits } },
    timeZone: 'UTC',
    rewards: [],
    ...rest,
  });
  const { folder, config, ledger } = here;
  const vote = async (to: Teller, username: string, serviceName = 'List'): Promise<string> => {
    const wire = { serviceName, username, address: '192.0.2.1', timestamp: String(Date.now()) };
    const auth = { version: 'v2', token: TOKEN } as const;
    return (await sendVote(wire, { ...to.ready.listener, auth }, { clock: systemClock })).code;
  };
  return {
    ...{ ...here, server, vote },
    run: (): Promise<Teller> => startTeller(['run', '--config', config], folder),
    /** A Teller that kills itself at this point. */
    runDying: (point: KillPoint, count = 1): Promise<Teller> =>
      startScript(KILLING_TELLER, [config, point, String(count)], folder),
    command: (...args: readonly string[]) => teller([...args, '--config', config], folder),
    /** Sends the votes one after another, to the processes in turn. */
    voteInTurn: async (
      to: readonly [Teller, Teller],
      votes: readonly (readonly [player: string, service?: string])[],
    ): Promise<void> => {
      for (const [at, [player, service]] of votes.entries())
        expect(await vote(to[at % 2 === 0 ? 0 : 1], player, service)).toBe('accepted');
    },
    /** What the game server ran, without questions. */
    ran: (): readonly string[] =>
      server
        .commands()
        .map(({ command }) => command)
        .filter((command) => command.startsWith('say ')),
    look: () => lookInto(ledger),
  };
}

export type TwoTellers = Awaited<ReturnType<typeof twoTellers>>;

/** Waits until no grant is open, and so many are in each state. */
export const expectStates = (
  look: ReturnType<TwoTellers['look']>,
  states: Partial<Record<GrantState, number>>,
): Promise<void> => expect.poll(() => look.grantStates(), SOON).toEqual(states);

export async function expectRightCounts(look: ReturnType<TwoTellers['look']>): Promise<void> {
  expect(await wrongCountsOf(look)).toEqual({ recipients: [], network: false, parties: [] });
}

export const numbered = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at + 1}`);
