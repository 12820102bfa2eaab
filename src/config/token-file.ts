import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Random } from '../core/random.ts';
import { OWNER_ONLY, writeWhole } from '../runtime/write-file.ts';

/** 128 bits in 32 characters that every listing's form takes and one double click selects. */
export const freshToken = (random: Random): string => random.bytes(16).toString('hex');

/** Where Teller keeps a site's token, relative to the config. */
export const tokenFileFor = (site: string): string => `data/secrets/${fileStem(site)}.token`;

/** A service name can hold anything, so one that is not a plain lower-case name is told apart by its digest. */
const fileStem = (site: string): string => {
  if (/^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*$/.test(site) && site.length <= 64) return site;
  const digest = createHash('sha256').update(site).digest('hex').slice(0, 8);
  const words = site
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return `${words.slice(0, 40)}-${digest}`.replace(/^-/, '');
};

/** The token in a file, or null where there is no such file or nothing in it. */
export async function readTokenFile(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() === '' ? null : text.trim();
}

/** @throws Problem `data-unwritable` */
export const writeTokenFile = async (file: string, token: string): Promise<void> =>
  await writeWhole(file, tokenFileText(token), OWNER_ONLY);

export const tokenFileText = (token: string): string => `${token}\n`;
