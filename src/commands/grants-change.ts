import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Clock } from '../core/clock.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { COMMAND_BYTES_MAX } from '../core/template-bytes.ts';
import { type GrantActionName, grantActionNames, grantActions } from '../operator/grants/actions.ts';
import {
  changeGrants,
  type GrantChange,
  type GrantChangePlan,
  type GrantChangeRefusal,
  planGrantChange,
} from '../operator/grants/change.ts';
import { commandChanges } from '../operator/grants/rerender.ts';
import { type GrantSelection, selectionOf } from '../operator/grants/selection.ts';
import { changedText, refusalText, unchangedText } from '../operator/grants/sentences.ts';
import { commandWays } from '../operator/trace/grant-ways.ts';
import { accountName } from '../platform/account.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { DEFAULT_CONFIG } from './config-flag.ts';
import { type Ask, agreed } from './confirm.ts';
import { Flags } from './flags.ts';
import { type GrantFilterFlags, readGrantFilter, withGrantFilter } from './grants-filter.ts';
import { changeLedger } from './with-ledger.ts';

export interface ChangeFlags extends GrantFilterFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly rerender?: boolean;
}

export const changeCommands = (terminal: Terminal, clock: Clock, ask: Ask): CommandUnknownOpts[] =>
  grantActionNames.map((name) => {
    const command = withGrantFilter(new Command(name))
      .description(words[name].description)
      .argument('[id...]', 'the IDs of the grants; or use the filters below')
      .option('--yes', 'do not ask')
      .option('--config <file>', `the config file (default: ${DEFAULT_CONFIG})`)
      .option('--json', 'print JSON, for scripts')
      .action(
        action(terminal, (ids, flags: ChangeFlags, { parent }) => {
          const config = flags.config ?? String(parent?.getOptionValue('config') ?? DEFAULT_CONFIG);
          return change(name, ids, { ...flags, config }, { terminal, clock, ask });
        }),
      );
    return name === 'pay'
      ? command.option('--rerender', 'use the commands that the reward has in the config now')
      : command;
  });

interface Tools {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly ask: Ask;
}

function change(
  name: GrantActionName,
  ids: readonly string[],
  flags: ChangeFlags & { readonly config: string },
  { terminal, clock, ask }: Tools,
): Promise<ExitCode> {
  return changeLedger(flags.config, clock, async (ledger, config, time) => {
    const request = { action: name, ...readTarget(name, ids, flags, time.now()) };
    const plan = await planGrantChange(ledger, config, {
      ...request,
      isRerendering: flags.rerender === true,
    });
    if (plan.kind !== 'planned') throw refused(plan);
    if (plan.ids.length === 0) {
      terminal.err('no grants match; nothing was changed');
      if (flags.json) printJson(terminal, []);
      return 0;
    }
    printRerendered(terminal, plan);
    if (needsConsent(plan, terminal)) await agreed(terminal, ask, flags.yes === true, question(plan));
    const changes = await changeGrants(ledger, config, plan, { by: accountName(), clock: time });
    report(name, changes, flags.json === true, terminal);
    return changes.every(({ kind }) => kind === 'changed') ? 0 : 1;
  });
}

/** With IDs, `pay --player` names the player to pay instead; without IDs, --player is a filter. */
function readTarget(
  name: GrantActionName,
  ids: readonly string[],
  { player, ...rest }: ChangeFlags,
  now: number,
): { readonly payee: string | null; readonly selection: GrantSelection } {
  const isPayee = name === 'pay' && ids.length > 0 && player !== undefined;
  const filterFlags = isPayee || player === undefined ? rest : { ...rest, player };
  return { payee: isPayee ? player : null, selection: readSelection(name, ids, filterFlags, now) };
}

/** @throws Problem `usage` */
function readSelection(
  name: GrantActionName,
  ids: readonly string[],
  filterFlags: GrantFilterFlags,
  now: number,
): GrantSelection {
  const flags = new Flags();
  const filter = readGrantFilter(filterFlags, flags, now, grantActions[name].from);
  const numbers = ids.map((id) => flags.wholeNumber('ID', id, 1, Number.MAX_SAFE_INTEGER) ?? 0);
  flags.done();
  const selection = selectionOf(numbers, filter);
  if (selection.kind === 'both') throw new Problem('usage', 'choose grants by ID or with a filter, not both');
  if (selection.kind === 'neither')
    throw new Problem('usage', 'choose the grants by ID, or with a filter such as --state held');
  return selection;
}

/** Grants given by ID need no question. Filters, dropped commands, and new commands at a terminal need one. */
const needsConsent = ({ isByFilter, isDropping, rerendered }: GrantChangePlan, { interactive }: Terminal) =>
  isByFilter || isDropping || (rerendered !== null && interactive);

function question({ action: name, ids, counts, isDropping }: GrantChangePlan): string {
  const grants = ids.length === 1 ? '1 grant' : `${ids.length} grants`;
  const summary = [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
  const dropped = isDropping ? ', and drop the commands shown' : '';
  return `${words[name].question} ${grants}${summary === '' ? '' : ` (${summary})`}${dropped}?`;
}

const changeJson = (change: GrantChange) => ({
  id: change.id,
  changed: change.kind === 'changed',
  state: change.state,
  problem: change.kind === 'changed' ? null : change.problem,
});

function report(
  name: GrantActionName,
  changes: readonly GrantChange[],
  json: boolean,
  terminal: Terminal,
): void {
  if (json) printJson(terminal, changes.map(changeJson));
  for (const change of changes) {
    if (change.kind === 'unchanged') {
      terminal.err(`error: ${unchangedText(name, change, commandWays)} [${change.problem}]`);
    } else if (!json) terminal.out(changedText(name, change));
  }
}

interface ActionWords {
  readonly description: string;
  /** Followed by the number of grants. */
  readonly question: string;
}

const words: Readonly<Record<GrantActionName, ActionWords>> = {
  pay: {
    description:
      'pay held or refused grants: resume each one at the command where it stopped (that command is run again); with an ID, --player pays another player',
    question: 'Pay',
  },
  ran: {
    description: 'confirm that the command a grant stopped at did run, and run the remaining ones',
    question: 'Count the command that stopped it as run, and pay the rest, for',
  },
  'mark-paid': {
    description: 'mark held or refused grants as paid; nothing more is run',
    question: 'Count as paid',
  },
  cancel: {
    description: 'cancel open grants; nothing more is run',
    question: 'Cancel',
  },
};

/** Why no grant was changed. */
const refused = (refusal: GrantChangeRefusal): Problem => new Problem(refusal.kind, refusalText(refusal));

const WIDTH = 4;

/** Shows the old and new commands before anything is changed. */
function printRerendered(terminal: Terminal, { rerendered, to }: GrantChangePlan): void {
  for (const each of rerendered?.values() ?? []) {
    if (each.kind === 'moved-on') continue;
    terminal.err(`grant ${each.grant.id}: ${each.grant.reward} on ${each.grant.server}`);
    for (const { kind, command } of commandChanges(each, to)) {
      terminal.err(`  ${kind.padEnd(WIDTH)}  ${printable(command, COMMAND_BYTES_MAX)}`);
    }
  }
}
