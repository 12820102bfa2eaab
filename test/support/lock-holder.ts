/** A process that acquires a lock, prints whether it got it, and holds it until it ends. Argument: the lock file. */
import { systemTerminal } from '../../src/runtime/terminal.ts';
import { acquireLock } from '../../src/sqlite/lock.ts';

const lock = acquireLock(process.argv[2] ?? '');
systemTerminal.out(JSON.stringify({ msg: 'ready', taken: lock !== null }));
setInterval(() => {}, 1_000_000);
