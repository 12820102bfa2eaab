/** Restores a backup and kills itself (SIGKILL) when all is written and nothing moved. Arguments: backup, config. */
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { planRestore } from '../../src/backup/restore-plan.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemTerminal } from '../../src/runtime/terminal.ts';

const [, , dir = '', config = ''] = process.argv;
systemTerminal.out(JSON.stringify({ msg: 'ready' }));
await restoreBackup(await planRestore(dir, config), {
  ...systemClock,
  // The time of the restore is asked for once the drafts are there.
  now: () => {
    process.kill(process.pid, 'SIGKILL');
    return 0;
  },
});
