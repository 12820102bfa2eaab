import { Command } from 'commander';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { parseVotedName, playerKey } from '../core/player-name.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { twinsOf } from '../trace/near-names.ts';
import { REFUSALS_SHOWN_MS } from '../trace/refusals.ts';
import { traceOf, type VoteTrace } from '../trace/vote-trace.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { CONFIG_FLAG } from './config-flag.ts';
import { explainNothing } from './explain-nothing.ts';
import { printTraces, traceRows } from './explain-print.ts';
import { mentionRefused } from './explain-refused.ts';
import { Flags } from './flags.ts';
import { sayOlderConfig } from './older-config.ts';
import { withLedger } from './with-ledger.ts';

interface ExplainFlags {
  readonly limit: string;
  readonly bytes?: boolean;
  readonly config: string;
  readonly json?: boolean;
}

const LIMIT_MAX = 10_000;

/** Answers the one question that operators are asked every day: why did this player get nothing? */
export const explainCommand = (terminal: Terminal, clock: Clock): Command =>
  new Command('explain')
    .description('what became of a player’s votes: every decision, command and reply, the newest vote last')
    .argument('<name>', 'the player (or the user id), in any case; Bedrock names with their prefix')
    .option('--limit <number>', 'how many of the latest votes', '20')
    .option('--bytes', 'also what was received, as text')
    .option(...CONFIG_FLAG)
    .option('--json', 'for scripts')
    .action(action(terminal, (name: string, flags: ExplainFlags) => explain(name, flags, terminal, clock)));

function explain(asked: string, written: ExplainFlags, terminal: Terminal, clock: Clock): Promise<ExitCode> {
  const flags = new Flags();
  const limit = flags.wholeNumber('--limit', written.limit, 1, LIMIT_MAX) ?? 0;
  flags.done();
  return withLedger(written.config, 'read', clock, async (ledger, config) => {
    await sayOlderConfig(config, terminal, written.json);
    const voted = parseVotedName(asked, config.players.bedrockPrefixes);
    const name = voted.kind === 'name' ? voted.name : asked;
    const traces = await traceOf(ledger, name, limit);
    const shown = {
      sites: config.sites,
      rewards: config.rewards,
      gameServers: config.gameServers,
      bytes: written.bytes === true,
      now: clock.now(),
    };
    if (written.json) printJson(terminal, traceRows(traces, shown));
    else if (traces.length === 0) await explainNothing(name, ledger, config, terminal, clock.now());
    else {
      printTraces(terminal, traces, shown, limit);
      await mentionMissed(traces, ledger, clock.now(), terminal);
      await mentionTwins(name, ledger, config, terminal);
    }
    return traces.length > 0 ? 0 : 1;
  });
}

/** The vote that somebody asks about may be a later one that never got in. */
async function mentionMissed(
  traces: readonly VoteTrace[],
  ledger: LedgerReader,
  now: number,
  terminal: Terminal,
): Promise<void> {
  const latest = traces.at(-1)?.vote.receivedAt ?? 0;
  const since = Math.max(latest, now - REFUSALS_SHOWN_MS);
  const counts = await ledger.refusals(since);
  mentionRefused(counts, since, 'If a later vote is missed: refused since then', terminal);
}

/** The votes that are looked for may be there under the other name. */
async function mentionTwins(
  name: string,
  ledger: LedgerReader,
  { players }: Config,
  terminal: Terminal,
): Promise<void> {
  const twins = await twinsOf(ledger, playerKey(name), players.bedrockPrefixes);
  if (twins.length > 0) terminal.err(`there are votes of ${twins.join(', ')} as well`);
}
