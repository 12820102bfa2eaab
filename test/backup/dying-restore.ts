/** Restores a backup and kills itself (SIGKILL) when all is written and nothing moved. Arguments: backup, config. */
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { planRestore } from '../../src/backup/restore-plan.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemTerminal } from '../../src/runtime/terminal.ts';

const [, , dir = '', config = ''] = process.argv;
systemTerminal.out(JSON.stringify({ msg: 'ready' }));
let asked = 0;
await restoreBackup(await planRestore(dir, config), {
  ...systemClock,
  // Asked for first to be compared with the backup's, and again once the drafts are there.
  now: () => {
    asked += 1;
    if (asked === 2) process.kill(process.pid, 'SIGKILL');
    return systemClock.now();
  },
});
