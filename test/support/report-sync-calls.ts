/**
 * Loaded into a process with `--import`: once the ready line is out, every synchronous call of `node:fs` and
 * `node:child_process` on the main thread prints its stack. Node's `--trace-sync-io` reports those of other threads too,
 * and none that have a fast path, such as `existsSync`.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

export const READY_MARK = 'the ready line is out\n';

type AnyFunction = (...args: unknown[]) => unknown;
const print = (process as unknown as { _rawDebug: (text: string) => void })._rawDebug;
let isReady = false;

function reporting(name: string, call: AnyFunction): AnyFunction {
  return Object.assign(function (this: unknown, ...args: unknown[]): unknown {
    if (isReady) print(`a synchronous call on the main thread: ${new Error(name).stack}\n`);
    return call.apply(this, args);
  }, call);
}

for (const functions of [fs, childProcess] as unknown as Record<string, AnyFunction>[]) {
  for (const [name, call] of Object.entries(functions)) {
    if (name.endsWith('Sync') && typeof call === 'function') functions[name] = reporting(name, call);
  }
}
syncBuiltinESMExports();

const write = process.stdout.write.bind(process.stdout) as AnyFunction;
process.stdout.write = ((text: string, ...rest: unknown[]) => {
  const result = write(text, ...rest);
  if (String(text).startsWith('{"msg":"ready"')) {
    print(READY_MARK.trimEnd());
    isReady = true;
  }
  return result;
}) as typeof process.stdout.write;
