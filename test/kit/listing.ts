/** The listing service in the process of the test, on a port of its own, whose time passes only when the test lets it. */
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import type { ApiScope } from '../../protocol/listing-api.ts';
import type { Clock } from '../../src/core/clock.ts';
import { type ListingService, startListing } from '../../src/listing/service.ts';
import { PracticeClock } from '../../src/platform/practice-clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { FakeBrowser } from '../support/fake-browser.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openImpatiently, openThreads } from '../support/listing-in-process.ts';
import { type Line, loggedLines } from '../support/log.ts';
import { Browser, type Cast, type Kind, type Listed, PASSWORD, Person } from './listing-people.ts';
import { ApiClient } from './listing-program.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The pauses before the retries of a webhook, without jitter: the default of the config. */
export const RETRIES = [10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR];

export interface SiteWanted {
  readonly clock?: FakeClock;
  /** By default loopback, where the receivers of tests are. */
  readonly allowTargets?: readonly string[];
  readonly channelHosts?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly publicUrl?: string;
  readonly lookup?: LookupFunction;
  /** From 0 to 1: how much of the jitter retries get. */
  readonly jitter?: number;
  /** Whether it has a practice clock. */
  readonly isPractice?: boolean;
  /** Whether its database has threads of its own, as in production. */
  readonly isThreaded?: boolean;
  /** The cost of scrypt, as a power of two; by default the lowest, so that tests do not wait for what makes guessing slow. */
  readonly passwordCost?: number;
}

export async function listing(wanted: SiteWanted = {}): Promise<Site> {
  const site = new Site(wanted);
  onTestFinished(() => site.stop());
  await site.start();
  return site;
}

/** Lets pending reads and writes of sockets run. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The limit for an address is 600 requests a minute, so a program's requests come from as many as it needs. */
const PER_ADDRESS = 500;

export class Site {
  readonly clock: FakeClock;
  readonly folder = temporaryFolder();
  readonly database = join(this.folder, 'listing.db');
  /** What it has logged since its first start. */
  readonly log: readonly Line[];
  private readonly logged = loggedLines();
  private running: { readonly service: ListingService; readonly agent: Agent; readonly clock: Clock } | null =
    null;
  private program: ApiClient | null = null;
  private asked = 0;
  private people = 0;
  private readonly voters: Person[] = [];
  private readonly owners = new Map<Listed, { owner: Person; voters: number }>();

  constructor(private readonly wanted: SiteWanted) {
    this.clock = wanted.clock ?? new FakeClock();
    this.log = this.logged.lines;
  }

  async start(): Promise<void> {
    const { allowTargets = ['127.0.0.0/8'], channelHosts = [], trustedProxies = [] } = this.wanted;
    const { publicUrl, lookup, jitter = 0, isPractice = false, isThreaded = false } = this.wanted;
    const { passwordCost: ln = 1 } = this.wanted;
    const practiceClock = isPractice ? new PracticeClock(this.clock, join(this.folder, 'clock.json')) : null;
    const clock = practiceClock ?? this.clock;
    const service = await startListing(
      {
        ...{ host: '127.0.0.1', port: 0, database: this.database, retryScheduleMs: RETRIES },
        ...{ allowTargets, channelHosts, trustedProxies, publicUrl },
      },
      {
        ...{ clock, practiceClock, log: this.logged.log, open: isThreaded ? openThreads : openImpatiently },
        random: { next: () => jitter, bytes: systemRandom.bytes },
        passwords: new Passwords(systemRandom, { ln, r: 8, p: 1 }),
        ...(lookup === undefined ? {} : { lookup }),
      },
    );
    this.running = { service, agent: new Agent({ keepAlive: true }), clock };
    const request = (path: string, init: RequestInit, env: object) =>
      this.ask(path, init, (env as { clientAddress?: string }).clientAddress ?? this.anyAddress());
    this.program = new ApiClient({ request }, clock);
  }

  /** @param meanwhile what happens while it is stopping. */
  async stop(meanwhile: () => void = () => {}): Promise<void> {
    if (this.running === null) return;
    const { service, agent } = this.running;
    this.running = null;
    agent.destroy();
    let isClosed = false;
    const closed = service.close().then(() => {
      isClosed = true;
    });
    meanwhile();
    // Closing waits for attempts in progress, but the clock stands still.
    while (!isClosed) {
      this.clock.advance(SECOND);
      await turns(1);
    }
    await closed;
  }

  /** @param meanwhile what happens between the two processes. */
  async restart(meanwhile: () => void = () => {}): Promise<void> {
    await this.stop();
    meanwhile();
    await this.start();
  }

  /** Another process locks the database, so that nothing can be written. @returns what ends that. */
  lock(): () => void {
    const other = new Sqlite(this.database);
    other.exec('BEGIN IMMEDIATE');
    onTestFinished(() => void other.close());
    return () => other.close();
  }

  /** A fault of the disk: nothing can be read from this table. @returns what ends that. */
  lose(table: string): () => void {
    const rename = (from: string, to: string): void => {
      const other = new Sqlite(this.database);
      other.exec(`PRAGMA legacy_alter_table = ON; ALTER TABLE ${from} RENAME TO ${to}`);
      other.close();
    };
    rename(table, `lost_${table}`);
    return () => rename(`lost_${table}`, table);
  }

  /** What is on disk. */
  bytes(): Buffer {
    return Buffer.concat(['', '-wal'].map((end) => readFileSync(this.database + end)));
  }

  get api(): ApiClient {
    return this.program!;
  }

  get port(): number {
    return this.running!.service.address.port;
  }

  /** A browser that is not signed in. @param from its address. */
  visitor(from?: string): Browser {
    const answering = { request: (url: string, init: RequestInit) => this.ask(url, init, from) };
    return new Browser(new FakeBrowser(answering as never, `127.0.0.1:${this.port}`));
  }

  /** A browser that is signed in with the page's form. */
  async person(name = `person ${++this.people}`, from?: string): Promise<Person> {
    const account = await this.running!.service.accounts.accounts.add(name, PASSWORD);
    const person = new Person(this.visitor(from).visitor, name, account!.userId, (listed, owner) =>
      this.owners.set(listed, { owner, voters: 0 }),
    );
    await person.signIn();
    return person;
  }

  /** A listing of a new owner. */
  async list(kind: Kind = 'minecraft', fields: Readonly<Record<string, string>> = {}): Promise<Listed> {
    return (await this.person()).list(kind, fields);
  }

  ownerOf(listed: Listed): Person {
    return this.owners.get(listed)!.owner;
  }

  /** A token with these scopes, by default with all that the listing can have. */
  token(listed: Listed, ...scopes: readonly ApiScope[]): Promise<string> {
    const all = ['stats:write', 'votes:read', 'webhooks:write'] as const;
    const allowed = all.filter((scope) => listed.kind === 'bot' || scope !== 'stats:write');
    return this.ownerOf(listed).token(listed, ...(scopes.length === 0 ? allowed : scopes));
  }

  /** A listing with an owner and a token. */
  async owned(kind: Kind = 'minecraft', ...scopes: readonly ApiScope[]) {
    const listed = await this.list(kind);
    return { listed, owner: this.ownerOf(listed), token: await this.token(listed, ...scopes) };
  }

  /** A vote, by default of an account that never voted there. */
  async cast(listed: Listed, player: string | null = null, by?: Person): Promise<Cast> {
    const of = this.owners.get(listed)!;
    if (by === undefined && of.voters === this.voters.length) this.voters.push(await this.person());
    const voter = by ?? this.voters[of.voters++]!;
    let answer = await voter.tryVote(listed, player);
    if (answer.code === 'signed-out') {
      await voter.signIn();
      answer = await voter.tryVote(listed, player);
    }
    if (answer.vote === undefined) throw new Error(`no vote: ${JSON.stringify(answer)}`);
    return { ...answer.vote, userId: voter.userId };
  }

  /** Resolves when nothing is in progress and nothing is due, as owners see it. */
  async quiet(): Promise<void> {
    await turns(3);
    while (await this.isBusy()) await turns(1);
  }

  /** Moves the clock, and resolves when everything that became due has ended. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.quiet();
  }

  private async isBusy(): Promise<boolean> {
    const now = this.running!.clock.now();
    for (const [{ dashboard, kind }, { owner }] of this.owners) {
      const rows = async (path: string, name: string) => {
        const values = await owner.values(dashboard + path);
        if (values.code === 'signed-out') await owner.signIn();
        // Another answer than that comes for a listing that was removed.
        // biome-ignore lint/suspicious/noExplicitAny: rows of several shapes
        return (values[name] ?? (values.code === 'signed-out' ? null : [])) as readonly any[] | null;
      };
      const sending = await rows('/deliveries?state=sending', 'events');
      const retrying = await rows('/deliveries?state=retrying', 'events');
      const sends = kind === 'minecraft' ? await rows('/listener', 'sends') : [];
      if (sending === null || retrying === null || sends === null || sending.length > 0) return true;
      const isDue = (at: string | null): boolean => at === null || Date.parse(at) <= now;
      if (retrying.some(({ nextAttemptAt }) => isDue(nextAttemptAt))) return true;
      if (sends.some(({ outcome }) => outcome === 'sending')) return true;
    }
    return false;
  }

  private anyAddress(): string {
    return `127.0.1.${1 + Math.floor(this.asked++ / PER_ADDRESS)}`;
  }

  /** Any request, without a session. */
  ask(url: string, init: RequestInit = {}, from = '127.0.0.1'): Promise<Response> {
    const { pathname, search } = new URL(url, 'http://site');
    const { method = 'GET', headers, body } = init;
    const { agent } = this.running!;
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, localAddress: from, agent, method };
      const asked = httpRequest(
        { ...options, path: pathname + search, headers: { ...(headers as object) } },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => resolve(responseOf(answer.statusCode!, answer.rawHeaders, chunks)));
          answer.on('error', reject);
        },
      );
      asked.on('error', reject);
      asked.end(body ?? undefined);
    });
  }
}

function responseOf(status: number, raw: readonly string[], chunks: readonly Buffer[]): Response {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return new Response(status === 204 ? null : new Uint8Array(Buffer.concat(chunks)), { status, headers });
}
