import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { PRIVATE_KEY, PUBLIC_KEY } from '../../config/keys.ts';
import { secretsNamedIn } from '../../config/named-secrets.ts';
import { Problem } from '../../core/problem.ts';
import { isThere } from '../../platform/write-file.ts';
import type { FileKind, LeftOut } from './manifest.ts';

/** A file to back up. */
export interface Content {
  readonly kind: FileKind;
  /** Absolute. */
  readonly from: string;
  /** Relative to the config's folder, with slashes; absolute if it is outside that folder. */
  readonly original: string;
  readonly configKeys: readonly string[];
}

export interface Contents {
  readonly files: readonly Content[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * Everything that a config needs to run on another machine. The ledger and the keys are always included. A secret
 * outside the config's folder is not Teller's file (it may be mounted or the system's), so it is listed as left out.
 * @throws Problem `backup-incomplete` if an existing file cannot be read
 */
export async function contentsOf(config: Config): Promise<Contents> {
  const folder = path.dirname(config.file);
  const files: Content[] = [];
  const leftOut: LeftOut[] = [];
  const add = async (kind: FileKind, from: string, configKeys: readonly string[]): Promise<void> => {
    const original = originalOf(from, folder);
    const why = await reasonToLeaveOut(kind, from, original);
    if (why === null) files.push({ kind, from, original, configKeys });
    else leftOut.push({ what: original, configKeys: [...configKeys], why });
  };
  await add('config', config.file, []);
  const schema = path.join(folder, 'config.schema.json');
  if (await isThere(schema)) await add('schema', schema, []);
  await add('ledger', config.ledger, ['ledger']);
  await add('private-key', path.join(config.keys, PRIVATE_KEY), ['keys']);
  await add('public-key', path.join(config.keys, PUBLIC_KEY), ['keys']);
  const { inFiles, inEnvironment } = secretsNamedIn(JSON.parse(config.written.reveal()), folder);
  for (const [file, configKeys] of inFiles) await add('secret', file, configKeys);
  for (const [name, configKeys] of inEnvironment) {
    leftOut.push({ what: `env:${name}`, configKeys: [...configKeys], why: 'it is in the environment' });
  }
  return { files, leftOut };
}

function originalOf(file: string, folder: string): string {
  const relative = path.relative(folder, file);
  const isOutside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isOutside ? file : relative.split(path.sep).join('/');
}

async function reasonToLeaveOut(kind: FileKind, from: string, original: string): Promise<string | null> {
  if (kind === 'secret' && path.isAbsolute(original)) return 'it is outside the folder of the config';
  if (!(await isThere(from))) return 'it does not exist';
  const fault = await access(from, constants.R_OK).then(
    async () => ((await stat(from)).isFile() ? null : 'it is not a file'),
    ({ code }: NodeJS.ErrnoException) => String(code),
  );
  if (fault === null) return null;
  throw new Problem('backup-incomplete', `${from} cannot be read (${fault}); nothing was backed up.`);
}
