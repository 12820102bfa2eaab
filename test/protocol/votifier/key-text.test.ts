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
  ['an empty string', '', /public key/],
  ['a token', 's3cret', /public key/],
  ['half a key', bare.slice(0, 200), /public key/],
  ['a private key', pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /private/],
  [
    'a bare private key',
    pair.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
    /public key/,
  ],
  ['a key of 1,024 bits', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey), /2,?048/],
  ['a key of another kind', pemOf(generateKeyPairSync('ed25519').publicKey), /2,?048/],
])('%s is unusable, and the reason says why', (_what, text, reason) => {
  const reading = readPublicKey(text);
  expect(reading.kind === 'unusable' && reading.reason).toMatch(reason);
});
