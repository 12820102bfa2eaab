import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Random } from '../core/random.ts';
import { OWNER_ONLY, writeWhole } from '../platform/write-file.ts';

/** 128 bits in 32 characters, which every listing's form accepts and a double click selects. */
export const freshToken = (random: Random): string => random.bytes(16).toString('hex');

/** Where Teller keeps a site's token, relative to the config. */
export const tokenFileFor = (site: string): string => secretFileFor(site, 'token');

/** Where Teller keeps a secret of a site or game server, relative to the config. */
export const secretFileFor = (name: string, what: string): string => `data/secrets/${fileStem(name)}.${what}`;

/** A service name can contain any characters. Unless it is plain lower case, a digest keeps its file name unique. */
const fileStem = (site: string): string => {
  if (/^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*$/.test(site) && site.length <= 64) return site;
  const digest = createHash('sha256').update(site).digest('hex').slice(0, 8);
  const words = site
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return `${words.slice(0, 40)}-${digest}`.replace(/^-/, '');
};

/** The token in a file; null if the file does not exist or is empty. */
export async function readTokenFile(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() === '' ? null : text.trim();
}

/** @throws Problem `data-unwritable` */
export const writeTokenFile = async (file: string, token: string): Promise<void> =>
  await writeWhole(file, tokenFileText(token), OWNER_ONLY);

export const tokenFileText = (token: string): string => `${token}\n`;
