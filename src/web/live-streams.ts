import type { Cancel, Clock } from '../core/clock.ts';

/** Says that something changed that pages show. */
export interface ChangeSource {
  /** Calls back after each change. */
  whenChanged(callback: () => void): Cancel;
}

/** Browsers open six connections to a host, and a visitor's pages need some of them for requests. */
const STREAMS_OF_VISITOR_MAX = 4;
/** The connections of streams are never evicted, so this is a part of what a page server can have (`PageConnections`). */
const STREAMS_MAX = 128;

/** Between two change events. */
const CHANGES_APART_MS = 1_000;
/** Proxies close a connection on which nothing is sent for a minute. */
const KEEP_ALIVE_MS = 20_000;
/** The browser then opens a new stream, if it is still there and its session still holds. */
const STREAM_MAX_MS = 10 * 60_000;
/** In events. A reader that is this far behind has stopped reading. */
const UNREAD_MAX = 16;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const OPENING = bytes('retry: 2000\n\n');
const CHANGE = bytes('event: change\ndata:\n\n');
const KEEP_ALIVE = bytes(':\n\n');

/** Who reads a stream. */
export interface Reader {
  readonly visitor: string;
  /** Cuts the connection. */
  readonly cut: () => void;
  /** Aborted when the server starts to close. */
  readonly closing?: AbortSignal | undefined;
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

interface Stream extends Reader {
  /** Monotonic milliseconds. */
  readonly openedAt: number;
  readonly controller: Controller;
}

/**
 * The open event streams of a page server. A change event has no content: the page asks for what it shows. Streams are
 * bounded in number, rate and life, and nothing is watched while none is open.
 */
export class LiveStreams {
  private readonly open = new Set<Stream>();
  /** Their signals, which are known already. */
  private readonly servers = new WeakSet<AbortSignal>();
  private stopWatching: Cancel = () => {};
  private cancelKeepAlive: Cancel = () => {};
  /** null if the next change can be sent at once. */
  private cancelPause: Cancel | null = null;
  private isChangeOwed = false;

  constructor(
    private readonly source: ChangeSource,
    private readonly clock: Clock,
  ) {}

  /** Opens a stream; null if there are too many. */
  streamTo(reader: Reader): ReadableStream<Uint8Array> | null {
    if (!this.hasRoom(reader)) return null;
    let remove: Cancel;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          remove = this.add(reader, controller);
        },
        cancel: () => remove(),
      },
      { highWaterMark: UNREAD_MAX },
    );
  }

  private hasRoom({ visitor, closing }: Reader): boolean {
    const ofVisitor = [...this.open].filter((stream) => stream.visitor === visitor);
    return (
      closing?.aborted !== true && this.open.size < STREAMS_MAX && ofVisitor.length < STREAMS_OF_VISITOR_MAX
    );
  }

  private add(reader: Reader, controller: Controller): Cancel {
    const stream: Stream = { ...reader, controller, openedAt: this.clock.monotonic() };
    if (reader.closing !== undefined) this.endWith(reader.closing);
    if (this.open.size === 0) this.start();
    this.open.add(stream);
    this.send(stream, OPENING);
    return () => this.remove(stream);
  }

  /** One listener for all streams of a server: Node warns of more than ten. */
  private endWith(closing: AbortSignal): void {
    if (this.servers.has(closing)) return;
    this.servers.add(closing);
    closing.addEventListener('abort', () => {
      for (const stream of this.open) if (stream.closing === closing) this.end(stream);
    });
  }

  private start(): void {
    this.stopWatching = this.source.whenChanged(() => this.changed());
    this.cancelKeepAlive = this.clock.after(KEEP_ALIVE_MS, () => this.keepAlive());
  }

  private remove(stream: Stream): void {
    if (this.open.delete(stream) && this.open.size === 0) this.stop();
  }

  private stop(): void {
    this.stopWatching();
    this.cancelKeepAlive();
    this.cancelPause?.();
    this.cancelPause = null;
    this.isChangeOwed = false;
  }

  private end(stream: Stream): void {
    this.remove(stream);
    stream.controller.close();
  }

  private changed(): void {
    this.isChangeOwed = this.cancelPause !== null;
    if (this.isChangeOwed) return;
    this.cancelPause = this.clock.after(CHANGES_APART_MS, () => this.endPause());
    for (const stream of this.open) this.send(stream, CHANGE);
  }

  private endPause(): void {
    this.cancelPause = null;
    if (this.isChangeOwed) this.changed();
  }

  private keepAlive(): void {
    this.cancelKeepAlive = this.clock.after(KEEP_ALIVE_MS, () => this.keepAlive());
    const oldest = this.clock.monotonic() - STREAM_MAX_MS;
    for (const stream of this.open) {
      if (stream.openedAt <= oldest) this.end(stream);
      else this.send(stream, KEEP_ALIVE);
    }
  }

  private send(stream: Stream, event: Uint8Array): void {
    if ((stream.controller.desiredSize ?? 0) > 0) {
      stream.controller.enqueue(event);
      return;
    }
    this.end(stream);
    stream.cut();
  }
}
