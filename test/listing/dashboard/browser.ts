import type { ApiScope } from '../../../protocol/listing-api/scopes.ts';
import { PASSWORD } from '../../support/listing-site.ts';
import type { BrowserResponse, FakeBrowser } from '../../support/fake-browser.ts';
import { type Shown, shownPage } from './shown-page.ts';

export type Kind = 'bot' | 'minecraft' | 'fivem' | 'roblox' | 'hytale';
export const KINDS: readonly Kind[] = ['bot', 'minecraft', 'fivem', 'roblox', 'hytale'];

/** A listing, by the addresses of its pages. */
export interface Listed {
  readonly id: string;
  readonly dashboard: string;
  readonly page: string;
}

const listed = (id: string): Listed => ({ id, dashboard: `/dashboard/${id}`, page: `/listings/${id}` });

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A browser that follows redirects and fills in the forms that it is shown. */
export class Browser {
  constructor(
    /** For what a browser does only when somebody makes it. */
    readonly visitor: FakeBrowser,
  ) {}

  async open(path: string): Promise<Shown> {
    return this.follow(path, await this.visitor.get(path));
  }

  /** What a script is told of a page. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of every shape
  async values(path: string): Promise<any> {
    return JSON.parse((await this.visitor.get(path, { accept: 'application/json' })).text);
  }

  /** Sends the form of the page `at` that leads to `action`, filled in as it is shown but for `fields`. */
  async press(at: string, action = at, fields: Fields = {}): Promise<Shown> {
    const form = (await this.open(at)).form(action);
    if (form === null) throw new Error(`${at} has no form for ${action}`);
    return this.post(action, { ...form.fields, ...fields });
  }

  /** What a script is answered that sends this: values, and the code where it did not do what was asked. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of every shape
  async answer(action: string, fields: Fields = {}): Promise<any> {
    return JSON.parse((await this.visitor.post(action, fields, { accept: 'application/json' })).text);
  }

  /** Sends what no page has offered. */
  async post(action: string, fields: Fields = {}): Promise<Shown> {
    return this.follow(action, await this.visitor.post(action, fields));
  }

  private async follow(path: string, seen: BrowserResponse): Promise<Shown> {
    if (seen.to === null) return shownPage(path, seen);
    return this.follow(seen.to, await this.visitor.get(seen.to));
  }
}

export class Person extends Browser {
  constructor(
    visitor: FakeBrowser,
    readonly name: string,
    readonly userId: string,
  ) {
    super(visitor);
  }

  signIn(): Promise<Shown> {
    return this.press('/sign-in', '/sign-in', { name: this.name, password: PASSWORD });
  }

  /** Votes by the form of the listing's page; for no player it says so, as the page asks. */
  voteOn({ page }: Pick<Listed, 'page'>, player = ''): Promise<Shown> {
    return this.press(page, `${page}/vote`, player === '' ? { withoutPlayer: 'on' } : { player });
  }

  /** Adds a listing by the form, and owns it. */
  async list(kind: Kind = 'minecraft', fields: Fields = {}): Promise<Listed> {
    const { path } = await this.press('/new-listing', '/new-listing', { name: `A ${kind}`, kind, ...fields });
    return listed(path.replace('/dashboard/', ''));
  }

  /** Saves the listing's webhook by the form; unsigned unless the test says otherwise. */
  saveWebhook({ dashboard }: Listed, url: string, fields: Fields = {}): Promise<Shown> {
    return this.press(`${dashboard}/webhook`, `${dashboard}/webhook`, { url, secret: 'none', ...fields });
  }

  saveListener({ dashboard }: Listed, fields: Fields): Promise<Shown> {
    const at = `${dashboard}/listener`;
    return this.press(at, at, {
      host: '127.0.0.1',
      method: 'token',
      credential: 'token-of-the-ear',
      ...fields,
    });
  }

  /** A token, as it is shown when it is made. */
  async token({ dashboard }: Listed, ...scopes: ApiScope[]): Promise<string> {
    const at = `${dashboard}/tokens`;
    return (await this.press(at, at, { name: 'a program', scopes })).code('token')!;
  }

  /** Invites somebody to look after a listing, who accepts. */
  async invite({ dashboard }: Listed, other: Person): Promise<void> {
    const made = await this.press(`${dashboard}/people`, `${dashboard}/people/invite`);
    const { pathname } = new URL(made.code('invitation')!);
    await other.press(pathname);
  }
}
