import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { PublicPageConfig } from '../../../src/config/config.ts';
import { Problem } from '../../../src/core/problem.ts';
import { systemRandom } from '../../../src/runtime/random.ts';
import { publicSite } from '../../../src/console/public/site.ts';
import { FakeBrowser } from '../../support/fake-browser.ts';
import { keptLog, silentLog } from '../../support/log.ts';
import { openPage } from './open-page.ts';

async function busyPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a port that is in use costs only the public page, and the console says so', async () => {
  const port = await busyPort();
  const { log, codes } = keptLog();
  const { app, console, operator, vote } = await openPage({}, { port }, log);
  expect(console.publicPage).toMatchObject({ url: null, finding: { mark: 'problem', code: 'port-in-use' } });
  expect(codes).toContain('port-in-use');
  await vote('Alex');
  expect(await app.ledger.votes({ limit: 1 })).toHaveLength(1);
  const browser = await operator();
  const { problems } = JSON.parse((await browser.get('/', { accept: 'application/json' })).text);
  const found = problems.find(({ code }: { code: string }) => code === 'port-in-use');
  expect(found).toMatchObject({ toDo: 'then restart Teller' });
  expect(found.sentence).toContain(`127.0.0.1:${port}`);
  expect(found.sentence).toContain('`console.public`');
});

type Settings = Partial<PublicPageConfig>;

/** The pages without a port. Whoever asks is seen by this host name. */
async function pages(settings: Settings, host: string, ledger: object = {}) {
  const { app, clock } = await openPage();
  const teller = { config: app.config, ledger: Object.assign(Object.create(app.ledger), ledger) };
  const parts = { teller, clock, random: systemRandom, log: silentLog };
  const handler = publicSite(parts, { host: '127.0.0.1', port: 0, publicUrl: null, name: null, ...settings });
  const request = async (url: string, init?: RequestInit) => handler(new Request(url, init), {} as never);
  return new FakeBrowser({ request: request as never }, host);
}

test.each([
  [{}, 'localhost:8195', 200],
  [{}, 'elsewhere.example', 421],
  [{ publicUrl: 'https://vote.example' }, 'vote.example', 200],
  [{ publicUrl: 'https://vote.example' }, 'elsewhere.example', 421],
  [{ host: '0.0.0.0' }, 'play.example:8195', 200],
])('rule 12: with %o, the host name %s is answered with %d', async (settings, host, status) => {
  const browser = await pages(settings, host);
  expect((await browser.get('/')).status).toBe(status);
});

test('it may listen on every address without a password', async () => {
  const { app, console } = await openPage({}, { host: '0.0.0.0' });
  expect(app.config.console.password).toBeNull();
  expect(console.publicPage?.finding.mark).toBe('ok');
});

test('rule 12: nothing can be changed', async () => {
  const browser = await pages({}, '127.0.0.1');
  expect((await browser.post('/', { name: 'Alex' })).status).toBe(404);
  expect((await browser.post('/top.json')).status).toBe(404);
  expect((await browser.post('/', {}, { origin: 'http://elsewhere.example' })).status).toBe(403);
});

test('while the ledger cannot be read, the links stay and everything else says so', async () => {
  const locked = () => Promise.reject(new Problem('ledger-locked', 'Locked.'));
  const browser = await pages({}, '127.0.0.1', { timeZone: locked, windowEnds: locked });
  for (const path of ['/', '/?name=Alex']) {
    const { status, text } = await browser.get(path);
    expect(status).toBe(503);
    expect(text).toContain('Votes cannot be shown at the moment');
    expect(text).toContain('href="https://my-list.example/vote"');
  }
  const { status, text } = await browser.get('/top.json');
  expect([status, JSON.parse(text).code]).toEqual([503, 'votes-unreadable']);
});
