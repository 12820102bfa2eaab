/** People in front of the listing's pages. */
import type { ApiScope } from '../../protocol/listing-api.ts';
import type { BrowserResponse, FakeBrowser } from '../support/fake-browser.ts';
import { type Shown, shownPage } from './listing-page.ts';

export type Kind = 'bot' | 'minecraft' | 'fivem' | 'roblox' | 'hytale';
export const KINDS: readonly Kind[] = ['bot', 'minecraft', 'fivem', 'roblox', 'hytale'];

/** Everybody's password. */
export const PASSWORD = 'a long enough sentence';

/** A listing with the paths of its pages. */
export interface Listed {
  readonly id: string;
  readonly kind: Kind;
  readonly dashboard: string;
  readonly page: string;
}

/** A vote as its voter's script sees it. */
export interface Cast {
  readonly id: string;
  readonly userId: string;
  readonly player: string | null;
  readonly castAt: string;
  readonly nextVoteAt: string;
}

type Fields = Readonly<Record<string, string | readonly string[]>>;
const AS_SCRIPT = { accept: 'application/json' };

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
    return JSON.parse((await this.visitor.get(path, AS_SCRIPT)).text);
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
    return JSON.parse((await this.visitor.post(action, fields, AS_SCRIPT)).text);
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
    /** Called with each listing that this person adds. */
    private readonly onListed: (listed: Listed, owner: Person) => void,
  ) {
    super(visitor);
  }

  async signIn(): Promise<void> {
    await this.visitor.get('/sign-in');
    await this.visitor.post('/sign-in', { name: this.name, password: PASSWORD });
    // A page of this session, whose forms can be sent.
    await this.visitor.get('/account');
  }

  /** Votes with the form on the listing's page, with or without a player. */
  voteOn({ page }: Pick<Listed, 'page'>, player = ''): Promise<Shown> {
    return this.press(page, `${page}/vote`, player === '' ? { withoutPlayer: 'on' } : { player });
  }

  /** Votes as a script does. */
  // biome-ignore lint/suspicious/noExplicitAny: the vote, or a refusal
  tryVote({ page }: Pick<Listed, 'page'>, player: string | null = null): Promise<any> {
    return this.answer(`${page}/vote`, player === null ? {} : { player });
  }

  /** Adds a listing with the form and becomes its owner. */
  async list(kind: Kind = 'minecraft', fields: Fields = {}): Promise<Listed> {
    const { path } = await this.post('/new-listing', { name: `A ${kind}`, kind, ...fields });
    const id = path.replace('/dashboard/', '');
    const listed = { id, kind, dashboard: `/dashboard/${id}`, page: `/listings/${id}` };
    this.onListed(listed, this);
    return listed;
  }

  /** Saves the listing's webhook with the form, unsigned by default. */
  saveWebhook({ dashboard }: Listed, url: string, fields: Fields = {}): Promise<Shown> {
    return this.press(`${dashboard}/webhook`, `${dashboard}/webhook`, { url, secret: 'none', ...fields });
  }

  saveListener({ dashboard }: Listed, fields: Fields): Promise<Shown> {
    const at = `${dashboard}/listener`;
    const usual = { host: '127.0.0.1', method: 'token', credential: 'token-of-the-listener' };
    return this.press(at, at, { ...usual, ...fields });
  }

  /** Creates a token with the form and returns it. */
  async token({ dashboard }: Listed, ...scopes: ApiScope[]): Promise<string> {
    const at = `${dashboard}/tokens`;
    return (await this.press(at, at, { name: 'a program', scopes })).code('token')!;
  }

  /** The link of an invitation to manage the listing. */
  async invitation({ dashboard }: Listed): Promise<string> {
    const shown = await this.press(`${dashboard}/people`, `${dashboard}/people/invite`);
    return new URL(shown.code('invitation')!).pathname;
  }

  /** Makes another person a manager of the listing. */
  async invite(listed: Listed, other: Person): Promise<void> {
    await other.press(await this.invitation(listed));
  }
}
