/**
 * The listener and plugin that an operator moves away from, as a process of its own: takes votes, answers, and pays each vote
 * that it gets once over RCON. Then it writes a line of CSV. On SIGTERM it takes no more votes, closes connections that have
 * not sent anything, pays the votes that it has, and ends. Nothing here is code of Teller but the packets of RCON.
 *
 * Argument: OldSide as JSON.
 */
import { constants, createHmac, createPrivateKey, privateDecrypt, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { encodePacket } from '../../../protocol/rcon/packet.ts';
import { RconReader } from '../../../protocol/rcon/reader.ts';

export interface OldSide {
  readonly host: string;
  readonly port: number;
  /** By service name or `default`. Empty: like listeners before NuVotifier, it takes version 1 alone, and one connection after another. */
  readonly tokens: Readonly<Record<string, string>>;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  /** The game servers; each knows who is on it. */
  readonly rcon: readonly { readonly host: string; readonly port: number; readonly password: string }[];
  /** What it paid, by player, service and time. */
  readonly paid: string;
  /** What it does wrong, by the beginning of the player's name. */
  readonly faults: Readonly<Record<string, Fault>>;
  /** Whom it pays if it pays another player. */
  readonly another: string;
}

/** The last two close the connection without an answer: the first time without hearing the vote, or always after paying it. */
export type Fault = 'misses' | 'doubles' | 'pays-another' | 'is-deaf-once' | 'is-mute';

interface Vote {
  readonly player: string;
  readonly service: string;
}

const V1_BLOCK_BYTES = 256;
const READ_LIMIT_MS = 4_000;
const settings = JSON.parse(process.argv[2] ?? '') as OldSide;
const isV1Alone = Object.keys(settings.tokens).length === 0;
const key = createPrivateKey(settings.privateKey);
const silent = new Set<Socket>();
const deafTo = new Set<string>();
let paying: Promise<unknown> = Promise.resolve();
let serving: Promise<unknown> = Promise.resolve();

/** A connection that is logged in, and runs one command at a time. */
async function gameServer({ host, port, password }: OldSide['rcon'][number]) {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  const reader = new RconReader();
  let answered: (text: string) => void = () => {};
  socket.on('data', (chunk: Buffer) => {
    for (const { body } of reader.push(chunk).packets) answered(body.toString('utf8'));
  });
  const ask = (type: number, body: string): Promise<string> =>
    new Promise((resolve) => {
      answered = resolve;
      socket.write(encodePacket({ id: 1, type, body }));
    });
  await ask(3, password);
  return { run: (command: string) => ask(2, command), close: () => socket.destroy() };
}

const games = await Promise.all(settings.rcon.map(gameServer));
if (!existsSync(settings.paid)) appendFileSync(settings.paid, 'player,service,time\n');

const faultFor = (player: string): Fault | undefined =>
  Object.entries(settings.faults).find(([begin]) => player.startsWith(begin))?.[1];

async function pay({ player, service }: Vote): Promise<void> {
  const fault = faultFor(player);
  if (fault === 'misses') return;
  const paid = fault === 'pays-another' ? settings.another : player;
  for (let times = fault === 'doubles' ? 2 : 1; times > 0; times--) {
    for (const game of games) if ((await game.run(`pay ${paid} for ${service}`)).startsWith('Paid')) break;
    appendFileSync(settings.paid, `${paid},${service},${new Date().toISOString()}\n`);
  }
}

const server = createServer((socket) => {
  silent.add(socket);
  socket.on('error', () => {}).on('close', () => silent.delete(socket));
  if (isV1Alone) serving = serving.then(() => takeOne(socket));
  else takeAny(socket);
});

/** As NuVotifier does: the answer comes before the payment. */
function takeAny(socket: Socket): void {
  const challenge = randomBytes(8).toString('hex');
  socket.write(`VOTIFIER 2 ${challenge}\n`);
  whenVoted(socket, challenge, (vote, isV2) => {
    const fault = faultFor(vote.player);
    const isDeaf = fault === 'is-deaf-once' && !deafTo.has(vote.player);
    deafTo.add(vote.player);
    if (!isDeaf) paying = paying.then(() => pay(vote));
    socket.end(isV2 && !isDeaf && fault !== 'is-mute' ? '{"status":"ok"}\r\n' : '');
  });
}

/** As some listeners of version 1 do: the connection is closed after the payment, and then the next one gets its greeting. */
function takeOne(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    socket.on('close', () => resolve()).setTimeout(READ_LIMIT_MS, () => socket.destroy());
    socket.write('VOTIFIER 2.9\n');
    whenVoted(socket, '', (vote) => {
      paying = paying.then(() => pay(vote)).then(() => socket.end());
    });
  });
}

function whenVoted(socket: Socket, challenge: string, then: (vote: Vote, isV2: boolean) => void): void {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    silent.delete(socket);
    received = Buffer.concat([received, chunk]);
    const vote = voteIn(received, challenge);
    if (vote === null) return;
    socket.removeAllListeners('data').resume();
    then(vote, isV2(received));
  });
}

const isV2 = (bytes: Buffer): boolean => !isV1Alone && bytes.readUInt16BE(0) === 0x733a;

/** null: not whole yet. @throws for anything but a vote, which is a bug of the test. */
function voteIn(bytes: Buffer, challenge: string): Vote | null {
  if (bytes.length < 4) return null;
  if (!isV2(bytes)) return bytes.length < V1_BLOCK_BYTES ? null : decrypted(bytes);
  if (bytes.length < 4 + bytes.readUInt16BE(2)) return null;
  const { payload, signature } = JSON.parse(bytes.toString('utf8', 4));
  const vote = JSON.parse(payload);
  const token = settings.tokens[vote.serviceName] ?? settings.tokens.default ?? '';
  const signed = createHmac('sha256', token).update(payload).digest('base64');
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
  for (const socket of silent) socket.destroy();
  server.close(async () => {
    await paying;
    for (const game of games) game.close();
  });
});
server.listen(settings.port, settings.host, () => process.stdout.write('{"msg":"ready"}\n'));
