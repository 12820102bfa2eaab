/**
 * The minimum of a v2 listener: it greets, reads one frame, answers ok and closes. It parses, checks and stores nothing,
 * so its cost is the cost of Node and the kernel.
 */
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  let received: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.write(`VOTIFIER 2 ${randomBytes(13).toString('hex')}\n`);
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (received.length < 4 || received.length < 4 + received.readUInt16BE(2)) return;
    socket.end('{"status":"ok"}\r\n');
  });
});

server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', listener: { port } })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
