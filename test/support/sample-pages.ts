import type { Cancel, Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { Sessions } from '../../src/web/auth/session.ts';
import { consoleBrand } from '../../src/web/brands.ts';
import {
  disclosure,
  empty,
  form,
  freshForm,
  linkButton,
  live,
  submitButton,
  table,
} from '../../src/web/kit.ts';
import { type ChangeSource, liveRoute } from '../../src/web/live.ts';
import { pageApp } from '../../src/web/page-app.ts';
import { seeOther, showPage } from '../../src/web/show.ts';
import { LOOPBACK_HOSTS } from '../../src/web/site.ts';
import { FakeClock } from './fake-clock.ts';
import { addGallery } from './gallery.ts';
import { silentLog } from './log.ts';

interface Options {
  readonly log?: Log;
  readonly https?: boolean;
  readonly hosts?: readonly string[];
  readonly clock?: Clock;
}

/** The cookie of the only session. */
export const SESSION = 'the-session-of-ada';
export const SESSION_CSRF = 'the-token-of-ada';

const sessions: Sessions<string> = {
  find: (secret) => (secret === SESSION ? { person: 'Ada', csrf: SESSION_CSRF } : null),
};

/** Says that something changed when a test says so. */
class Changes implements ChangeSource {
  private readonly callbacks = new Set<() => void>();

  get watchers(): number {
    return this.callbacks.size;
  }

  whenChanged(callback: () => void): Cancel {
    this.callbacks.add(callback);
    return () => this.callbacks.delete(callback);
  }

  happen(): void {
    for (const callback of this.callbacks) callback();
  }
}

/** An app of the kit with a page, a form, a live list and a fault, and a list of what the form accepted. */
export function samplePages(options: Options = {}) {
  const taken: string[] = [];
  const changes = new Changes();
  const { clock = new FakeClock() } = options;
  const app = pageApp<string>({
    name: 'Sample',
    brand: consoleBrand,
    cookie: 'sample',
    home: '/',
    hosts: LOOPBACK_HOSTS,
    https: false,
    answersScripts: true,
    sessions,
    accounts: {
      signIn: '/sign-in',
      signOut: '/sign-out',
      corner: (person) => ({ label: person, href: '/account', title: 'Your account' }),
    },
    navigation: () => [{ label: 'Start', href: '/' }],
    clock,
    random: systemRandom,
    log: silentLog,
    ...options,
  });
  app.get('/', (c) => {
    const body = form({
      action: '/take',
      csrf: c.var.visit.csrf,
      state: freshForm,
      fields: null,
      submit: submitButton('Take'),
    });
    return showPage(c, { title: 'Sample', body });
  });
  app.post('/take', (c) => {
    taken.push(c.var.entered.word?.[0] ?? '');
    return seeOther(c, '/', { tone: 'good', text: `Taken: ${c.var.entered.word?.[0]}` });
  });
  app.post('/json', async (c) => c.json(await c.req.json()));
  app.route('/', liveRoute(changes, clock));
  app.get('/rows', (c) => {
    const rows = table({
      caption: 'Rows',
      columns: [
        { label: 'Row', cell: (row: string) => row },
        { label: 'More', cell: (row) => disclosure('More', `about ${row}`) },
      ],
      rows: taken.toReversed(),
      key: (row) => row,
      empty: empty({ title: 'No rows yet', advice: 'Wait.' }),
    });
    return showPage(c, { title: 'Rows', body: [live('rows', rows), linkButton('Start', '/')] });
  });
  addGallery(app);
  app.get('/fault', () => {
    throw new Error('SELECT secret FROM internals');
  });
  return { app, taken, changes };
}
