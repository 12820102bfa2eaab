import { type WantedConnections, WEBHOOK_CONNECTIONS_MAX } from '../core/connection-caps.ts';
import type { Config } from './config.ts';

/** The connections that a config asks for, before the open-file limit applies. */
export function wantedConnections({ listener, sites, gameServers }: Config): WantedConnections {
  const hasWebhook = [...sites.values()].some(({ webhook }) => webhook !== null);
  return {
    listener: listener.maxConnections,
    webhook: hasWebhook ? WEBHOOK_CONNECTIONS_MAX : 0,
    gameServers: gameServers.size,
  };
}
