import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPublicKey } from '../../../protocol/votifier/key-text.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const bare = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

test.each([
  ['one line of bare base64', bare],
  ['bare base64 with a line end', `${bare}\r\n`],
  ['bare base64 in several lines', bare.replace(/.{64}/g, '$&\n')],
  ['PEM', pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  ['PEM with white space around it', `\n  ${pair.publicKey.export({ type: 'spki', format: 'pem' })}\n`],
  ['PEM in the older form', pair.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
])('%s is read', (_form, text) => {
  const reading = readPublicKey(text);
  expect(reading.kind === 'key' && reading.key.equals(pair.publicKey)).toBe(true);
});

const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

test.each([
  ['nothing', '', /holds no public key/],
  ['a token', 's3cret', /holds no public key/],
  ['half a key', bare.slice(0, 200), /holds no public key/],
  [
    'a private key',
    pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    /holds a private key/,
  ],
  [
    'a bare private key',
    pair.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    /no public/,
  ],
  ['1,024 bits', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey), /not RSA with 2048/],
  ['another kind', pemOf(generateKeyPairSync('ed25519').publicKey), /not RSA with 2048/],
])('%s is unusable, and the reason says why', (_what, text, reason) => {
  const reading = readPublicKey(text);
  expect(reading.kind === 'unusable' && reading.reason).toMatch(reason);
});
