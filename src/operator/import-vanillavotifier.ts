import { createPublicKey } from 'node:crypto';
import path from 'node:path';
import { type KeyPair, parsePrivateKey, parsePublicKey } from '../config/keys.ts';
import type { PluginSetup } from '../config/votifier-plugin.ts';
import { Problem } from '../core/problem.ts';
import type { VanillaVotifierFiles } from '../plugins/vanillavotifier/files.ts';

/**
 * The keys and the port of VanillaVotifier, to be imported like those of a plugin. It accepts version 1 only.
 * @throws Problem `key-invalid`, `key-mismatch`
 */
export function listenerOf({ folder, setup, pair }: VanillaVotifierFiles): PluginSetup {
  const isMissing = setup.keys !== null && pair === null;
  const sentence = 'a file of the key pair is missing; listings need the key that `teller keys` shows';
  return {
    ...{ folder, port: setup.port, acceptsV1: true, tokens: new Map() },
    pair: pair === null ? null : pairIn(pair, folder, setup.keys),
    notImported: isMissing ? [{ what: 'RSA pair', sentence }] : [],
  };
}

function pairIn(
  texts: NonNullable<VanillaVotifierFiles['pair']>,
  folder: string,
  keys: VanillaVotifierFiles['setup']['keys'],
): KeyPair {
  const publicKey = parsePublicKey(texts.publicKey, path.resolve(folder, keys?.public ?? ''));
  const privateKey = parsePrivateKey(texts.privateKey, path.resolve(folder, keys?.private ?? ''));
  if (createPublicKey(privateKey).equals(publicKey)) return { publicKey, privateKey };
  throw new Problem('key-mismatch', `the two keys in ${folder} do not belong together`);
}
