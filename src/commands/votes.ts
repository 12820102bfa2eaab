import { Command } from 'commander';
import type { Clock } from '../core/clock.ts';
import type { DecisionKind } from '../core/decide.ts';
import { isoTime } from '../core/instant.ts';
import { playerKey } from '../core/player-name.ts';
import { printable } from '../core/printable.ts';
import type { VoteFilter, VoteRow } from '../ledger/ledger.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson, printTable } from './command.ts';
import { Flags, given } from './flags.ts';
import { voteJson } from './rows.ts';
import { CONFIG_FLAG, withLedger } from './with-ledger.ts';

const DECISIONS: readonly DecisionKind[] = ['rewarded', 'cooldown', 'too-old', 'before-start', 'no-player'];
/** What is asked for at once is read at once; more is read page by page, with --after. */
export const LIMIT_MAX = 100_000;

interface VotesFlags {
  readonly player?: string;
  readonly site?: string;
  readonly decision?: string;
  readonly since?: string;
  readonly after?: string;
  readonly limit: string;
  readonly config: string;
  readonly json?: boolean;
}

export const votesCommand = (terminal: Terminal, clock: Clock): Command =>
  new Command('votes')
    .description('the votes, newest first')
    .option('--player <name>', 'only this player’s')
    .option('--site <site>', 'only of this entry of `sites`, or of this service name')
    .option('--decision <decision>', `only those decided so: ${DECISIONS.join(', ')}`)
    .option('--since <time>', 'received since then: a duration ("24h") or an ISO date or date-time')
    .option('--after <id>', 'only those older than this vote, for paging')
    .option('--limit <number>', 'how many at most', '50')
    .option(...CONFIG_FLAG)
    .option('--json', 'for scripts')
    .action(action(terminal, (flags: VotesFlags) => votes(flags, terminal, clock)));

async function votes(flags: VotesFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const filter = readFilter(flags, clock.now());
  const rows = await withLedger(flags.config, 'read', clock, (ledger) => ledger.votes(filter));
  if (flags.json) printJson(terminal, rows.map(voteJson));
  else printVotes(terminal, rows, filter.limit);
  return 0;
}

function readFilter({ player, site, decision, since, after, limit }: VotesFlags, now: number): VoteFilter {
  const flags = new Flags();
  const filter = given({
    recipientKey: player === undefined ? undefined : playerKey(player),
    site,
    decision: flags.oneOf('--decision', decision, DECISIONS),
    since: flags.since('--since', since, now),
    after: flags.wholeNumber('--after', after, 1, Number.MAX_SAFE_INTEGER),
  });
  const most = flags.wholeNumber('--limit', limit, 1, LIMIT_MAX) ?? 0;
  flags.done();
  return { ...filter, limit: most };
}

function printVotes(terminal: Terminal, rows: readonly VoteRow[], limit: number): void {
  if (rows.length === 0) {
    terminal.err('no such votes');
    return;
  }
  const heading = ['VOTE', 'RECEIVED', 'PLAYER', 'SERVICE', 'SITE', 'DECISION', 'NEXT COUNTS AT', 'CAME BY'];
  printTable(terminal, [heading, ...rows.map(cellsOf)]);
  if (rows.length === limit) terminal.err(`perhaps there are older ones: --after ${rows.at(-1)?.id}`);
}

const cellsOf = (vote: VoteRow): string[] => [
  String(vote.id),
  isoTime(vote.receivedAt),
  vote.player ?? printable(vote.recipient, 40),
  printable(vote.service, 40),
  vote.site,
  vote.decision,
  vote.nextAt === null ? '-' : isoTime(vote.nextAt),
  vote.address === null ? vote.channel : `${vote.channel} from ${vote.address}`,
];
