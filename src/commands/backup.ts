import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { type Backup, makeBackup } from '../operator/backup/make-backup.ts';
import type { LeftOut } from '../operator/backup/manifest.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { warnOfFaults } from './with-ledger.ts';

export const backupCommand = (terminal: Terminal, clock: Clock) =>
  new Command('backup')
    .description('back up the ledger, keys, config and secrets to a new folder, even while Teller is running')
    .argument('<dir>', 'the folder to create')
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async (dir, flags): Promise<ExitCode> => {
        const onProgress = inTenths(terminal);
        const { instead, ...backup } = await makeBackup(flags.config, dir, clock, { onProgress });
        warnOfFaults(flags.config, instead, terminal);
        if (flags.json) printJson(terminal, [{ ...backup, backupAt: isoTime(backup.backupAt) }]);
        else printBackup(terminal, backup);
        return 0;
      }),
    );

/** Shows progress to a person who waits for a large ledger. */
function inTenths(terminal: Terminal): (copied: number, total: number) => void {
  let shown = 0;
  return (copied, total) => {
    const tenth = Math.floor((copied / total) * 10);
    if (!terminal.interactive || tenth <= shown) return;
    shown = tenth;
    terminal.err(`${tenth * 10} % of the ledger copied`);
  };
}

function printBackup(
  terminal: Terminal,
  { folder, backupAt, files, leftOut }: Omit<Backup, 'instead'>,
): void {
  terminal.out(`backup of ${isoTime(backupAt)} created in ${folder}`);
  printTable(terminal, [
    ['FILE', 'BYTES', 'NAMED BY'],
    ...files.map(({ original, bytes, configKeys }) => [
      original,
      bytes.toLocaleString('en'),
      configKeys.join(', '),
    ]),
  ]);
  for (const line of leftOutLines(leftOut)) terminal.err(line);
  terminal.err(
    'The copy of the ledger was checked and is intact. The backup contains your secrets unencrypted; store it safely, on another machine.',
  );
}

/** The files that are not in the backup. */
export const leftOutLines = (leftOut: readonly LeftOut[]): readonly string[] =>
  leftOut.map(({ what, configKeys, why }) => `not in the backup: ${what} (${configKeys.join(', ')}): ${why}`);
