import type { Clock } from '../core/clock.ts';
import { durationText } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { Problem } from '../core/problem.ts';
import { LATE_MS } from '../core/restore-doubt.ts';
import { type Restored, requireNoDelivery, restoreBackup } from '../operator/backup/restore-backup.ts';
import { planRestore, type RestorePlan } from '../operator/backup/restore-plan.ts';
import { printingSafely, type Terminal } from '../platform/terminal.ts';
import { leftOutLines } from './backup.ts';
import { action, type ExitCode, printJson, printProblem, printTable } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { type Ask, agreed, askAtTerminal } from './confirm.ts';

export function restoreCommand(given: Terminal, clock: Clock, ask: Ask = askAtTerminal) {
  const terminal = printingSafely(given);
  return new Command('restore')
    .description('restore a backup; rewards that may have been paid since are held for you to decide')
    .argument('<dir>', 'the folder that `teller backup` created')
    .option('--config <file>', 'where to put the config file; the rest goes beside it', DEFAULT_CONFIG)
    .option('--yes', 'do not ask; move existing files aside')
    .option('--json', 'print JSON, for scripts')
    .action(
      action(terminal, async (dir, flags): Promise<ExitCode> => {
        const plan = await planRestore(dir, flags.config);
        requireNoDelivery(plan.ledger);
        await agreeTo(plan, terminal, ask, flags.yes === true);
        const restored = await restoreBackup(plan, clock);
        if (flags.json) printJson(terminal, [json(plan, restored)]);
        else printRestored(terminal, plan, restored, flags.config);
        if (plan.fault !== null) {
          terminal.err(
            `The config had faults when it was backed up; correct ${flags.config} before you start Teller:`,
          );
          printProblem(terminal, plan.fault);
        }
        return 0;
      }),
    );
}

/** @throws Problem `restore-in-the-way`, `not-confirmed` */
async function agreeTo(plan: RestorePlan, terminal: Terminal, ask: Ask, yes: boolean): Promise<void> {
  const inTheWay = plan.placements.filter(({ finds }) => finds === 'another').map(({ to }) => to);
  if (inTheWay.length === 0) return;
  const question = `These files are in the way and will be moved aside: ${inTheWay.join(', ')}.`;
  if (!yes && !terminal.interactive) {
    throw new Problem('restore-in-the-way', `${question} Add --yes to do it.`);
  }
  await agreed(terminal, ask, yes, `${question} Restore the backup of ${plan.manifest.backupAt}?`);
}

const json = ({ manifest, placements }: RestorePlan, { restoredAt, doubts, kept }: Restored) => ({
  backupAt: manifest.backupAt,
  restoredAt: isoTime(restoredAt),
  files: placements.map(({ to, bytes, finds }) => ({ file: to, bytes, written: finds !== 'same' })),
  kept,
  leftOut: manifest.leftOut,
  ...doubts,
});

function printRestored(
  terminal: Terminal,
  { manifest, placements }: RestorePlan,
  { restoredAt, doubts, kept }: Restored,
  config: string,
): void {
  terminal.out(`restored the backup of ${manifest.backupAt}`);
  printTable(terminal, [
    ['FILE', 'BYTES', ''],
    ...placements.map(({ to, bytes, finds }) => [
      to,
      bytes.toLocaleString('en'),
      finds === 'same' ? 'unchanged' : '',
    ]),
  ]);
  for (const file of kept) terminal.err(`old file kept as ${file}`);
  for (const line of leftOutLines(manifest.leftOut)) terminal.err(line);
  terminal.err('');
  const { held, refused, unknown } = doubts;
  terminal.err(
    `${counted(held)} open in the backup and now held, because they may have been paid since the backup${unknown === 0 ? '' : ` (commands that were being sent and are unknown now: ${unknown})`}.`,
  );
  if (refused > 0)
    terminal.err(`${counted(refused)} refused in the backup and may also have been paid since.`);
  terminal.err(
    `Votes cast between ${manifest.backupAt} and ${isoTime(restoredAt)} may still arrive from a listing's API or a repeated webhook. They are recorded, and their grants are held too; so are those of votes cast up to ${durationText(LATE_MS)} earlier that are not in the backup.`,
  );
  terminal.err(
    `Next: if no reward was paid since the backup, \`teller grants pay --state held --config ${config}\` pays all that is held. Otherwise look at \`teller grants --state held\`, check on the game server what was paid, then \`teller grants pay\` or \`teller grants mark-paid\`, by ID or with filters.`,
  );
  const foundLedger = placements.some(({ kind, finds }) => kind === 'ledger' && finds !== 'nothing');
  if (!foundLedger)
    terminal.err(
      'If the Teller of the backup is on another machine or in another folder, stop it before you start this one: both would pay the same rewards.',
    );
  terminal.err(`Then start Teller: \`teller run --config ${config}\`.`);
}

const counted = (grants: number): string => (grants === 1 ? '1 grant was' : `${grants} grants were`);
