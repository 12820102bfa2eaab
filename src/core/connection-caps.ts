/** What the process opens besides connections of senders: Node's own, the ledger, the log, the control socket: 36 were measured. */
const OTHER_FILES = 48;
/** A command connection, and for a moment the one that replaces it. */
const FILES_PER_GAME_SERVER = 2;
/** Below this no port can be held open against idle connections. */
const LEAST_CONNECTIONS = 8;
/** For signed webhooks, where the limit of open files allows it. */
export const WEBHOOK_CONNECTIONS_MAX = 512;
/** Of what there is, where a site has a webhook. */
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
 * Connections at one time that fit below the limit of open files. At that limit the system closes genuine votes before
 * Teller sees them; below it Teller chooses which connection has to go (rule 11).
 *
 * @param openFiles null: no limit is known.
 */
export function connectionCaps(openFiles: number | null, wanted: WantedConnections): ConnectionCaps {
  const { listener, webhook, gameServers } = wanted;
  if (openFiles === null) return { listener, webhook };
  const room = Math.max(LEAST_CONNECTIONS, openFiles - OTHER_FILES - FILES_PER_GAME_SERVER * gameServers);
  const forWebhook = Math.min(webhook, Math.ceil(room * WEBHOOK_SHARE));
  return { listener: Math.min(listener, room - forWebhook), webhook: forWebhook };
}
