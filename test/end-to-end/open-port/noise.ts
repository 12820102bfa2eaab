/**
 * A process that sends a listener random bytes, each piece on a connection and from an address of its own, and to
 * every third one a vote with a token and a service name that it makes up. Arguments: port, connections. Tells its
 * parent when all of them are over.
 */
import { connect, type Socket } from 'node:net';
import { encodeV2Frame } from '../../../protocol/votifier/v2.ts';
import { Seeded } from '../../support/seeded.ts';

const [, , port = '', size = ''] = process.argv;
const random = new Seeded(6_900);
const AT_ONCE = 80;

const addressOf = (number: number): string => `127.69.${number >> 7}.${1 + (number & 127)}`;

function guess(socket: Socket, number: number): void {
  socket.once('data', (greeting: Buffer) => {
    const challenge = greeting.toString().trim().split(' ')[2] ?? '';
    const vote = { username: 'Steve', address: '192.0.2.1', timestamp: '1780315200123', challenge };
    socket.end(encodeV2Frame({ ...vote, serviceName: `Invented-${number}` }, 'made-up'));
  });
}

let [begun, ended] = [0, 0];

function next(): void {
  if (begun >= Number(size)) return;
  const number = begun++;
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: addressOf(number) });
  socket.on('error', () => {}).resume(); // Being reset is an end as well.
  if (number % 3 === 0) guess(socket, number);
  // Shorter than a block, and longer than one.
  else
    socket.once('connect', () =>
      socket.end(random.bytes(number % 3 === 1 ? 1 + random.below(200) : 256 + random.below(1_000))),
    );
  socket.once('close', () => {
    if (++ended === Number(size)) process.send?.('over');
    else next();
  });
}

for (let lane = 0; lane < AT_ONCE; lane++) next();
