/**
 * The port for votes: one TCP server for both versions of the protocol, which trusts no peer (rule 11). Each connection is greeted,
 * gets one deadline for the whole exchange, and makes room for others when there are too many. A vote that is complete and verified
 * is given to the intake; it is answered once that has stored it (rule 1), and then the connection is closed. Everything else is a
 * refusal, which is counted. The listener knows nothing of the ledger.
 */
import { createHash, type KeyObject } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { readProxyHeader } from '../../protocol/proxy-header.ts';
import { type ReaderResult, VotifierReader } from '../../protocol/votifier/reader.ts';
import { type Refusal, type RefusalCode, refused } from '../../protocol/votifier/refusals.ts';
import { decodeV1Text } from '../../protocol/votifier/v1.ts';
import { decodeV2Body } from '../../protocol/votifier/v2.ts';
import {
  CHALLENGE_BYTES,
  challengeFrom,
  encodeErrorReply,
  encodeGreeting,
  nameJunk,
  OK_REPLY,
  type WireVote,
} from '../../protocol/votifier/wire.ts';
import { plainAddress } from '../core/address.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type ConnectionLimits, type OpenConnection, OpenConnections } from '../core/open-connections.ts';
import { asciiJson } from '../core/printable.ts';
import type { Random } from '../core/random.ts';
import { timeLimit } from '../core/time-limit.ts';
import { type ListeningAddress, listen } from '../platform/listen.ts';
import { listenOnceFree } from '../platform/listen-once-free.ts';
import { Decryption } from './decryption.ts';

/** A vote that the listener has verified by its signature (v2), or that our key could decrypt (v1). */
export interface ReceivedVote {
  readonly channel: 'listener-v1' | 'listener-v2';
  readonly wire: WireVote;
  /** The text that the wire fields were read from. */
  readonly text: string;
  /** The sender's address. */
  readonly address: string;
  /** Wall time, milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** SHA-256 of a v1 block. */
  readonly blockDigest: Buffer | null;
}

/** Accepts the listener's votes. */
export interface VoteIntake {
  /** The token that signs v2 votes of this service, or null if it has none. */
  tokenOf(serviceName: string): string | null;
  /**
   * Resolves to null once the vote is on disk, otherwise to the code of the refusal. Never rejects. A v1 vote that
   * cannot be stored yet is not refused: v1 senders get no answer, and the intake retries.
   */
  accept(vote: ReceivedVote): Promise<RefusalCode | null>;
}

/** What can change while the listener is open. */
export interface ListenerSettings extends ConnectionLimits {
  readonly protocols: readonly ('v1' | 'v2')[];
  readonly proxyProtocol: 'off' | 'required';
  /** Whose PROXY headers are believed, by the peer's address; null: everybody's. */
  readonly isTrustedProxy: ((address: string) => boolean) | null;
  readonly deadlineMs: number;
}

export interface ListenerParts extends ListenerSettings {
  readonly host: string;
  readonly port: number;
  /** null: v1 is refused. */
  readonly privateKey: KeyObject | null;
  readonly intake: VoteIntake;
  readonly refusals: {
    /** @param detail printable; logged beside the cause. */
    count(code: RefusalCode, service: string | null, sender: string, detail?: string): void;
  };
  readonly clock: Clock;
  readonly random: Random;
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

export class Listener {
  private readonly server: Server;
  private readonly open: OpenConnections;
  private readonly decryption: Decryption | null;
  private onEmpty: () => void = () => {};

  constructor(private parts: ListenerParts) {
    const { privateKey, clock } = parts;
    this.decryption = privateKey === null ? null : new Decryption(privateKey, clock);
    this.open = new OpenConnections(parts, clock);
    // `allowHalfOpen`: a sender that closes its side after a whole vote still gets its answer [G-3].
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.accept(socket));
  }

  /** Throws a Problem: `port-in-use`, `port-not-allowed`. */
  listen(): Promise<ListeningAddress> {
    const { host, port, clock, log, portWait: signal } = this.parts;
    const options = {
      host,
      port,
      key: 'listener.port in the config',
      likelyHolder: 'another Votifier plugin, or another Teller',
      backlog: BACKLOG,
      bothFamilies: true,
    };
    const begin = () => listen(this.server, options);
    return signal === undefined ? begin() : listenOnceFree(begin, { clock, log, port, signal });
  }

  /** Changes the settings of new connections; a connection keeps the settings it began with. */
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
    await Promise.all([closed, this.decryption?.close()]);
  }

  private accept(socket: Socket): void {
    const conversation = new Conversation(socket, this.parts, this.decryption, this.open, () => {
      if (this.open.size === 0) this.onEmpty();
    });
    if (this.open.add(conversation)) conversation.start();
    else conversation.evict();
  }
}

/** How long an answered connection may stay open for the sender to read the answer and close. */
const LINGER_MS = 1_000;

/**
 * One connection from greeting to close, in one of four stages: `reading` until a whole message or a refusal,
 * `decrypting` while a v1 block waits for its text, `deciding` while the vote is being stored, `settled` once it is
 * answered and only has to be closed.
 */
class Conversation implements OpenConnection {
  readonly openedAt: number;
  address: string;
  private readonly challenge: string;
  private readonly reader = new VotifierReader();
  private stage: 'reading' | 'decrypting' | 'deciding' | 'settled' = 'reading';
  /** What has arrived of the PROXY header; null if none is required, and once it is complete. */
  private proxyHeader: Buffer | null;
  private cancelDeadline: Cancel;
  private cancelDecryption: Cancel = () => {};
  private isGreeted = false;

  /** @param onRemoved called when it has left `open` for good. */
  constructor(
    private readonly socket: Socket,
    private readonly parts: ListenerParts,
    private readonly decryption: Decryption | null,
    private readonly open: OpenConnections,
    private readonly onRemoved: () => void,
  ) {
    const { clock, random, proxyProtocol, deadlineMs } = parts;
    this.openedAt = clock.monotonic();
    this.address = plainAddress(socket.remoteAddress ?? '');
    socket.on('error', () => {}); // `close` follows and is handled.
    this.challenge = challengeFrom(random.bytes(CHALLENGE_BYTES));
    this.proxyHeader = proxyProtocol === 'required' ? Buffer.alloc(0) : null;
    this.cancelDeadline = timeLimit(clock, deadlineMs, () => this.giveUp('deadline'));
  }

  /**
   * Reads before it greets [G-3]: a v1 sender may write and reset before its connection is accepted. What has arrived
   * is read within two turns of the event loop, before a write can fail; `ignoreFailedWrites` covers a reset in
   * between.
   */
  start(): void {
    const { socket, parts } = this;
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('end', () => this.finishReading());
    socket.on('close', () => {
      this.finishReading();
      this.cancelDeadline();
      // A vote that is being stored no longer needs its sender; a closing listener waits for the vote.
      if (this.stage === 'settled') this.remove();
    });
    parts.clock.nextTurn(() => parts.clock.nextTurn(() => this.greet()));
  }

  /** Call this when the listener is at its limit and this connection has to make room. */
  evict(): void {
    this.giveUp('crowded');
  }

  /**
   * Call this when the process stops: finishes a vote that is being stored; a sender without a vote has `graceMs` left.
   */
  wrapUp(graceMs: number): void {
    if (this.stage !== 'reading') return;
    this.cancelDeadline();
    this.cancelDeadline = timeLimit(this.parts.clock, graceMs, () => this.giveUp('deadline'));
  }

  private greet(): void {
    if (this.isGreeted || !this.socket.writable) return;
    this.isGreeted = true;
    ignoreFailedWrites(this.socket);
    this.socket.write(encodeGreeting(this.challenge));
  }

  private receive(chunk: Buffer): void {
    if (this.stage !== 'reading') return;
    const rest = this.proxyHeader === null ? chunk : this.afterProxyHeader(this.proxyHeader, chunk);
    if (rest !== null && rest.length > 0) this.handle(this.reader.push(rest));
  }

  /** @returns what follows the PROXY header, or null while there is none. */
  private afterProxyHeader(before: Buffer, chunk: Buffer): Buffer | null {
    const received = Buffer.concat([before, chunk]);
    this.proxyHeader = received;
    const header = readProxyHeader(received);
    if (header.kind === 'need-more') return null;
    if (header.kind === 'missing') this.refuse(refused(nameJunk(received) ?? 'proxy-missing'));
    else if (header.kind === 'malformed') this.refuse(refused('proxy-malformed'));
    else if (this.parts.isTrustedProxy?.(this.address) === false) this.refuse(refused('proxy-untrusted'));
    else {
      const { address, bytes } = header;
      this.proxyHeader = null;
      if (address !== null) this.open.readdress(this, () => (this.address = plainAddress(address)));
      return received.subarray(bytes);
    }
    return null;
  }

  private finishReading(): void {
    if (this.stage !== 'reading') return;
    const isHeaderCut = this.proxyHeader !== null && this.proxyHeader.length > 0;
    this.handle(isHeaderCut ? refused('proxy-malformed') : this.reader.end());
  }

  private handle(result: ReaderResult): void {
    const { decryption, parts } = this;
    if (result.kind === 'need-more') return;
    if (result.kind === 'refused') this.refuse(result);
    else if (result.kind === 'v2-body') {
      if (parts.protocols.includes('v2')) this.judgeV2(result.body);
      else this.refuse(refused('v2-off'));
    } else if (decryption !== null && parts.protocols.includes('v1')) this.judgeV1(result.block, decryption);
    else this.refuseJunkOr(refused('v1-off'));
  }

  /** The time that decryption takes is ours, so it has no deadline. The connection can be evicted: it may hold no vote. */
  private judgeV1(block: Buffer, decryption: Decryption): void {
    this.stage = 'decrypting';
    this.cancelDeadline();
    this.cancelDecryption = decryption.decrypt(block, (text) => {
      if (this.stage !== 'decrypting') return;
      const decoded = decodeV1Text(text);
      if (decoded.kind === 'vote') {
        const blockDigest = createHash('sha256').update(block).digest();
        void this.decide('listener-v1', decoded.vote, text, blockDigest);
      } else if (decoded.code === 'v1-bad-block') this.refuseJunkOr(decoded);
      else this.refuse(decoded);
    });
  }

  private judgeV2(body: string): void {
    const decoded = decodeV2Body(body, this.challenge, (service) => this.parts.intake.tokenOf(service));
    if (decoded.kind === 'refused') this.refuse(decoded);
    else void this.decide('listener-v2', decoded.vote, decoded.payload, null);
  }

  /** Store, then answer (rule 1): `accept` resolves when the vote is on disk. */
  private async decide(
    channel: ReceivedVote['channel'],
    wire: WireVote,
    text: string,
    blockDigest: Buffer | null,
  ): Promise<void> {
    this.stage = 'deciding';
    this.open.markDeciding(this);
    const { address, parts } = this;
    const receivedAt = parts.clock.now();
    const code = await parts.intake.accept({ channel, wire, text, address, receivedAt, blockDigest });
    const isAnswered = channel === 'listener-v2';
    if (code === null) this.settle(isAnswered ? OK_REPLY : null);
    else this.refuse(refused(code, wire.serviceName), isAnswered);
  }

  /** Bytes that are not a v1 vote may be a protocol that we know by name. */
  private refuseJunkOr(refusal: Refusal): void {
    const junk = this.reader.junk();
    this.refuse(junk === null ? refusal : refused(junk));
  }

  private refuse(refusal: Refusal, isAnswered = true): void {
    const { code, service = null, firstLine } = refusal;
    this.parts.refusals.count(code, service, this.address, firstLine === undefined ? '' : quoted(firstLine));
    this.settle(isAnswered ? encodeErrorReply(refusal) : null);
  }

  /** One write, then our side is closed; the sender has a second to read and to close its own. */
  private settle(reply: string | null): void {
    this.stage = 'settled';
    this.cancelDeadline();
    if (this.socket.destroyed) {
      this.remove();
      return;
    }
    this.open.markAnswered(this);
    this.greet(); // [G-3] A sender that writes first may be done before the greeting was sent.
    this.cancelDeadline = this.parts.clock.after(LINGER_MS, () => this.socket.destroy());
    if (reply === null) this.socket.end();
    else this.socket.end(reply);
  }

  private giveUp(code: 'deadline' | 'crowded'): void {
    if (this.stage === 'deciding') return;
    this.cancelDeadline();
    this.cancelDecryption();
    if (this.stage !== 'settled') {
      this.stage = 'settled';
      this.parts.refusals.count(this.reader.junk() ?? code, null, this.address);
    }
    if (this.socket.destroyed) this.remove();
    else this.socket.destroy();
  }

  private remove(): void {
    this.open.remove(this);
    this.onRemoved();
  }
}

/**
 * After a failed write, a socket drops what it reads, which may be a vote [G-3]. A sender that cannot be written to is
 * gone, and reading shows that too.
 */
function ignoreFailedWrites(socket: Socket): void {
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, () => done());
}

/** How many characters of a sender's text are quoted in the log. */
const QUOTED_CHARACTERS = 64;

/** In ASCII, so that a byte order mark and look-alikes are visible. */
const quoted = (firstLine: string): string =>
  `its first line: ${asciiJson(firstLine.slice(0, QUOTED_CHARACTERS))}${firstLine.length > QUOTED_CHARACTERS ? '…' : ''}`;
