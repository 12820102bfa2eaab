import type { KeyObject } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../../core/log.ts';
import { type ConnectionLimits, OpenConnections } from '../../core/open-connections.ts';
import type { ListeningAddress } from '../../platform/listen.ts';
import { listen } from '../../platform/listen.ts';
import { listenOnceFree } from '../../platform/listen-once-free.ts';
import { Conversation, type ConversationParts } from './conversation.ts';
import { Decryption } from './decryption.ts';

/** The settings that can change while the listener is open. */
export type ListenerSettings = ConnectionLimits &
  Pick<ConversationParts, 'protocols' | 'proxyProtocol' | 'isTrustedProxy' | 'deadlineMs'>;

export interface ListenerParts extends Omit<ConversationParts, 'decryption'>, ConnectionLimits {
  /** null: v1 is refused. */
  readonly privateKey: KeyObject | null;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** To wait until no other program has the port; its abort ends the wait. */
  readonly portWait?: AbortSignal | undefined;
}

/** How long connections without a vote may stay open when the process is stopping. */
const CLOSE_GRACE_MS = 1_000;

/**
 * The listen backlog. The kernel drops connections beyond it, and their senders retry after a second at the earliest.
 * With Node's default of 511 that happened to some of 2,500 simultaneous connections; with 4,096 it did not.
 */
const BACKLOG = 4_096;

/** One TCP server for both protocol versions (rule 11). */
export class Listener {
  private readonly server: Server;
  private readonly open: OpenConnections;
  private parts: ConversationParts & ListenerParts;
  private onEmpty: () => void = () => {};

  constructor(parts: ListenerParts) {
    const { privateKey, clock } = parts;
    const decryption = privateKey === null ? null : new Decryption({ privateKey, clock });
    this.parts = { ...parts, decryption };
    this.open = new OpenConnections(parts, parts.clock);
    // `allowHalfOpen`: a sender that closes its side after a whole vote still gets its answer [G-3].
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.accept(socket));
  }

  /** Throws a Problem: `port-in-use`, `port-not-allowed`. */
  listen(): Promise<ListeningAddress> {
    const { host, port, clock, log, portWait } = this.parts;
    const options = {
      host,
      port,
      key: 'listener.port in the config',
      likelyHolder: 'another Votifier plugin, or another Teller',
      backlog: BACKLOG,
      bothFamilies: true,
    };
    const begin = () => listen(this.server, options);
    return portWait === undefined ? begin() : listenOnceFree(begin, { clock, log, port, signal: portWait });
  }

  /** Changes the settings of new connections; a conversation keeps the settings it began with. */
  apply(settings: ListenerSettings): void {
    this.parts = { ...this.parts, ...settings };
    this.open.limit(this.parts);
  }

  /** Stops accepting, finishes the votes in flight, and closes all other connections. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.open.all) (connection as Conversation).wrapUp(CLOSE_GRACE_MS);
    if (this.open.size > 0) await new Promise<void>((resolve) => (this.onEmpty = resolve));
    this.open.end();
    await Promise.all([closed, this.parts.decryption?.close()]);
  }

  private accept(socket: Socket): void {
    const conversation: Conversation = new Conversation(socket, this.parts, {
      onAddress: (change) => this.open.readdress(conversation, change),
      onDeciding: () => this.open.markDeciding(conversation),
      onAnswered: () => this.open.markAnswered(conversation),
      onClosed: () => this.forget(conversation),
    });
    if (!this.open.add(conversation)) {
      conversation.evict();
      return;
    }
    conversation.start();
  }

  private forget(conversation: Conversation): void {
    this.open.remove(conversation);
    if (this.open.size === 0) this.onEmpty();
  }
}
