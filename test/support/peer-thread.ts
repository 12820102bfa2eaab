import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import { compiled } from './processes.ts';

const SCRIPT = join(import.meta.dirname, 'peer-thread-script.ts');

/** The event loop is blocked meanwhile, so the time limit of a test could not end it. */
const SENT_WITHIN_MS = 10_000;

export interface PeerData {
  /** Where to connect; null to listen on a free port of 127.0.0.1 instead. */
  readonly port: number | null;
  /** Counts the writes that the kernel has taken. */
  readonly sent: Int32Array<SharedArrayBuffer>;
}

export type PeerEvent =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'connected' }
  | { readonly kind: 'received'; readonly bytes: Uint8Array };

/** A peer on a thread of its own, which goes on while the event loop of the test is blocked. */
export class PeerThread {
  private readonly sent = new Int32Array(new SharedArrayBuffer(4));
  private readonly worker: Worker;
  private text = '';
  private ready: number | null = null;
  private isConnected = false;
  private news: () => void = () => {};

  private constructor(port: number | null) {
    const workerData: PeerData = { port, sent: this.sent };
    this.worker = new Worker(compiled(SCRIPT), { workerData });
    this.worker.on('message', (event: PeerEvent) => {
      if (event.kind === 'ready') this.ready = event.port;
      else if (event.kind === 'connected') this.isConnected = true;
      else this.text += Buffer.from(event.bytes).toString('latin1');
      this.news();
    });
    onTestFinished(async () => {
      await this.worker.terminate();
    });
  }

  static listening = (): Promise<PeerThread> => PeerThread.started(null);

  static connected = (port: number): Promise<PeerThread> => PeerThread.started(port);

  private static async started(port: number | null): Promise<PeerThread> {
    const peer = new PeerThread(port);
    while (peer.ready === null) await peer.somethingNew();
    if (port !== null) await peer.connected();
    return peer;
  }

  get port(): number {
    return this.ready ?? 0;
  }

  async connected(): Promise<void> {
    while (!this.isConnected) await this.somethingNew();
  }

  /** Everything that the peer has received, once this is in it as often as given. */
  async received(part: string, times = 1): Promise<string> {
    while (this.text.split(part).length <= times) await this.somethingNew();
    return this.text;
  }

  /** Call this when the peer is connected. Blocks the event loop until the kernel has these bytes of the peer, at least for this long. */
  sendWhileBlocked(bytes: Uint8Array | string, atLeastMs = 0): void {
    const before = Atomics.load(this.sent, 0);
    this.worker.postMessage(Buffer.from(bytes));
    const ended = Atomics.wait(this.sent, 0, before, SENT_WITHIN_MS);
    if (ended === 'timed-out') throw new Error('the peer could not send');
    if (atLeastMs > 0) Atomics.wait(this.sent, 0, before + 1, atLeastMs);
  }

  private somethingNew(): Promise<void> {
    return new Promise((resolve) => {
      this.news = resolve;
    });
  }
}
