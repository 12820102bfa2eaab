import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { password as askPassword } from '@clack/prompts';
import type { Clock } from '../core/clock.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { type Answered, DashboardSession, type Fields } from './dashboard-session.ts';
import { passwordFile } from './listing-samples.ts';
import { readSecret } from './webhook-secret.ts';

type Flags = Readonly<Record<string, string | undefined>> & { readonly url: string };

interface Operation {
  readonly syntax: string;
  readonly does: string;
  readonly options?: readonly (readonly [flags: string, means: string])[];
  /** The page below that of the listing, and where its form is posted to. Without a form, the log is listed. */
  readonly page: string;
  readonly form?: string;
  readonly fields?: (word: string, flags: Flags) => Fields | Promise<Fields>;
}

const SECRET =
  'generate, none, keep, or your own as file:PATH, env:NAME or the secret itself (default: generate)';
const STATE = 'only in this state: sending, retrying, delivered, undelivered, or failed for tests';

const operations: readonly Operation[] = [
  {
    syntax: 'vote [player]',
    does: 'vote on any listing',
    options: [['--without-player', 'vote on a Minecraft listing without naming a player to reward']],
    ...{ page: '', form: '/vote' },
    fields: (player, { withoutPlayer }) => ({ player, ...(withoutPlayer && { withoutPlayer: 'on' }) }),
  },
  {
    syntax: 'set-webhook <url>',
    does: 'set up or replace the webhook, and enable it again if it was disabled automatically',
    options: [
      ['--secret <secret>', SECRET],
      ['--paused', 'save it paused: votes cast meanwhile get no event'],
    ],
    ...{ page: '/webhook', form: '/webhook' },
    fields: async (url, { secret = 'generate', paused }) => ({
      ...{ url, ...(paused ? {} : { active: 'on' }) },
      ...(['generate', 'none', 'keep'].includes(secret)
        ? { secret }
        : { secret: 'own', ownSecret: (await readSecret(secret)) ?? '' }),
    }),
  },
  {
    ...{ syntax: 'test-webhook', does: 'send a test event to the webhook' },
    ...{ page: '/webhook', form: '/webhook/test' },
  },
  {
    syntax: 'deliveries',
    does: 'list the delivery log with one row per attempt, newest first',
    options: [
      ['--before <cursor>', 'continue after the previous page: the cursor that it printed'],
      ['--state <state>', STATE],
    ],
    page: '/deliveries',
  },
  {
    syntax: 'redeliver <event>',
    does: 'send an event again',
    ...{ page: '/deliveries', form: '/deliveries/redeliver', fields: (event) => ({ event }) },
  },
  {
    syntax: 'set-listener <host>',
    does: 'set the vote listener that votes with a player name are sent to',
    options: [
      ['--port <port>', 'its port (default: 8192)'],
      ['--token <token>', 'for protocol version 2: file:PATH, env:NAME, or the token itself'],
      ['--public-key <file>', 'for protocol version 1: the file with the public key'],
    ],
    ...{ page: '/listener', form: '/listener' },
    fields: async (host, { port = '', token, publicKey }) => {
      if ((token === undefined) === (publicKey === undefined))
        throw new Problem('usage', 'give either --token or --public-key');
      if (publicKey !== undefined)
        return { host, port, method: 'public-key', credential: await readKey(publicKey) };
      return { host, port, method: 'token', credential: (await readSecret(token)) ?? '' };
    },
  },
  {
    syntax: 'test-vote <player>',
    does: 'send a real vote for a named player to the listener',
    ...{ page: '/listener', form: '/listener/test', fields: (player) => ({ player }) },
  },
  {
    syntax: 'create-token <name>',
    does: 'create an API token; it is shown only once',
    options: [['--scope <scope...>', 'votes:read, webhooks:write, stats:write (default: votes:read)']],
    ...{
      page: '/tokens',
      form: '/tokens',
      fields: (name, { scope = 'votes:read' }) => ({ name, scopes: scope }),
    },
  },
];

const readKey = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Problem('usage', `--public-key: ${file} cannot be read (${error.code})`);
  });

const NOTES = `
Each command signs in, submits one form of the pages, and signs out. The passwords of sample accounts are read from
where \`teller loop\` keeps them. For other accounts use --password or TELLER_PASSWORD; otherwise you are asked.

  teller dashboard vote Steve --as vera --listing "Sample Craft"
  teller dashboard deliveries --as olga-owner --listing "Sample Craft" --json
`;

/** Forms of a running listing service, for scripts. */
export function dashboardCommand(terminal: Terminal, clock: Clock) {
  const all = new Command('dashboard')
    .description('use a running listing service from scripts: vote, set up and test what votes are sent to')
    .addHelpText('after', NOTES);
  for (const operation of operations) {
    const command = all.command(operation.syntax).description(operation.does);
    for (const option of operation.options ?? []) command.option(...option);
    command
      .option('--listing <listing>', 'the ID or name of the listing; needed if there are several')
      .option('--url <url>', 'the address of the listing service', 'http://127.0.0.1:8190')
      .option('--as <account>', 'the name of the account to sign in with')
      .option('--password <password>', 'the password: file:PATH, env:NAME, or the password itself')
      .option('--json', 'print one JSON array')
      .action(
        // Commander passes the argument, if there is one, the options and the command itself.
        action(terminal, async (...typed: unknown[]) => {
          const flags = typed.at(-2) as Flags;
          // Read before signing in, because what was typed may be wrong.
          const fields = (await operation.fields?.((typed.at(-3) as string | undefined) ?? '', flags)) ?? {};
          const session = await signedIn(flags, terminal, clock);
          try {
            const answered = await answerOf(operation, flags, fields, session);
            print(terminal, answered, flags.json !== undefined);
            return answered.ok ? 0 : 1;
          } finally {
            await session.submit('/account', '/sign-out', {});
          }
        }),
      );
  }
  return all;
}

async function signedIn(flags: Flags, terminal: Terminal, clock: Clock): Promise<DashboardSession> {
  const account = flags.as ?? '';
  if (account === '') throw new Problem('usage', '--as is missing: name the account to sign in with');
  const password = await passwordOf(flags, account, terminal);
  const session = new DashboardSession(flags.url, clock);
  await session.signIn(account, password);
  return session;
}

async function answerOf(
  { page, form }: Operation,
  flags: Flags,
  fields: Fields,
  session: DashboardSession,
): Promise<Answered> {
  const listing = await addressOf(form === '/vote', flags, session);
  if (form !== undefined) return session.submit(listing + page, listing + form, fields);
  const asked = ['before', 'state'].flatMap((name) => (flags[name] ? [[name, flags[name]]] : []));
  return session.get(`${listing}${page}?${new URLSearchParams(asked as [string, string][])}`);
}

/** Where `loop` and `listing --samples` keep the sample accounts' passwords. */
const KEPT_IN = [join('data', 'loop'), 'data'];

async function passwordOf(flags: Flags, account: string, terminal: Terminal): Promise<string> {
  const kept = KEPT_IN.map((folder) => passwordFile(resolve(folder), account)).find(existsSync);
  const environment = process.env.TELLER_PASSWORD === undefined ? undefined : 'env:TELLER_PASSWORD';
  const found = await readSecret(flags.password ?? environment ?? (kept && `file:${kept}`));
  if (found !== null) return found;
  if (!terminal.interactive)
    throw new Problem('usage', `give --password for ${account}, or set TELLER_PASSWORD in the environment`);
  const typed = await askPassword({ message: `Password for ${account}`, output: process.stderr });
  if (typeof typed === 'string') return typed;
  throw new Problem('not-confirmed', 'nothing was changed');
}

/** The path of the listing: of its public page to vote, otherwise of its dashboard. */
async function addressOf(
  isPublic: boolean,
  { listing, as }: Flags,
  session: DashboardSession,
): Promise<string> {
  const [list, below] = isPublic ? ['/', '/listings'] : ['/dashboard', '/dashboard'];
  const isNamed = ({ id, name }: Known): boolean => id === listing || name === listing;
  const known = listingsIn(await session.get(list));
  const [found, another] = listing === undefined ? known : known.filter(isNamed);
  if (found !== undefined && another === undefined) return `${below}/${encodeURIComponent(found.id)}`;
  const names = known.map(({ name }) => `"${name}"`).join(', ') || 'none';
  if (found !== undefined)
    throw new Problem('listing-unknown', `choose a listing with --listing; available: ${names}`);
  if (!isPublic && (listing === undefined || listingsIn(await session.get('/')).some(isNamed))) {
    const which = listing === undefined ? 'any listing' : `"${listing}"`;
    throw new Problem(
      'listing-not-yours',
      `${as} is not the owner or a manager of ${which}; ask the owner for an invitation, or name another account with --as`,
    );
  }
  const none = listing === undefined ? 'no listing yet' : `no listing "${listing}"; available: ${names}`;
  throw new Problem('listing-unknown', `there is ${none}`);
}

interface Known {
  readonly id: string;
  readonly name: string;
}

const listingsIn = ({ json }: Answered): readonly Known[] => (json.listings as Known[] | undefined) ?? [];

const COLUMNS = [
  ...['startedAt', 'player', 'kind', 'status', 'httpStatus', 'attempt', 'durationMs', 'nextAttemptAt'],
  ...['deliveryId', 'eventId'],
];

/** Prints the service's answer: unchanged for scripts, as a table or as lines for people. */
function print(terminal: Terminal, { ok, json }: Answered, isForScripts: boolean): void {
  const { message, deliveries, ...values } = json;
  const rows = deliveries as readonly Answered['json'][] | undefined;
  if (isForScripts) printJson(terminal, rows ?? [json]);
  else if (!ok) terminal.err(`error: ${text(message)} [${text(json.code)}]`);
  else if (rows !== undefined) {
    if (rows.length === 0) terminal.err('none found');
    else printTable(terminal, [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => text(row[name])))]);
    const before = new URLSearchParams(String(json.older).split('?')[1]).get('before');
    if (before !== null) terminal.err(`for older ones: --before ${before}`);
  } else {
    if (message !== undefined) terminal.out(text(message));
    for (const [name, value] of Object.entries(values)) terminal.out(`${name}: ${text(value)}`);
  }
}

/** Escapes text from strangers, such as a player's name. */
const text = (value: unknown): string =>
  value === null || value === undefined
    ? '-'
    : printable(typeof value === 'string' ? value : JSON.stringify(value), 2048);
