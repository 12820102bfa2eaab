import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { operator, page, Reader, raw, visitor } from '../kit/page.ts';
import { HASH, PASSWORD } from '../kit/place.ts';
import { freePort } from '../kit/serve.ts';

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
const VOTE = { player: 'Steve', service: 'List', version: 'v2' };

const votes = async (teller: Here): Promise<number> => (await teller.run('votes', '--json')).json.length;

test('every answer has the headers that keep other sites out, and no page is cached', async () => {
  const teller = await here();
  const reader = await operator(teller);
  const shown = await reader.get('/');
  const style = /href="(\/assets\/[^"]+\.css)"/.exec(shown.html)?.[1] ?? '';
  const asked = [
    shown,
    await reader.get('/nothing'),
    await reader.get('/votes/99'),
    await reader.post('/test/votes', VOTE, { origin: 'http://evil.example' }),
    await reader.post('/test/votes', VOTE, { 'content-type': 'text/plain' }),
  ];
  expect(asked.map(({ status }) => status)).toEqual([200, 404, 404, 403, 415]);
  for (const { headers } of asked)
    expect(Object.fromEntries(headers)).toMatchObject({ ...HEADERS, 'cache-control': 'no-store' });
  expect(Object.fromEntries((await reader.get(style)).headers)).toMatchObject(HEADERS);
  const refused = (await raw(teller, 'GET / HTTP/1.1', 'Host: evil.example')).toLowerCase();
  for (const [name, value] of Object.entries(HEADERS))
    expect(refused).toContain(`${name}: ${value}`.toLowerCase());
});

test('assets are kept for ever and set no cookie; a page has nothing inline and nothing of other sites, and its cookie is hidden from scripts and from the forms of other sites', async () => {
  const reader = await visitor(await here());
  const { html, headers: sent } = await reader.get('/sign-in');
  expect(sent.getSetCookie()).toEqual([
    expect.stringMatching(/^teller-console-visitor=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);
  const linked = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(linked).toHaveLength(3);
  for (const path of linked) {
    const { status, headers } = await reader.get(path);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers.getSetCookie()).toEqual([]);
  }
  expect(html).not.toMatch(
    /<style|<script(?![^>]* src="\/assets\/)| style="| on\w+="|(?:src|href)="(?:https?:)?\/\//,
  );
});

test('rule 12: only the names of this machine are served, on every path (DNS rebinding)', async () => {
  const teller = await here();
  const statusOf = async (host: string, path = '/sign-in'): Promise<string> =>
    (await raw(teller, `GET ${path} HTTP/1.1`, `Host: ${host}`)).slice(9, 12);
  for (const host of ['127.0.0.1:8190', 'localhost', 'LOCALHOST:1', '[::1]:8190'])
    expect([host, await statusOf(host)]).toEqual([host, '200']);
  const others = ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io:8190', '127.0.0.2', '[::1', ''];
  for (const host of others)
    for (const path of ['/', '/nothing', '/healthz'])
      expect([host, (await statusOf(host, path))[0]]).toEqual([host, '4']);
  expect(await statusOf('evil.example')).toBe('421');
  expect(await raw(teller, 'GET / HTTP/1.1', 'Host: evil.example')).not.toContain('evil');
});

test('behind a proxy with https, its name is served and forms have to come from it', async () => {
  const port = await freePort();
  await here({ console: { port, publicUrl: 'https://votes.example.org' } });
  const head = ['POST /sign-out HTTP/1.1', 'Host: votes.example.org', 'Content-Length: 0'];
  const form = 'Content-Type: application/x-www-form-urlencoded';
  const post = (scheme: string) => raw(port, ...head, form, `Origin: ${scheme}://votes.example.org`);
  expect(await post('http')).toContain('403 cross-site');
  expect(await post('https')).toContain('403 form-outdated');
  const secure = await raw(port, 'GET /sign-in HTTP/1.1', 'Host: votes.example.org');
  expect(secure).toMatch(
    /set-cookie: __Host-teller-console-\w+=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=Lax\r/i,
  );
});

test('WF-05: a form of another site is refused with 403, even with the right token, and one of another type with 415', async () => {
  const teller = await here();
  const reader = await operator(teller);
  await reader.get('/test');
  for (const headers of [
    { origin: 'http://evil.example' },
    { origin: 'http://127.0.0.1:9999' },
    { origin: reader.origin.replace('http', 'https') },
    { origin: 'null' },
    { origin: '', 'sec-fetch-site': 'cross-site' },
    { origin: '', 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: '' },
  ]) {
    const { status, text } = await reader.post('/test/votes', VOTE, headers);
    expect([headers, status]).toEqual([headers, 403]);
    expect(text).toContain('403 cross-site');
  }
  for (const type of [
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded-not',
  ]) {
    const { status } = await reader.post('/test/votes', VOTE, { 'content-type': type });
    expect([type, status]).toEqual([type, 415]);
  }
  expect(await votes(teller)).toBe(0);
  await reader.get('/test');
  const fromUs = { origin: '', 'sec-fetch-site': 'same-origin' };
  expect((await reader.post('/test/votes', VOTE, fromUs)).status).toBe(303);
  expect(await votes(teller)).toBe(1);
});

test('WF-05: a form without the token of its session is refused with 403, also if it was opened signed out and is sent signed in, or the reverse', async () => {
  const teller = await here();
  const [signedIn, stranger] = [await operator(teller), await visitor(teller)];
  await stranger.get('/sign-in');
  for (const csrf of ['', 'A'.repeat(43), 'A', stranger.cookies.csrf]) {
    const { status, text } = await signedIn.post('/test/votes', { ...VOTE, csrf });
    expect([csrf, status, text]).toEqual([csrf, 403, expect.stringContaining('403 form-outdated')]);
  }
  expect(await votes(teller)).toBe(0);
  await signedIn.get('/test');
  const { text } = await stranger.post('/sign-in', { csrf: signedIn.cookies.csrf });
  expect(text).toContain('403 form-outdated');
});

test('a form may have 64 KiB, also if its length is not stated, and fields of any name', async () => {
  const teller = await here();
  const reader = await operator(teller);
  const sent = async (size: number) =>
    (await reader.post('/now/resume', { server: 'x'.repeat(size) })).status;
  expect([await sent(65_000), await sent(70_000)]).toEqual([303, 413]);
  const { host, origin } = new URL(reader.origin);
  const chunk = `8000\r\n${'x'.repeat(0x8000)}`;
  const head = [`Host: ${host}`, `Origin: ${origin}`, 'Content-Type: application/x-www-form-urlencoded'];
  const lines = [...head, 'Transfer-Encoding: chunked', 'Connection: close', '', chunk, chunk, chunk, '0'];
  expect(await raw(teller, 'POST /now/resume HTTP/1.1', ...lines)).toMatch(/^HTTP\/1\.1 413 /);
  const fields = JSON.parse('{"__proto__":"x","constructor":"y","toString":"z","server":"main"}');
  expect((await reader.post('/now/resume', fields)).text).toContain(
    'There is no pause of all rewards on main',
  );
});

test('a page that fails or does not exist reveals nothing; a fault is logged with its route and not its path', async () => {
  const teller = await here();
  expect((await page(teller, '/%3Cscript%3Enothing')).html).not.toMatch(/nothing[^ ]|%3C/);
  // What the page of votes reads is gone.
  const ledger = new Database(join(teller.folder, 'data/teller.db'));
  ledger.exec('ALTER TABLE votes RENAME TO gone');
  ledger.close();
  const { status, html, headers } = await page(teller, '/votes?player=secret');
  expect([status, headers.get('content-security-policy')]).toEqual([500, POLICY]);
  expect(html).not.toMatch(/SELECT|no such table|\.ts/);
  const faults = teller.log.filter(({ code }) => code === 'page-fault');
  expect(faults).toMatchObject([{ level: 'error', fields: { at: 'GET /votes' } }]);
  expect(JSON.stringify(faults)).not.toContain('secret');
});

const FLASH = 'teller-console-flash';

test('the result of a form is shown once, on the next page that is shown, without script, and not a message that Teller did not sign', async () => {
  const reader = await operator(await here());
  await reader.get('/test');
  // Its answer leads to a page that is not opened yet.
  await reader.cookies.post('/test/practice', { world: 'main', joining: 'Steve', move: 'join' });
  for (const [path, headers] of [
    ['/test', { 'sec-purpose': 'prefetch' }],
    // A refresh in the background.
    ['/test', { 'x-refresh': '1' }],
    ['/live', { accept: 'text/event-stream', 'sec-fetch-site': 'cross-site' }],
  ] as const)
    await reader.get(path, headers as Record<string, string>);
  const { html } = await reader.get('/test');
  expect(html).toContain('<div class="alert good" role="status">');
  expect(html).toContain('Steve has joined main.');
  expect((await reader.get('/test')).text).not.toContain('has joined');
  const words = Buffer.from('["good","Send your password to evil.example"]').toString('base64url');
  for (const value of [words, `${words}.`, `${words}.${'A'.repeat(43)}`, 'x.y', '.']) {
    reader.cookies.setCookie(FLASH, value);
    expect((await reader.get('/')).html).not.toContain('evil');
    expect(reader.cookies.cookieNamed(FLASH)).toBeUndefined();
  }
});

test('signing in leads to the page that was wanted, and never to another site', async () => {
  const { origin } = await visitor(await here({ console: { port: 0, password: HASH } }));
  for (const [next, path] of [
    ['/votes?x=1', '/votes?x=1'],
    ['/a/../votes', '/votes'],
    ['', '/'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['/\t/evil.example/', '/'],
    ['/.//evil.example/', '/'],
    ['/%2e//evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    ['/a\u0000b', '/a%00b'],
  ] as const) {
    const reader = new Reader(origin);
    await reader.get('/sign-in');
    const { to } = await reader.cookies.post('/sign-in', { password: PASSWORD, next });
    expect([next, to]).toEqual([next, path]);
  }
});
