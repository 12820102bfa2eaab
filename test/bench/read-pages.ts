/**
 * An operator who reads the console: signs in with a one-time link, opens each page once, and then each again and again
 * over several kept connections, with the live stream open. One JSON argument: a `ReadingOrder`. Prints `PagesRead`.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ReadingOrder {
  /** The one-time link. */
  readonly link: string;
  /** Names and paths. */
  readonly pages: readonly (readonly [name: string, path: string])[];
  readonly connections: number;
  /** Since the start; each page is opened at least once. */
  readonly seconds: number;
}

export interface PageTimes {
  firstMs: number;
  /** Each later time, so that those of several starts can be put together. */
  readonly laterMs: number[];
  /** Answers with another status than 200. */
  failed: number;
}

export interface PagesRead {
  /** The first two requests of all, which load the code of the pages. */
  readonly signInMs: number;
  readonly byPage: Readonly<Record<string, PageTimes>>;
  /** How many times the live stream reported a change. */
  readonly changes: number;
}

const order = JSON.parse(process.argv[2] ?? '') as ReadingOrder;
const { origin, pathname } = new URL(order.link);
const began = performance.now();

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

const connection = () => new Agent({ keepAlive: true, maxSockets: 1 });
const first = connection();

/** Opens the link and presses its button. */
const page = await requested(pathname, first, '');
const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await text(page)) ?? [];
const signedIn = await requested(pathname, first, cookiesOf(page), `csrf=${csrf}`);
if (signedIn.statusCode !== 303) throw new Error(`signing in was answered with ${signedIn.statusCode}`);
for await (const _ of signedIn);
const signInMs = performance.now() - began;
const cookie = cookiesOf(signedIn);

let changes = 0;
const stream = await requested('/live', new Agent(), cookie);
stream.setEncoding('utf8').on('data', (text: string) => {
  changes += text.split('event: change').length - 1;
});
stream.on('error', () => {});

const byPage: Record<string, PageTimes> = {};

/** Times from the request to the last byte of the answer. */
async function open([name, path]: ReadingOrder['pages'][number], agent: Agent): Promise<number> {
  const startedAt = performance.now();
  const response = await requested(path, agent, cookie);
  for await (const _ of response);
  const times = byPage[name] ?? { firstMs: Number.NaN, laterMs: [], failed: 0 };
  byPage[name] = times;
  if (response.statusCode !== 200) times.failed += 1;
  return performance.now() - startedAt;
}

for (const each of order.pages) {
  const ms = await open(each, first);
  (byPage[each[0]] as PageTimes).firstMs = ms;
}

/** Each connection starts elsewhere in the list, so that slow pages meet other pages. */
async function read(number: number): Promise<void> {
  const agent = connection();
  const { pages, connections, seconds } = order;
  let next = Math.floor((pages.length * number) / connections);
  for (; performance.now() - began <= seconds * 1_000; next++) {
    const each = pages[next % pages.length] as ReadingOrder['pages'][number];
    const ms = await open(each, agent);
    byPage[each[0]]?.laterMs.push(ms);
  }
  agent.destroy();
}
await Promise.all(Array.from({ length: order.connections }, (_, number) => read(number)));
first.destroy();
stream.destroy();
const result: PagesRead = { signInMs, byPage, changes };
process.stdout.write(`${JSON.stringify(result)}\n`);
