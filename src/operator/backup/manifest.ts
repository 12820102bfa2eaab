import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { isoTime } from '../../core/instant.ts';
import { readJson } from '../../core/json.ts';
import { Problem } from '../../core/problem.ts';
import { isPipeOrDevice } from '../../platform/plain-file.ts';
import { digestOf } from './copy-file.ts';

/** Written last: a folder without it is not a complete backup. */
export const MANIFEST = 'backup.json';

const VERSION = 1;

/** A path that is relative and has no leading `..` on any system, so that a restore writes only into its folder. */
const relativePath = z
  .string()
  .min(1)
  .refine((text) => !/^[/\\]|^[A-Za-z]:|[\\\0]/.test(text) && path.posix.normalize(text) === text)
  .refine((text) => text !== '..' && !text.startsWith('../'));

const common = {
  /** Path in the backup. */
  file: relativePath,
  /** The config keys that name the file; empty for the config and its schema. */
  configKeys: z.array(z.string()),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
};

const manifestSchema = z.object({
  version: z.literal(VERSION),
  backupAt: z.iso.datetime(),
  files: z.array(
    z.discriminatedUnion('kind', [
      // A restore puts these where the config says; `original` is only for people.
      z.object({
        kind: z.enum(['ledger', 'public-key', 'private-key']),
        original: z.string(),
        ...common,
      }),
      z.object({ kind: z.enum(['config', 'schema', 'secret']), original: relativePath, ...common }),
    ]),
  ),
  leftOut: z.array(z.object({ what: z.string(), configKeys: z.array(z.string()), why: z.string() })),
});

export type Manifest = z.output<typeof manifestSchema>;
export type BackupFile = Manifest['files'][number];
export type FileKind = BackupFile['kind'];
/** Something that the config names and the backup does not contain. */
export type LeftOut = Manifest['leftOut'][number];

export const manifestText = (
  backupAt: number,
  files: readonly BackupFile[],
  leftOut: readonly LeftOut[],
): string =>
  `${JSON.stringify({ version: VERSION, backupAt: isoTime(backupAt), files, leftOut }, null, 2)}\n`;

/**
 * Reads the manifest of a backup and checks every file against it.
 * @throws Problem `backup-damaged`, `backup-newer`
 */
export async function readBackup(dir: string): Promise<Manifest> {
  const manifest = await readManifest(dir);
  const faults = await Promise.all(manifest.files.map((entry) => faultOf(dir, entry)));
  const found = faults.filter((fault) => fault !== null);
  if (found.length > 0) throw damaged(dir, found.join('; '));
  return manifest;
}

async function readManifest(dir: string): Promise<Manifest> {
  const file = path.join(dir, MANIFEST);
  if (await isPipeOrDevice(file)) throw damaged(dir, `its ${MANIFEST} is not a file`);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw damaged(dir, `its ${MANIFEST} cannot be read (${error.code})`);
  });
  const value = readJson(text);
  if (Number((value as { version?: unknown } | null)?.version) > VERSION) {
    throw new Problem(
      'backup-newer',
      `${dir} was made by a newer Teller; install that version to restore it.`,
    );
  }
  const result = manifestSchema.safeParse(value);
  if (!result.success) throw damaged(dir, `its ${MANIFEST} is not valid`);
  const { kind } = missingKind(result.data) ?? {};
  if (kind !== undefined) throw damaged(dir, `its ${MANIFEST} must list one ${kind}`);
  return result.data;
}

const missingKind = ({ files }: Manifest) =>
  (['config', 'ledger'] as const)
    .map((kind) => ({ kind, count: files.filter((entry) => entry.kind === kind).length }))
    .find(({ count }) => count !== 1);

async function faultOf(dir: string, { file, bytes, sha256 }: BackupFile): Promise<string | null> {
  const copy = path.join(dir, file);
  if (await isPipeOrDevice(copy)) return `${file} is not a file`;
  const found = await digestOf(copy).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) return `${file} cannot be read (${found.code})`;
  if (found.bytes !== bytes) return `${file} has ${found.bytes} bytes instead of ${bytes}`;
  return found.sha256 === sha256 ? null : `${file} has changed since the backup`;
}

export const damaged = (dir: string, what: string): Problem =>
  new Problem(
    'backup-damaged',
    `${dir} is not a complete backup: ${what}. Nothing was changed; use another backup.`,
  );
