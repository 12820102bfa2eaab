import type { MiddlewareHandler } from 'hono';
import { isChange } from '../../web/guards.ts';
import { refuse, wantsJson } from '../../web/refusal.ts';
import { seeOther } from '../../web/show.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths, signInThen } from '../paths.ts';

/** Sends people to the page where they sign in, and from there back to the page they wanted. Programs get an error. */
const wantedPath = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

export const signedInOnly: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  if (c.var.visit.person !== null) return next();
  if (wantsJson(c)) return refuse(c, c.var.site, 'signed-out');
  return seeOther(c, isChange(c.req.method) ? paths.signIn : signInThen(wantedPath(c.req.url)));
};
