/** The thread of a `PeerThread`: one TCP connection, which sends and reports what the main thread asks for. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { PeerData, PeerEvent } from './peer-thread.ts';

const { port, sent } = workerData as PeerData;
const report = (event: PeerEvent): void => parentPort?.postMessage(event);

let socket: Socket | null = null;

function use(opened: Socket): void {
  socket = opened;
  socket.setNoDelay(true);
  socket.on('data', (bytes) => report({ kind: 'received', bytes }));
  socket.on('error', () => {});
  report({ kind: 'connected' });
}

parentPort?.on('message', (bytes: Uint8Array) => {
  socket?.write(bytes, () => {
    Atomics.add(sent, 0, 1);
    Atomics.notify(sent, 0);
  });
});

if (port === null) {
  const server = createServer(use).listen(0, '127.0.0.1');
  await once(server, 'listening');
  report({ kind: 'ready', port: (server.address() as AddressInfo).port });
} else {
  const opened = connect({ port, host: '127.0.0.1' });
  await once(opened, 'connect');
  report({ kind: 'ready', port });
  use(opened);
}
