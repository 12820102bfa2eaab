import { readFile, stat } from 'node:fs/promises';
import { Problem } from '../core/problem.ts';

/** Opening a pipe waits until a program writes into it, and a device may never end. */
export async function isPipeOrDevice(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
}

/** Call this before a file is opened that is imported. @throws Problem `import-unreadable` */
export async function requireNoPipe(file: string): Promise<void> {
  if (!(await isPipeOrDevice(file))) return;
  const sentence = `${file} is a pipe, a socket or a device, which may never end; write what it gives into a file, and import that`;
  throw new Problem('import-unreadable', sentence);
}

/** null: there is none, or it cannot be read. @throws Problem `import-unreadable` */
export async function textIfAny(file: string): Promise<string | null> {
  await requireNoPipe(file);
  return readFile(file, 'utf8').catch(() => null);
}
