/** A process that restores a backup and kills itself (SIGKILL) after writing all drafts. Arguments: backup, config. */
import { restoreBackup } from '../../src/operator/backup/restore-backup.ts';
import { planRestore } from '../../src/operator/backup/restore-plan.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemTerminal } from '../../src/platform/terminal.ts';

const [, , dir = '', config = ''] = process.argv;
systemTerminal.out(JSON.stringify({ msg: 'ready' }));
let calls = 0;
await restoreBackup(await planRestore(dir, config), {
  ...systemClock,
  // The first call is compared with the time of the backup; the second comes after the drafts are written.
  now: () => {
    calls += 1;
    if (calls === 2) process.kill(process.pid, 'SIGKILL');
    return systemClock.now();
  },
});
