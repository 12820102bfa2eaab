import type { ApiScope } from '../../../protocol/listing-api/scopes.ts';
import type { BrowserResponse, FakeBrowser } from '../../support/fake-browser.ts';
import { PASSWORD } from '../../support/listing-site.ts';
import { type Shown, shownPage } from './shown-page.ts';

export type Kind = 'bot' | 'minecraft' | 'fivem' | 'roblox' | 'hytale';
export const KINDS: readonly Kind[] = ['bot', 'minecraft', 'fivem', 'roblox', 'hytale'];

/** A listing with the paths of its pages. */
export interface Listed {
  readonly id: string;
  readonly dashboard: string;
  readonly page: string;
}

const listed = (id: string): Listed => ({ id, dashboard: `/dashboard/${id}`, page: `/listings/${id}` });

type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A browser that follows redirects and fills in forms. */
export class Browser {
  constructor(
    /** For requests that a browser would not send by itself. */
    readonly visitor: FakeBrowser,
  ) {}

  async open(path: string): Promise<Shown> {
    return this.follow(await this.visitor.get(path));
  }

  /** The values of a page, as a script gets them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of every shape
  async values(path: string): Promise<any> {
    return JSON.parse((await this.visitor.get(path, { accept: 'application/json' })).text);
  }

  /** Sends the form with this `action` on the page `at`, with `fields` changed. */
  async press(at: string, action = at, fields: Fields = {}): Promise<Shown> {
    const form = (await this.open(at)).form(action);
    if (form === null) throw new Error(`${at} has no form for ${action}`);
    return this.post(action, { ...form.fields, ...fields });
  }

  /** Sends a form as a script, and returns the values of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of every shape
  async answer(action: string, fields: Fields = {}): Promise<any> {
    return JSON.parse((await this.visitor.post(action, fields, { accept: 'application/json' })).text);
  }

  /** Sends a form that need not be on any page. */
  async post(action: string, fields: Fields = {}): Promise<Shown> {
    return this.follow(await this.visitor.post(action, fields));
  }

  private async follow(seen: BrowserResponse): Promise<Shown> {
    if (seen.to === null) return shownPage(seen.at, seen);
    return this.follow(await this.visitor.get(seen.to));
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

  /** Votes with the form on the listing's page, with or without a player. */
  voteOn({ page }: Pick<Listed, 'page'>, player = ''): Promise<Shown> {
    return this.press(page, `${page}/vote`, player === '' ? { withoutPlayer: 'on' } : { player });
  }

  /** Adds a listing with the form and becomes its owner. */
  async list(kind: Kind = 'minecraft', fields: Fields = {}): Promise<Listed> {
    const { path } = await this.press('/new-listing', '/new-listing', { name: `A ${kind}`, kind, ...fields });
    return listed(path.replace('/dashboard/', ''));
  }

  /** Saves the listing's webhook with the form, unsigned by default. */
  saveWebhook({ dashboard }: Listed, url: string, fields: Fields = {}): Promise<Shown> {
    return this.press(`${dashboard}/webhook`, `${dashboard}/webhook`, { url, secret: 'none', ...fields });
  }

  saveListener({ dashboard }: Listed, fields: Fields): Promise<Shown> {
    const at = `${dashboard}/listener`;
    return this.press(at, at, {
      host: '127.0.0.1',
      method: 'token',
      credential: 'token-of-the-listener',
      ...fields,
    });
  }

  /** Creates a token with the form and returns it. */
  async token({ dashboard }: Listed, ...scopes: ApiScope[]): Promise<string> {
    const at = `${dashboard}/tokens`;
    return (await this.press(at, at, { name: 'a program', scopes })).code('token')!;
  }

  /** Makes another person a manager of the listing. */
  async invite({ dashboard }: Listed, other: Person): Promise<void> {
    const invitation = await this.press(`${dashboard}/people`, `${dashboard}/people/invite`);
    const { pathname } = new URL(invitation.code('invitation')!);
    await other.press(pathname);
  }
}
