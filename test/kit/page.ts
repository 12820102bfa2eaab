/** Pages of a running Teller, as a browser gets them over HTTP: their text, forms and links. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
// Loaded with the test, because the first page of each would load them within the time of a test.
import '../../src/console/public/site.ts';
import '../../src/console/site.ts';
import { browserOf, type FakeBrowser } from '../support/fake-browser.ts';
import { formsIn, textOf, unescaped } from '../support/page-text.ts';
import type { Here } from './here.ts';
import type { Desk } from './place.ts';

type Fields = Readonly<Record<string, string | readonly string[]>>;
type Sent = Readonly<Record<string, string>>;

export interface Page {
  /** Of the first answer: 303 if it led to this page. */
  readonly status: number;
  /** The address that the browser shows, without the host. */
  readonly at: string;
  /** As it was sent. */
  readonly html: string;
  /** What a reader sees. */
  readonly text: string;
  readonly headers: Headers;
}

/** A browser that keeps its cookies, and asks one site. */
export class Reader {
  readonly cookies: FakeBrowser;

  constructor(readonly origin: string) {
    this.cookies = browserOf(origin);
  }

  /** Asks once, without following where the answer leads. */
  async get(path: string, headers: Sent = {}): Promise<Page & { readonly to: string | null }> {
    return pageOf(await this.cookies.get(path, headers));
  }

  /** Opens a page, wherever its address leads. */
  async open(path: string): Promise<Page> {
    const page = await this.get(path);
    return page.to === null ? page : { ...(await this.open(page.to)), status: page.status };
  }

  /** Sends fields, with the form token of the last page. @returns the page that is shown then. */
  async post(path: string, fields: Fields = {}, headers: Sent = {}): Promise<Page> {
    const { to, ...page } = pageOf(await this.cookies.post(path, fields, headers));
    return to === null ? page : { ...(await this.open(to)), status: page.status };
  }

  /** Fills in the form of a page, and presses its button. @param path where the form is sent */
  submit(page: Page, path: string, fields: Fields = {}): Promise<Page> {
    const form = formsIn(page.html).find(({ action }) => action === path);
    if (form === undefined) throw new Error(`no form of ${page.at} is sent to ${path}`);
    return this.post(path, { ...form.fields, ...fields });
  }
}

const pageOf = ({ status, at, text, headers, to }: Awaited<ReturnType<FakeBrowser['get']>>) => ({
  ...{ status, at, headers, to },
  html: text,
  text: textOf({ text }),
});

/** The operator of each Teller; each start of it is another site, so it is asked where that is. */
const operators = new WeakMap<Here, Reader>();

/** A page of the console, for its operator or for someone who has not signed in. */
export const page = async (
  teller: Here,
  path: string,
  as: 'operator' | 'visitor' = 'operator',
): Promise<Page> => (as === 'operator' ? await operator(teller) : await visitor(teller)).open(path);

/** The one browser of the operator, who has opened the link. */
export async function operator(teller: Here): Promise<Reader> {
  const before = operators.get(teller);
  if (before !== undefined) return before;
  const reader = await signedIn(teller);
  operators.set(teller, reader);
  return reader;
}

/** Another browser, in which the operator has opened the link. */
export async function signedIn(teller: Here): Promise<Reader> {
  const reader = await visitor(teller);
  await openLink(reader, await linkOf(teller));
  return reader;
}

/** A browser that has not signed in. */
export const visitor = async (teller: Pick<Desk, 'run'>): Promise<Reader> =>
  new Reader(new URL(await linkOf(teller)).origin);

/** The link that opens the console once. */
export const linkOf = async (teller: Pick<Desk, 'run'>): Promise<string> =>
  (await teller.run('console', 'open', '--print')).out;

/** Opens a one-time link and presses its button. */
export async function openLink(reader: Reader, link: string): Promise<Page> {
  const { pathname } = new URL(link);
  const shown = await reader.get(pathname);
  return shown.status === 200 ? reader.post(pathname) : shown;
}

/** Where a part of Teller is served: the console, or the page for players. */
export const addressOf = ({ log }: Here, code: 'console' | 'public-page'): string =>
  String((log.findLast((line) => line.code === code)?.fields as { url: string } | undefined)?.url);

/** A browser of a player. */
export const player = (teller: Here): Reader => new Reader(addressOf(teller, 'public-page'));

/** Sends these lines to the console, or to a port, as they are. @returns everything that it answers. */
export async function raw(to: Here | number, ...lines: readonly string[]): Promise<string> {
  const socket = connect(
    typeof to === 'number' ? to : Number(new URL(addressOf(to, 'console')).port),
    '127.0.0.1',
  );
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

/** Where the links of a page lead, within the site. */
export const linksOf = ({ html }: Page): readonly string[] =>
  [...html.matchAll(/<a [^>]*\bhref="([^"]*)"/g)]
    .map(([, href = '']) => unescaped(href))
    .filter((href) => /^\/(?!\/)/.test(href));

/** The stream that an open page listens to. */
export async function stream(reader: Reader): Promise<{ next(): Promise<string> }> {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const response = await fetch(`${reader.origin}/live`, {
    headers: { cookie: reader.cookies.cookie, accept: 'text/event-stream' },
    signal: closing.signal,
  });
  const bytes = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  return {
    /** The next event, or `closed`. */
    async next() {
      for (;;) {
        const [, event, rest] = /^event: (\w+)\n(?:.*\n)*?\n((?:.|\n)*)$/.exec(unread) ?? [];
        if (event !== undefined) {
          unread = rest ?? '';
          return event;
        }
        const { value, done } = await bytes.read();
        if (done) return 'closed';
        unread = (unread + value).replace(/^(?:retry: \d+\n|:\n)\n/, '');
      }
    },
  };
}
