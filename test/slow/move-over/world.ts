import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Auth, Place } from '../../../src/sender/send-vote.ts';
import { freePort } from '../../sender/scripted-listener.ts';
import { lookInto } from '../../support/config-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Fault, OldSide } from '../../support/old-side.ts';
import { type Running, startScript } from '../../support/processes.ts';
import { PASSWORDS, recordedGameServers } from './game-servers.ts';
import { type End, Listings, SERVICES } from './listings.ts';
import { oldKeys, type Setup } from './plugins.ts';

const ANOTHER = 'Another';
const OLD_SIDE = join(import.meta.dirname, '../../support/old-side.ts');
export const PATIENT = { timeout: 45_000, interval: 200 };
const DEFAULT_TOKEN = 'the-token-of-the-old-listener';

/** What the old side does wrong, by the beginning of the player's name. */
const FAULTS = {
  ...({ Missed: 'misses', Doubled: 'doubles', Swapped: 'pays-another' } as const),
  ...({ Unheard: 'is-deaf-once', Unconfirmed: 'is-mute' } as const),
} as const satisfies Record<string, Fault>;

export const missed = (name: string): string => `Missed${name}`;
export const doubled = (name: string): string => `Doubled${name}`;
export const swapped = (name: string): string => `Swapped${name}`;

interface Named {
  readonly player: string;
}

/** Whether it is a vote that the old side pays wrongly in this way. */
export const isFaulty = ({ player }: Named, fault: Fault): boolean =>
  Object.entries(FAULTS).some(([begin, is]) => is === fault && player.startsWith(begin));

export interface WorldSettings {
  readonly files: (setup: Setup) => Readonly<Record<string, string>>;
  /** Those of listings; several by default. */
  readonly services?: readonly string[];
  /** How many game servers; one by default. */
  readonly gameServers?: number;
  /** The old listener takes version 1 alone, and so listings send nothing else. */
  readonly isV1Alone?: boolean;
  /** Where the old listener and the game servers are, if not at Teller's 127.0.0.1. The listener's port is then `movedPort`. */
  readonly oldHost?: string;
  /** That the old listener has a token for a service of its own. */
  readonly hasOwnToken?: boolean;
}

/** An old side, listings that send to its port, and the folder of a Teller in which nothing was done yet. */
export async function oldWorld(settings: WorldSettings) {
  const { files, services = SERVICES, gameServers = 1, isV1Alone = false } = settings;
  const [port, movedPort] = [await freePort(), await freePort()];
  const host = settings.oldHost ?? '127.0.0.1';
  const games = await recordedGameServers(gameServers, host);
  games.join(ANOTHER);
  const keys = oldKeys();
  const tokens = tokensOf(settings);
  const folder = temporaryFolder(files({ keys, port, tokens }));
  const paid = join(folder, 'paid.csv');
  const authOf = (service: string, number: number): Auth =>
    isV1Alone || number % 3 === 0
      ? { version: 'v1', publicKey: keys.publicKey }
      : { version: 'v2', token: tokens[service] ?? DEFAULT_TOKEN };
  const atOld: Place = { host, port: settings.oldHost === undefined ? port : movedPort };
  const places = new Map(services.map((service) => [service, atOld]));
  const placeOf = (service: string): Place => places.get(service) ?? atOld;
  const listings = new Listings(services, { placeOf, authOf }, games.join);
  /** Of Teller, by kill -9, and of the old side. */
  const ends = { kills: [] as End[], stops: [] as End[] };
  let old: Running<unknown> | null = null;
  return {
    ...{ folder, games, listings, ends, port, movedPort },
    /** What the page has for hosts and ports of this test. */
    onPage: {
      '"port":25575': `"port":${games.ports[0]}`,
      '"port":25576': `"port":${games.ports[1]}`,
      '"port":8194': `"port":${movedPort}`,
      '"port":8192': `"port":${movedPort}`,
      '"host":"10.0.0.11"': `"host":"${host}"`,
    },
    /** With the tokens that it has at first, or with `default` alone. */
    startOld: async (at: number, which: 'all tokens' | 'default' = 'all tokens'): Promise<void> => {
      const rcon = games.ports.map((game) => ({ host, port: game, password: PASSWORDS['old side'] }));
      const left = isV1Alone ? {} : which === 'default' ? { default: DEFAULT_TOKEN } : tokens;
      const told: OldSide = {
        ...{ host, port: at, tokens: left, privateKey: keys.pem, rcon, paid, faults: FAULTS },
        another: ANOTHER,
      };
      old = await startScript(OLD_SIDE, [JSON.stringify(told)], folder);
    },
    stopOld: async (): Promise<void> => {
      const from = performance.now();
      await old?.stop();
      ends.stops.push({ from, to: performance.now() });
    },
    /** Listings have another address from now on: all, or one. */
    sendTo: (whom: 'old side' | 'Teller', some: readonly string[] = services) => {
      const place = whom === 'Teller' ? { host: '127.0.0.1', port } : atOld;
      for (const service of some) places.set(service, place);
    },
    look: () => lookInto(join(folder, 'data/teller.db')),
    writePassword: () => writeFileSync(join(folder, 'data/secrets/rcon'), PASSWORDS.Teller),
  };
}

const tokensOf = ({ isV1Alone, hasOwnToken }: WorldSettings): Readonly<Record<string, string>> => ({
  ...(isV1Alone === true ? {} : { default: DEFAULT_TOKEN }),
  ...(hasOwnToken === true ? { 'F.example': 'a-token-of-its-own' } : {}),
});

export type World = Awaited<ReturnType<typeof oldWorld>>;
