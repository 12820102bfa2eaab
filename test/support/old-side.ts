/**
 * The listener and plugin that an operator moves away from, as a process of its own: takes votes of both versions, answers,
 * and pays each vote that it gets once over RCON. Then it writes a line of CSV. On SIGTERM it takes no more votes, pays those
 * that it has, and ends. Nothing here is code of Teller but the packets of RCON.
 *
 * Argument: OldSide as JSON.
 */
import { constants, createHmac, createPrivateKey, privateDecrypt, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { encodePacket } from '../../protocol/rcon/packet.ts';
import { RconReader } from '../../protocol/rcon/reader.ts';

export interface OldSide {
  readonly port: number;
  readonly token: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  readonly rcon: { readonly port: number; readonly password: string };
  /** What it paid, by player, service and time. */
  readonly paid: string;
  /** The vote of a player whose name begins like this is not paid, or paid twice. */
  readonly misses: string;
  readonly doubles: string;
}

interface Vote {
  readonly player: string;
  readonly service: string;
}

const V1_BLOCK_BYTES = 256;
const settings = JSON.parse(process.argv[2] ?? '') as OldSide;
const key = createPrivateKey(settings.privateKey);
const open = new Set<Socket>();
let paying: Promise<unknown> = Promise.resolve();

/** A connection that is logged in, and runs one command at a time. */
async function gameServer() {
  const socket = connect({ host: '127.0.0.1', port: settings.rcon.port, noDelay: true });
  await once(socket, 'connect');
  const reader = new RconReader();
  let answered: () => void = () => {};
  socket.on('data', (chunk: Buffer) => {
    if (reader.push(chunk).packets.length > 0) answered();
  });
  const ask = (type: number, body: string): Promise<void> =>
    new Promise((resolve) => {
      answered = resolve;
      socket.write(encodePacket({ id: 1, type, body }));
    });
  await ask(3, settings.rcon.password);
  return { run: (command: string) => ask(2, command), close: () => socket.destroy() };
}

const game = await gameServer();
if (!existsSync(settings.paid)) appendFileSync(settings.paid, 'player,service,time\n');

async function pay({ player, service }: Vote): Promise<void> {
  if (player.startsWith(settings.misses)) return;
  for (let times = player.startsWith(settings.doubles) ? 2 : 1; times > 0; times--) {
    await game.run(`pay ${player} for ${service}`);
    appendFileSync(settings.paid, `${player},${service},${new Date().toISOString()}\n`);
  }
}

const server = createServer((socket) => {
  open.add(socket);
  socket.on('error', () => {}).on('close', () => open.delete(socket));
  const challenge = randomBytes(8).toString('hex');
  socket.write(`VOTIFIER 2 ${challenge}\n`);
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const vote = voteIn(received, challenge);
    if (vote === null) return;
    socket.removeAllListeners('data').resume();
    paying = paying.then(() => pay(vote));
    socket.end(isV2(received) ? '{"status":"ok"}\r\n' : '');
  });
});

const isV2 = (bytes: Buffer): boolean => bytes.readUInt16BE(0) === 0x733a;

/** null: not whole yet. @throws for anything but a vote, which is a bug of the test. */
function voteIn(bytes: Buffer, challenge: string): Vote | null {
  if (bytes.length < 4) return null;
  if (!isV2(bytes)) return bytes.length < V1_BLOCK_BYTES ? null : decrypted(bytes);
  if (bytes.length < 4 + bytes.readUInt16BE(2)) return null;
  const { payload, signature } = JSON.parse(bytes.toString('utf8', 4));
  const vote = JSON.parse(payload);
  const signed = createHmac('sha256', settings.token).update(payload).digest('base64');
  if (signed !== signature || vote.challenge !== challenge) throw new Error(`not signed: ${payload}`);
  return { player: vote.username, service: vote.serviceName };
}

function decrypted(block: Buffer): Vote {
  const padded = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
  const [opcode, service = '', player = ''] = padded.toString('utf8', padded.indexOf(0, 2) + 1).split('\n');
  if (opcode !== 'VOTE') throw new Error('no block of version 1');
  return { player, service };
}

process.on('SIGTERM', () => {
  server.close(() => void paying.then(() => game.close()));
});
server.listen(settings.port, '127.0.0.1', () => process.stdout.write('{"msg":"ready"}\n'));
