/**
 * A process that opens connections to a listener, each from another address. Two of three send random bytes, the third
 * a vote with an invented token and service name. Arguments: port, connections. Sends its parent a message when all
 * connections are closed.
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

let [started, ended] = [0, 0];

function next(): void {
  if (started >= Number(size)) return;
  const number = started++;
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: addressOf(number) });
  socket.on('error', () => {}).resume(); // A reset also closes it.
  if (number % 3 === 0) guess(socket, number);
  // Half of the pieces are shorter than a v1 block, half are at least as long.
  else
    socket.once('connect', () =>
      socket.end(random.bytes(number % 3 === 1 ? 1 + random.below(200) : 256 + random.below(1_000))),
    );
  socket.once('close', () => {
    if (++ended === Number(size)) process.send?.('over');
    else next();
  });
}

for (let open = 0; open < AT_ONCE; open++) next();
