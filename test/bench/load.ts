/**
 * The load: sends votes over several connections at once and prints the results as one line of JSON. Each vote is for a
 * different player. v1 blocks are encrypted before the measurement starts.
 *
 * Arguments: port, v1 | v2, votes, connections at once, number of the first player, file of the public key, and how many
 * players are already in the ledger. If there are any, the votes are theirs, spread over the ledger.
 */
import { constants, createHmac, createPublicKey, publicEncrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { TOKEN } from './servers.ts';

const [
  ,
  ,
  portText = '',
  version = '',
  countText = '',
  connectionsText = '',
  firstText = '',
  keyFile = '',
  knownText = '0',
] = process.argv;
const [port = 0, count = 0, connections = 0, first = 0, known = 0] = [
  portText,
  countText,
  connectionsText,
  firstText,
  knownText,
].map(Number);
const startedAt = Date.now();
/** A prime, so that every known player votes before one votes again. */
const STRIDE = 7_919;

const playerOf = (number: number): string => `P${known === 0 ? first + number : (number * STRIDE) % known}`;

function blocks(): Buffer[] {
  const key = createPublicKey({
    key: Buffer.from(readFileSync(keyFile, 'utf8'), 'base64'),
    format: 'der',
    type: 'spki',
  });
  return Array.from({ length: count }, (_, n) => {
    const text = `VOTE\nBench\n${playerOf(n)}\n192.0.2.1\n${startedAt + n}\n`;
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text));
  });
}

function frame(number: number, greeting: string): Buffer {
  const challenge = greeting.slice(0, -1).split(' ')[2];
  const payload = JSON.stringify({
    serviceName: 'Bench',
    username: playerOf(number),
    address: '192.0.2.1',
    timestamp: startedAt + number,
    challenge,
  });
  const signature = createHmac('sha256', TOKEN).update(payload).digest('base64');
  const body = Buffer.from(JSON.stringify({ payload, signature }));
  const head = Buffer.from('733a0000', 'hex');
  head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}

const encrypted = version === 'v1' ? blocks() : [];
const latencies: number[] = [];
let failed = 0;

/** One vote from connect to close. */
const send = (number: number): Promise<void> =>
  new Promise((resolve) => {
    const began = performance.now();
    const socket = connect({
      host: '127.0.0.1',
      port,
      localAddress: `127.0.1.${1 + (number % 64)}`,
      noDelay: true,
    });
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const isGreeting = received === '';
      received += chunk.toString('latin1');
      if (isGreeting)
        socket.write(version === 'v1' ? (encrypted[number] as Buffer) : frame(number, received));
    });
    socket.on('close', () => {
      latencies.push(performance.now() - began);
      if (version === 'v2' && !received.endsWith('{"status":"ok"}\r\n')) failed++;
      resolve();
    });
  });

let next = 0;
const worker = async (): Promise<void> => {
  while (next < count) await send(next++);
};

const cpuBefore = process.cpuUsage();
const began = performance.now();
await Promise.all(Array.from({ length: connections }, worker));
const seconds = (performance.now() - began) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
latencies.sort((a, b) => a - b);
const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
process.stdout.write(
  `${JSON.stringify({ seconds, failed, medianMs: at(0.5), p99Ms: at(0.99), cpu: (user + system) / 1e6 })}\n`,
);
