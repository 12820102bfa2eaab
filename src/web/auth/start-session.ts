import type { PageContext } from '../site.ts';
import { SESSION_SECONDS } from './stored-sessions.ts';

/** Where the sessions of a site end. */
interface EndingSessions {
  endSession(secret: string): Promise<void>;
}

/** Signs a browser in. Also ends the session that it had before. */
export async function startSession<Person>(
  c: PageContext<Person>,
  sessions: EndingSessions,
  secret: string,
): Promise<void> {
  await endOwn(c, sessions);
  c.var.cookies.signIn(c, secret, SESSION_SECONDS);
}

/** Signs a browser out, so that a copy of its cookie is worth nothing either. */
export async function endSession<Person>(c: PageContext<Person>, sessions: EndingSessions): Promise<void> {
  await endOwn(c, sessions);
  c.var.cookies.signOut(c);
}

async function endOwn<Person>(c: PageContext<Person>, sessions: EndingSessions): Promise<void> {
  const secret = c.var.cookies.secret(c);
  if (secret !== null) await sessions.endSession(secret);
}
