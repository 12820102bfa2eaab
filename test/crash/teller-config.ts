import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PracticeServer } from '../../src/practice/server.ts';
import { RECEIVER_PATIENCE_MS, RECEIVER_SECRET } from './http-receiver.ts';
import { MAX_AGE_MS, PAY_FROM_MS, REWARDS, SITES, type Site, TOKEN, WEBHOOK_SECRET } from './sites.ts';

export interface Places {
  readonly practice: PracticeServer;
  /** Of the game server of kind `http`. */
  readonly receiverUrl: string;
  readonly apiPort: number;
  readonly startedAt: number;
}

/** Writes the config of the Teller that is killed into the folder. */
export function writeConfig(folder: string, places: Places): void {
  const { practice, receiverUrl } = places;
  const { host, port, password } = practice;
  // Lives are short: a player is paid as soon as he is seen, and looked for all the time.
  const presence = { joinDelay: '0s', presenceInterval: '100ms' };
  const config = {
    listener: { host: '127.0.0.1', port: 0 },
    webhook: { host: '127.0.0.1', port: 0 },
    sites: {
      default: { token: TOKEN },
      ...Object.fromEntries(SITES.map((site) => [site.name, entryOf(site, places)])),
    },
    gameServers: {
      main: { kind: 'rcon', host, port, password, ...presence },
      city: {
        ...{ kind: 'http', url: receiverUrl, secret: RECEIVER_SECRET },
        commandTimeout: `${RECEIVER_PATIENCE_MS}ms`,
      },
    },
    rewards: Object.values(REWARDS).flat(),
    log: { level: 'error' },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}

const entryOf = ({ game, listingId, path }: Site, { apiPort, startedAt }: Places) => ({
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
