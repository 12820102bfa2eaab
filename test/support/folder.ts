import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Some tests write 50,000 files. */
const REMOVING_MS = 60_000;

const ROOM = 2 ** 31;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > ROOM;
}

/** In memory, if that is large enough: no test is about waiting for the disk of this machine. */
const HOME = hasRoom('/dev/shm') ? '/dev/shm' : tmpdir();

/** A folder with these files, by relative path, that is removed after the test. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(path.join(HOME, 'teller-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }), REMOVING_MS);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}
