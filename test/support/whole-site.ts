import { request as httpRequest } from 'node:http';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { type ListingService, startListing } from '../../src/listing/service.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { PracticeClock } from '../../src/platform/practice-clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { ApiClient } from '../listing/api-client.ts';
import { Browser, type Listed, Person } from '../listing/dashboard/browser.ts';
import type { Shown } from '../listing/dashboard/shown-page.ts';
import { FakeBrowser } from './fake-browser.ts';
import { FakeClock } from './fake-clock.ts';
import { temporaryFolder } from './folder.ts';
import { openListing } from './listing-in-process.ts';
import { PASSWORD, QUICK } from './listing-site.ts';
import { openThreads } from './listing-threads.ts';
import { type Line, loggedLines } from './logged-lines.ts';
import { SCHEDULE_MS, turns } from './webhook-fixture.ts';

export interface SiteWanted {
  readonly allowTargets?: readonly string[];
  readonly channelHosts?: readonly string[];
  readonly lookup?: LookupFunction;
  /** Whether it has a practice clock. */
  readonly isPractice?: boolean;
  /** Whether its database has threads of its own, as in production. */
  readonly isThreaded?: boolean;
}

/** The listing service on a real port, with a clock that stands still. */
export async function wholeSite(wanted: SiteWanted = {}): Promise<WholeSite> {
  const site = new WholeSite(wanted, temporaryFolder());
  onTestFinished(() => site.close());
  await site.start();
  return site;
}

/** What stays from one start to the next. */
interface Running {
  readonly service: ListingService;
  /** For checking that nothing is in progress. */
  readonly reader: Database;
  readonly clock: Clock;
  readonly api: ApiClient;
}

export class WholeSite {
  readonly clock = new FakeClock();
  /** The log lines of all starts. */
  readonly lines: readonly Line[];
  private readonly logged = loggedLines();
  private running: Running | null = null;
  private people = 0;

  constructor(
    private readonly wanted: SiteWanted,
    private readonly folder: string,
  ) {
    this.lines = this.logged.lines;
  }

  async start(): Promise<void> {
    const { allowTargets = ['127.0.0.0/8'], channelHosts = [], lookup } = this.wanted;
    const file = join(this.folder, 'listing.db');
    const practiceClock = this.wanted.isPractice
      ? new PracticeClock(this.clock, join(this.folder, 'clock.json'))
      : null;
    const clock = practiceClock ?? this.clock;
    const service = await startListing(
      {
        ...{ host: '127.0.0.1', port: 0, database: file, retryScheduleMs: SCHEDULE_MS },
        ...{ allowTargets, channelHosts, trustedProxies: [] },
      },
      {
        ...{
          clock,
          practiceClock,
          log: this.logged.log,
          open: this.wanted.isThreaded === true ? openThreads : openListing,
        },
        // Without jitter.
        random: { next: () => 0, bytes: systemRandom.bytes },
        ...(lookup === undefined ? {} : { lookup }),
      },
    );
    const request = (path: string, init: RequestInit, env: object) => this.ask(path, init, addressIn(env));
    const reader = openDatabase(file, listingSchema, 'read');
    this.running = { service, reader, clock, api: new ApiClient({ request }, clock) };
  }

  async close(): Promise<void> {
    if (this.running === null) return;
    const { service, reader } = this.running;
    this.running = null;
    reader.close();
    let isClosed = false;
    const closed = service.close().then(() => {
      isClosed = true;
    });
    // Closing waits for attempts in progress, but the clock stands still.
    while (!isClosed) {
      this.clock.advance(1_000);
      await turns(1);
    }
    await closed;
  }

  async restart(): Promise<void> {
    await this.close();
    await this.start();
  }

  get api(): ApiClient {
    return this.running!.api;
  }

  get port(): number {
    return this.running!.service.address.port;
  }

  /** A browser that is not signed in. */
  visitor(from?: string): Browser {
    const answering = { request: (url: string, init: RequestInit) => this.ask(url, init, from) };
    return new Browser(new FakeBrowser(answering as never, `127.0.0.1:${this.port}`));
  }

  /** A browser that is signed in with the page's form. */
  async person(name = `person ${++this.people}`, from?: string): Promise<Person> {
    const passwordHash = await QUICK_HASH;
    const { accounts } = this.running!.service;
    const account = await accounts.accounts.addHashed(name, passwordHash);
    const person = new Person(this.visitor(from).visitor, name, account!.userId);
    await person.signIn();
    return person;
  }

  /** Casts a vote with the form, as a new account. */
  async vote({ page }: Listed, player?: string): Promise<Shown> {
    const voter = await this.person();
    return voter.voteOn({ page }, player);
  }

  async votes(listing: Listed, count: number): Promise<void> {
    for (let vote = 0; vote < count; vote++) await this.vote(listing);
  }

  /** Resolves when nothing is in progress and nothing is due. */
  async quiet(): Promise<void> {
    await turns(3);
    while (this.isBusy()) await turns(1);
  }

  /** Moves the clock, and resolves when everything that became due has ended. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.quiet();
  }

  /** A request of a script, without a session. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  async sendJson(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<any> {
    const sent = { host: `127.0.0.1:${this.port}`, 'content-type': 'application/json', ...headers };
    const answer = await this.ask(path, { method: 'POST', headers: sent, body: JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  private isBusy(): boolean {
    const { reader, clock } = this.running!;
    return reader.prepare(BUSY).pluck().get({ now: clock.now() }) === 1;
  }

  private ask(url: string, init: RequestInit, from = '127.0.0.1'): Promise<Response> {
    const { pathname, search } = new URL(url, 'http://site');
    const { method = 'GET', headers, body } = init;
    return new Promise((resolve, reject) => {
      const options = { port: this.port, localAddress: from, agent: false, method };
      const asked = httpRequest(
        { ...options, host: '127.0.0.1', path: pathname + search, headers: { ...(headers as object) } },
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

const BUSY = `
  SELECT EXISTS (SELECT 1 FROM deliveries WHERE outcome IS NULL AND reason IS NULL)
      OR EXISTS (SELECT 1 FROM events WHERE state = 'pending' AND due_at <= @now)
      OR EXISTS (SELECT 1 FROM listener_sends WHERE outcome IS NULL)`;

const QUICK_HASH = new Passwords(systemRandom, QUICK).hash(PASSWORD);

/** API requests come from loopback, because tests have no other network. */
const addressIn = (env: object): string | undefined => {
  const { clientAddress: address } = env as { clientAddress?: string };
  return address?.startsWith('127.') ? address : undefined;
};

function responseOf(status: number, raw: readonly string[], chunks: readonly Buffer[]): Response {
  const headers = new Headers();
  for (let at = 0; at < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return new Response(status === 204 ? null : new Uint8Array(Buffer.concat(chunks)), { status, headers });
}
