import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  isV1PublicKey,
  type KeyReading,
  privateKeyText,
  publicKeyText,
  readPrivateKey,
  readPublicKey,
} from '../../../protocol/votifier/key-text.ts';
import { Seeded } from '../../support/seeded.ts';
import { testKey, testPrivateKey, testPublicKey } from '../../support/vectors.ts';

const isKey = (reading: KeyReading, expected: KeyObject): boolean =>
  reading.kind === 'key' && reading.key.equals(expected);

const wrapped = (text: string, width: number, end: string): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(end);

/** The forms in which a text of bare base64 gets pasted. */
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

  it('[V1-7] reads PEM with CRLF', () => {
    expect(isKey(readPublicKey(testKey.publicKeyPem.replaceAll('\n', '\r\n')), testPublicKey)).toBe(true);
  });

  it('[V1-7] takes no private key for a public one, in either form', () => {
    expect(readPublicKey(testKey.privateKeyPem).kind).toBe('unusable');
    expect(readPublicKey(testKey.privateKey).kind).toBe('unusable');
  });
});

describe('readPrivateKey', () => {
  it.each(pastes(testKey.privateKey))('[V1-7] reads bare base64: %s', (_, text) => {
    expect(isKey(readPrivateKey(text), testPrivateKey)).toBe(true);
  });

  it.each(pastes(testKey.privateKeyPem).slice(0, 3))('[V1-7] reads PEM: %s', (_, text) => {
    expect(isKey(readPrivateKey(text), testPrivateKey)).toBe(true);
  });

  it('[V1-7] takes no public key for a private one, in either form', () => {
    expect(readPrivateKey(testKey.publicKeyPem).kind).toBe('unusable');
    expect(readPrivateKey(testKey.publicKey).kind).toBe('unusable');
  });
});

describe('a text that is no key of 2,048 bits', () => {
  const rsa1024 = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const ed25519 = generateKeyPairSync('ed25519');

  it.each([
    ['nothing', ''],
    ['words', 'paste your key here'],
    ['half a key', testKey.publicKey.slice(0, 200)],
    ['half a private key', testKey.privateKey.slice(0, 800)],
    ['a PEM header alone', '-----BEGIN PUBLIC KEY-----'],
    ['a token', 't0ken-of-example-site'],
  ])('[V1-7] is unusable: %s', (_, text) => {
    expect(readPublicKey(text).kind).toBe('unusable');
    expect(readPrivateKey(text).kind).toBe('unusable');
  });

  it('[V1-1] is unusable though it is a key: RSA of 1,024 bits, and Ed25519', () => {
    for (const { publicKey, privateKey } of [rsa1024, ed25519]) {
      expect(isV1PublicKey(publicKey)).toBe(false);
      expect(readPublicKey(publicKeyText(publicKey)).kind).toBe('unusable');
      expect(readPrivateKey(privateKeyText(privateKey)).kind).toBe('unusable');
    }
  });

  it('[V1-7] is named without a word of it', () => {
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

describe('a key as text', () => {
  it('[V1-7] is what openssl writes, one line of 392 and of 1,624 characters', () => {
    expect(publicKeyText(testPublicKey)).toBe(testKey.publicKey);
    expect(privateKeyText(testPrivateKey)).toBe(testKey.privateKey);
    expect([testKey.publicKey.length, testKey.privateKey.length]).toEqual([392, 1624]);
  });

  it('[V1-7] isV1PublicKey takes the public half only', () => {
    expect(isV1PublicKey(testPublicKey)).toBe(true);
    expect(isV1PublicKey(testPrivateKey)).toBe(false);
  });
});
