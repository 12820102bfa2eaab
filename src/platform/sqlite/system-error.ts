import { existsSync, realpathSync } from 'node:fs';
import { Problem } from '../../core/problem.ts';

/** Whether Node reports an error of the operating system. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error;

/** The path with links resolved; unchanged if the file does not exist. Throws a Problem: `data-unwritable`. */
export function realName(file: string): string {
  try {
    return existsSync(file) ? realpathSync(file) : file;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const sentence = `${file} cannot be accessed (${error.message}); check the folder’s owner and the disk.`;
    throw new Problem('data-unwritable', sentence, { cause: error });
  }
}
