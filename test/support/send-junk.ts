/**
 * A process that sends a listener every kind of junk that reaches an open port, as fast as it can, with one connection
 * for each piece and many at a time. Arguments: port, number of connections, file with a v1 block to replay. Sends its
 * parent the milliseconds that it took.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../../src/platform/clock.ts';
import { Seeded } from './seeded.ts';

const [, , port = '', size = '', blockFile = ''] = process.argv;
const random = new Seeded(5_000);
/** With too many, a busy machine does not accept them fast enough, and the kernel drops new connections. */
const AT_ONCE = Number(process.env.HOSTILE_AT_ONCE ?? 80);
/** The listener closes the connections that it refuses. The others are left after this time. */
const LEAVE_AFTER_MS = 150;

const block = readFileSync(blockFile);

type Junk = (socket: Socket) => void;

const send =
  (bytes: () => Buffer): Junk =>
  (socket) => {
    socket.write(bytes());
  };

const JUNK: readonly Junk[] = [
  send(() => Buffer.from('GET / HTTP/1.1\r\nHost: example.org\r\n\r\n')),
  send(() => Buffer.from('16030100f5010000f10303', 'hex')),
  send(() => Buffer.from('SSH-2.0-Go\r\n')),
  send(() => Buffer.from('PROXY TCP4 198.51.100.7 203.0.113.5 56324 8192\r\n')),
  send(() => Buffer.concat([Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex'), random.bytes(12)])),
  send(() => random.bytes(256)),
  send(() => random.bytes(3_000)),
  send(() => block),
  send(() => Buffer.from('733a00407b7d', 'hex')),
  // One byte and silence; nothing at all.
  send(() => Buffer.from('s')),
  () => {},
  // One byte at a time.
  (socket) => {
    for (let byte = 0; byte < 5; byte++) {
      systemClock.after(byte * 20, () => socket.writable && socket.write(Buffer.from([block[byte] ?? 0])));
    }
  },
  // A half-open connection, and a reset one.
  (socket) => socket.end(block.subarray(0, 100)),
  (socket) => {
    socket.write(block.subarray(0, 200));
    socket.resetAndDestroy();
  },
];

const started = systemClock.monotonic();
let [opened, ended] = [0, 0];

function next(): void {
  if (opened >= Number(size)) return;
  const number = opened++;
  const localAddress = `127.${2 + (number % 3)}.0.${1 + (number % 5)}`;
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
  socket.on('error', () => {}).resume(); // A reset also ends the connection.
  socket.once('connect', () => {
    (JUNK[number % JUNK.length] as Junk)(socket);
    systemClock.after(LEAVE_AFTER_MS, () => socket.destroy());
  });
  socket.once('close', () => {
    if (++ended === Number(size)) process.send?.({ ms: systemClock.monotonic() - started });
    else next();
  });
}

for (let slot = 0; slot < AT_ONCE; slot++) next();
