import { parse, serialize } from 'hono/utils/cookie';
import type { Exchange } from './exchange.ts';

/** Valid on the whole site, hidden from scripts, and not sent with another site's forms or images. */
const ALWAYS = { path: '/', httpOnly: true, sameSite: 'Lax' } as const;

/** Cookies are shared between the ports of a host, so each site needs its own cookie names. */
export class Cookie {
  readonly name: string;

  /** Over https, the prefix `__Host-` prevents other hosts of the domain from setting the cookie. */
  constructor(
    name: string,
    private readonly secure: boolean,
  ) {
    this.name = secure ? `__Host-${name}` : name;
  }

  read(c: Exchange): string | null {
    return parse(c.req.header('cookie') ?? '', this.name)[this.name] ?? null;
  }

  /** Without `seconds` the cookie lasts until the browser closes. */
  write(c: Exchange, value: string, seconds?: number): void {
    const ends = seconds === undefined ? {} : { maxAge: seconds };
    const cookie = serialize(this.name, value, { ...ALWAYS, secure: this.secure, ...ends });
    c.header('Set-Cookie', cookie, { append: true });
  }

  remove(c: Exchange): void {
    this.write(c, '', 0);
  }
}
