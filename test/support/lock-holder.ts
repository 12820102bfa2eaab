/** A process that takes a lock, says whether it got it, and holds it for as long as it lives. Argument: the lock's file. */
import { systemTerminal } from '../../src/runtime/terminal.ts';
import { takeLock } from '../../src/sqlite/lock.ts';

const lock = takeLock(process.argv[2] ?? '');
systemTerminal.out(JSON.stringify({ msg: 'ready', taken: lock !== null }));
setInterval(() => {}, 1_000_000);
