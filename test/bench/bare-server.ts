/**
 * The minimum of a v2 listener: it greets with a challenge, reads one frame, parses it, verifies challenge and
 * signature, answers ok and closes. It neither judges, stores nor logs a vote, so its cost is the cost of the protocol,
 * of Node and of the kernel.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { TOKEN } from './config.ts';

const HEADER_BYTES = 4;

function isVote(body: string, challenge: string): boolean {
  const { payload, signature } = JSON.parse(body) as { payload: string; signature: string };
  const expected = createHmac('sha256', TOKEN).update(payload).digest();
  const isSigned = timingSafeEqual(Buffer.from(signature, 'base64'), expected);
  return isSigned && JSON.parse(payload).challenge === challenge;
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
  let received: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  const challenge = randomBytes(13).toString('hex');
  socket.write(`VOTIFIER 2 ${challenge}\n`);
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (received.length < HEADER_BYTES) return;
    const end = HEADER_BYTES + received.readUInt16BE(2);
    if (received.length < end) return;
    if (isVote(received.toString('utf8', HEADER_BYTES, end), challenge)) socket.end('{"status":"ok"}\r\n');
    else socket.destroy();
  });
});

server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', listener: { port } })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
