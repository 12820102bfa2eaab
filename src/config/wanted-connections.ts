import { type WantedConnections, WEBHOOK_CONNECTIONS_MAX } from '../core/connection-caps.ts';
import type { Config } from './config.ts';

/** What a config asks for, whatever the limit of open files. */
export function wantedConnections({ listener, sites, gameServers }: Config): WantedConnections {
  const hasWebhook = [...sites.values()].some(({ webhook }) => webhook !== null);
  return {
    listener: listener.maxConnections,
    webhook: hasWebhook ? WEBHOOK_CONNECTIONS_MAX : 0,
    gameServers: gameServers.size,
  };
}
