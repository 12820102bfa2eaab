import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { printable } from '../core/printable.ts';
import type { Random } from '../core/random.ts';
import { shownService } from '../core/service-name.ts';
import type { VoteFilter, VoteRow } from '../ledger/ledger.ts';
import { voteJson } from '../operator/trace/rows.ts';
import { CHANNELS, DECISIONS, votesMatching } from '../operator/vote-list.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { type Ask, askAtTerminal } from './confirm.ts';
import { Flags, given } from './flags.ts';
import { noteOlderConfig } from './older-config.ts';
import { afterFlag, LIMIT_FLAG, mentionOlder, readPaging } from './paging.ts';
import { votesAddCommand } from './votes-add.ts';
import { votesRewardCommand } from './votes-reward.ts';
import { votesVoidCommand } from './votes-void.ts';
import { readLedger } from './with-ledger.ts';

const newCommand = () =>
  new Command('votes')
    .description(
      'list the votes, newest first; reward pays one that was counted but not rewarded, add records one, void takes votes out of all totals',
    )
    .option('--player <name>', 'only by this player or user ID')
    .option('--site <site>', 'only under this entry of `sites`, or with this service name')
    .option('--decision <decision>', `only with this decision: ${DECISIONS.join(', ')}`)
    .option('--channel <channel>', `only by this channel: ${CHANNELS.join(', ')}`)
    .option('--since <time>', 'only received since then: a duration ("24h") or an ISO date or date-time')
    .option('--until <time>', 'only received before then: a duration ("1h") or an ISO date or date-time')
    .option(...afterFlag('vote'))
    .option(...LIMIT_FLAG)
    .option(...CONFIG_FLAG)
    .option('--json', 'print JSON, for scripts');

type VotesFlags = FlagsOf<typeof newCommand>;

export const votesCommand = (
  terminal: Terminal,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  ask: Ask = askAtTerminal,
) =>
  newCommand()
    // In `votes reward 7 --json` the flag belongs to `reward`.
    .enablePositionalOptions()
    .action(action(terminal, (flags) => votes(flags, terminal, clock)))
    .addCommand(votesRewardCommand({ terminal, clock, random, ask }))
    .addCommand(votesAddCommand({ terminal, clock, random }))
    .addCommand(votesVoidCommand({ terminal, clock, ask }));

async function votes(flags: VotesFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const { rows, filter } = await readLedger(flags.config, terminal, clock, async (ledger, config, time) => {
    const filter = readFilter(flags, time.now());
    await noteOlderConfig(config, terminal, flags.json);
    return { rows: await votesMatching(ledger, filter), filter };
  });
  if (flags.json) printJson(terminal, rows.map(voteJson));
  else printVotes(terminal, rows, filter.limit);
  return 0;
}

function readFilter(written: VotesFlags, now: number): VoteFilter {
  const { player, site, decision, channel, since, until } = written;
  const flags = new Flags();
  const filter = given({
    recipient: player,
    site,
    decision: flags.oneOf('--decision', decision, DECISIONS),
    channel: flags.oneOf('--channel', channel, CHANNELS),
    since: flags.since('--since', since, now),
    until: flags.since('--until', until, now),
  });
  const page = readPaging(written, flags);
  flags.done();
  return { ...filter, ...page };
}

function printVotes(terminal: Terminal, rows: readonly VoteRow[], limit: number): void {
  if (rows.length === 0) {
    terminal.err('no votes match');
    return;
  }
  const heading = ['VOTE', 'RECEIVED', 'PLAYER', 'SERVICE', 'SITE', 'DECISION', 'NEXT COUNTS AT', 'CAME BY'];
  printTable(terminal, [heading, ...rows.map(cellsOf)]);
  mentionOlder(terminal, rows, limit);
}

const cellsOf = (vote: VoteRow): string[] => [
  String(vote.id),
  isoTime(vote.receivedAt),
  vote.player ?? printable(vote.recipient, 40),
  shownService(vote.service, 40),
  vote.site,
  vote.voided === null ? vote.decision : `${vote.decision}, voided`,
  vote.nextAt === null ? '-' : isoTime(vote.nextAt),
  vote.address === null ? vote.channel : `${vote.channel} from ${vote.address}`,
];
