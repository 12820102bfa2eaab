import { createHmac } from 'node:crypto';
import type { Cookie } from './cookie.ts';
import type { Exchange } from './exchange.ts';
import { isSameText } from './same-text.ts';

/** The result of a form, shown once on the page that follows. Never contains a secret. */
export interface Flash {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
}

/** Long enough for the redirect. */
const KEPT_SECONDS = 60;
/** Browsers discard cookies of more than 4 KiB. A character takes up to 3 bytes, which base64 turns into 4. */
const TEXT_MAX = 600;

/** Kept in a cookie, so that it needs no script and no session, and signed, so that others cannot put text into a page. */
export class FlashCookie {
  constructor(
    private readonly cookie: Cookie,
    private readonly key: Buffer,
  ) {}

  put(c: Exchange, { tone, text }: Flash): void {
    const content = Buffer.from(JSON.stringify([tone, text.slice(0, TEXT_MAX)])).toString('base64url');
    this.cookie.write(c, `${content}.${this.signature(content)}`, KEPT_SECONDS);
  }

  take(c: Exchange): Flash | null {
    const value = this.cookie.read(c);
    if (value === null) return null;
    this.cookie.remove(c);
    const [content = '', signature = ''] = value.split('.');
    if (!isSameText(signature, this.signature(content))) return null;
    const [tone, text] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [Flash['tone'], string];
    return { tone, text };
  }

  private signature(content: string): string {
    return createHmac('sha256', this.key).update(content).digest('base64url');
  }
}
