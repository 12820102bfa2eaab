import type { Change } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { voteUrl } from '../config/schema-sites.ts';
import type { Clock } from '../core/clock.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { readJson } from '../core/json.ts';
import { printable, printableJson } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { shownService } from '../core/service-name.ts';
import { openLedger } from '../ledger/ledger.ts';
import { withLedgerIfThere } from '../operator/ledger-if-there.ts';
import { ledgerClock } from '../operator/practice-clock.ts';
import type { ProcessReload } from '../operator/reload.ts';
import { olderByReload } from '../operator/running-config.ts';
import { carryOut, type KnownFacts, planSites, type SitesAddition } from '../operator/sites/add.ts';
import { doubtText, knownListText, unlistableText } from '../operator/sites/add-words.ts';
import { provenIn, type SeenSite, seenSites } from '../operator/sites/seen.ts';
import type { Terminal } from '../platform/terminal.ts';
import { matchSite } from '../votes/sites.ts';
import { agreeToOtherChanges } from './agree-to-others.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { type Ask, agreed } from './confirm.ts';
import { exitOfEdit, printProcess, processJson, reloadAndWait } from './reload.ts';

interface AddFlags {
  /** This and `json` are options of `sites`, which commander accepts anywhere on the command line. */
  readonly config: string;
  readonly json?: boolean;
  readonly url?: string;
  readonly seen?: boolean;
  readonly proven?: boolean;
  readonly yes?: boolean;
}

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly ask: Ask;
}

export const sitesAddCommand = (tools: Tools) =>
  new Command('add')
    .description('give service names their own windows by adding them to `sites` in the config file')
    .argument('[name...]', 'service names, spelled as `teller sites` shows them')
    .option('--url <url>', 'the page where players vote, for one name')
    .option('--seen', 'only list the names that were seen and have no entry')
    .option('--proven', 'add every name without an entry that has sent a correctly signed (version 2) vote')
    .option(
      '--yes',
      'do not ask, not even about names that have not sent a correctly signed vote or are spelt like a listed one',
    )
    .configureHelp({ showGlobalOptions: true })
    .action(
      action(tools.terminal, (names, _, command) =>
        sitesAdd(names, command.optsWithGlobals() as AddFlags, tools),
      ),
    );

async function sitesAdd(typed: readonly string[], flags: AddFlags, tools: Tools): Promise<ExitCode> {
  const { terminal } = tools;
  const config = await loadConfig(flags.config, { missingSecrets: 'defer' });
  const clock = ledgerClock(config, tools.clock);
  const toRead = (file: string) => openLedger(file, 'read', { clock });
  const seen = await withLedgerIfThere(config.ledger, toRead, (ledger) =>
    seenSites(ledger, config.sites, clock.now()),
  );
  if (flags.seen) return printSeen(seen, flags, terminal);
  const names = [...typed.map(asTyped), ...(flags.proven ? provenIn(seen) : [])];
  if (names.length === 0 && !flags.proven) {
    throw new Problem('usage', 'give the names of the services to add, or use --seen or --proven');
  }
  const plan = await planSites(config, names, seen, readUrl(flags.url, names));
  if (plan.kind === 'unlistable') throw new Problem('usage', unlistableText(plan));
  if (plan.after === plan.before)
    return printAddition(
      { ...plan, waiting: 0 },
      await applyPresent(config, plan, flags, tools),
      flags,
      terminal,
    );
  await agreeToDoubtful(plan, flags, tools);
  await agreeToOtherChanges(config, 'Adding a site', flags.yes ?? false, tools);
  const waiting = seen
    .filter(({ service }) => plan.added.includes(service))
    .reduce((sum, each) => sum + each.waiting, 0);
  const processes = await carryOut(plan, {
    note: (added) =>
      withLedgerIfThere(config.ledger, toWrite(clock), async (ledger) =>
        ledger?.noteListed(added, clock.now()),
      ),
    reload: () => reloadAndWait(config.ledger, terminal, tools.clock),
  });
  return printAddition({ ...plan, waiting }, processes, flags, terminal);
}

/** A running Teller lacks entries of the file if an earlier `sites add` was killed before the reload. */
async function applyPresent(
  config: Config,
  { present }: SitesAddition,
  { yes = false, proven = false }: AddFlags,
  tools: Tools,
): Promise<readonly ProcessReload[]> {
  const keys = new Set(present.map((name) => matchSite(config.sites, name).key));
  const isOwn = ({ path: [section, key] }: Change): boolean => section === 'sites' && keys.has(String(key));
  // With --proven, the names are not known any more: they have entries now.
  const isLacking = (change: Change): boolean => isOwn(change) || (proven && change.path[0] === 'sites');
  const older = await olderByReload(config);
  if (!older.some(({ changes }) => changes.some(isLacking))) return [];
  await agreeToOtherChanges(config, 'Adding a site', yes, tools, isOwn);
  return reloadAndWait(config.ledger, tools.terminal, tools.clock);
}

const toWrite = (clock: Clock) => (file: string) => openLedger(file, 'write', { clock });

function readUrl(typed: string | undefined, names: readonly string[]): string | null {
  if (typed === undefined) return null;
  if (names.length !== 1)
    throw new Problem('usage', '--url is the page of one listing, so give one name with it');
  const read = voteUrl.safeParse(typed);
  if (read.success) return read.data;
  throw new Problem('usage', `--url ${read.error.issues[0]?.message}`);
}

/** A plain name, or the JSON string that `teller sites` prints, which may have escapes. */
const asTyped = (name: string): string => (/^".*"$/.test(name) ? String(readJson(name) ?? name) : name);

/** Asks about each name separately, because a list of invented names is easily confirmed by mistake. */
async function agreeToDoubtful(
  { doubtful }: SitesAddition,
  { yes = false }: AddFlags,
  { terminal, ask }: Tools,
): Promise<void> {
  for (const each of doubtful) await agreed(terminal, ask, yes, `${doubtText(each)} Add it?`);
}

/** With how many votes are paid because of it. */
interface Added extends SitesAddition {
  readonly waiting: number;
}

function printAddition(
  plan: Added,
  processes: readonly ProcessReload[],
  { json = false }: AddFlags,
  terminal: Terminal,
): ExitCode {
  const { file, added, present, diff, waiting } = plan;
  const isRunning = processes.some(({ reply }) => reply.kind === 'reloaded');
  if (json)
    printJson(terminal, [
      { file, added, present, diff, waiting, known: plan.known, processes: processes.map(processJson) },
    ]);
  else {
    for (const line of diff) terminal.out(printable(line, Number.POSITIVE_INFINITY));
    for (const line of [...resultOf(plan), ...plan.known.map(knownText)]) terminal.err(line);
    if (waiting > 0) terminal.err(waitingText(waiting, isRunning));
    for (const process of processes) printProcess(process, terminal);
  }
  return exitOfEdit(processes);
}

function resultOf({ file, added, present, before, after }: SitesAddition): readonly string[] {
  const names = (list: readonly string[]): string => list.map(shown).join(', ');
  // Without a new entry, only the page of one that exists can have changed.
  if (added.length === 0 && before !== after) return [`changed in ${file}: ${names(present)}`];
  const already = present.map((name) => `${shown(name)} already has an entry`);
  return [...already, added.length === 0 ? 'nothing to add' : `added to ${file}: ${names(added)}`];
}

/** Says what was taken from the data about known lists, and what the operator may add. */
function knownText({ list, written }: KnownFacts): string {
  const { page } = list;
  const cooldown =
    written.cooldown === undefined
      ? 'nothing of this had to be written'
      : `"cooldown": "${written.cooldown}" was written because of that`;
  const url =
    page === null || written.url !== undefined
      ? ''
      : `. Players need the page of your server, which looks like ${page}: add it with --url`;
  return `${knownListText(list)}; ${cooldown}${url}`;
}

const waitingText = (waiting: number, isRunning: boolean): string => {
  const votes = waiting === 1 ? '1 vote' : `${waiting} votes`;
  const when = isRunning ? 'now' : 'when Teller next starts';
  return `${votes} of the last 7 days waited for this, and will be decided ${when}, the oldest first; \`teller explain\` shows the result`;
};

const shown = (name: string): string => shownService(name, 64);

function printSeen(seen: readonly SeenSite[], flags: AddFlags, terminal: Terminal): ExitCode {
  if (flags.json) {
    printJson(
      terminal,
      seen.map((site) => ({ ...site, lastVoteAt: isoTimeOrNull(site.lastVoteAt) })),
    );
    return 0;
  }
  if (seen.length === 0) terminal.err('every service that was seen already has an entry');
  else {
    printTable(terminal, [
      ['SERVICE', 'VOTES', 'WAITING', 'LAST VOTE', 'PROVEN'],
      ...seen.map(({ service, votes, waiting, lastVoteAt, proof }) => [
        printableJson(service),
        String(votes),
        String(waiting),
        lastVoteAt === null ? 'refused' : isoTime(lastVoteAt),
        proof === 'signed' ? 'by a signed v2 vote' : 'no: anyone could have sent it',
      ]),
    ]);
    terminal.err('Add the proven ones with `teller sites add --proven`, and any other by name.');
  }
  return 0;
}
