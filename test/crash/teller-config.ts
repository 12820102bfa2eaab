import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PracticeServer } from '../../src/practice/server.ts';
import { RECEIVER_SECRET, RECEIVER_TIMEOUT_MS } from './http-receiver.ts';
import { MAX_AGE_MS, PARTY, PAY_FROM_MS, REWARDS, SITES, type Site, TOKEN, WEBHOOK_SECRET } from './sites.ts';

export interface Addresses {
  readonly practice: PracticeServer;
  /** The URL of the game server of kind `http`. */
  readonly receiverUrl: string;
  readonly apiPort: number;
  readonly startedAt: number;
}

/** Writes the config of the Teller that is killed. */
export function writeConfig(folder: string, addresses: Addresses): void {
  const { practice, receiverUrl } = addresses;
  const { host, port, password } = practice;
  // Lifetimes are short: presence is read often, and players are paid as soon as they are seen.
  const presence = { joinDelay: '0s', presenceInterval: '100ms' };
  const config = {
    listener: { host: '127.0.0.1', port: 0 },
    webhook: { host: '127.0.0.1', port: 0 },
    sites: {
      default: { token: TOKEN },
      ...Object.fromEntries(SITES.map((site) => [site.name, entryOf(site, addresses)])),
    },
    gameServers: {
      main: { kind: 'rcon', host, port, password, ...presence },
      city: {
        ...{ kind: 'http', url: receiverUrl, secret: RECEIVER_SECRET },
        commandTimeout: `${RECEIVER_TIMEOUT_MS}ms`,
      },
    },
    rewards: Object.values(REWARDS).flat(),
    party: [PARTY],
    log: { level: 'error' },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}

const entryOf = ({ game, listingId, path }: Site, { apiPort, startedAt }: Addresses) => ({
  game,
  api: {
    baseUrl: `http://127.0.0.1:${apiPort}${path}/api/v1`,
    token: 'vl_crash',
    payFrom: new Date(startedAt - PAY_FROM_MS).toISOString(),
    maxAge: `${MAX_AGE_MS}ms`,
    interval: '10s',
  },
  webhook: { path, secret: WEBHOOK_SECRET, listingId },
});
