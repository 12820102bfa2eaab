/**
 * Preloaded into a command: kills it (SIGKILL) before its n-th write, or in the middle of it. A write is a change of a file or
 * folder (a file that is only created counts as one that is written in part), a commit of SQLite, or what goes to another process. With n = 0 it lives, and the number of its writes is written to
 * a file when it ends.
 *
 * Environment: DIES_AT is n, COUNT_TO is the file.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { Sqlite } from '../../src/platform/sqlite/driver.ts';
import { die } from './dying.ts';

type Make = (...given: unknown[]) => unknown;

const diesAt = Number(process.env.DIES_AT);
const appendCount = fs.appendFileSync;
let writes = 0;

/** @returns whether the process is to die at this write, which the caller then begins, or does not. */
function isLast(): boolean {
  writes += 1;
  return writes === diesAt;
}

/** Makes calls of this method writes. @param counts whether a call writes; if not given, each does. */
function watch(
  of: object,
  name: string,
  counts: (self: unknown, given: unknown[]) => boolean = () => true,
): void {
  const make = Reflect.get(of, name) as Make;
  Reflect.set(of, name, function (this: unknown, ...given: unknown[]): unknown {
    if (counts(this, given) && isLast()) die();
    return make.apply(this, given);
  });
}

/** A file that is written in part. */
async function watchHandles(): Promise<void> {
  const handle = await fs.promises.open(process.execPath);
  const prototype = Object.getPrototypeOf(handle) as { writeFile: (text: string) => Promise<void> };
  await handle.close();
  const { writeFile } = prototype;
  prototype.writeFile = async function (text: string): Promise<void> {
    if (isLast()) {
      await writeFile.call(this, text.slice(0, text.length / 2));
      die();
    }
    return writeFile.call(this, text);
  };
}

/** Writes within a transaction are lost with it. */
function watchCommits(): void {
  const memory = new Sqlite(':memory:');
  const statements = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object;
  memory.close();
  const commits = (self: unknown): boolean => {
    const { source, readonly, database } = self as import('better-sqlite3').Statement;
    return source === 'COMMIT' || (!readonly && !database.inTransaction);
  };
  for (const name of ['run', 'get', 'all']) watch(statements, name, commits);
}

/** Not standard output and error, which are sockets with a number. */
const isToAnother = (self: unknown): boolean => !('fd' in (self as Socket));

const exists = fs.existsSync;
const isThere = (_: unknown, [file]: unknown[]): boolean => exists(String(file));
const isMissing = (_: unknown, [file]: unknown[]): boolean => !exists(String(file));

if (isMainThread) {
  for (const [of, end] of [
    [fs.promises, ''],
    [fs, 'Sync'],
  ] as const) {
    for (const name of ['rename', 'link', 'copyFile', 'chmod']) watch(of, `${name}${end}`);
    for (const name of ['rm', 'unlink']) watch(of, `${name}${end}`, isThere);
    watch(of, `mkdir${end}`, isMissing);
  }
  watch(fs, 'writeFileSync');
  await watchHandles();
  watchCommits();
  watch(Socket.prototype, 'write', isToAnother);
  syncBuiltinESMExports();
  const { COUNT_TO: file } = process.env;
  if (diesAt === 0 && file !== undefined) process.on('exit', () => appendCount(file, String(writes)));
}
