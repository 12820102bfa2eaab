import { describe, expect, it } from 'vitest';
import { decodeV2Body, encodeV2Body, encodeV2Frame, type V2Vote } from '../../../protocol/votifier/v2.ts';
import { Seeded } from '../../support/seeded.ts';
import { judge, oneByOne, receive, testPrivateKey } from '../../support/vectors.ts';

const CHALLENGE = '2ov1q8kr5ab0ecj7n3t9hm4gds';
const TOKEN = 'schlüssel-鍵';
const VOTE: V2Vote = {
  serviceName: 'ExampleSite',
  username: 'Notch',
  address: '198.51.100.7',
  timestamp: '1780315200123',
  challenge: CHALLENGE,
};

const mustNotLookUp = (): never => {
  throw new Error('asked for a token too early');
};

describe('encodeV2Frame', () => {
  // The signature: openssl dgst -sha256 -hmac t0ken over the payload text.
  it('[V2-1] [V2-4] [V2-6] writes exactly the magic, the length in bytes and the signed payload', () => {
    const body =
      '{"payload":"{\\"serviceName\\":\\"ExampleSite\\",\\"username\\":\\"Notch\\",\\"address\\":\\"198.51.100.7\\",' +
      '\\"timestamp\\":1780315200123,\\"challenge\\":\\"2ov1q8kr5ab0ecj7n3t9hm4gds\\"}",' +
      '"signature":"H4A2hh6IOUoeY7oZiE8qmfoQbega1RE4OfENpR6sU+s="}';
    expect(encodeV2Body(VOTE, 't0ken')).toBe(body);
    const frame = encodeV2Frame(VOTE, 't0ken');
    expect(frame.subarray(0, 2).toString('hex')).toBe('733a');
    expect(frame.readUInt16BE(2)).toBe(Buffer.byteLength(body));
    expect(frame.subarray(4).toString()).toBe(body);
  });

  it('[V2-1] announces bytes, not characters', () => {
    const frame = encodeV2Frame({ ...VOTE, serviceName: 'Größe 日本 🎮' }, TOKEN);
    expect(frame.readUInt16BE(2)).toBe(frame.length - 4);
  });

  it('[V2-4] is decoded to the same vote for 2,000 votes of any characters', () => {
    const random = new Seeded(24);
    const letters = 'aZ09_ .-"\\/\n\r\t\0{}[]:,éß日本語🎮\u2028\ud800\udc00';
    const field = () => random.text(random.below(40), letters);
    for (let i = 0; i < 2000; i++) {
      const timestamp = random.pick(['', '0', '007', '1780315200', '1780315200.5', '1780315200123', field()]);
      const vote = { serviceName: field(), username: field(), address: field(), timestamp };
      const frame = encodeV2Frame({ ...vote, challenge: CHALLENGE }, TOKEN);
      const given = { challenge: CHALLENGE, tokens: { default: TOKEN } };
      const { result } = receive(random.chance(0.1) ? oneByOne(frame) : [frame]);
      expect(judge(result, given, testPrivateKey)).toStrictEqual({ kind: 'vote', vote });
    }
  });
});

describe('decodeV2Body', () => {
  const decode = (body: string, tokenOf: (service: string) => string | null) =>
    decodeV2Body(body, CHALLENGE, tokenOf);

  it.each([
    ['a body that is not JSON', 'hello', 'v2-malformed'],
    ['a body without a payload', '{"signature":""}', 'v2-malformed'],
    ['a payload without fields', '{"payload":"{}","signature":""}', 'v2-payload-service'],
    ['another challenge', encodeV2Body({ ...VOTE, challenge: 'x' }, TOKEN), 'v2-challenge'],
  ])('[V2-5] does not look up a token for %s', (_, body, code) => {
    expect(decode(body, mustNotLookUp)).toMatchObject({ kind: 'refused', code });
  });

  it('[V2-11] looks up the token by the exact service name', () => {
    const lookedUp: string[] = [];
    decode(encodeV2Body({ ...VOTE, serviceName: ' Größe\t日本 ' }, TOKEN), (service) => {
      lookedUp.push(service);
      return null;
    });
    expect(lookedUp).toEqual([' Größe\t日本 ']);
  });

  it('[V2-7] refuses every signature with one changed character', () => {
    const { payload, signature } = JSON.parse(encodeV2Body(VOTE, TOKEN)) as Record<string, string>;
    const wrong = Array.from(signature ?? '', (letter, at) => {
      const other = letter === 'A' ? 'Q' : 'A';
      return `${signature?.slice(0, at)}${other}${signature?.slice(at + 1)}`;
    });
    for (const other of wrong) {
      const judged = decode(JSON.stringify({ payload, signature: other }), () => TOKEN);
      expect(judged).toMatchObject({ kind: 'refused', code: 'v2-signature' });
    }
  });
});
