import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isV1PublicKey,
  type KeyReading,
  privateKeyText,
  publicKeyText,
  readPrivateKey,
  readPublicKey,
} from '../../../protocol/votifier/v1.ts';
import { naming } from '../../support/naming.ts';
import { Seeded } from '../../support/seeded.ts';
import { testKey, testPrivateKey, testPublicKey } from '../../support/vectors.ts';

const isKey = (reading: KeyReading, expected: KeyObject): boolean =>
  reading.kind === 'key' && reading.key.equals(expected);

const wrapped = (text: string, width: number, end: string): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(end);

/** The forms in which people paste bare base64. */
const pastes = (text: string): [string, string][] => [
  ['one line', text],
  ['one line and its end', `${text}\n`],
  ['white space around', `  ${text}\r\n\r\n`],
  ['lines of 64', wrapped(text, 64, '\n')],
  ['lines of 76 ended by CRLF', wrapped(text, 76, '\r\n')],
];

describe('readPublicKey', () => {
  it.each(pastes(testKey.publicKey))('[V1-7] reads bare base64: %s', (_, text) => {
    expect(isKey(readPublicKey(text), testPublicKey)).toBe(true);
  });

  it.each(pastes(testKey.publicKeyPem).slice(0, 3))('[V1-7] reads PEM: %s', (_, text) => {
    expect(isKey(readPublicKey(text), testPublicKey)).toBe(true);
  });

  it.each([
    ['with CRLF', testKey.publicKeyPem.replaceAll('\n', '\r\n')],
    ['in the older form', testPublicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
  ])('[V1-7] reads PEM %s', (_, text) => {
    expect(isKey(readPublicKey(text), testPublicKey)).toBe(true);
  });
});

describe('readPrivateKey', () => {
  it.each(pastes(testKey.privateKey))('[V1-7] reads bare base64: %s', (_, text) => {
    expect(isKey(readPrivateKey(text), testPrivateKey)).toBe(true);
  });

  it.each(pastes(testKey.privateKeyPem).slice(0, 3))('[V1-7] reads PEM: %s', (_, text) => {
    expect(isKey(readPrivateKey(text), testPrivateKey)).toBe(true);
  });

  it('[V1-7] refuses a public key in either form', () => {
    expect(readPrivateKey(testKey.publicKeyPem).kind).toBe('unusable');
    expect(readPrivateKey(testKey.publicKey).kind).toBe('unusable');
  });
});

describe('a string that is not an RSA key of 2,048 bits', () => {
  const rsa1024 = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const ed25519 = generateKeyPairSync('ed25519');

  it.each([
    ['nothing', ''],
    ['words', 'paste your key here'],
    ['half a key', testKey.publicKey.slice(0, 200)],
    ['half a private key', testKey.privateKey.slice(0, 800)],
    ['a PEM header alone', '-----BEGIN PUBLIC KEY-----'],
    ['a token', 't0ken-of-example-site'],
  ])('[V1-7] is unusable, and the reason says what is needed: %s', (_, text) => {
    expect(readPublicKey(text)).toMatchObject({ kind: 'unusable', reason: naming('public key') });
    expect(readPrivateKey(text).kind).toBe('unusable');
  });

  it('[V1-7] is unusable if it is the private key, which the reason says of PEM', () => {
    expect(readPublicKey(testKey.privateKeyPem)).toMatchObject({
      kind: 'unusable',
      reason: naming('private'),
    });
    expect(readPublicKey(testKey.privateKey)).toMatchObject({
      kind: 'unusable',
      reason: naming('public key'),
    });
  });

  it('[V1-1] is unusable even if it is another key: RSA of 1,024 bits, or Ed25519', () => {
    for (const { publicKey, privateKey } of [rsa1024, ed25519]) {
      expect(isV1PublicKey(publicKey)).toBe(false);
      const reason = naming(/2,?048/);
      expect(readPublicKey(publicKeyText(publicKey))).toMatchObject({ kind: 'unusable', reason });
      expect(readPrivateKey(privateKeyText(privateKey)).kind).toBe('unusable');
    }
  });

  it('[V1-7] is not repeated in the reason', () => {
    for (const text of [testKey.privateKey.slice(0, 800), testKey.privateKeyPem]) {
      const reading = readPublicKey(text);
      expect(reading.kind === 'unusable' && reading.reason).not.toContain(testKey.privateKey.slice(40, 60));
    }
  });

  it('[V1-7] never throws, for 500 keys with characters changed', () => {
    const random = new Seeded(7);
    for (let i = 0; i < 500; i++) {
      const key = random.pick([testKey.publicKey, testKey.publicKeyPem, testKey.privateKeyPem]);
      const at = random.below(key.length);
      const text = `${key.slice(0, at)}${random.text(random.below(4), 'A=-\n é\0')}${key.slice(at + random.below(4))}`;
      expect(['key', 'unusable']).toContain(readPublicKey(text).kind);
      expect(['key', 'unusable']).toContain(readPrivateKey(text).kind);
    }
  });
});

describe('an encoded key', () => {
  it('[V1-7] is what openssl writes, one line of 392 and of 1,624 characters', () => {
    expect(publicKeyText(testPublicKey)).toBe(testKey.publicKey);
    expect(privateKeyText(testPrivateKey)).toBe(testKey.privateKey);
    expect([testKey.publicKey.length, testKey.privateKey.length]).toEqual([392, 1624]);
  });

  it('[V1-7] isV1PublicKey accepts the public key only', () => {
    expect(isV1PublicKey(testPublicKey)).toBe(true);
    expect(isV1PublicKey(testPrivateKey)).toBe(false);
  });
});
