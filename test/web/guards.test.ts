import { describe, expect, test } from 'vitest';
import { consoleBrand } from '../../src/web/brands.ts';
import { refusals } from '../../src/web/refusal.ts';
import { FakeBrowser } from '../support/fake-browser.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { SESSION, SESSION_CSRF, samplePages } from '../support/sample-pages.ts';

describe('headers', () => {
  const POLICY =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  test.each([
    ['a page', '/', 200],
    ['an asset', consoleBrand.style.path, 200],
    ['a page that does not exist', '/nothing', 404],
    ['a page that fails', '/fault', 500],
  ])('are set on %s', async (_, path, status) => {
    const seen = await new FakeBrowser(samplePages().app).get(path);
    expect(seen.status).toBe(status);
    expect(Object.fromEntries(seen.headers)).toMatchObject({
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  test.each([
    ['a refused host', '/', { host: 'evil.example' }, 421],
    ['a refused origin', '/take', { origin: 'http://evil.example' }, 403],
    ['a refused body', '/take', { 'content-type': 'text/plain' }, 415],
  ])('are set on %s, which is not cached', async (_, path, headers, status) => {
    const visitor = new FakeBrowser(samplePages().app);
    const seen = path === '/' ? await visitor.get(path, headers) : await visitor.post(path, {}, headers);
    expect(seen.status).toBe(status);
    expect(seen.headers.get('content-security-policy')).toBe(POLICY);
    expect(seen.headers.get('cache-control')).toBe('no-store');
  });

  test('forbid caching pages, allow caching assets forever, and all linked assets exist', async () => {
    const visitor = new FakeBrowser(samplePages().app);
    const page = await visitor.get('/');
    expect(page.headers.get('cache-control')).toBe('no-store');
    const linked = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(linked).toHaveLength(3);
    for (const path of linked) {
      const asset = await visitor.get(path);
      expect(asset.status).toBe(200);
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(asset.headers.getSetCookie()).toEqual([]);
    }
  });

  test('fit a page without inline script or style and without content from other sites', async () => {
    const { text } = await new FakeBrowser(samplePages().app).get('/');
    expect(text).not.toMatch(
      /<style|<script(?![^>]* src="\/assets\/)| style="| on\w+="|(?:src|href)="(?:https?:)?\/\//,
    );
  });
});

describe('the host', () => {
  test.each(['127.0.0.1:8190', 'localhost', 'LOCALHOST:1', '[::1]:8190'])('%s is served', async (host) => {
    expect((await new FakeBrowser(samplePages().app).get('/', { host })).status).toBe(200);
  });

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io:8190', '127.0.0.2', '[::1', ''])(
    'rule 12: %j is refused on every path (DNS rebinding)',
    async (host) => {
      const visitor = new FakeBrowser(samplePages().app);
      for (const path of ['/', '/nothing', consoleBrand.script.path]) {
        expect((await visitor.get(path, { host })).status).toBe(421);
      }
    },
  );

  test('is served if the site lists it', async () => {
    const { app } = samplePages({ hosts: ['votes.example.org'] });
    expect((await new FakeBrowser(app).get('/', { host: 'votes.example.org' })).status).toBe(200);
    expect((await new FakeBrowser(app).get('/')).status).toBe(421);
  });
});

describe('a form', () => {
  const opened = async (options?: Parameters<typeof samplePages>[0]) => {
    const { app, taken } = samplePages(options);
    const visitor = new FakeBrowser(app);
    await visitor.get('/');
    return { visitor, taken };
  };

  test('is accepted from our own page', async () => {
    const { visitor, taken } = await opened();
    expect(await visitor.post('/take', { word: 'yes' })).toMatchObject({ status: 303, to: '/' });
    expect(taken).toEqual(['yes']);
  });

  test.each([
    ['another site', { origin: 'http://evil.example' }],
    ['another port of this host', { origin: 'http://127.0.0.1:9999' }],
    ['another scheme', { origin: 'https://127.0.0.1:8190' }],
    ['a page without origin', { origin: 'null' }],
    ['another site, according to Sec-Fetch-Site', { origin: '', 'sec-fetch-site': 'cross-site' }],
    ['a sibling site', { origin: '', 'sec-fetch-site': 'same-site' }],
    ['a browser with contradicting headers', { 'sec-fetch-site': 'cross-site' }],
    ['an unknown origin', { origin: '' }],
  ])('WF-05: is refused with 403 from %s, even with the right token', async (_, headers) => {
    const { visitor, taken } = await opened();
    const seen = await visitor.post('/take', { word: 'no' }, headers);
    expect(seen.status).toBe(403);
    expect(seen.text).toContain(refusals['cross-site'].title);
    expect(taken).toEqual([]);
  });

  test('is accepted if Sec-Fetch-Site is its only proof of origin', async () => {
    const { visitor, taken } = await opened();
    await visitor.post('/take', { word: 'yes' }, { origin: '', 'sec-fetch-site': 'same-origin' });
    expect(taken).toEqual(['yes']);
  });

  test.each([
    ['no token', ''],
    ['another token', 'A'.repeat(43)],
    ['a token of another length', 'A'],
  ])('WF-05: is refused with 403 with %s', async (_, csrf) => {
    const { visitor, taken } = await opened();
    const seen = await visitor.post('/take', { csrf });
    expect(seen.status).toBe(403);
    expect(seen.text).toContain(refusals['form-outdated'].title);
    expect(taken).toEqual([]);
  });

  test('WF-05: is refused if it was opened signed out and sent signed in, or the reverse', async () => {
    const { visitor, taken } = await opened();
    const before = visitor.csrf;
    visitor.setCookie('sample-session', SESSION);
    expect((await visitor.post('/take')).status).toBe(403);
    visitor.csrf = SESSION_CSRF;
    expect((await visitor.post('/take')).status).toBe(303);
    visitor.setCookie('sample-session', 'ended');
    expect((await visitor.post('/take')).status).toBe(403);
    visitor.csrf = before;
    expect((await visitor.post('/take')).status).toBe(303);
    expect(taken).toHaveLength(2);
  });

  test('requires an https origin over https', async () => {
    const { visitor, taken } = await opened({ https: true });
    expect((await visitor.post('/take')).status).toBe(403);
    await visitor.post('/take', { word: 'yes' }, { origin: `https://${visitor.host}` });
    expect(taken).toEqual(['yes']);
  });

  test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded-not', ''])(
    'as %j is refused with 415',
    async (type) => {
      const { visitor, taken } = await opened();
      const headers = { 'content-type': type, 'x-any': '1' };
      expect((await visitor.post('/take', { word: 'no' }, headers)).status).toBe(415);
      expect(taken).toEqual([]);
    },
  );

  test('is accepted with 64 KiB, and refused with 413 if it is larger', async () => {
    const { visitor, taken } = await opened();
    expect((await visitor.post('/take', { word: 'x'.repeat(65_000) })).status).toBe(303);
    const seen = await visitor.post('/take', { word: 'x'.repeat(70_000) });
    expect(seen.status).toBe(413);
    expect(taken).toHaveLength(1);
  });
});

test('JSON is accepted without Origin, and refused with a foreign one', async () => {
  const { app } = samplePages();
  const post = (headers: Record<string, string>) =>
    app.request('http://localhost/json', {
      method: 'POST',
      headers: { host: 'localhost', 'content-type': 'application/json', ...headers },
      body: '{"advance":"24h"}',
    });
  expect(await (await post({})).json()).toEqual({ advance: '24h' });
  expect((await post({ origin: 'http://evil.example' })).status).toBe(403);
  expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
});

describe('a failure', () => {
  test('reveals nothing, and is logged with its route and not its path', async () => {
    const { log, lines } = loggedLines();
    const seen = await new FakeBrowser(samplePages({ log }).app).get('/fault?code=secret');
    expect(seen.status).toBe(500);
    expect(seen.text).not.toMatch(/SELECT|internals|\.ts/);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'error', code: 'page-fault', fields: { at: 'GET /fault' } });
    expect(JSON.stringify(lines)).not.toContain('secret=');
  });

  test('repeats neither the path nor the host', async () => {
    const visitor = new FakeBrowser(samplePages().app);
    expect((await visitor.get('/%3Cscript%3Enothing')).text).not.toMatch(/nothing[^ ]|%3C/);
    expect((await visitor.get('/', { host: 'evil.example' })).text).not.toContain('evil');
  });

  test('is JSON with a code if JSON is requested', async () => {
    const seen = await new FakeBrowser(samplePages().app).get('/nothing', { accept: 'application/json' });
    expect(seen.status).toBe(404);
    expect(JSON.parse(seen.text)).toMatchObject({ code: 'not-found' });
  });

  test('always has a sentence that says what to do', () => {
    for (const { status, advice } of Object.values(refusals)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(advice).toMatch(/\.$/);
    }
  });
});
