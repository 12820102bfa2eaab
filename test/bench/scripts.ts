/**
 * Processes that figures are compared with, and one that fills a ledger. The first argument says which; the second of some is
 * JSON.
 */
import {
  constants,
  createHmac,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { fillLedger } from './big-ledger.ts';
import { TOKEN } from './votes.ts';

const [, , name = '', order = '{}'] = process.argv;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ready = (port: number): void => say(JSON.stringify({ msg: 'ready', listener: { port } }));

const HEADER_BYTES = 4;

/**
 * The minimum of a v2 listener: it greets with a challenge, reads one frame, parses it, verifies challenge and
 * signature, answers ok and closes. It neither judges, stores nor logs a vote, so its cost is the cost of the protocol,
 * of Node and of the kernel.
 */
function bare(): void {
  const isVote = (body: string, challenge: string): boolean => {
    const { payload, signature } = JSON.parse(body) as { payload: string; signature: string };
    const expected = createHmac('sha256', TOKEN).update(payload).digest();
    const isSigned = timingSafeEqual(Buffer.from(signature, 'base64'), expected);
    return isSigned && JSON.parse(payload).challenge === challenge;
  };
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
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () =>
    ready((server.address() as AddressInfo).port),
  );
  process.on('SIGTERM', () => process.exit(0));
}

/** Does nothing: the delay of its event loop is the machine's. */
function idle(): void {
  setInterval(() => {}, 2 ** 30);
  process.on('SIGTERM', () => process.exit(0));
  ready(0);
}

export interface RsaCost {
  /** CPU seconds. */
  readonly per1000: number;
}

/** What one raw RSA operation costs: decrypts v1 blocks with a cached key. */
function rsa({ operations }: { readonly operations: number }): void {
  const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const padding = constants.RSA_PKCS1_PADDING;
  const block = publicEncrypt({ key: publicKey, padding }, Buffer.from('VOTE\n'));
  const decrypt = (count: number): void => {
    for (let done = 0; done < count; done++)
      privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, block);
  };
  decrypt(200);
  const before = process.cpuUsage();
  decrypt(operations);
  const { user, system } = process.cpuUsage(before);
  const cost: RsaCost = { per1000: (user + system) / 1e3 / operations };
  say(JSON.stringify(cost));
}

if (name === 'bare') bare();
else if (name === 'idle') idle();
else if (name === 'rsa') rsa(JSON.parse(order));
else say(JSON.stringify(fillLedger(JSON.parse(order), say)));
