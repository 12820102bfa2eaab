import { Command } from 'commander';
import { type Config, kindByServer } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import type { Change, Ledger, PaymentOrder } from '../ledger/ledger.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { type Ask, agreed } from './confirm.ts';
import { type GrantFilterFlags, withGrantFilter } from './grants-filter.ts';
import { printRerendered, type Rerendered, rerenderAll } from './grants-rerender.ts';
import { chooseGrants } from './grants-targets.ts';
import { withLedger } from './with-ledger.ts';

/** What an operator can do to a grant (DESIGN §4). */
interface Verb {
  readonly name: string;
  readonly description: string;
  /** The states in which it can be done. */
  readonly from: readonly GrantState[];
  readonly to: GrantState;
  readonly question: string;
  readonly done: string;
  readonly change: (
    ledger: Ledger,
    id: number,
    order: PaymentOrder,
    now: number,
  ) => Promise<Change | Nowhere>;
}

/** It would be owed by nobody, for ever. */
interface Nowhere {
  readonly kind: 'nowhere';
  readonly state: GrantState;
  readonly server: string;
}

const STUCK: readonly GrantState[] = ['held', 'refused'];

const verbs: readonly Verb[] = [
  {
    name: 'pay',
    description: 'pay held or refused grants: the command that stopped each runs again, and those after it',
    from: STUCK,
    to: 'pending',
    question: 'Pay',
    done: 'will be paid by the running Teller',
    change: async (ledger, id, order, now) =>
      (await nowhere(ledger, id, order)) ?? (await ledger.pay(id, order, now)),
  },
  {
    name: 'mark-paid',
    description: 'count held or refused grants as paid: nothing more is run',
    from: STUCK,
    to: 'delivered',
    question: 'Count as paid',
    done: 'counts as paid',
    change: (ledger, id, _, now) => ledger.markPaid(id, now),
  },
  {
    name: 'cancel',
    description: 'cancel open grants: nothing more is run',
    from: ['pending', 'waiting', ...STUCK],
    to: 'cancelled',
    question: 'Cancel',
    done: 'is cancelled',
    change: (ledger, id, _, now) => ledger.cancel(id, now),
  },
];

async function nowhere(ledger: Ledger, id: number, { kindByServer }: PaymentOrder): Promise<Nowhere | null> {
  const [grant] = await ledger.grants({ id, limit: 1 });
  if (grant === undefined || !STUCK.includes(grant.state) || kindByServer.has(grant.server)) return null;
  return { kind: 'nowhere', state: grant.state, server: grant.server };
}

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
    const chosen = await chooseGrants(ledger, words, flags, verb.from, clock.now());
    if (chosen.ids.length === 0) {
      terminal.err('no such grants; nothing was changed');
      if (flags.json) printJson(terminal, []);
      return 0;
    }
    const rerendered = flags.rerender ? await rerenderAll(ledger, config, chosen.ids) : null;
    if (rerendered !== null) printRerendered(terminal, rerendered);
    await confirm(verb, chosen, rerendered !== null, flags.yes === true, tools);
    const results = await changeEach(verb, ledger, chosen.ids, rerendered, kindByServer(config), clock);
    if (flags.json) printJson(terminal, results.map(resultJson));
    report(verb, results, flags.json === true, config, terminal);
    return results.every(({ problem }) => problem === null) ? 0 : 1;
  });
}

/** IDs are chosen one by one and speak for themselves; a filter, or other commands than were owed, is looked at first. */
async function confirm(
  { question }: Verb,
  { ids, isByFilter, summary }: Awaited<ReturnType<typeof chooseGrants>>,
  isRerendered: boolean,
  yes: boolean,
  { terminal, ask }: Tools,
): Promise<void> {
  if (!isByFilter && !(isRerendered && terminal.interactive)) return;
  const grants = ids.length === 1 ? '1 grant' : `${ids.length} grants`;
  await agreed(terminal, ask, yes, `${question} ${grants}${summary === '' ? '' : ` (${summary})`}?`);
}

interface Result {
  readonly id: number;
  readonly state: GrantState | 'sending' | 'missing';
  readonly problem: Extract<ProblemCode, 'grant-missing' | 'grant-moved-on' | 'grant-nowhere'> | null;
  /** The one that is gone. */
  readonly server?: string;
}

async function changeEach(
  verb: Verb,
  ledger: Ledger,
  ids: readonly number[],
  rerendered: ReadonlyMap<number, Rerendered> | null,
  kindByServer: ReadonlyMap<string, string>,
  clock: Clock,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const id of ids) {
    const renewed = rerendered?.get(id) ?? null;
    // One that was not shown is not paid, or its old commands would run after all.
    const answer =
      renewed?.kind === 'moved-on'
        ? ({ kind: 'not-changed', state: renewed.state } as const)
        : await verb.change(ledger, id, { texts: renewed?.texts ?? null, kindByServer }, clock.now());
    if (answer.kind === 'changed') results.push({ id, state: verb.to, problem: null });
    else if (answer.kind === 'nowhere') {
      results.push({ id, state: answer.state, problem: 'grant-nowhere', server: answer.server });
    } else {
      const problem = answer.state === 'missing' ? 'grant-missing' : 'grant-moved-on';
      results.push({ id, state: answer.state, problem });
    }
  }
  return results;
}

const resultJson = ({ id, state, problem }: Result) => ({ id, changed: problem === null, state, problem });

function report(
  verb: Verb,
  results: readonly Result[],
  json: boolean,
  config: Config,
  terminal: Terminal,
): void {
  for (const { id, state, problem, server } of results) {
    if (problem === null) {
      if (!json) terminal.out(`grant ${id} ${verb.done}`);
    } else if (problem === 'grant-missing') {
      terminal.err(`error: there is no grant ${id} in ${config.ledger} [${problem}]`);
    } else if (problem === 'grant-nowhere') {
      const sentence = `grant ${id} is for ${server}, a game server that the config does not have`;
      terminal.err(`error: ${sentence}: name it in gameServers again, or cancel the grant [${problem}]`);
    } else {
      const can = `${verb.name} is for ${verb.from.join(' or ')} ones`;
      terminal.err(`error: grant ${id} is ${inWords(state)}; ${can}, so nothing was changed [${problem}]`);
    }
  }
}

const inWords = (state: Result['state']): string =>
  state === 'sending' ? 'being sent at this moment (sending)' : state;
