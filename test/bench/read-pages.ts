/**
 * An operator who reads the console: signs in with a one-time link, opens each page once, and then each again and again
 * over several kept connections, with the live stream open. One JSON argument: a `ReadingOrder`. Prints `PagesRead`.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TimedPage } from './console-pages.ts';

export interface ReadingOrder {
  /** The one-time link. */
  readonly link: string;
  readonly pages: readonly TimedPage[];
  readonly connections: number;
  /** Since the start; each page is opened at least once. */
  readonly seconds: number;
}

export interface PageTimes {
  readonly firstMs: number;
  /** Each later time, so that those of several starts can be put together. */
  readonly laterMs: readonly number[];
  /** Answers with another status than 200. */
  readonly failed: number;
}

export interface PagesRead {
  /** The first two requests of all, which load the code of the pages. */
  readonly signInMs: number;
  readonly byPage: Readonly<Record<string, PageTimes>>;
  /** How many times the live stream reported a change. */
  readonly changes: number;
}

interface Answer {
  readonly status: number;
  readonly cookie: string;
  readonly ms: number;
}

const order = JSON.parse(process.argv[2] ?? '') as ReadingOrder;
const { origin, pathname } = new URL(order.link);
const began = performance.now();
const isOver = (): boolean => performance.now() - began > order.seconds * 1_000;

/** @param form null: nothing is posted */
const requested = (
  path: string,
  agent: Agent,
  cookie: string,
  form: string | null = null,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const posted = { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' };
    const headers = { Accept: 'text/html', Cookie: cookie, ...(form === null ? {} : posted) };
    request(origin + path, { agent, headers, method: form === null ? 'GET' : 'POST' }, resolve)
      .on('error', reject)
      .end(form ?? '');
  });

const cookiesOf = ({ headers }: IncomingMessage): string =>
  (headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ');

/** Times from the request to the last byte of the answer. */
async function read(path: string, agent: Agent, cookie = ''): Promise<Answer> {
  const startedAt = performance.now();
  const response = await requested(path, agent, cookie);
  for await (const _ of response);
  const ms = performance.now() - startedAt;
  return { status: response.statusCode ?? 0, cookie: cookiesOf(response), ms };
}

/** Opens the link and presses its button. */
async function signInWithLink(path: string, agent: Agent): Promise<Answer> {
  const startedAt = performance.now();
  const page = await requested(path, agent, '');
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await text(page)) ?? [];
  const response = await requested(path, agent, cookiesOf(page), `csrf=${csrf}`);
  for await (const _ of response);
  const ms = performance.now() - startedAt;
  return { status: response.statusCode ?? 0, cookie: cookiesOf(response), ms };
}

const connection = () => new Agent({ keepAlive: true, maxSockets: 1 });

const first = connection();
const signIn = await signInWithLink(pathname, first);
if (signIn.status !== 303) throw new Error(`signing in was answered with ${signIn.status}`);
const { cookie } = signIn;

let changes = 0;
const stream = await requested('/live', new Agent(), cookie);
stream.setEncoding('utf8').on('data', (text: string) => {
  changes += text.split('event: change').length - 1;
});
stream.on('error', () => {});

const firstMs = new Map<string, number>();
const times = new Map<string, number[]>(order.pages.map(({ name }) => [name, []]));
const failed = new Map<string, number>();

const open = async ({ name, path }: TimedPage, agent: Agent): Promise<number> => {
  const { status, ms } = await read(path, agent, cookie);
  if (status !== 200) failed.set(name, (failed.get(name) ?? 0) + 1);
  return ms;
};

for (const page of order.pages) firstMs.set(page.name, await open(page, first));

/** Each connection starts elsewhere in the list, so that slow pages meet other pages. */
const reader = async (_: unknown, number: number): Promise<void> => {
  const agent = connection();
  const { pages, connections } = order;
  for (let next = Math.floor((pages.length * number) / connections); !isOver(); next++) {
    const page = pages[next % pages.length] as TimedPage;
    times.get(page.name)?.push(await open(page, agent));
  }
  agent.destroy();
};
await Promise.all(Array.from({ length: order.connections }, reader));
first.destroy();
stream.destroy();

const timesOf = (name: string): PageTimes => ({
  firstMs: firstMs.get(name) ?? Number.NaN,
  laterMs: times.get(name) ?? [],
  failed: failed.get(name) ?? 0,
});
const result: PagesRead = {
  signInMs: signIn.ms,
  byPage: Object.fromEntries(order.pages.map(({ name }) => [name, timesOf(name)])),
  changes,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
