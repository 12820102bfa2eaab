import { type Clock, pause } from '../core/clock.ts';
import type { Finding, Mark } from '../core/finding.ts';
import type { Random } from '../core/random.ts';
import type { DeepPart, RecountOrder } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/ledger.ts';
import { check } from '../operator/check/check.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';

interface Tools {
  readonly clock: Clock;
  readonly random: Random;
}

const newCommand = () =>
  new Command('check')
    .description(
      'look for problems with the config, keys, ports, clock, ledger, game servers and sites, and say how to fix them',
    )
    .option('--offline', 'use no network: skip the ports, the game servers and the APIs of listings')
    .option(
      '--deep',
      'also read the whole ledger, look for damage, and count again where counts differ from the votes; slow if it is large',
    )
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type CheckFlags = FlagsOf<typeof newCommand>;

export const checkCommand = (terminal: Terminal, tools: Tools) =>
  newCommand().action(action(terminal, (flags) => runCheck(flags, terminal, tools)));

async function runCheck(flags: CheckFlags, terminal: Terminal, { clock, random }: Tools): Promise<ExitCode> {
  const progress = deepProgress(terminal, clock);
  const { findings, isConfigUsable } = await check(flags.config, {
    clock,
    random,
    isOffline: flags.offline === true,
    deep: flags.deep === true ? { onPart: progress.part, recount: recountWith(clock) } : null,
    openLedger: (file) => openLedger(file, 'read', { clock }),
  });
  progress.stop();
  if (flags.json) printJson(terminal, findings.map(findingJson));
  else printFindings(terminal, findings, flags.offline === true);
  if (!isConfigUsable) return 2;
  return findings.some(({ mark }) => mark === 'problem') ? 1 : 0;
}

export const findingCells = ({ mark, code, sentence, toDo }: Finding): readonly string[] => [
  ...[mark, code, toDo === null ? sentence : `${sentence} → ${toDo}`],
];

const recountWith = (clock: Clock) => async (file: string, order: RecountOrder) => {
  const ledger = await openLedger(file, 'write', { clock });
  await ledger.recount(order).finally(() => ledger.close());
};

const findingJson = ({ mark, code, sentence, toDo }: Finding) => ({ mark, code, sentence, toDo });

function printFindings(terminal: Terminal, findings: readonly Finding[], isOffline: boolean): void {
  printTable(terminal, findings.map(findingCells));
  const skipped = isOffline ? '; the ports, game servers and APIs were not checked (--offline)' : '';
  terminal.err(`${counted(findings, 'problem')}, ${counted(findings, 'warning')}${skipped}`);
}

function counted(findings: readonly Finding[], mark: Mark): string {
  const count = findings.filter((finding) => finding.mark === mark).length;
  return count === 1 ? `1 ${mark}` : `${count} ${mark}s`;
}

/** Progress while the whole ledger is read. */
interface DeepProgress {
  part(part: DeepPart): Promise<void>;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;
/** Lets the bar be drawn before the next part blocks the process. */
const DRAWN_MS = 100;

/** A bar at a terminal, otherwise a line every few seconds. */
const deepProgress = (terminal: Terminal, clock: Clock): DeepProgress =>
  terminal.interactive ? bar(clock) : lines(terminal, clock);

function lines(terminal: Terminal, clock: Clock): DeepProgress {
  let shownAt = clock.monotonic();
  return {
    part: async (part) => {
      if (clock.monotonic() - shownAt < LINE_EVERY_MS) return;
      shownAt = clock.monotonic();
      terminal.err(`${percentOf(part)} % of the ledger read, now reading ${nameOf(part)}`);
    },
    stop: () => {},
  };
}

/** Loads the prompt library only now, because most runs show no bar. */
function bar(clock: Clock): DeepProgress {
  let shown: Awaited<ReturnType<typeof startBar>> | null = null;
  let percent = 0;
  return {
    part: async (part) => {
      const isFirst = shown === null;
      shown ??= await startBar();
      const advanced = percentOf(part) - percent;
      percent += advanced;
      shown.advance(advanced, `reading ${nameOf(part)}`);
      if (isFirst || advanced > 0) await pause(clock, DRAWN_MS);
    },
    stop: () => shown?.stop('finished reading the ledger'),
  };
}

async function startBar() {
  const { progress } = await import('@clack/prompts');
  const started = progress({ max: 100, output: process.stderr, onCancel: () => process.exit(1) });
  started.start('reading the ledger');
  return started;
}

const percentOf = ({ share }: DeepPart): number => Math.floor(share * 100);

const nameOf = ({ table }: DeepPart): string => (table === '' ? 'its structure' : `the table ${table}`);
