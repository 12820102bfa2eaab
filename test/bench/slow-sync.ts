import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Run from the repository, so the source is beside this file. */
const SOURCE = join(import.meta.dirname, 'slow-sync.c');

/** Makes the disk of a process slow. */
export interface SlowSync {
  /** For the environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** How much longer each fsync takes from now on. */
  set(ms: number): void;
}

/** Compiles the library into a folder. @returns why that is impossible, if it is. */
export function slowSyncIn(folder: string): SlowSync | string {
  if (process.platform !== 'linux') return 'LD_PRELOAD is for Linux';
  const library = join(folder, 'slow-sync.so');
  const delayFile = join(folder, 'slow-sync.ms');
  const { error } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl']);
  if (error !== undefined || !existsSync(library)) return 'there is no C compiler (cc)';
  writeFileSync(delayFile, '0');
  return {
    env: { LD_PRELOAD: library, SLOW_SYNC_FILE: delayFile },
    set: (ms) => writeFileSync(delayFile, String(ms)),
  };
}
