import type { Clock } from '../core/clock.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { shownService } from '../core/service-name.ts';
import { type Uptime, uptimeJson, uptimeOf } from '../operator/downtimes.ts';
import { isPaying } from '../operator/reload.ts';
import {
  type FiguresOfSites,
  figuresOfSites,
  type SiteFigures,
  type SiteRefusal,
} from '../operator/sites/figures.ts';
import { noiseText, type RefusalFigure, refusalSenders } from '../operator/trace/refusals.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type Ask, askAtTerminal } from './confirm.ts';
import { printDowntimes, printNotRunning } from './downtimes-print.ts';
import { noteOlderConfig } from './older-config.ts';
import { sitesAddCommand } from './sites-add.ts';
import { readLedger } from './with-ledger.ts';

/** Anyone can invent names, so only the newest without an entry are shown. */
const UNLISTED_SHOWN = 50;

const newCommand = () =>
  new Command('sites')
    .description(
      'list every service name seen, with its votes, its refusals and their likely causes, and the entry to add',
    )
    .option(...CONFIG_FLAG)
    .option('--all', `show every name, not only the newest ${UNLISTED_SHOWN} without an entry`)
    .option('--json', 'print JSON with every name, for scripts');

type SitesFlags = FlagsOf<typeof newCommand>;

export const sitesCommand = (terminal: Terminal, clock: Clock, ask: Ask = askAtTerminal) =>
  newCommand()
    .action(action(terminal, (flags) => sites(flags, terminal, clock)))
    .addCommand(sitesAddCommand({ terminal, clock, ask }));

async function sites(flags: SitesFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  return readLedger(flags.config, terminal, clock, async (ledger, config, time): Promise<ExitCode> => {
    await noteOlderConfig(config, terminal, flags.json);
    const figures = await figuresOfSites(ledger, config.sites, time.now());
    const uptime = await uptimeOf(ledger, time, isPaying(config.ledger));
    if (flags.json) printJson(terminal, rowsOf(figures, uptime));
    else {
      printNotRunning(terminal, uptime);
      printSites(terminal, figures, flags.all === true);
      printDowntimes(terminal, uptime, config.sites);
    }
    return 0;
  });
}

/** The row whose service is null has what belongs to no service: refusals without a name, and when no Teller was running. */
const rowsOf = (
  { services, nameless, noise, others }: FiguresOfSites,
  uptime: Uptime,
): readonly unknown[] => [
  ...services.map((site) => ({
    service: site.service,
    site: site.site,
    listed: site.isListed,
    url: site.url,
    lastVoteAt: isoTimeOrNull(site.lastVoteAt),
    today: site.today,
    decisions: site.decisions,
    waiting: site.waiting,
    refusals: site.refusals.map(refusalJson),
    toAdd: site.toAdd,
    perhapsMeant: site.nearly,
  })),
  ...(nameless.length + noise.length + uptime.downtimes.length === 0 && others === null && uptime.isRunning
    ? []
    : [
        {
          ...{ service: null, refusals: nameless.map(refusalJson), noise, ...othersJson(others) },
          ...uptimeJson(uptime),
        },
      ]),
];

const othersJson = (others: FiguresOfSites['others']) =>
  others === null ? {} : { others: { ...others, lastVoteAt: isoTime(others.lastVoteAt) } };

const refusalJson = ({ code, count, lastAt, senders, cause }: RefusalFigure) => ({
  code,
  count,
  lastAt: isoTime(lastAt),
  senders,
  cause,
});

function printSites(
  terminal: Terminal,
  { services, nameless, noise, others }: FiguresOfSites,
  isAll: boolean,
): void {
  const hidden = new Set(isAll ? [] : services.filter(({ isListed }) => !isListed).slice(UNLISTED_SHOWN));
  const shown = services.filter((site) => !hidden.has(site));
  if (shown.length === 0) terminal.err('no service has sent a vote yet, and `sites` lists none');
  else printTable(terminal, [HEADING, ...shown.map(cellsOf)]);
  if (hidden.size > 0) {
    terminal.err(`and ${hidden.size} older names without an entry; --all shows them`);
  }
  if (others !== null) {
    const { votes, today, lastVoteAt } = others;
    const last = `the last at ${isoTime(lastVoteAt)}, ${today} today`;
    terminal.out(`and ${votes} votes under other names, which are not counted separately, ${last}`);
  }
  printPages(terminal, shown);
  printRefusals(terminal, [...shown.flatMap(({ refusals }) => refusals), ...nameless]);
  if (noise.length > 0) terminal.out(`\nIn the last 7 days ${noiseText(noise)}`);
  printToAdd(terminal, shown);
}

const HEADING = [
  'SERVICE',
  'ENTRY',
  'LAST VOTE',
  'TODAY',
  'REWARDED',
  'COOLDOWN',
  'WAITING',
  'OTHER',
  'REFUSED',
];

function cellsOf({
  service,
  isListed,
  lastVoteAt,
  today,
  decisions,
  waiting,
  refusals,
}: SiteFigures): string[] {
  const { rewarded = 0, cooldown = 0, ...other } = decisions;
  const rest = Object.values(other).reduce((sum, votes) => sum + votes, 0) - waiting;
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  const figures = [today, rewarded, cooldown, waiting, rest, refused].map(String);
  const last = lastVoteAt === null ? 'no vote yet' : isoTime(lastVoteAt);
  return [shownService(service, 48), isListed ? 'own' : 'unlisted', last, ...figures];
}

function printPages(terminal: Terminal, services: readonly SiteFigures[]): void {
  const known = services.flatMap(({ service, url }) =>
    url === null ? [] : [[shownService(service, 48), url]],
  );
  if (known.length === 0) return;
  terminal.out('');
  terminal.out('Where players vote:');
  for (const [service, url] of known) terminal.out(`  ${service}: ${url}`);
}

function printRefusals(terminal: Terminal, refusals: readonly (SiteRefusal | RefusalFigure)[]): void {
  if (refusals.length === 0) return;
  terminal.out('');
  terminal.out('Refused in the last 7 days:');
  for (const figure of refusals) {
    const { service, code, count, lastAt, cause } = figure;
    const isFixed = 'isProbablyFixed' in figure && figure.isProbablyFixed;
    const times = count === 1 ? 'once, at' : `${count} times, last`;
    terminal.out(
      `  ${service === null ? '(no service name)' : shownService(service)}: ${times} ${isoTime(lastAt)}`,
    );
    terminal.out(`    ${refusalSenders(figure)} ${cause} [${code}]`);
    if (isFixed)
      terminal.out('    a vote with this service name has been recorded since, so this is probably fixed');
  }
}

function printToAdd(terminal: Terminal, services: readonly SiteFigures[]): void {
  const unlisted = services.filter(({ lacksEntry }) => lacksEntry);
  if (unlisted.length === 0) return;
  terminal.out('');
  terminal.out(
    'Unlisted services share one window per player. To give a service its own window, add it to `sites`',
  );
  terminal.out('with `teller sites add NAME`, or by hand:');
  for (const { toAdd, nearly, waiting } of unlisted) {
    const misspelt =
      nearly === null ? '' : `   (or, if it is the same site as "${nearly}", change that name to this one)`;
    terminal.out(`  ${toAdd}${waiting === 0 ? '' : `   ${waitingText(waiting)}`}${misspelt}`);
  }
}

const waitingText = (waiting: number): string =>
  waiting === 1
    ? '1 vote of the last 7 days waits for it, and is then paid'
    : `${waiting} votes of the last 7 days wait for it, and are then paid`;
