import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PublicPageConfig } from '../../../src/config/config.ts';
import { publicSite } from '../../../src/console/public/site.ts';
import { Problem } from '../../../src/core/problem.ts';
import { openLedger as openLedgerHere } from '../../../src/ledger/sqlite/in-process.ts';
import { check } from '../../../src/operator/check/check.ts';
import { UnnamedProxies } from '../../../src/operator/public/unnamed-proxy.ts';
import { systemRandom } from '../../../src/platform/random.ts';
import { FakeBrowser } from '../../support/fake-browser.ts';
import { keptLog, silentLog } from '../../support/log.ts';
import { naming } from '../../support/naming.ts';
import { findingsOf } from '../../support/page-text.ts';
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
  const found = findingsOf((await browser.get('/')).text).find(({ code }) => code === 'port-in-use');
  expect(found).toMatchObject({ toDo: 'Then restart Teller' });
  expect(found?.sentence).toContain(`127.0.0.1:${port}`);
  expect(found?.sentence).toContain('console.public');
});

type Settings = Partial<PublicPageConfig>;

/** The pages without a port. Whoever asks is seen by this host name. */
async function pages(settings: Settings, host: string, ledger: object = {}) {
  const { app, clock, control } = await openPage();
  const teller = { config: app.config, ledger: Object.assign(Object.create(app.ledger), ledger) };
  const proxies = new UnnamedProxies(control.folder, clock);
  const parts = { teller, clock, random: systemRandom, log: silentLog, proxies };
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

describe('many requests through a proxy that the config does not name', () => {
  const checked = async ({ config, clock }: Awaited<ReturnType<typeof openPage>>) => {
    const openLedger = (file: string) => openLedgerHere(file, 'read', { clock });
    const parts = { clock, random: systemRandom, isOffline: true, deep: null, openLedger };
    const { findings } = await check(config, parts);
    return findings.filter(({ code }) => code === 'proxy-unnamed');
  };

  async function visited(
    requests: number,
    forwarded: object = { 'x-forwarded-for': '192.0.2.7' },
    more = {},
  ) {
    const page = await openPage({ console: { port: 0, public: { port: 0 }, ...more } });
    for (let at = 0; at < requests; at += 1) await page.get('/top.json', { ...forwarded });
    return page;
  }

  test('are a warning of `check`, with the address to enter if it is the operator’s own, and on the page', async () => {
    const page = await visited(20);
    const [found] = await checked(page);
    expect(found).toMatchObject({
      mark: 'warning',
      fix: null,
      toDo: naming('"127.0.0.1/32"', 'trustedProxies'),
    });
    const browser = await page.operator();
    const shown = findingsOf((await browser.get('/')).text).find(({ code }) => code === 'proxy-unnamed');
    expect(shown).toMatchObject({ mark: 'warning', toDo: naming('"127.0.0.1/32"', 'trustedProxies') });
    page.clock.advance(3_600_001);
    expect(await checked(page)).toEqual([]);
  });

  test('are none if there are few, if they come without the header, or if the proxy is trusted', async () => {
    for (const page of [
      await visited(19),
      await visited(40, {}),
      await visited(40, { 'x-forwarded-for': '192.0.2.7' }, { trustedProxies: ['127.0.0.0/8'] }),
    ]) {
      expect(await checked(page)).toEqual([]);
    }
  });

  test('share the limit of questions, and a player who is over it is not told that their own network is', async () => {
    const { get, json } = await openPage();
    const asked = (at: number) => ({ 'x-forwarded-for': `192.0.2.${at}` });
    for (let at = 0; at < 30; at += 1) await get('/?name=Alex', asked(at));
    const { status, text } = await get('/?name=Alex', asked(99));
    expect(status).toBe(429);
    expect(text).not.toContain('your network');
    expect((await json('/?name=Alex')).code).toBe('too-many-questions');
  });
});

test('rule 12: nothing can be changed', async () => {
  const browser = await pages({}, '127.0.0.1');
  expect((await browser.post('/', { name: 'Alex' })).status).toBe(404);
  expect((await browser.post('/top.json')).status).toBe(404);
  expect((await browser.post('/', {}, { origin: 'http://elsewhere.example' })).status).toBe(403);
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
  'rule 11: %s is refused before its body is read, and a client that leaves then is no line in the log',
  async (method) => {
    const { log, codes } = keptLog();
    const { console } = await openPage({}, {}, log);
    const before = [...codes];
    const { port, host } = new URL(console.publicPage?.url ?? '');
    const head = `${method} / HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nTransfer-Encoding: chunked`;
    for (let time = 0; time < 5; time += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`${head}\r\n\r\n5\r\nname=`);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
      socket.resetAndDestroy();
    }
    expect(codes).toEqual(before);
  },
);

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
