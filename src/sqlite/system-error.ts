import { existsSync, realpathSync } from 'node:fs';
import { Problem } from '../core/problem.ts';

/** What the operating system refused, as Node reports it. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error;

/** Where links lead to; a file that is not there is named as it is. Throws a Problem: `data-unwritable`. */
export function realName(file: string): string {
  try {
    return existsSync(file) ? realpathSync(file) : file;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const sentence = `${file} cannot be looked at (${error.message}); check the folder’s owner and disk.`;
    throw new Problem('data-unwritable', sentence, { cause: error });
  }
}
