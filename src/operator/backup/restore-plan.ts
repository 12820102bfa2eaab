import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config/config.ts';
import { ConfigProblem } from '../../config/fault.ts';
import { PRIVATE_KEY, PUBLIC_KEY } from '../../config/keys.ts';
import { examineText, readConfigText } from '../../config/load.ts';
import { isYaml } from '../../config/yaml-parser.ts';
import { Problem } from '../../core/problem.ts';
import { FOR_ALL, isThere, OWNER_ONLY } from '../../platform/write-file.ts';
import { digestOf } from './copy-file.ts';
import { faultOfCopy } from './copy-ledger.ts';
import { type BackupFile, damaged, type FileKind, MANIFEST, type Manifest, readBackup } from './manifest.ts';

/** A file of the backup and where it will be restored. */
export interface Placement {
  readonly kind: FileKind;
  readonly from: string;
  /** Absolute, with links resolved. */
  readonly to: string;
  readonly mode: number;
  readonly bytes: number;
  /** What is there now. `same`: an identical file, which stays. */
  readonly finds: 'nothing' | 'another' | 'same';
}

export interface RestorePlan {
  readonly manifest: Manifest;
  readonly placements: readonly Placement[];
  /** Where the ledger will be restored. */
  readonly ledger: string;
  /** What is wrong with the config in the backup: it was backed up as it was, and has to be corrected before a start. */
  readonly fault: ConfigProblem | null;
}

/**
 * Checks the backup and plans a restore, without changing anything. Every file goes where the restored config will look
 * for it: relative to `configFile`, or at an absolute path if the config has one. If the config has faults, every file goes
 * where it was.
 * @throws Problem `backup-damaged`, `backup-newer`, `usage`
 */
export async function planRestore(dir: string, configFile: string): Promise<RestorePlan> {
  const folder = path.resolve(dir);
  const manifest = await readBackup(folder);
  const { targetOf, fault: ofConfig } = await targets(manifest, folder, path.resolve(configFile));
  if (new Set(manifest.files.map(targetOf)).size < manifest.files.length)
    throw damaged(folder, `its ${MANIFEST} lists two files for one place`);
  const placements: Placement[] = [];
  for (const entry of manifest.files) placements.push(await place(entry, folder, targetOf(entry)));
  const ledger = placements.find(({ kind }) => kind === 'ledger');
  const fault = ledger === undefined ? 'its manifest lists no ledger' : faultOfCopy(ledger.from);
  if (ledger === undefined || fault !== null) throw damaged(folder, `its ledger is damaged (${fault})`);
  return { manifest, placements, ledger: ledger.to, fault: ofConfig };
}

async function targets(
  { files }: Manifest,
  folder: string,
  configFile: string,
): Promise<{ targetOf: (entry: BackupFile) => string; fault: ConfigProblem | null }> {
  const copy = path.join(folder, files.find(({ kind }) => kind === 'config')?.file ?? '');
  requireSameFormat(copy, configFile);
  const { config, fault } = await examined(copy, configFile);
  const targetOf = ({ kind, original }: BackupFile): string => {
    const before = path.resolve(path.dirname(configFile), original);
    switch (kind) {
      case 'config':
        return configFile;
      case 'ledger':
        return config?.ledger ?? before;
      case 'private-key':
        return config === null ? before : path.join(config.keys, PRIVATE_KEY);
      case 'public-key':
        return config === null ? before : path.join(config.keys, PUBLIC_KEY);
      case 'schema':
      case 'secret':
        return before;
    }
  };
  return { targetOf, fault };
}

async function examined(
  copy: string,
  configFile: string,
): Promise<{ config: Config | null; fault: ConfigProblem | null }> {
  try {
    const { config, faults } = await examineText(await readConfigText(copy), configFile);
    return { config, fault: config === null ? new ConfigProblem(copy, faults) : null };
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    return { config: null, fault: error };
  }
}

/** @throws Problem `usage`: in a file with another ending, the restored config could not be read */
function requireSameFormat(copy: string, configFile: string): void {
  if (isYaml(copy) === isYaml(configFile)) return;
  const name = path.basename(copy);
  throw new Problem(
    'usage',
    `the config in the backup is ${name}, so ${path.basename(configFile)} could not be read as what it contains; add --config ${name}`,
  );
}

async function place(entry: BackupFile, folder: string, target: string): Promise<Placement> {
  const to = await realpath(target).catch(() => target);
  return {
    kind: entry.kind,
    from: path.join(folder, entry.file),
    to,
    mode: entry.kind === 'public-key' || entry.kind === 'schema' ? FOR_ALL : OWNER_ONLY,
    bytes: entry.bytes,
    finds: await findAt(to, entry),
  };
}

async function findAt(to: string, { kind, sha256 }: BackupFile): Promise<Placement['finds']> {
  if (!(await isThere(to))) return 'nothing';
  // A ledger is never the same, because the restored one will be marked as restored.
  if (kind === 'ledger') return 'another';
  const found = await digestOf(to).catch(() => null);
  return found?.sha256 === sha256 ? 'same' : 'another';
}
