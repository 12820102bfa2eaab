import { Command } from 'commander';
import { type Config, kindByServer } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import type { Ledger, PaymentOrder } from '../ledger/ledger.ts';
import { payeeOf } from '../operator/payee.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { type Ask, agreed } from './confirm.ts';
import { type GrantFilterFlags, withGrantFilter } from './grants-filter.ts';
import { dropsAny, printRerendered, type Rerendered, rerenderAll } from './grants-rerender.ts';
import { chooseGrants } from './grants-targets.ts';
import { type Verb, verbs } from './grants-verbs.ts';
import { withLedger } from './with-ledger.ts';

export interface ChangeFlags extends GrantFilterFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly rerender?: boolean;
}

export const changeCommands = (terminal: Terminal, clock: Clock, ask: Ask): Command[] =>
  verbs.map((verb) => {
    const command = withGrantFilter(new Command(verb.name))
      .description(verb.description)
      .argument('[id...]', 'the grants; or name them by a filter')
      .option('--yes', 'without asking')
      .option('--config <file>', `the config (default: ${DEFAULT_CONFIG})`)
      .option('--json', 'for scripts')
      .action(
        action(terminal, (ids: string[], flags: ChangeFlags, { parent }: Command) => {
          const config = flags.config ?? parent?.getOptionValue('config') ?? DEFAULT_CONFIG;
          return change(verb, ids, { ...flags, config }, { terminal, clock, ask });
        }),
      );
    return verb.name === 'pay'
      ? command.option('--rerender', 'with the commands that the config has for the reward now')
      : command;
  });

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly ask: Ask;
}

function change(
  verb: Verb,
  words: readonly string[],
  flags: ChangeFlags & { readonly config: string },
  tools: Tools,
): Promise<ExitCode> {
  const { terminal, clock } = tools;
  return withLedger(flags.config, 'write', clock, async (ledger, config) => {
    const { to, filter } = readPayee(verb, words, flags, config);
    const chosen = await chooseGrants(ledger, words, filter, verb.from, clock.now());
    if (chosen.ids.length === 0) {
      terminal.err('no such grants; nothing was changed');
      if (flags.json) printJson(terminal, []);
      return 0;
    }
    const rerendered = flags.rerender ? await rerenderAll(ledger, config, chosen.ids) : null;
    if (rerendered !== null) printRerendered(terminal, rerendered, to);
    await confirm(verb, chosen, rerendered, flags.yes === true, tools);
    const order = { kindByServer: kindByServer(config), to };
    const results = await changeEach(verb, ledger, chosen.ids, rerendered, order, clock);
    if (flags.json) printJson(terminal, results.map(resultJson));
    report(verb, results, flags.json === true, config, terminal);
    return results.every(({ problem }) => problem === null) ? 0 : 1;
  });
}

/** With IDs `pay --player` names who is paid instead; without IDs it is the filter that every change has. */
function readPayee(
  { name }: Verb,
  words: readonly string[],
  flags: ChangeFlags,
  { players }: Config,
): { readonly to: PlayerName | null; readonly filter: ChangeFlags } {
  const { player, ...rest } = flags;
  if (name !== 'pay' || words.length === 0 || player === undefined) return { to: null, filter: flags };
  return { to: payeeOf(player, players.bedrockPrefixes), filter: rest };
}

/** IDs are chosen one by one and speak for themselves; a filter, or other commands than were owed, is looked at first. */
async function confirm(
  { question }: Verb,
  { ids, isByFilter, summary }: Awaited<ReturnType<typeof chooseGrants>>,
  rerendered: ReadonlyMap<number, Rerendered> | null,
  yes: boolean,
  { terminal, ask }: Tools,
): Promise<void> {
  const isDropping = rerendered !== null && dropsAny(rerendered);
  const isAsked = isByFilter || isDropping || (rerendered !== null && terminal.interactive);
  if (!isAsked) return;
  const grants = ids.length === 1 ? '1 grant' : `${ids.length} grants`;
  await agreed(
    terminal,
    ask,
    yes,
    `${question} ${grants}${summary === '' ? '' : ` (${summary})`}${isDropping ? ', and drop the commands shown' : ''}?`,
  );
}

interface Result {
  readonly id: number;
  readonly state: GrantState | 'sending' | 'missing';
  readonly problem: Extract<
    ProblemCode,
    'grant-missing' | 'grant-moved-on' | 'grant-nowhere' | 'grant-for-user' | 'grant-none-ran'
  > | null;
  /** The one that is gone. */
  readonly server?: string;
  /** `.BedHead instead of BedHead`, where another player is paid. */
  readonly payee?: string;
}

type Answer = Awaited<ReturnType<Verb['change']>>;

async function changeEach(
  verb: Verb,
  ledger: Ledger,
  ids: readonly number[],
  rerendered: ReadonlyMap<number, Rerendered> | null,
  order: Omit<PaymentOrder, 'texts'>,
  clock: Clock,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const id of ids) {
    const renewed = rerendered?.get(id) ?? null;
    // One that was not shown is not paid, or its old commands would run after all.
    const answer =
      renewed?.kind === 'moved-on'
        ? ({ kind: 'not-changed', state: renewed.state } as const)
        : await verb.change(ledger, id, { ...order, texts: renewed?.texts ?? null }, clock.now());
    const renewedState = renewed === null ? verb.to : await stateOf(ledger, id);
    const redirected = answer.kind === 'changed' ? await redirectedIn(ledger, id, order) : {};
    results.push({ ...resultOf(id, answer, renewedState), ...redirected });
  }
  return results;
}

/** @param changed the state that a change brings the grant to. */
function resultOf(id: number, answer: Answer, changed: Result['state']): Result {
  switch (answer.kind) {
    case 'changed':
      return { id, state: changed, problem: null };
    case 'continued':
      return { id, state: answer.state, problem: null };
    case 'not-changed':
      return {
        id,
        state: answer.state,
        problem: answer.state === 'missing' ? 'grant-missing' : 'grant-moved-on',
      };
    case 'none-ran':
      return { id, state: answer.state, problem: 'grant-none-ran' };
    default:
      return { id, state: answer.state, problem: `grant-${answer.kind}`, server: answer.server };
  }
}

/** Where all commands that were left are dropped, nothing is left to pay. */
async function stateOf(ledger: Ledger, id: number): Promise<Result['state']> {
  const [grant] = await ledger.grants({ id, limit: 1 });
  return grant?.state ?? 'missing';
}

async function redirectedIn(
  ledger: Ledger,
  id: number,
  { to }: Pick<PaymentOrder, 'to'>,
): Promise<Pick<Result, 'payee'>> {
  const [grant] = to == null ? [] : await ledger.grants({ id, limit: 1 });
  return grant?.redirected == null
    ? {}
    : { payee: `${grant.player} instead of ${grant.redirected.insteadOf}` };
}

const resultJson = ({ id, state, problem }: Result) => ({ id, changed: problem === null, state, problem });

function report(
  verb: Verb,
  results: readonly Result[],
  json: boolean,
  { ledger }: Config,
  terminal: Terminal,
): void {
  for (const result of results) {
    if (result.problem !== null) {
      terminal.err(`error: ${problemSentence(verb, result, ledger)} [${result.problem}]`);
    } else if (!json) {
      terminal.out(
        `grant ${result.id} ${doneText(verb, result)}${result.payee === undefined ? '' : `: to ${result.payee}`}`,
      );
    }
  }
}

const doneText = ({ done, to }: Verb, { state }: Result): string =>
  to === 'pending' && state === 'delivered' ? 'counts as paid: nothing of it is left to run' : done;

function problemSentence(verb: Verb, { id, problem, server, state }: Result, ledger: string): string {
  switch (problem) {
    case 'grant-missing':
      return `there is no grant ${id} in ${ledger}`;
    case 'grant-nowhere':
      return `grant ${id} is for ${server}, a game server that the config does not have: name it in gameServers again, or cancel the grant`;
    case 'grant-for-user':
      return `grant ${id} is for a user ID and its commands name no player, so it cannot be paid to one: leave out --player`;
    case 'grant-none-ran':
      return `no command of grant ${id} was sent and left open, so none can be counted as run: use \`teller grants pay ${id}\` or \`teller grants mark-paid ${id}\``;
    default:
      return `grant ${id} is ${inWords(state)}; ${verb.name} is for ${verb.from.join(' or ')} ones, so nothing was changed`;
  }
}

const inWords = (state: Result['state']): string =>
  state === 'sending' ? 'being sent at this moment (sending)' : state;
