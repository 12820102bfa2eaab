import { expect, test } from 'vitest';
import { consoleBrand, listingBrand } from '../../src/web/brands.ts';
import { localPath } from '../../src/web/local-path.ts';
import { FakeBrowser } from '../support/fake-browser.ts';
import { SESSION, samplePages } from '../support/sample-pages.ts';

test('shows the result of a form once, on the next page, without script', async () => {
  const visitor = new FakeBrowser(samplePages().app);
  await visitor.get('/');
  await visitor.post('/take', { word: '<b>' });
  const after = await visitor.get('/');
  expect(after.text).toContain('<div class="alert good" role="status">');
  expect(after.text).toContain('Taken: &lt;b&gt;');
  expect((await visitor.get('/')).text).not.toContain('Taken');
});

test.each([
  ['GET', { 'sec-purpose': 'prefetch' }],
  ['HEAD', {}],
])(
  'keeps the result of a form for the page that is shown, if %s with %o comes first',
  async (method, headers) => {
    const { app } = samplePages();
    const visitor = new FakeBrowser(app);
    await visitor.get('/');
    await visitor.post('/take', { word: 'this' });
    const unseen = await app.request(`http://${visitor.host}/`, {
      method,
      headers: { host: visitor.host, cookie: visitor.cookie, ...headers },
    });
    expect(unseen.headers.getSetCookie()).toEqual([]);
    expect((await visitor.get('/')).text).toContain('Taken: this');
  },
);

test('does not show a flash message with a missing or wrong signature', async () => {
  const visitor = new FakeBrowser(samplePages().app);
  const words = Buffer.from('["good","Send your password to evil.example"]').toString('base64url');
  for (const value of [words, `${words}.`, `${words}.${'A'.repeat(43)}`, 'x.y', '.']) {
    visitor.setCookie('sample-flash', value);
    expect((await visitor.get('/')).text).not.toContain('evil');
    expect(visitor.cookieNamed('sample-flash')).toBeUndefined();
  }
});

test('fits a long flash message in any writing system into a cookie', async () => {
  const visitor = new FakeBrowser(samplePages().app);
  await visitor.get('/');
  await visitor.post('/take', { word: '漢'.repeat(5_000) });
  expect(visitor.cookieNamed('sample-flash')?.length).toBeLessThan(4_000);
});

test('hides cookies from scripts and from other sites’ forms, and over https from other hosts', async () => {
  const plain = await new FakeBrowser(samplePages().app).get('/');
  expect(plain.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^sample-visitor=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);
  const secure = await new FakeBrowser(samplePages({ https: true }).app).get('/');
  expect(secure.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-sample-visitor=[\w-]{32}; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
  ]);
});

test('shows who is signed in, and a link to sign in if the cookie has no session', async () => {
  const visitor = new FakeBrowser(samplePages().app);
  visitor.setCookie('sample-session', SESSION);
  const signedIn = await visitor.get('/');
  expect(signedIn.text).toContain('>Ada</a>');
  expect(signedIn.text).toContain('action="/sign-out"');
  visitor.setCookie('sample-session', 'guessed');
  expect((await visitor.get('/')).text).toContain('href="/sign-in"');
});

test.each([
  ['/dashboard?x=1', '/dashboard?x=1'],
  ['/a/../b', '/b'],
  [undefined, '/else'],
  ['', '/else'],
  ['https://evil.example/', '/else'],
  ['//evil.example/', '/else'],
  ['/\\evil.example/', '/else'],
  ['/\t/evil.example/', '/else'],
  ['/.//evil.example/', '/else'],
  ['/%2e//evil.example/', '/else'],
  ['javascript:alert(1)', '/else'],
  ['/a\u0000b', '/a%00b'],
])('a redirect to %j leads to %s', (wanted, path) => {
  expect(localPath(wanted, '/else')).toBe(path);
});

test.each([
  ['a refresh in the background', '/', { 'x-refresh': '1' }],
  ['a stream', '/live', { accept: 'text/event-stream', 'sec-fetch-site': 'cross-site' }],
])('%s leaves the result of a form to the next page', async (_, path, headers) => {
  const visitor = new FakeBrowser(samplePages().app);
  await visitor.get('/');
  await visitor.post('/take', { word: 'yes' });
  expect((await visitor.get(path, headers)).text).not.toContain('Taken');
  expect((await visitor.get('/')).text).toContain('Taken: yes');
});

test('two sites differ in mark, favicon and accent colour, and in nothing else', () => {
  const withoutAccents = (css: string) => css.replaceAll(/--(?:accent|on-accent)[\w-]*: #\w+;/g, '');
  expect(consoleBrand.mark.toString()).not.toBe(listingBrand.mark.toString());
  expect(consoleBrand.icon.path).not.toBe(listingBrand.icon.path);
  expect(consoleBrand.style.path).not.toBe(listingBrand.style.path);
  expect(withoutAccents(consoleBrand.style.text)).toBe(withoutAccents(listingBrand.style.text));
  expect(consoleBrand.script).toEqual(listingBrand.script);
});

test('a page shows the mark of its site and links to its files', async () => {
  const { text } = await new FakeBrowser(samplePages().app).get('/');
  const { mark, style, icon } = consoleBrand;
  for (const part of [mark.toString(), style.path, icon.path]) expect(text).toContain(part);
});
