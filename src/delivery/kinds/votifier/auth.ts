import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readPublicKey } from '../../../../protocol/votifier/v1.ts';
import type { Auth } from '../../../sender/send.ts';
import type { VotifierConfig } from './schema.ts';

/** null: the public key cannot be read. Throws the Problem `secret-missing`. */
export async function authOf({
  protocol,
  token,
  publicKey = '',
}: Pick<VotifierConfig, 'protocol' | 'token' | 'publicKey'>): Promise<Auth | null> {
  if (protocol === 'v2') return { version: 'v2', token: token.reveal() };
  const key = keyIn(publicKey) ?? (await keyInFile(publicKey));
  return key === null ? null : { version: 'v1', publicKey: key };
}

const keyIn = (text: string): KeyObject | null => {
  const reading = readPublicKey(text);
  return reading.kind === 'key' ? reading.key : null;
};

const keyInFile = (file: string): Promise<KeyObject | null> => readFile(file, 'utf8').then(keyIn, () => null);
