import { createPublicKey, generateKeyPairSync, type KeyObject, publicEncrypt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { publicKeyText } from '../../protocol/votifier/key-text.ts';
import {
  backUpKeyPair,
  ensureKeyPair,
  generateKeyPair,
  readKeyPair,
  writeKeyPair,
} from '../../src/config/keys.ts';
import { temporaryFolder } from '../support/folder.ts';

const rsa = (modulusLength = 2048) => generateKeyPairSync('rsa', { modulusLength });
const [ours, other] = [rsa(), rsa()];

const spki = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');
const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const wrapped = (base64: string) => base64.replaceAll(/(.{64})/g, '$1\r\n');

const folderOf = (publicKey: string, privateKey: string) =>
  temporaryFolder({ 'public.key': publicKey, 'private.key': privateKey });

describe('reads a key pair', () => {
  test.each([
    ['one line of bare base64', spki(ours.publicKey), pkcs8(ours.privateKey)],
    [
      'base64 with a line ending and a BOM',
      `\uFEFF${spki(ours.publicKey)}\r\n`,
      `${pkcs8(ours.privateKey)}\n`,
    ],
    ['wrapped base64', wrapped(spki(ours.publicKey)), wrapped(pkcs8(ours.privateKey))],
    [
      'PEM',
      ours.publicKey.export({ format: 'pem', type: 'spki' }) as string,
      ours.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
    ],
    [
      'PEM in PKCS #1',
      ours.publicKey.export({ format: 'pem', type: 'pkcs1' }) as string,
      ours.privateKey.export({ format: 'pem', type: 'pkcs1' }) as string,
    ],
  ])('as %s', async (_, publicKey, privateKey) => {
    const pair = await readKeyPair(folderOf(publicKey, privateKey));
    expect(pair.publicKey.equals(ours.publicKey)).toBe(true);
    expect(pair.privateKey.equals(ours.privateKey)).toBe(true);
  });
});

describe('refuses a key pair', () => {
  const good = { public: spki(ours.publicKey), private: pkcs8(ours.privateKey) };
  const small = rsa(1024);
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  test.each([
    ['whose keys do not belong together', 'key-mismatch', spki(other.publicKey), good.private],
    ['whose public key is not a key', 'key-invalid', 'hello', good.private],
    ['whose public key is empty', 'key-invalid', '', good.private],
    ['whose private key is not a key', 'key-invalid', good.public, 'hello'],
    ['whose files are swapped', 'key-invalid', good.private, good.public],
    [
      'whose public key file has a private key in PEM',
      'key-invalid',
      ours.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
      good.private,
    ],
    ['of 1,024 bits', 'key-invalid', spki(small.publicKey), pkcs8(small.privateKey)],
    ['that is not RSA', 'key-invalid', spki(ec.publicKey), pkcs8(ec.privateKey)],
  ])('%s: %s', async (_, code, publicKey, privateKey) => {
    await expect(readKeyPair(folderOf(publicKey, privateKey))).rejects.toMatchObject({ code, exit: 2 });
  });

  test.each(['public.key', 'private.key'])('without its %s: key-missing', async (name) => {
    const both = { 'public.key': good.public, 'private.key': good.private };
    const { [name as keyof typeof both]: _, ...one } = both;
    await expect(readKeyPair(temporaryFolder(one))).rejects.toMatchObject({
      code: 'key-missing',
      message: expect.stringContaining(name),
    });
  });

  test('without showing the content of the file', async () => {
    const problem = await readKeyPair(folderOf(good.public, `${good.private.slice(0, 80)}!`)).catch(String);
    expect(problem).not.toContain(good.private.slice(0, 20));
  });
});

test('writes a new key pair in the usual format, with the private key readable only by its owner', async () => {
  const folder = path.join(temporaryFolder(), 'data/keys');
  const pair = await generateKeyPair();
  await writeKeyPair(folder, pair);
  const publicKey = readFileSync(path.join(folder, 'public.key'), 'utf8');
  const privateKey = readFileSync(path.join(folder, 'private.key'), 'utf8');
  expect(publicKey).toMatch(/^[A-Za-z0-9+/=]{392}$/);
  expect(privateKey).toMatch(/^[A-Za-z0-9+/=]{1620,1628}$/);
  expect(publicKey).toBe(publicKeyText(pair.publicKey));
  expect(statSync(path.join(folder, 'private.key')).mode & 0o777).toBe(0o600);
  const pasted = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  expect(publicEncrypt(pasted, Buffer.from('VOTE'))).toHaveLength(256);
});

describe('creates the missing keys', () => {
  test('if both are missing', async () => {
    const folder = temporaryFolder();
    expect(await ensureKeyPair(folder)).toEqual([
      path.join(folder, 'private.key'),
      path.join(folder, 'public.key'),
    ]);
    await readKeyPair(folder);
  });

  test('if only the private key exists', async () => {
    const folder = temporaryFolder({ 'private.key': pkcs8(ours.privateKey) });
    expect(await ensureKeyPair(folder)).toEqual([path.join(folder, 'public.key')]);
    expect((await readKeyPair(folder)).publicKey.equals(ours.publicKey)).toBe(true);
  });

  test('but refuses if only the public key exists', async () => {
    const folder = temporaryFolder({ 'public.key': spki(ours.publicKey) });
    await expect(ensureKeyPair(folder)).rejects.toMatchObject({ code: 'key-missing' });
  });

  test('but writes nothing if both exist', async () => {
    const folder = folderOf(spki(ours.publicKey), pkcs8(ours.privateKey));
    expect(await ensureKeyPair(folder)).toEqual([]);
    expect((await readKeyPair(folder)).publicKey.equals(ours.publicKey)).toBe(true);
  });
});

test('backs up a key pair under other names', async () => {
  const folder = folderOf(spki(ours.publicKey), pkcs8(ours.privateKey));
  const copies = await backUpKeyPair(folder, '2026-06-01');
  expect(copies.map((file) => path.basename(file))).toEqual([
    'public.2026-06-01.key',
    'private.2026-06-01.key',
  ]);
  expect(copies.map((file) => readFileSync(file, 'utf8'))).toEqual([
    spki(ours.publicKey),
    pkcs8(ours.privateKey),
  ]);
  expect(statSync(copies[1]!).mode & 0o777).toBe(0o600);
});
