/** A process that acquires a lock, prints whether it got it, and holds it until it ends. Argument: the lock file. */

import { acquireLock } from '../../src/db/lock.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';

const lock = acquireLock(process.argv[2] ?? '');
systemTerminal.out(JSON.stringify({ msg: 'ready', taken: lock !== null }));
setInterval(() => {}, 1_000_000);
