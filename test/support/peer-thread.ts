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
export const PeerThread = {
  listening: () => started(null),
  connected: (port: number) => started(port),
};

async function started(to: number | null) {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const workerData: PeerData = { port: to, sent };
  const worker = new Worker(compiled(SCRIPT), { workerData });
  onTestFinished(async () => void (await worker.terminate()));
  let text = '';
  let port: number | null = null;
  let isConnected = false;
  let news: () => void = () => {};
  worker.on('message', (event: PeerEvent) => {
    if (event.kind === 'ready') port = event.port;
    else if (event.kind === 'connected') isConnected = true;
    else text += Buffer.from(event.bytes).toString('latin1');
    news();
  });
  const until = async (seen: () => boolean): Promise<void> => {
    while (!seen()) await new Promise<void>((resolve) => (news = resolve));
  };
  const connected = (): Promise<void> => until(() => isConnected);
  await until(() => port !== null);
  if (to !== null) await connected();
  return {
    port: port ?? 0,
    connected,
    /** Everything that the peer has received, once this is in it as often as given. */
    received: async (part: string, times = 1): Promise<string> => {
      await until(() => text.split(part).length > times);
      return text;
    },
    /** Call this when the peer is connected. Blocks the event loop until the kernel has these bytes of the peer, at least for this long. */
    sendWhileBlocked: (bytes: Uint8Array | string, atLeastMs = 0): void => {
      const before = Atomics.load(sent, 0);
      worker.postMessage(Buffer.from(bytes));
      if (Atomics.wait(sent, 0, before, SENT_WITHIN_MS) === 'timed-out')
        throw new Error('the peer could not send');
      if (atLeastMs > 0) Atomics.wait(sent, 0, before + 1, atLeastMs);
    },
  };
}
