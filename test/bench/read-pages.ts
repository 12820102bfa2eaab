/**
 * An operator who reads the console: signs in with a one-time link, opens each page once, and then each again and again
 * over several kept connections, with the live stream open.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** Pages to read: their names and paths. */
export type Pages = readonly (readonly [name: string, path: string])[];

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
  readonly byPage: ReadonlyMap<string, PageTimes>;
  /** How many times the live stream reported a change. */
  readonly changes: number;
}

const cookiesOf = ({ headers }: IncomingMessage): string =>
  (headers['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ');

const connection = () => new Agent({ keepAlive: true, maxSockets: 1 });

/** @param seconds since the start; each page is opened at least once. @param onOpened called with the name of a page after it was opened for the first time */
export async function readPages(
  link: string,
  pages: Pages,
  connections: number,
  seconds: number,
  onOpened: (name: string) => void = () => {},
): Promise<PagesRead> {
  const { origin, pathname } = new URL(link);
  const began = performance.now();
  let cookie = '';
  /** @param form absent: nothing is posted */
  const requested = (path: string, agent: Agent, form?: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const posted = { Origin: origin, 'Content-Type': 'application/x-www-form-urlencoded' };
      const headers = { Accept: 'text/html', Cookie: cookie, ...(form === undefined ? {} : posted) };
      request(origin + path, { agent, headers, method: form === undefined ? 'GET' : 'POST' }, resolve)
        .on('error', reject)
        .end(form ?? '');
    });

  const first = connection();
  const page = await requested(pathname, first);
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await text(page)) ?? [];
  cookie = cookiesOf(page);
  const signedIn = await requested(pathname, first, `csrf=${csrf}`);
  if (signedIn.statusCode !== 303) throw new Error(`signing in was answered with ${signedIn.statusCode}`);
  await text(signedIn);
  const signInMs = performance.now() - began;
  cookie = cookiesOf(signedIn);

  let changes = 0;
  const stream = await requested('/live', new Agent());
  stream.setEncoding('utf8').on('data', (piece: string) => {
    changes += piece.split('event: change').length - 1;
  });
  stream.on('error', () => {});

  const byPage = new Map<string, PageTimes>();
  /** Times from the request to the last byte of the answer. */
  const open = async (path: string, agent: Agent) => {
    const startedAt = performance.now();
    const response = await requested(path, agent);
    for await (const _ of response);
    return { ms: performance.now() - startedAt, failed: Number(response.statusCode !== 200) };
  };
  for (const [name, path] of pages) {
    const { ms, failed } = await open(path, first);
    byPage.set(name, { firstMs: ms, laterMs: [], failed });
    onOpened(name);
  }
  /** Each connection starts elsewhere in the list, so that slow pages meet other pages. */
  const read = async (number: number): Promise<void> => {
    const agent = connection();
    let next = Math.floor((pages.length * number) / connections);
    for (; performance.now() - began <= seconds * 1_000; next++) {
      const [name, path] = pages[next % pages.length] as Pages[number];
      const { ms, failed } = await open(path, agent);
      const times = byPage.get(name) as PageTimes;
      times.laterMs.push(ms);
      times.failed += failed;
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => read(number)));
  first.destroy();
  stream.destroy();
  return { signInMs, byPage, changes };
}
