import { describe, expect, it } from 'vitest';
import type { ReaderResult } from '../../../protocol/votifier/reader.ts';
import { refusals } from '../../../protocol/votifier/refusals.ts';
import { decodeV1Text } from '../../../protocol/votifier/v1.ts';
import { signPayload } from '../../../protocol/votifier/v2.ts';
import { claimedTime, encodeErrorReply } from '../../../protocol/votifier/wire.ts';
import { mutated, Seeded } from '../../support/seeded.ts';
import {
  type Judged,
  judge,
  proxyFile,
  receive,
  testPrivateKey,
  timestampsFile,
  v2File,
  wireVectors,
  written,
} from '../../support/vectors.ts';

const { given } = v2File;
/** Longer inputs are always decided: the largest frame announces 4,096 characters of up to four bytes, after its header. */
const WAITS_FOR_AT_MOST = 4 + 4 * 4096;
/** The number of blocks that are decrypted. RSA takes 0.2 ms, everything else microseconds. */
const BLOCKS_DECRYPTED = 3000;

let inputs = 0;
let decrypted = 0;
const seen = new Set<string>();

/** The bytes of every short vector, because mutating long ones finds little. */
const bases = [...wireVectors, ...proxyFile.vectors]
  .map(({ bytes }) => Buffer.from(bytes, 'hex'))
  .filter(({ length }) => length < 1500);

function inPieces(random: Seeded, bytes: Buffer): Buffer[] {
  const cuts = Array.from({ length: random.below(4) }, () => random.below(bytes.length + 1)).sort(
    (a, b) => a - b,
  );
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
}

/** Fails unless this is a possible result. */
function check(judged: Judged): void {
  if (judged.kind === 'refused') {
    if (!Object.hasOwn(refusals, judged.code)) throw new Error(`${judged.code} is not in the table`);
    const reply = encodeErrorReply(judged);
    if (reply !== null && Buffer.byteLength(reply) > 255) throw new Error(`the reply is too long: ${reply}`);
  } else if (judged.kind === 'vote') {
    const wrong = Object.values(judged.vote).filter((field) => typeof field !== 'string');
    if (wrong.length > 0) throw new Error(`not a string: ${wrong}`);
    claimedTime(judged.vote.timestamp);
  }
  seen.add(judged.kind === 'refused' ? judged.code : judged.kind);
}

function judgeSparingly(result: ReaderResult): Judged {
  if (result.kind !== 'v1-block') return judge(result, given, testPrivateKey);
  if (decrypted++ < BLOCKS_DECRYPTED) return judge(result, given, testPrivateKey);
  return decodeV1Text(result.block.toString('utf8'));
}

/** One connection: the result is the same in pieces and in one read, nothing throws, and the end gets a code. */
function feed(random: Seeded, bytes: Buffer): void {
  inputs++;
  try {
    const { reader, result } = receive(inPieces(random, bytes));
    if (written(result) !== written(receive([bytes]).result)) throw new Error('the pieces change the result');
    if (result.kind === 'need-more' && bytes.length > WAITS_FOR_AT_MOST) throw new Error('still undecided');
    check(judgeSparingly(result));
    const end = reader.end();
    if (result.kind === 'need-more' && end.kind !== 'refused') throw new Error('need-more after the end');
    if (result.kind === 'need-more') check(judge(end, given, testPrivateKey));
  } catch (error) {
    throw new Error(`input ${inputs}: ${bytes.toString('hex')}`, { cause: error });
  }
}

describe('any input', () => {
  it('[R-1] [R-4] 60,000 random inputs are need-more or refused from the table, and never throw', () => {
    const random = new Seeded(60);
    const starts = [
      ...['', 's', 's:', 's:\0', 's:\x01\0{', '{', '{"', '{"payload":', ' ', 'PROXY ', '\r\n\r\n\0'],
    ];
    for (let i = 0; i < 60_000; i++) {
      const start = Buffer.from(random.pick(starts), 'latin1');
      feed(random, Buffer.concat([start, random.bytes(random.below(random.chance(0.1) ? 400 : 40))]));
    }
  });

  it('[R-5] [V2-9] 100,000 mutated vectors are messages, need-more or refused from the table', () => {
    const random = new Seeded(100);
    for (let i = 0; i < 100_000; i++) feed(random, mutated(random, random.pick(bases), bases));
  });

  it('[V2-9] 30,000 frames of random JSON characters give the same result in one read and in many', () => {
    const random = new Seeded(30);
    for (let i = 0; i < 30_000; i++) {
      const text = random.text(random.below(120), '{}[]""\\,: paé🎮\n');
      const body = Buffer.from(random.chance(0.5) ? `{${text}` : `{"payload"${text}`);
      const header = Buffer.from([0x73, 0x3a, 0, random.below(256)]);
      feed(random, random.chance(0.3) ? body : Buffer.concat([header, body]));
    }
  });

  it('[V2-10] [V2-5] 30,000 well-formed bodies with fields of any type are votes, or refused in the specified order', () => {
    const random = new Seeded(31);
    const odd = [
      ...[null, true, 0, -1, 1e308, '', [], {}],
      ...['x'.repeat(300), '\ud800', '\0', '__proto__', given.challenge],
    ];
    const field = (usual: unknown) => (random.chance(0.8) ? usual : random.pick([...odd, undefined]));
    for (let i = 0; i < 30_000; i++) {
      const payload = JSON.stringify({
        serviceName: field('ExampleSite'),
        username: field('Notch'),
        address: field('198.51.100.7'),
        timestamp: field(random.pick(timestampsFile.vectors).text),
        challenge: field(given.challenge),
      });
      const token = random.chance(0.8) ? 't0ken-of-example-site' : 'the-default';
      const signature = field(signPayload(payload, token).toString('base64'));
      const body = Buffer.from(JSON.stringify({ payload: field(payload), signature }));
      const header = Buffer.from([0x73, 0x3a, body.length >> 8, body.length & 255]);
      feed(random, Buffer.concat([header, body]));
    }
  });

  it('[R-4] large inputs end as a vote or a refusal before byte 16,389', () => {
    const random = new Seeded(17);
    for (let i = 0; i < 300; i++) {
      const start = random.pick(['s:\x10\0{"payload":"', 's:\x04\0{', '{"payload":"', '{"signature":[', '']);
      const filler = random.text(6000, random.pick(['x', '[', '{"', '}', '🎮', '"', ' ']));
      feed(random, Buffer.from(start + filler.repeat(3), 'latin1'));
    }
  });

  it('[V2-5] the 220,300 inputs above include a vote and every refusal of the codec', () => {
    expect(inputs).toBe(220_300);
    const codec = [
      ...['vote', 'need-more', 'empty', 'incomplete', 'v1-not-a-vote', 'v1-fields', 'v2-oversized'],
      ...['v2-malformed', 'v2-payload', 'v2-challenge', 'v2-signature', 'http', 'tls', 'ssh', 'proxy-header'],
    ];
    expect(codec.filter((code) => !seen.has(code))).toEqual([]);
  });
});
