import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { password as askPassword } from '@clack/prompts';
import type { Clock } from '../core/clock.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { timeLimit } from '../core/time-limit.ts';
import type { Terminal } from '../platform/terminal.ts';
import { action, printJson, printTable } from './command.ts';
import { Command } from './commander.ts';
import { passwordFile } from './listing-samples.ts';
import { readSecret } from './webhook-secret.ts';

type Flags = Readonly<Record<string, string | undefined>> & { readonly url: string };
type Fields = Readonly<Record<string, string | readonly string[]>>;

interface Operation {
  readonly syntax: string;
  readonly does: string;
  /** Below the listing. Deliveries are only listed. */
  readonly form: string;
  readonly options?: Readonly<Record<string, string>>;
  /** What its form has besides the argument. */
  readonly fields?: (flags: Flags) => Fields | Promise<Fields>;
}

const operations: readonly Operation[] = [
  {
    syntax: 'vote [player]',
    does: 'vote on any listing',
    form: '/vote',
    options: { '--without-player': 'vote on a Minecraft listing without naming a player to reward' },
    fields: ({ withoutPlayer }) => (withoutPlayer ? { withoutPlayer: 'on' } : {}),
  },
  {
    syntax: 'set-webhook <url>',
    does: 'set up or replace the webhook, and enable it again if it was disabled automatically',
    form: '/webhook',
    options: {
      '--secret <secret>':
        'generate, none, keep, or your own as file:PATH, env:NAME or the secret itself (default: generate)',
      '--paused': 'save it paused: votes cast meanwhile get no event',
    },
    fields: async ({ secret = 'generate', paused }) => {
      const isWord = ['generate', 'none', 'keep'].includes(secret);
      const given = isWord ? { secret } : { secret: 'own', ownSecret: (await readSecret(secret)) ?? '' };
      return { ...given, ...(paused ? {} : { active: 'on' }) };
    },
  },
  { syntax: 'test-webhook', does: 'send a test event to the webhook', form: '/webhook/test' },
  {
    syntax: 'deliveries',
    does: 'list the delivery log with one row per attempt, newest first',
    form: '/deliveries',
    options: {
      '--before <cursor>': 'continue after the previous page: the cursor that it printed',
      '--state <state>': 'only in this state: sending, retrying, delivered, undelivered, or failed for tests',
    },
    fields: ({ before, state }) => ({ ...(before && { before }), ...(state && { state }) }),
  },
  { syntax: 'redeliver <event>', does: 'send an event again', form: '/deliveries/redeliver' },
  {
    syntax: 'set-listener <host>',
    does: 'set the vote listener that votes with a player name are sent to',
    form: '/listener',
    options: {
      '--port <port>': 'its port (default: 8192)',
      '--token <token>': 'for protocol version 2: file:PATH, env:NAME, or the token itself',
      '--public-key <file>': 'for protocol version 1: the file with the public key',
    },
    fields: async ({ port = '', token, publicKey }) => {
      if ((token === undefined) === (publicKey === undefined))
        throw new Problem('usage', 'give either --token or --public-key');
      if (publicKey === undefined)
        return { port, method: 'token', credential: (await readSecret(token)) ?? '' };
      const credential = await readFile(publicKey, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new Problem('usage', `--public-key: ${publicKey} cannot be read (${error.code})`);
      });
      return { port, method: 'public-key', credential };
    },
  },
  {
    syntax: 'test-vote <player>',
    does: 'send a real vote for a named player to the listener',
    form: '/listener/test',
  },
  {
    syntax: 'create-token <name>',
    does: 'create an API token; it is shown only once',
    form: '/tokens',
    options: { '--scope <scope...>': 'votes:read, webhooks:write, stats:write (default: votes:read)' },
    fields: ({ scope = 'votes:read' }) => ({ scopes: scope }),
  },
];

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
  for (const { syntax, does, form, options = {}, fields = () => ({}) } of operations) {
    const [, argument] = /[<[](\w+)/.exec(syntax) ?? [];
    const command = all.command(syntax).description(does);
    for (const option of Object.entries(options)) command.option(...option);
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
          const given = argument === undefined ? {} : { [argument]: (typed.at(-3) as string) ?? '' };
          const filled = { ...given, ...(await fields(flags)) };
          const session = new DashboardSession(flags.url, clock);
          await session.signIn(flags.as ?? '', await passwordOf(flags, terminal));
          try {
            const at = (await addressOf(form === '/vote', flags, session)) + form;
            const page = at.replace(/\/(?:vote|test|redeliver)$/, '');
            const query = new URLSearchParams(filled as Record<string, string>);
            const { ok, json } = await (form === '/deliveries'
              ? session.get(`${at}?${query}`)
              : session.submit(page, at, filled));
            print(terminal, { ok, json }, flags.json !== undefined);
            return ok ? 0 : 1;
          } finally {
            await session.submit('/account', '/sign-out', {});
          }
        }),
      );
  }
  return all;
}

/** Of sample accounts, `loop` and `listing --samples` keep it below these folders. */
const KEPT_IN = ['data/loop', 'data'];

async function passwordOf({ as: account = '', password }: Flags, terminal: Terminal): Promise<string> {
  if (account === '') throw new Problem('usage', '--as is missing: name the account to sign in with');
  const kept = KEPT_IN.map((folder) => passwordFile(resolve(folder), account)).find(existsSync);
  const environment = process.env.TELLER_PASSWORD === undefined ? undefined : 'env:TELLER_PASSWORD';
  const found = await readSecret(password ?? environment ?? (kept && `file:${kept}`));
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
  const matching = async (list: string) => {
    const listed = ((await session.get(list)).json.listings ?? []) as { id: string; name: string }[];
    const found = listed.filter(({ id, name }) => [id, name, undefined].includes(listing));
    return { found, names: listed.map(({ name }) => `"${name}"`).join(', ') || 'none' };
  };
  const { found, names } = await matching(isPublic ? '/' : '/dashboard');
  const [only] = found;
  if (only !== undefined && found.length === 1)
    return `${isPublic ? '/listings' : '/dashboard'}/${encodeURIComponent(only.id)}`;
  const isElsewhere = only === undefined && !isPublic;
  if (isElsewhere && (listing === undefined || (await matching('/')).found.length > 0))
    throw new Problem(
      'listing-not-yours',
      `${as} is not the owner or a manager of ${listing === undefined ? 'any listing' : `"${listing}"`}; ask the owner for an invitation, or name another account with --as`,
    );
  throw new Problem('listing-unknown', `choose a listing with --listing; available: ${names}`);
}

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
  printable(typeof value === 'string' ? value : value == null ? '-' : JSON.stringify(value), 2048);

/** A page's answer as JSON. */
interface Answered {
  readonly ok: boolean;
  readonly json: Readonly<Record<string, unknown>>;
}

/** The service itself waits up to 10 s for a test event. */
const ANSWER_WITHIN_MS = 30_000;

/** Uses the pages of a listing service as a browser does, with JSON answers: there is no other interface (SV-09). */
class DashboardSession {
  private readonly cookies = new Map<string, string>();
  private readonly origin: string;
  private csrf = '';

  /** @throws Problem `usage`; each method throws `dashboard-unreachable` */
  constructor(
    url: string,
    private readonly clock: Clock,
  ) {
    this.origin = URL.canParse(url) ? new URL(url).origin : '';
    if (!/^https?:/.test(this.origin))
      throw new Problem('usage', `--url must be an http or https address, not "${url}"`);
  }

  /** @throws Problem `dashboard-sign-in` */
  async signIn(name: string, password: string): Promise<void> {
    const { ok, json } = await this.submit('/sign-in', '/sign-in', { name, password });
    if (!ok) throw new Problem('dashboard-sign-in', `${name} cannot sign in: ${String(json.message)}`);
  }

  /** Loads `page`, then submits its form to `path`. */
  async submit(page: string, path: string, fields: Fields): Promise<Answered> {
    const shown = await this.get(page);
    if (!shown.ok) return shown;
    const body = new URLSearchParams({ csrf: this.csrf });
    for (const [name, values] of Object.entries(fields))
      for (const value of [values].flat()) body.append(name, value);
    return this.get(path, { method: 'POST', body });
  }

  async get(path: string, init: RequestInit = {}): Promise<Answered> {
    const stop = new AbortController();
    const cancel = timeLimit(this.clock, ANSWER_WITHIN_MS, () => stop.abort());
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'application/json', cookie, origin: this.origin };
    try {
      const all = { ...init, headers, redirect: 'manual', signal: stop.signal } as const;
      const response = await fetch(this.origin + path, all);
      this.csrf = response.headers.get('x-csrf-token') ?? this.csrf;
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(set) ?? [];
        if (/max-age=0\b/i.test(set)) this.cookies.delete(name);
        else this.cookies.set(name, value);
      }
      return { ok: response.ok, json: (await response.json()) as Answered['json'] };
    } catch (error) {
      const { cause, name } = error as { cause?: { code?: string }; name?: string };
      const why =
        name === 'AbortError' ? 'no answer within 30 s' : 'the answer is not from a listing service';
      const sentence = `no listing service at ${this.origin} (${cause?.code ?? why}): start one with \`teller loop\` or \`teller listing\`, or set --url`;
      throw new Problem('dashboard-unreachable', sentence, { cause: error });
    } finally {
      cancel();
    }
  }
}
