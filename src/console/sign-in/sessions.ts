import { Hono } from 'hono';
import { isoTime } from '../../core/instant.ts';
import type { Session } from '../../web/auth/session.ts';
import { signOutEverywhere } from '../../web/auth/start-session.ts';
import { ago, card, code, html, type Page, postButton, table, tag } from '../../web/kit.ts';
import { refuse } from '../../web/refusal.ts';
import { showPage } from '../../web/show.ts';
import type { Operator } from '../access/operator.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import type { Typed } from '../told.ts';

/** Who is signed in, and the button that ends every session. */
export function sessionsPages({ access, clock, log, command }: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.sessions, (c) =>
    showPage(
      c,
      sessionsPage({ open: access.openSessions(), csrf: c.var.visit.csrf, now: clock.now(), command }),
    ),
  );
  pages.post(paths.endSessions, (c) => {
    const { person } = c.var.visit;
    if (person === null) return refuse(c, c.var.site, 'signed-out');
    log.info({ code: 'sessions-ended', by: person.id }, `${person.id} signs out everywhere`);
    return signOutEverywhere(c, access.sessions, person);
  });
  return pages;
}

interface SessionsPage {
  readonly open: readonly Session<Operator>[];
  /** Of the session that asks. */
  readonly csrf: string;
  readonly now: number;
  /** How commands are typed on this machine. */
  readonly command: Typed;
}

const sessionsPage = ({ open, csrf, now, command }: SessionsPage): Page => ({
  title: 'Sessions',
  lead: 'The browsers in which an operator is signed in. A new password signs all of them out.',
  body: [
    card({
      title: 'Signed in',
      actions: postButton({ action: paths.endSessions, csrf, label: 'Sign out everywhere', small: true }),
      body: table<Session<Operator>>({
        caption: 'Sessions of the console',
        columns: [
          { label: 'Session', cell: ({ person }) => person.id, onPhone: 'title' },
          { label: 'Began', cell: ({ person }) => ago(person.since, now), kind: 'brief' },
          {
            label: 'Browser',
            cell: (session) => (session.csrf === csrf ? tag('This browser') : null),
            onPhone: 'corner',
          },
        ],
        rows: open,
        empty: html``,
      }),
    }),
    html`<p class="hint">To sign in again, use the password, or the link that ${code(command('console open'))} prints.</p>`,
  ],
  json: {
    sessions: open.map(({ person, csrf: own }) => ({
      ...{ by: person.id, since: isoTime(person.since), isThis: own === csrf },
    })),
  },
});
