import type { MiddlewareHandler } from 'hono';
import { isChange } from '../../web/guards.ts';
import { seeOther } from '../../web/show.ts';
import type { ConsoleEnv } from '../parts.ts';
import { paths, signInThen } from '../paths.ts';

const wantedPath = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** Sends visitors to the page where they sign in, and from there back to the page they wanted. */
export const signedInOnly: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  if (c.var.visit.person !== null) return next();
  return seeOther(c, isChange(c.req.method) ? paths.signIn : signInThen(wantedPath(c.req.url)));
};
