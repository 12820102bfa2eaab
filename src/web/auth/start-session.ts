import { seeOther } from '../show.ts';
import type { PageContext } from '../site.ts';
import type { Entrance } from './session.ts';
import { SESSION_SECONDS, type StoredSessions } from './stored-sessions.ts';

type EndingOne = Pick<StoredSessions<never>, 'endSession'>;

/** Signs a browser in. Also ends the session that it had before. */
export async function startSession<Person>(
  c: PageContext<Person>,
  sessions: EndingOne,
  entrance: Entrance,
): Promise<void> {
  await endOwn(c, sessions);
  c.var.cookies.signIn(c, entrance, SESSION_SECONDS);
}

/** Signs a browser out, so that a copy of its cookie is worth nothing either. */
export async function signOut<Person>(c: PageContext<Person>, sessions: EndingOne): Promise<Response> {
  await endOwn(c, sessions);
  return signedOut(c, 'You’re signed out.');
}

/** Signs a person out in every browser. */
export async function signOutEverywhere<Person extends { readonly id: string }>(
  c: PageContext<Person>,
  sessions: Pick<StoredSessions<Person>, 'endSessionsOf'>,
  person: Person,
): Promise<Response> {
  await sessions.endSessionsOf(person);
  return signedOut(c, 'You’re signed out everywhere.');
}

function signedOut<Person>(c: PageContext<Person>, text: string): Response {
  const { cookies, site } = c.var;
  cookies.signOut(c);
  return seeOther(c, site.accounts?.signIn ?? site.home, { tone: 'good', text });
}

async function endOwn<Person>(c: PageContext<Person>, sessions: EndingOne): Promise<void> {
  const secret = c.var.cookies.secret(c);
  if (secret !== null) await sessions.endSession(secret);
}
