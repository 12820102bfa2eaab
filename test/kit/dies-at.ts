/**
 * Preloaded into every thread of a process of Teller: kills it (SIGKILL) at its n-th write, before that is made, or in the middle of
 * it. A write is a change of a file or folder, a commit of SQLite, or what goes to another process over a socket; what is printed or
 * logged is none. The writes of all threads are counted together, one byte each in a file.
 *
 * Environment: DIES_AT is n, and 0 lets the process live; WRITES is the file.
 */
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

type Make = (...given: unknown[]) => unknown;

const diesAt = Number(process.env.DIES_AT ?? 0);
const { WRITES: file } = process.env;
if (file !== undefined) {
  const writes = fs.openSync(file, 'a');
  const { writeSync, fstatSync, openSync, readFileSync, closeSync } = fs;
  const died = `${file}.died`;
  /** Several processes may count in one file: the first that gets here is the one that dies, with all of its threads. */
  const isTheOne = (): boolean => {
    try {
      const taken = openSync(died, 'wx');
      writeSync(taken, String(process.pid));
      closeSync(taken);
      return true;
    } catch {
      return readFileSync(died, 'utf8') === String(process.pid);
    }
  };
  /** @returns whether the process is to die at this write. Two threads may write at the same time: one of them is later than n. */
  watchAll(() => {
    writeSync(writes, '.');
    return diesAt > 0 && fstatSync(writes).size >= diesAt && isTheOne();
  });
}

function watchAll(isLast: () => boolean): void {
  const watching = watcher(isLast);
  for (const [of, end] of [
    [fs.promises, ''],
    [fs, 'Sync'],
  ] as const) {
    for (const name of ['rename', 'link', 'copyFile', 'chmod']) watching(of, `${name}${end}`);
    for (const name of ['rm', 'unlink'])
      watching(of, `${name}${end}`, (_, [path]) => fs.existsSync(String(path)));
    watching(of, `mkdir${end}`, (_, [path]) => !fs.existsSync(String(path)));
  }
  watching(fs, 'writeFileSync');
  watchHandles(isLast);
  watchCommits(watching);
  // Standard output and error are sockets with a number.
  watching(Socket.prototype, 'write', (self) => !('fd' in (self as Socket)));
  syncBuiltinESMExports();
}

type Watching = (of: object, name: string, counts?: (self: unknown, given: unknown[]) => boolean) => void;

/** Makes calls of a method writes: each one, or those that count. */
function watcher(isLast: () => boolean): Watching {
  return (of, name, counts = () => true) => {
    const make = Reflect.get(of, name) as Make;
    Reflect.set(of, name, function (this: unknown, ...given: unknown[]): unknown {
      if (counts(this, given) && isLast()) die();
      return make.apply(this, given);
    });
  };
}

/** A file that is written in part. */
function watchHandles(isLast: () => boolean): void {
  const { open } = fs.promises;
  Reflect.set(fs.promises, 'open', async (...given: Parameters<typeof open>) => {
    const handle = await open(...given);
    const { writeFile } = handle;
    handle.writeFile = async (data, options) => {
      if (isLast()) {
        await writeFile.call(handle, String(data).slice(0, String(data).length / 2), options);
        die();
      }
      return writeFile.call(handle, data, options);
    };
    return handle;
  });
}

/** What is written within a transaction is lost with it. */
function watchCommits(watching: Watching): void {
  const Sqlite = createRequire(import.meta.url)('better-sqlite3') as typeof import('better-sqlite3');
  const memory = new Sqlite(':memory:');
  const statements = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object;
  memory.close();
  for (const name of ['run', 'get', 'all'])
    watching(statements, name, (self) => {
      const { source, readonly, database } = self as import('better-sqlite3').Statement;
      return source === 'COMMIT' || (!readonly && !database.inTransaction && !/^BEGIN/.test(source));
    });
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // Nothing may be written until the signal has come.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}
