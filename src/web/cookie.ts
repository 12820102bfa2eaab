import { parse, serialize } from 'hono/utils/cookie';
import type { Exchange } from './exchange.ts';

/** Never for scripts, never sent along from another site's form or picture, for the whole site. */
const ALWAYS = { path: '/', httpOnly: true, sameSite: 'Lax' } as const;

/** Cookies do not keep ports apart, so each site of a host has names of its own. */
export class Cookie {
  readonly name: string;

  /** Over https `__Host-` keeps other hosts of the domain from setting it. */
  constructor(
    name: string,
    private readonly secure: boolean,
  ) {
    this.name = secure ? `__Host-${name}` : name;
  }

  read(c: Exchange): string | null {
    return parse(c.req.header('cookie') ?? '', this.name)[this.name] ?? null;
  }

  /** Without `seconds` it ends with the browser. */
  write(c: Exchange, value: string, seconds?: number): void {
    const ends = seconds === undefined ? {} : { maxAge: seconds };
    const cookie = serialize(this.name, value, { ...ALWAYS, secure: this.secure, ...ends });
    c.header('Set-Cookie', cookie, { append: true });
  }

  remove(c: Exchange): void {
    this.write(c, '', 0);
  }
}
