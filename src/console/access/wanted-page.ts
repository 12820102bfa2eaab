import { Cookie } from '../../web/cookie.ts';
import { localPath } from '../../web/local-path.ts';
import type { PageContext } from '../../web/site.ts';
import { paths } from '../paths.ts';
import type { Operator } from './operator.ts';

/** Long enough to go to the machine where Teller runs. */
const KEPT_SECONDS = 15 * 60;
const PATH_MAX = 1_000;

type Context = PageContext<Operator>;

/** A one-time link does not say which page its reader wanted, so a cookie of the browser that was sent to sign in does. */
export function rememberPage(c: Context, path: string): void {
  if (path !== paths.now && !isStream(path) && path.length <= PATH_MAX)
    cookieOf(c).write(c, path, KEPT_SECONDS);
}

/** What a page that was left open asks for again when Teller has restarted. No person wants it. */
const isStream = (path: string): boolean => path.split('?', 1)[0] === paths.live;

/** The page that this browser wanted when it was sent to sign in; otherwise the first one. Forgets it. */
export function takePage(c: Context): string {
  const cookie = cookieOf(c);
  const path = cookie.read(c);
  if (path !== null) cookie.remove(c);
  return localPath(path ?? undefined, paths.now);
}

const cookieOf = ({ var: { site } }: Context): Cookie => new Cookie(`${site.cookie}-wanted`, site.https);
