import { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { printable, printableJson } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { shownService } from '../core/service-name.ts';
import { openLedger } from '../ledger/sqlite-ledger.ts';
import { planSites, type SitesAddition, writeSites } from '../operator/add-sites.ts';
import type { ProcessReload } from '../operator/reload.ts';
import { olderConfigs } from '../operator/running-config.ts';
import { type SeenSite, seenSites } from '../operator/seen-sites.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { type Ask, agreed } from './confirm.ts';
import { olderSentence } from './older-config.ts';
import { exitOf, printProcess, processJson, reloadPatiently } from './reload.ts';

interface AddFlags {
  /** This and `json` are options of `sites`, which commander takes in any place. */
  readonly config: string;
  readonly json?: boolean;
  readonly seen?: boolean;
  readonly proven?: boolean;
  readonly yes?: boolean;
}

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly ask: Ask;
}

export const sitesAddCommand = (tools: Tools): Command =>
  new Command('add')
    .description('give services windows of their own: adds them to `sites` in the config file')
    .argument('[name...]', 'service names, spelt as `teller sites` shows them')
    .option('--seen', 'list the names that were seen and have no entry; adds nothing')
    .option('--proven', 'add every such name that a signed v2 vote has proven')
    .option('--yes', 'without asking, also for a name that nothing has proven')
    .configureHelp({ showGlobalOptions: true })
    .action(
      action(tools.terminal, (names: string[], _: unknown, command: Command) =>
        sitesAdd(names, command.optsWithGlobals<AddFlags>(), tools),
      ),
    );

async function sitesAdd(typed: readonly string[], flags: AddFlags, tools: Tools): Promise<ExitCode> {
  const { terminal } = tools;
  const config = await loadConfig(flags.config, { missingSecrets: 'defer' });
  const seen = await lookedUp(config.ledger, tools.clock, async (ledger) =>
    seenSites(ledger, config.sites, tools.clock.now()),
  );
  if (flags.seen) return printSeen(seen, flags, terminal);
  const names = [...typed.map(asTyped), ...(flags.proven ? provenIn(seen) : [])];
  if (names.length === 0 && !flags.proven) {
    throw new Problem('usage', 'name the services to add, or say --seen or --proven');
  }
  const addition = await planSites(flags.config, names);
  if (addition.added.length === 0) return printAddition(addition, [], flags, terminal);
  await agreeToUnproven(addition.added, seen, flags, tools);
  await agreeToOtherChanges(config, flags, tools);
  await writeSites(addition);
  return printAddition(
    addition,
    await reloadPatiently(config.ledger, tools.terminal, tools.clock),
    flags,
    terminal,
  );
}

/** As a shell passes it, or as the entry that `teller sites` prints, which can hold escapes. */
function asTyped(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  try {
    return String(JSON.parse(name));
  } catch {
    return name;
  }
}

const provenIn = (seen: readonly SeenSite[]): readonly string[] =>
  seen.filter(({ proof }) => proof === 'signed').map(({ service }) => service);

const RISK =
  'Anyone who has seen the public key can invent service names, and every name in `sites` is one more reward a day for each player.';

/** Each by itself: a list of invented names is agreed to too easily. */
async function agreeToUnproven(
  names: readonly string[],
  seen: readonly SeenSite[],
  { yes = false }: AddFlags,
  { terminal, ask }: Tools,
): Promise<void> {
  const proven = new Set(provenIn(seen));
  for (const name of names.filter((one) => !proven.has(one))) {
    const known = seen.find(({ service }) => service === name);
    const question = `${howItCame(name, known)} ${RISK} Add it?`;
    await agreed(terminal, ask, yes, question);
  }
}

function howItCame(name: string, seen: SeenSite | undefined): string {
  if (seen === undefined) return `No vote has come under the name ${shown(name)}.`;
  const slip = seen.nearly === null ? '' : ` It is nearly "${shown(seen.nearly)}", which is listed.`;
  return `${shown(name)} was seen, and no signed v2 vote has proven it.${slip}`;
}

function printAddition(
  { file, added, present, diff }: SitesAddition,
  processes: readonly ProcessReload[],
  { json = false }: AddFlags,
  terminal: Terminal,
): ExitCode {
  if (json) printJson(terminal, [{ file, added, present, diff, processes: processes.map(processJson) }]);
  else {
    for (const line of diff) terminal.out(printable(line, Number.POSITIVE_INFINITY));
    for (const name of present) terminal.err(`${shown(name)} has an entry already`);
    terminal.err(added.length === 0 ? 'nothing to add' : `added to ${file}: ${added.map(shown).join(', ')}`);
    for (const process of processes) printProcess(process, terminal);
  }
  // A restart that other keys need does not concern what was added.
  return processes.every(({ reply }) => reply.kind === 'reloaded') ? 0 : exitOf(processes);
}

const shown = (name: string): string => shownService(name, 64);

/** A reload applies everything in the file, so changes that are not this command's are shown and agreed to first. */
async function agreeToOtherChanges(
  config: Config,
  { yes = false }: AddFlags,
  { terminal, ask }: Tools,
): Promise<void> {
  const older = (await olderConfigs(config)).filter(({ changes }) =>
    changes.some(({ needsRestart }) => !needsRestart),
  );
  if (older.length === 0) return;
  for (const each of older) terminal.err(`note: ${olderSentence(each)}`);
  await agreed(
    terminal,
    ask,
    yes,
    'Adding a site reloads the config, which applies these changes too. Do it?',
  );
}

function printSeen(seen: readonly SeenSite[], flags: AddFlags, terminal: Terminal): ExitCode {
  if (flags.json) {
    printJson(
      terminal,
      seen.map((site) => ({ ...site, lastVoteAt: isoTimeOrNull(site.lastVoteAt) })),
    );
    return 0;
  }
  if (seen.length === 0) terminal.err('every service that was seen has an entry');
  else {
    printTable(terminal, [
      ['SERVICE', 'VOTES', 'LAST VOTE', 'PROVEN'],
      ...seen.map(({ service, votes, lastVoteAt, proof }) => [
        printableJson(service),
        String(votes),
        lastVoteAt === null ? 'refused' : isoTime(lastVoteAt),
        proof === 'signed' ? 'by a signed v2 vote' : 'no: anyone could have sent it',
      ]),
    ]);
    terminal.err('Add those that are proven with `teller sites add --proven`, any other by its name.');
  }
  return 0;
}

/** Before the first vote there is no ledger, and nothing was seen. */
async function lookedUp(
  file: string,
  clock: Clock,
  body: (ledger: ReturnType<typeof openLedger>) => Promise<readonly SeenSite[]>,
): Promise<readonly SeenSite[]> {
  let ledger: ReturnType<typeof openLedger>;
  try {
    ledger = openLedger(file, 'read', clock);
  } catch (error) {
    if (error instanceof Problem && error.code === 'ledger-missing') return [];
    throw error;
  }
  try {
    return await body(ledger);
  } finally {
    ledger.close();
  }
}
