import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const TOKEN = 'bench-token-of-thirty-two-characters';
const PASSWORD = 'bench-password';
/** As many listings as a large server has. */
export const SERVICES = Array.from({ length: 30 }, (_, index) => `List${index + 1}.example`);

/** Where a Teller keeps its files. */
export interface Home {
  readonly config: string;
  readonly ledger: string;
  readonly keys: string;
}

export const homeOf = (folder: string): Home => ({
  config: join(folder, 'config.json'),
  ledger: join(folder, 'data/teller.db'),
  keys: join(folder, 'data/keys'),
});

/** Creates a folder with a config; the first start creates keys and ledger. */
export function writeHome(folder: string, overrides: object = {}): Home {
  mkdirSync(join(folder, 'data'), { recursive: true });
  const home = homeOf(folder);
  const base = {
    console: { port: 0 },
    listener: { host: '127.0.0.1', port: 0, maxConnections: 2_000 },
    sites: { default: { token: TOKEN }, ...Object.fromEntries(SERVICES.map((name) => [name, {}])) },
    gameServers: { main: UNREACHABLE },
    rewards: [],
  };
  writeFileSync(home.config, JSON.stringify({ ...base, ...overrides }));
  return home;
}

/** A game server at this port of loopback, by default where none listens. */
export const rcon = (port: number, overrides: object = {}) => ({
  kind: 'rcon',
  host: '127.0.0.1',
  port,
  password: PASSWORD,
  ...overrides,
});

export const UNREACHABLE = rcon(1);

/** Two grants for each rewarded vote. */
export const TWO_REWARDS = [
  { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] },
  { name: 'daily', when: 'online', commands: ['give {player} diamond 1'] },
];

/** The same, both for players who are online: while nobody is, no command runs. */
export const TWO_WAITING = TWO_REWARDS.map((reward) => ({ ...reward, when: 'online' }));
