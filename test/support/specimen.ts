import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { systemTerminal } from '../../src/runtime/terminal.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { html } from '../../src/web/kit.ts';
import { servePages } from '../../src/web/server.ts';
import { showPage } from '../../src/web/show.ts';
import { everyComponent } from './every-component.ts';
import { FakeClock } from './fake-clock.ts';
import { addListing, addPerson, listingSite, PASSWORD } from './listing-site.ts';
import { NOW, specimenPages } from './specimen-pages.ts';

/**
 * Serves pages to look at: `npx tsx test/support/specimen.ts [port]`. `/specimen/…` shows the components full, empty,
 * in error and with hostile text; the accounts' pages are the real ones, with somebody to sign in as.
 */

const HOSTILE = `<script>alert("1")</script> & 'quoted' \u202Eturned`;

const database = openDatabase(
  join(mkdtempSync(join(tmpdir(), 'specimen-')), 'listing.db'),
  listingSchema,
  'create',
);
const site = listingSite(database, new FakeClock(NOW));
const listings = [
  addListing(database, { id: 'harbour', name: 'Harbour Survival' }),
  addListing(database, { id: 'script', name: '<script>alert(1)</script> & Sons' }),
  addListing(database, { id: 'bot', name: 'Helpful bot', game: null }),
];
await addPerson(site, 'olga', ...listings.map((id) => [id, 'owner'] as const));
await addPerson(site, 'milo-with-quite-a-long-name', ['harbour', 'manager']);
await addPerson(site, '<b>bold</b>', ['harbour', 'manager']);
await addPerson(site, 'nobody');

for (const [name, page] of Object.entries(specimenPages)) {
  site.app.get(`/specimen/${name}`, (c) => showPage(c, page));
}
site.app.get('/specimen/hostile', (c) =>
  showPage(c, {
    title: HOSTILE,
    lead: HOSTILE,
    body: Object.entries(everyComponent(HOSTILE)).map(
      ([name, made]) => html`<h2>${name}</h2><div>${made}</div>`,
    ),
  }),
);

const { address } = await servePages(site.app.fetch, {
  host: '127.0.0.1',
  port: Number(process.argv[2] ?? 0),
  key: 'the first argument',
  likelyHolder: 'another specimen',
  hasPassword: true,
  clock: systemClock,
});
const invitation = await site.invitations.invite('harbour');
systemTerminal.out(
  JSON.stringify({ url: `http://127.0.0.1:${address.port}`, password: PASSWORD, invitation }),
);
