/**
 * A process that opens connections to a listener, so that it does not slow down the one that measures. Prints nothing.
 *
 * Arguments: port, number of connections, and how. `many` or `one`: all at once, from many addresses or one, of which every fifth sends
 * junk and the others are silent; it waits until the listener has closed them all. Otherwise the file of a v1 block to replay: each
 * connection sends some junk, many at a time, as fast as it can. Sends its parent `opened` and `over`.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';
import { Seeded } from '../support/seeded.ts';

const [, , port = '', size = '', how = ''] = process.argv;
const random = new Seeded(2_500);
const isAtOnce = how === 'many' || how === 'one';
/** With too many, a busy machine does not accept them fast enough, and the kernel drops new connections. */
const AT_ONCE = isAtOnce ? Number(size) : Number(process.env.HOSTILE_AT_ONCE ?? 80);
/** The listener closes the connections that it refuses. The others are left after this time. */
const LEAVE_AFTER_MS = 150;
const block = isAtOnce ? Buffer.alloc(0) : readFileSync(how);

type Junk = (socket: Socket) => void;

const send =
  (bytes: () => Buffer | string): Junk =>
  (socket) => {
    socket.write(bytes());
  };

/** What reaches an open port besides votes. The listener closes some of it at once, and waits for more bytes of the rest. */
const JUNK: readonly Junk[] = [
  send(() => 'GET / HTTP/1.1\r\nHost: example.org\r\n\r\n'),
  send(() => Buffer.from('16030100f5010000f10303', 'hex')),
  send(() => 'SSH-2.0-Go\r\n'),
  send(() => 's'),
  send(() => 's:'),
  send(() => '{"payload":"'),
  send(() => random.bytes(255)),
  send(() => random.bytes(256)),
  send(() => random.bytes(3_000)),
  send(() => Buffer.from('733a00407b7d', 'hex')),
];

const REPLAYED: readonly Junk[] = [
  send(() => 'PROXY TCP4 198.51.100.7 203.0.113.5 56324 8192\r\n'),
  send(() => Buffer.concat([Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex'), random.bytes(12)])),
  send(() => block),
  // Silence, and one byte at a time.
  () => {},
  (socket) => {
    for (let byte = 0; byte < 5; byte++)
      setTimeout(() => socket.writable && socket.write(block.subarray(byte, byte + 1)), byte * 20);
  },
  // A vote with an invented token, of a service with an invented name.
  (socket) =>
    socket.once('data', (greeting: Buffer) => {
      const challenge = greeting.toString().trim().split(' ')[2] ?? '';
      const vote = { username: 'Steve', address: '192.0.2.1', timestamp: '1780315200123', challenge };
      const serviceName = `Invented-${random.below(1_000_000)}`;
      socket.end(encodeV2Frame({ ...vote, serviceName }, 'made-up'));
    }),
  // A half-open connection, and a reset one.
  (socket) => socket.end(block.subarray(0, 100)),
  (socket) => {
    socket.write(block.subarray(0, 200));
    socket.resetAndDestroy();
  },
];

const addressOf = (number: number): string => {
  if (how === 'one') return '127.9.9.9';
  if (how === 'many') return `127.${1 + (number % 7)}.${number >> 8}.${1 + (number & 127)}`;
  return `127.${2 + (number % 3)}.0.${1 + (number % 5)}`;
};

function sendOn(socket: Socket, number: number): void {
  if (isAtOnce && number % 5 !== 4) return;
  if (isAtOnce) return void random.pick(JUNK)(socket);
  const all = [...JUNK, ...REPLAYED];
  all[number % all.length]?.(socket);
  setTimeout(() => socket.destroy(), LEAVE_AFTER_MS);
}

const started = performance.now();
let [begun, opened, ended, longestMs] = [0, 0, 0, 0];

function next(): void {
  if (begun >= Number(size)) return;
  const number = begun++;
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: addressOf(number) });
  let openedAt = started;
  socket.on('error', () => {}).resume(); // A reset also ends the connection.
  socket.once('connect', () => {
    openedAt = performance.now();
    sendOn(socket, number);
    if (++opened === Number(size)) process.send?.({ kind: 'opened', ms: openedAt - started });
  });
  socket.once('close', () => {
    longestMs = Math.max(longestMs, performance.now() - openedAt);
    if (++ended === Number(size))
      process.send?.({ kind: 'over', opened, longestMs, ms: performance.now() - started });
    else next();
  });
}

for (let slot = 0; slot < AT_ONCE; slot++) next();
