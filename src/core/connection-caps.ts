/** Open files besides the connections of senders: Node's own, the ledger, the log, the control socket. 36 were measured. */
const OTHER_FILES = 48;
/** A connection for commands, and briefly the one that replaces it. */
const FILES_PER_GAME_SERVER = 2;
/** With fewer, idle connections could block the port. */
const MIN_CONNECTIONS = 8;
/** For signed webhooks, if the limit of open files allows it. */
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
 * How many connections may be open at a time so that the limit of open files is not reached. At that limit the system
 * refuses genuine votes before Teller sees them; below it Teller chooses which connection to close (rule 11).
 *
 * @param openFiles null: no limit is known.
 */
export function connectionCaps(openFiles: number | null, wanted: WantedConnections): ConnectionCaps {
  const { listener, webhook, gameServers } = wanted;
  if (openFiles === null) return { listener, webhook };
  const room = Math.max(MIN_CONNECTIONS, openFiles - OTHER_FILES - FILES_PER_GAME_SERVER * gameServers);
  const forWebhook = Math.min(webhook, Math.ceil(room * WEBHOOK_SHARE));
  return { listener: Math.min(listener, room - forWebhook), webhook: forWebhook };
}
