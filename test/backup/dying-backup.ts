/** A process that makes a backup and kills itself (SIGKILL) while it copies the ledger. Arguments: config, folder. */
import { makeBackup } from '../../src/operator/backup/make-backup.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';

const [, , config = '', dir = ''] = process.argv;
systemTerminal.out(JSON.stringify({ msg: 'ready' }));
await makeBackup(config, dir, systemClock, {
  pagesPerStep: 1,
  onProgress: () => process.kill(process.pid, 'SIGKILL'),
});
