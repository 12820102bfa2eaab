import type { Clock } from '../core/clock.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { shownService } from '../core/service-name.ts';
import type { VoidRefusal } from '../ledger/ledger.ts';
import { endedText, refuseInPractice, voidPracticeVotes, votes } from '../operator/practice-votes.ts';
import { voteJson } from '../operator/trace/rows.ts';
import { planVoid, type VoidableVote } from '../operator/void-votes.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, type FlagsOf, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { type Ask, agreed } from './confirm.ts';
import { Flags } from './flags.ts';
import { changeLedger } from './with-ledger.ts';

const REASON_CHARACTERS_MAX = 200;

export interface VoidTools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly ask: Ask;
}

const newCommand = () =>
  new Command('void')
    .description('take votes out of all totals and streaks; their windows and what was paid for them stay')
    .argument('[id...]', 'the IDs of the votes')
    .option('--reason <text>', 'why, for everyone who looks at the vote later')
    .option(
      '--practice',
      'instead of IDs: those sent from this machine while every game server was a practice one, with their windows, limits and occasions',
    )
    .option('--yes', 'do not ask')
    .option('--config <file>', `the config file (default: ${DEFAULT_CONFIG})`)
    .option('--json', 'print JSON, for scripts');

type VoidFlags = FlagsOf<typeof newCommand> & { readonly config: string };

export const votesVoidCommand = (tools: VoidTools) =>
  newCommand().action(
    action(tools.terminal, (ids, flags, { parent }) => {
      const config = flags.config ?? String(parent?.getOptionValue('config') ?? DEFAULT_CONFIG);
      return flags.practice
        ? voidPractice(ids, { ...flags, config }, tools)
        : voidVotes(ids, { ...flags, config }, tools);
    }),
  );

async function voidVotes(
  words: readonly string[],
  { config: file, json, yes, reason = '' }: VoidFlags,
  { terminal, clock, ask }: VoidTools,
): Promise<ExitCode> {
  const ids = readIds(words, reason);
  return changeLedger(file, clock, async (ledger, _, time): Promise<ExitCode> => {
    const plan = await planVoid(ledger, ids);
    if (plan.kind === 'refused') throw refused(plan.code, plan.id);
    printPlan(terminal, plan.votes);
    await agreed(terminal, ask, yes === true, `Void ${ids.length === 1 ? '1 vote' : `${ids.length} votes`}?`);
    const order = { by: accountName(), reason: reason.trim() };
    const voided = await ledger.voidVotes(ids, order, time.now());
    if (voided.kind === 'refused') throw refused(voided.code, voided.id);
    if (json) {
      const rows = await Promise.all(ids.map((id) => ledger.votes({ id, limit: 1 })));
      printJson(terminal, rows.flat().map(voteJson));
    } else for (const id of ids) terminal.out(`vote ${id} is voided`);
    return 0;
  });
}

async function voidPractice(
  words: readonly string[],
  { config: file, json, yes, reason }: VoidFlags,
  { terminal, clock, ask }: VoidTools,
): Promise<ExitCode> {
  if (words.length > 0 || reason !== undefined)
    throw new Problem('usage', '--practice takes neither IDs nor --reason');
  return changeLedger(file, clock, async (ledger, config, time): Promise<ExitCode> => {
    refuseInPractice(config);
    const { fromHere, areVoided } = await ledger.practiceVotes();
    if (!areVoided && fromHere > 0)
      await agreed(terminal, ask, yes === true, `Void ${votes(fromHere)} from this machine?`);
    const done = await voidPracticeVotes(ledger, accountName(), time.now());
    if (json) printJson(terminal, [done]);
    else terminal.out(endedText(done) ?? 'there is no such vote to void');
    return 0;
  });
}

/** @throws Problem `usage` */
function readIds(words: readonly string[], reason: string): readonly number[] {
  const flags = new Flags();
  if (words.length === 0) flags.fault('give the IDs of the votes, or --practice');
  const ids = words.map((word) => flags.wholeNumber('ID', word, 1, Number.MAX_SAFE_INTEGER) ?? 0);
  const length = reason.trim().length;
  if (length < 1 || length > REASON_CHARACTERS_MAX)
    flags.fault(`--reason must have 1 to ${REASON_CHARACTERS_MAX} characters, not ${length}`);
  flags.done();
  return [...new Set(ids)];
}

const why: Readonly<Record<VoidRefusal, (id: number) => string>> = {
  'vote-missing': (id) =>
    `there is no vote ${id} in the ledger, so nothing was changed; \`teller votes\` lists them`,
  'vote-voided': (id) => `vote ${id} is voided already, so nothing was changed; leave it out`,
};

const refused = (code: VoidRefusal, id: number): Problem => new Problem(code, why[code](id));

function printPlan(terminal: Terminal, votes: readonly VoidableVote[]): void {
  for (const { vote, grants } of votes) {
    const who = vote.player ?? printable(vote.recipient);
    terminal.err(
      `vote ${vote.id} by ${who} on ${shownService(vote.service, 128)} (${vote.decision}) would count for nothing`,
    );
    for (const { id, reward, server, state } of grants)
      terminal.err(`  grant ${id}: ${reward} on ${server} stays ${state}`);
    const open = grants.filter(({ state }) => state !== 'delivered' && state !== 'cancelled');
    if (open.length > 0)
      terminal.err(
        `  to stop what is not paid: \`teller grants cancel ${open.map(({ id }) => id).join(' ')}\``,
      );
  }
}
