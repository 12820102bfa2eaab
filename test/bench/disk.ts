import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './figures.ts';

const TRIES = 100;
const PAGE = Buffer.alloc(4_096);

/** How long an fsync takes on the disk of this folder, in milliseconds. */
export function fsyncMs(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'w');
  const times = Array.from({ length: TRIES }, (_, index) => {
    writeSync(file, PAGE, 0, PAGE.length, index * PAGE.length);
    const startedAt = performance.now();
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return median(times);
}
