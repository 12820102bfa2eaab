import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/problem.ts';
import { makeFolder, OWNER_ONLY, writeNew } from '../../platform/write-file.ts';
import { type ConfigInUse, configInUse } from '../config-in-use.ts';
import { type Content, contentsOf } from './contents.ts';
import { asUnwritable, copyFile, digestOf, sync } from './copy-file.ts';
import { type CopyOptions, copyLedger } from './copy-ledger.ts';
import { type BackupFile, type LeftOut, MANIFEST, manifestText } from './manifest.ts';

export interface Backup {
  /** Absolute. */
  readonly folder: string;
  readonly backupAt: number;
  readonly files: readonly BackupFile[];
  readonly leftOut: readonly LeftOut[];
  /** Why the config, which is in the backup as it is, did not say what else is. */
  readonly instead: ConfigInUse['instead'];
}

/**
 * Copies ledger, keys, config and secrets into a new folder, also while Teller runs. The folder gets its final name when
 * everything is on disk: a crash leaves a folder that ends in `.unfinished` and has no manifest.
 * @throws ConfigProblem; Problem `backup-exists`, `backup-incomplete`, `ledger-…`, `data-unwritable`
 */
export async function makeBackup(
  configFile: string,
  dir: string,
  clock: Clock,
  options: CopyOptions = {},
): Promise<Backup> {
  const { config, instead } = await configInUse(configFile, clock);
  const folder = path.resolve(dir);
  await requireEmpty(folder);
  // Taken before the ledger is read: a restore holds votes cast after this time, except those that the copy contains.
  const backupAt = clock.now();
  const { files, leftOut } = await contentsOf(config);
  if (!files.some(({ kind }) => kind === 'ledger')) {
    const sentence = `There is no ledger at ${config.ledger} yet, so there is nothing to back up.`;
    throw new Problem('ledger-missing', sentence);
  }
  const draft = `${folder}.${process.pid}.unfinished`;
  try {
    await rm(draft, { recursive: true, force: true });
    await makeFolder(draft);
    const copied: BackupFile[] = [];
    for (const content of files) copied.push(await copyInto(draft, content, options));
    await writeNew(path.join(draft, MANIFEST), manifestText(backupAt, copied, leftOut), OWNER_ONLY);
    await putInPlace(draft, folder);
    return { folder, backupAt, files: copied, leftOut, instead };
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw asUnwritable(error, folder);
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return [];
    throw new Problem('backup-exists', `${folder} cannot be used for a backup (${code}); name a new folder.`);
  });
  if (names.length === 0) return;
  throw new Problem('backup-exists', `${folder} already exists and is not empty; name a new folder.`);
}

async function copyInto(
  draft: string,
  { kind, from, original, configKeys }: Content,
  options: CopyOptions,
): Promise<BackupFile> {
  const isOutside = path.isAbsolute(original);
  const file = isOutside ? `outside/${kind}/${path.basename(from)}` : `files/${original}`;
  const to = path.join(draft, file);
  if (kind === 'ledger') await copyLedgerTo(from, to, options);
  else await copyFile(from, to, OWNER_ONLY);
  return { kind, file, original, configKeys: [...configKeys], ...(await digestOf(to)) };
}

async function copyLedgerTo(from: string, to: string, options: CopyOptions): Promise<void> {
  await makeFolder(path.dirname(to));
  await copyLedger(from, to, options);
  await sync(to);
}

async function putInPlace(draft: string, folder: string): Promise<void> {
  await sync(draft);
  // Removes an empty folder of that name, which rename replaces only on some systems.
  await rmdir(folder).catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return;
    const sentence = `${folder} cannot be replaced (${code}); name a folder that does not exist, for example inside it.`;
    throw new Problem('backup-exists', sentence);
  });
  await rename(draft, folder);
  await sync(path.dirname(folder));
}
