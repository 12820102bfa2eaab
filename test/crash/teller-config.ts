import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECEIVER_SECRET, RECEIVER_TIMEOUT_MS } from './http-receiver.ts';
import {
  CROWD,
  FOUND,
  MAX_AGE_MS,
  PARTY,
  PAY_FROM_MS,
  PLAIN_REWARDS,
  type RewardConfig,
  SITES,
  type Site,
  SPECIAL_REWARDS,
  TOKEN,
  WEBHOOK_SECRET,
} from './sites.ts';
import type { TopConfig } from './tops.ts';

/** Where a game server that speaks RCON is. */
export interface RconAddress {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

export interface Addresses {
  readonly main: RconAddress;
  readonly sky: RconAddress;
  readonly realm: RconAddress;
  /** The URL of the game server of kind `http`. */
  readonly receiverUrl: string;
  readonly apiPort: number;
  readonly startedAt: number;
  readonly tops: readonly TopConfig[];
}

/** Writes the config of the Teller that is killed. */
export function writeConfig(folder: string, addresses: Addresses): void {
  const { main, sky, realm, receiverUrl, tops } = addresses;
  const config = {
    timeZone: 'UTC',
    listener: { host: '127.0.0.1', port: 0 },
    console: { port: 0 },
    webhook: { host: '127.0.0.1', port: 0 },
    sites: {
      default: { token: TOKEN },
      ...Object.fromEntries(SITES.map((site) => [site.name, entryOf(site, addresses)])),
    },
    gameServers: {
      ...{ main: rcon(main), sky: rcon(sky), realm: rcon(realm) },
      city: {
        ...{ kind: 'http', url: receiverUrl, secret: RECEIVER_SECRET },
        commandTimeout: `${RECEIVER_TIMEOUT_MS}ms`,
      },
    },
    rewards: [...rewardsBySite(PLAIN_REWARDS), ...rewardsBySite(SPECIAL_REWARDS), forNewSites(FOUND)],
    party: [PARTY, CROWD],
    tops,
    log: { level: 'error' },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}

/** Lifetimes are short: presence is read often, and players are paid as soon as they are seen. */
const rcon = ({ host, port, password }: RconAddress) => ({
  ...{ kind: 'rcon', host, port, password },
  ...{ joinDelay: '0s', presenceInterval: '100ms' },
});

const entryOf = (
  { game, reports, windowMs }: Site,
  { apiPort, startedAt }: Pick<Addresses, 'apiPort' | 'startedAt'>,
) => ({
  ...{ game, cooldown: `${windowMs}ms` },
  ...(reports === null
    ? {}
    : {
        api: {
          baseUrl: `http://127.0.0.1:${apiPort}${reports.path}/api/v1`,
          token: 'vl_crash',
          payFrom: new Date(startedAt - PAY_FROM_MS).toISOString(),
          maxAge: `${MAX_AGE_MS}ms`,
          interval: '10s',
        },
        webhook: { path: reports.path, secret: WEBHOOK_SECRET, listingId: reports.listingId },
      }),
});

const rewardsBySite = (rewards: Readonly<Record<string, readonly RewardConfig[]>>) =>
  Object.entries(rewards).flatMap(([site, own]) =>
    own.map((reward) => ({ ...reward, if: { site: [site], ...reward.if } })),
  );

/** An `if` cannot name sites that have no entry yet. */
const forNewSites = (reward: RewardConfig) => ({
  ...reward,
  if: { not: { site: SITES.map(({ name }) => name) } },
});
