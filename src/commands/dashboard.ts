import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { password as askPassword } from '@clack/prompts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, type ExitCode } from './command.ts';
import { Command } from './commander.ts';
import { agreed, askAtTerminal } from './confirm.ts';
import type { Given, Operation } from './dashboard-operation.ts';
import { operations } from './dashboard-operations.ts';
import { printAnswer } from './dashboard-print.ts';
import { type Answered, DashboardSession } from './dashboard-session.ts';
import { passwordFile } from './listing-samples.ts';
import { readSecret } from './webhook-secret.ts';

interface DashboardFlags extends Readonly<Record<string, unknown>> {
  readonly url: string;
  readonly as?: string;
  readonly password?: string;
  readonly listing?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const NOTES = `
Each command signs in, submits one form of the pages, and signs out. The passwords of sample accounts are read from
where \`teller loop\` keeps them. For other accounts use --password or TELLER_PASSWORD; otherwise you are asked.

  teller dashboard vote Steve --as vera --listing "Sample Craft"
  teller dashboard deliveries --as olga-owner --listing "Sample Craft" --json
`;

/** Every operation of a running listing service's dashboard, for scripts. */
export function dashboardCommand(terminal: Terminal, clock: Clock) {
  const command = new Command('dashboard')
    .description('use a running listing service from scripts: one command for each thing its pages can do')
    .addHelpText('after', NOTES);
  for (const operation of operations) command.addCommand(operationCommand(operation, terminal, clock));
  return command;
}

function operationCommand(operation: Operation, terminal: Terminal, clock: Clock) {
  const command = new Command(operation.name).description(operation.does);
  for (const [syntax, means] of operation.arguments ?? []) command.argument(syntax, means);
  for (const [syntax, means] of operation.options ?? []) command.option(syntax, means);
  if (operation.about !== 'none') {
    command.option('--listing <listing>', 'the ID or name of the listing; needed if there are several');
  }
  return command
    .option('--url <url>', 'the address of the listing service', 'http://127.0.0.1:8190')
    .option('--as <account>', 'the name of the account to sign in with')
    .option('--password <password>', 'the password: file:PATH, env:NAME, or the password itself')
    .option('--json', 'print one JSON array')
    .action(
      action(terminal, (...typed: unknown[]) => {
        // Commander passes the arguments, the options and the command itself.
        const flags = typed.at(-2) as DashboardFlags;
        const words = typed.slice(0, -2).filter((one) => typeof one === 'string');
        return perform(operation, { words, flags }, flags, terminal, clock);
      }),
    );
}

async function perform(
  operation: Operation,
  given: Given,
  flags: DashboardFlags,
  terminal: Terminal,
  clock: Clock,
): Promise<ExitCode> {
  const account = accountOf(flags);
  // Read before signing in, because what was typed may be wrong.
  const fields = await operation.fields?.(given);
  if (operation.question !== undefined) {
    await agreed(terminal, askAtTerminal, flags.yes === true, operation.question);
  }
  const password = await passwordOf(flags, account, terminal);
  const session = await DashboardSession.open({ url: flags.url, account, password, clock });
  try {
    const base = await addressOf(operation, flags, session);
    const page = base + (typeof operation.page === 'string' ? operation.page : operation.page(given));
    const answered =
      operation.form === undefined
        ? await session.get(page)
        : await session.submit(page, base + operation.form, fields ?? {});
    printAnswer(terminal, operation, answered, flags.json === true);
    return answered.ok ? 0 : 1;
  } finally {
    await session.close();
  }
}

function accountOf({ as }: DashboardFlags): string {
  if (as !== undefined && as !== '') return as;
  throw new Problem('usage', '--as is missing: name the account to sign in with');
}

/** Where `loop` and `listing --samples` keep the sample accounts' passwords. */
const KEPT_IN = [join('data', 'loop'), 'data'];

async function passwordOf(flags: DashboardFlags, account: string, terminal: Terminal): Promise<string> {
  const named = await readSecret(flags.password ?? environmentPassword());
  if (named !== null) return named;
  const kept = KEPT_IN.map((folder) => passwordFile(resolve(folder), account)).find((file) =>
    existsSync(file),
  );
  if (kept !== undefined) return (await readSecret(`file:${kept}`)) ?? '';
  if (!terminal.interactive) {
    throw new Problem('usage', `give --password for ${account}, or set TELLER_PASSWORD in the environment`);
  }
  const typed = await askPassword({ message: `Password for ${account}`, output: process.stderr });
  if (typeof typed === 'string') return typed;
  throw new Problem('not-confirmed', 'nothing was changed');
}

const environmentPassword = (): string | undefined =>
  process.env.TELLER_PASSWORD === undefined ? undefined : 'env:TELLER_PASSWORD';

interface Known {
  readonly id: string;
  readonly name: string;
}

/** The path of the listing; empty if the operation is not about a listing. */
async function addressOf(
  { about }: Operation,
  { listing, as }: DashboardFlags,
  session: DashboardSession,
): Promise<string> {
  if (about === 'none') return '';
  const isNamed = ({ id, name }: Known): boolean => id === listing || name === listing;
  const known = listingsIn(await session.get(about === 'own' ? '/dashboard' : '/'));
  const [found, another] = listing === undefined ? known : known.filter(isNamed);
  if (found !== undefined && another === undefined) {
    return `${about === 'own' ? '/dashboard' : '/listings'}/${encodeURIComponent(found.id)}`;
  }
  const names = known.map(({ name }) => `"${name}"`).join(', ') || 'none';
  if (found !== undefined)
    throw new Problem('listing-unknown', `choose a listing with --listing; available: ${names}`);
  const isOthers =
    about === 'own' && (listing === undefined || listingsIn(await session.get('/')).some(isNamed));
  if (!isOthers) {
    const none = listing === undefined ? 'no listing yet' : `no listing "${listing}"; available: ${names}`;
    throw new Problem('listing-unknown', `there is ${none}`);
  }
  const which = listing === undefined ? 'any listing' : `"${listing}"`;
  throw new Problem(
    'listing-not-yours',
    `${as} is not the owner or a manager of ${which}; ask the owner for an invitation, or name another account with --as`,
  );
}

const listingsIn = ({ json }: Answered): readonly Known[] => (json.listings as Known[] | undefined) ?? [];
