import { createPublicKey, generateKeyPair as generate, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  type KeyReading,
  privateKeyText,
  publicKeyText,
  readPrivateKey as readPrivateKeyText,
  readPublicKey,
} from '../../protocol/votifier/v1.ts';
import { Problem } from '../core/problem.ts';
import { FOR_ALL, isThere, OWNER_ONLY, writeFirst, writeWhole } from '../platform/write-file.ts';

/** The RSA-2048 key pair of v1: listings encrypt with the public key, the listener decrypts with the private key. */
export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** [V1-7] The customary names. */
export const PUBLIC_KEY = 'public.key';
export const PRIVATE_KEY = 'private.key';

/**
 * Reads and checks both keys. `advice` follows the message that says that there is no public key.
 * @throws Problem `key-missing`, `key-invalid`, `key-mismatch`
 */
export async function readKeyPair(folder: string, advice = ''): Promise<KeyPair> {
  const publicFile = path.join(folder, PUBLIC_KEY);
  const publicKey = parsePublicKey(await readKeyFile(publicFile, advice), publicFile);
  const privateKey = await readPrivateKey(folder);
  if (!createPublicKey(privateKey).equals(publicKey)) {
    const sentence = `${PUBLIC_KEY} and ${PRIVATE_KEY} in ${folder} do not belong together; restore the right pair from a backup`;
    throw new Problem('key-mismatch', sentence);
  }
  return { publicKey, privateKey };
}

async function readPrivateKey(folder: string): Promise<KeyObject> {
  const file = path.join(folder, PRIVATE_KEY);
  return parsePrivateKey(await readKeyFile(file), file);
}

/**
 * Parses a public key. `place` says in the error message where the text is from.
 * @throws Problem `key-invalid`
 */
export const parsePublicKey = (text: string, place: string): KeyObject => usable(readPublicKey(text), place);

/** The same for a private key. */
const parsePrivateKey = (text: string, place: string): KeyObject => usable(readPrivateKeyText(text), place);

function usable(reading: KeyReading, place: string): KeyObject {
  if (reading.kind === 'unusable') throw new Problem('key-invalid', `${place} ${reading.reason}`);
  return reading.key;
}

async function readKeyFile(file: string, advice = ''): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? `does not exist${advice}` : `cannot be read (${error.code})`;
    throw new Problem('key-missing', `the key file ${file} ${why}`);
  });
}

export const generateKeyPair = async (): Promise<KeyPair> =>
  await promisify(generate)('rsa', { modulusLength: 2048 });

/** @throws Problem `data-unwritable` */
export async function writeKeyPair(folder: string, pair: KeyPair): Promise<void> {
  // The private key first, because the public key can be derived from it.
  await writeWhole(path.join(folder, PRIVATE_KEY), privateKeyText(pair.privateKey), OWNER_ONLY);
  await writeWhole(path.join(folder, PUBLIC_KEY), publicKeyText(pair.publicKey), FOR_ALL);
}

/**
 * Creates the keys that are missing in the folder. If several processes try at once, only one creates them. Returns the
 * files that this call wrote.
 * @throws Problem `key-missing` if only the public key exists: the private key cannot be derived from it
 */
export async function ensureKeyPair(folder: string): Promise<readonly string[]> {
  const [privateFile, publicFile] = [PRIVATE_KEY, PUBLIC_KEY].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  // Another process may be creating the pair now, and it writes the private key first. Checking for the public key first
  // makes sure that a public key without a private key is not such a pair.
  const hasPublic = await isThere(publicFile);
  const hasPrivate = await isThere(privateFile);
  if (hasPrivate && hasPublic) return [];
  if (hasPublic) {
    const sentence = `${publicFile} exists without its ${PRIVATE_KEY}; restore that from a backup, or move ${PUBLIC_KEY} away to get a new pair`;
    throw new Problem('key-missing', sentence);
  }
  const createdPrivate = hasPrivate ? [] : await writePrivateKey(privateFile);
  // Derived from the private key on disk, which another process may have written.
  const publicKey = createPublicKey(await readPrivateKey(folder));
  const isFirst = await writeFirst(publicFile, publicKeyText(publicKey), FOR_ALL);
  return isFirst ? [...createdPrivate, publicFile] : createdPrivate;
}

async function writePrivateKey(file: string): Promise<readonly string[]> {
  const { privateKey } = await generateKeyPair();
  return (await writeFirst(file, privateKeyText(privateKey), OWNER_ONLY)) ? [file] : [];
}

/**
 * Copies the keys that exist to `public.<mark>.key` and `private.<mark>.key`. Returns the names of the copies.
 * @throws Problem `data-unwritable`
 */
export async function backUpKeyPair(folder: string, mark: string): Promise<readonly string[]> {
  const copies: string[] = [];
  for (const [name, mode] of [[PUBLIC_KEY, FOR_ALL] as const, [PRIVATE_KEY, OWNER_ONLY] as const]) {
    const from = path.join(folder, name);
    if (!(await isThere(from))) continue;
    const to = path.join(folder, name.replace('.key', `.${mark}.key`));
    await writeWhole(to, await readKeyFile(from), mode);
    copies.push(to);
  }
  return copies;
}
