/**
 * Open files that are not connections of senders: Node's own, the ledger, the log, the control socket. We measured 36.
 */
const OTHER_FILES = 48;
/** A connection for commands, and briefly the one that replaces it. */
const FILES_PER_GAME_SERVER = 2;
/** With a lower cap, idle connections could block the port. */
const MIN_CONNECTIONS = 8;
/** For signed webhooks, if the open-file limit allows it. */
export const WEBHOOK_CONNECTIONS_MAX = 512;
/** The webhook's share of all connections, if a site has a webhook. */
const WEBHOOK_SHARE = 1 / 4;

export interface WantedConnections {
  readonly listener: number;
  /** 0: no site has a webhook. */
  readonly webhook: number;
  readonly gameServers: number;
}

export interface ConnectionCaps {
  readonly listener: number;
  readonly webhook: number;
}

/**
 * How many connections may be open at a time without reaching the open-file limit. At that limit the operating system
 * refuses genuine votes before Teller sees them. Below it, Teller chooses which connection to close (rule 11).
 *
 * @param openFiles null if the limit is not known.
 */
export function connectionCaps(openFiles: number | null, wanted: WantedConnections): ConnectionCaps {
  const { listener, webhook, gameServers } = wanted;
  if (openFiles === null) return { listener, webhook };
  const room = Math.max(MIN_CONNECTIONS, openFiles - OTHER_FILES - FILES_PER_GAME_SERVER * gameServers);
  const forWebhook = Math.min(webhook, Math.ceil(room * WEBHOOK_SHARE));
  return { listener: Math.min(listener, room - forWebhook), webhook: forWebhook };
}
