import { createHash } from 'node:crypto';
import path from 'node:path';
import { realName } from '../../db/sqlite.ts';

/**
 * The folder next to a ledger in which the processes that record into it can be reached; only its owner can read it.
 * Each process has two files there: a socket, and a description of the config that it runs. Names are short, because the
 * path of a socket can have only about 104 bytes. Throws a Problem: `data-unwritable`.
 */
export const controlFolder = (ledgerFile: string): string => `${realName(ledgerFile)}.run`;

const SOCKET_PATH_BYTES_MAX = 103;

/** The socket on which a process accepts requests, on Windows a named pipe; null if the path is too long for a socket. */
export function socketOf(folder: string, id: string): string | null {
  if (process.platform === 'win32') return `\\\\.\\pipe\\teller-${digestOf(folder)}-${id}`;
  const absolute = path.join(folder, `${id}.sock`);
  const relative = path.relative(process.cwd(), absolute);
  const shorter = relative.length < absolute.length ? relative : absolute;
  return Buffer.byteLength(shorter) <= SOCKET_PATH_BYTES_MAX ? shorter : null;
}

export const publishedFileOf = (folder: string, id: string): string => path.join(folder, `${id}.json`);

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
