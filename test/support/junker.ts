/**
 * A process that sends a listener everything that reaches an open port and is no vote, as fast as it goes: each piece
 * on a connection of its own, many at a time. Arguments: port, connections, a file with a v1 block to replay. Tells
 * its parent `done` with how long it took.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { systemClock } from '../../src/runtime/clock.ts';
import { Seeded } from './seeded.ts';

const [, , port = '', size = '', blockFile = ''] = process.argv;
const random = new Seeded(5_000);
/** More of them make it denser; too many outrun the listener on a busy machine, and the kernel drops newcomers. */
const AT_ONCE = Number(process.env.HOSTILE_AT_ONCE ?? 80);
/** The listener closes what it refuses; what it waits for is left after this long. */
const PATIENCE_MS = 150;

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
  // A drip.
  (socket) => {
    for (let byte = 0; byte < 5; byte++) {
      systemClock.after(byte * 20, () => socket.writable && socket.write(Buffer.from([block[byte] ?? 0])));
    }
  },
  // Closed on one side, and reset.
  (socket) => socket.end(block.subarray(0, 100)),
  (socket) => {
    socket.write(block.subarray(0, 200));
    socket.resetAndDestroy();
  },
];

const started = systemClock.monotonic();
let [begun, ended] = [0, 0];

function next(): void {
  if (begun >= Number(size)) return;
  const number = begun++;
  const localAddress = `127.${2 + (number % 3)}.0.${1 + (number % 5)}`;
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress });
  socket.on('error', () => {}).resume(); // Being reset is an end as well.
  socket.once('connect', () => {
    (JUNK[number % JUNK.length] as Junk)(socket);
    systemClock.after(PATIENCE_MS, () => socket.destroy());
  });
  socket.once('close', () => {
    if (++ended === Number(size)) process.send?.({ ms: systemClock.monotonic() - started });
    else next();
  });
}

for (let lane = 0; lane < AT_ONCE; lane++) next();
