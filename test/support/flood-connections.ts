/**
 * A process that opens many connections to a listener at once and waits until the listener has closed them all. Every
 * fifth connection sends junk; the others are silent. It is a separate process so that it does not slow down the one
 * that measures. Arguments: port, number of connections, `many` or `one` (addresses). Sends its parent `opened` and
 * `over`.
 */
import { connect } from 'node:net';
import { systemClock } from '../../src/platform/clock.ts';
import { Seeded } from './seeded.ts';

const [, , port = '', size = '', from = ''] = process.argv;
const random = new Seeded(2_500);

const addressOf = (number: number): string =>
  from === 'one' ? '127.9.9.9' : `127.${1 + (number % 7)}.${number >> 8}.${1 + (number & 127)}`;

/** What reaches an open port besides votes. The listener closes some of it at once, and waits for more bytes of the rest. */
const JUNK: readonly (() => Buffer)[] = [
  () => Buffer.from('GET / HTTP/1.1\r\nHost: example.org\r\n\r\n'),
  () => Buffer.from('16030100f5010000f10303', 'hex'),
  () => Buffer.from('SSH-2.0-Go\r\n'),
  () => Buffer.from('s'),
  () => Buffer.from('s:'),
  () => Buffer.from('{"payload":"'),
  () => random.bytes(255),
  () => random.bytes(256),
  () => random.bytes(3_000),
  () => Buffer.from('733a00407b7d', 'hex'),
];

const started = systemClock.monotonic();
let [opened, ended, longestMs] = [0, 0, 0];

for (let number = 0; number < Number(size); number++) {
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: addressOf(number) });
  const isJunk = number % 5 === 4;
  let openedAt = started;
  socket.on('error', () => {}).resume(); // A reset also ends the connection.
  socket.once('connect', () => {
    openedAt = systemClock.monotonic();
    if (isJunk) socket.write(random.pick(JUNK)());
    if (++opened === Number(size)) process.send?.({ kind: 'opened', ms: openedAt - started, ended });
  });
  socket.once('close', () => {
    longestMs = Math.max(longestMs, systemClock.monotonic() - openedAt);
    if (++ended === Number(size)) process.send?.({ kind: 'over', opened, longestMs });
  });
}
