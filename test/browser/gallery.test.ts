import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { browserOfFile } from '../support/browser.ts';
import { galleryPages } from '../support/gallery.ts';
import { sweep } from '../support/page-faults.ts';
import { samplePages } from '../support/sample-pages.ts';

const newPage = browserOfFile();

/** The address of the sample pages. */
async function gallery(): Promise<string> {
  const named = { key: 'listing.port', likelyHolder: 'another one' };
  const server = await servePages(samplePages().app.fetch, {
    ...{ host: '127.0.0.1', port: 0, ...named, hasPassword: false, clock: systemClock },
  });
  onTestFinished(() => server.close());
  return `http://127.0.0.1:${server.address.port}`;
}

test('every component fits the screen, has named controls and causes no browser errors', {
  timeout: 60_000,
}, async () => {
  expect(await sweep(await newPage(), await gallery(), Object.keys(galleryPages))).toEqual({});
});
