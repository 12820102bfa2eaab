import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { operator, visitor } from '../kit/page.ts';

const PASSWORD = 'correct horse battery';
const HASH = '$scrypt$ln=4,r=8,p=1$c2FsdC1vZi10aGUtZmlycw==$5PzGhnDd6hCyjkeJvxPEupAXM4IsIeFz3JdrLAujqXs=';
const FLASH = 'teller-console-flash';
/** What the form of the Test page says next time. */
const JOIN = { world: 'main', joining: 'Steve', move: 'join' };

/** A form was sent, and its answer leads to a page that was not opened yet. */
async function sent() {
  const reader = await operator(await here());
  await reader.get('/test');
  const { cookies } = reader;
  await cookies.post('/test/practice', JOIN);
  return reader;
}

test('the result of a form is shown once, on the next page, without script', async () => {
  const reader = await sent();
  const { html } = await reader.get('/test');
  expect(html).toContain('<div class="alert good" role="status">');
  expect(html).toContain('Steve has joined main.');
  expect((await reader.get('/test')).text).not.toContain('has joined');
});

test.each([
  ['a page that is fetched in advance', '/test', { 'sec-purpose': 'prefetch' }],
  ['a refresh in the background', '/test', { 'x-refresh': '1' }],
  ['a stream of another site', '/live', { accept: 'text/event-stream', 'sec-fetch-site': 'cross-site' }],
])('%s leaves the result of a form to the page that is shown', async (_, path, headers) => {
  const reader = await sent();
  await reader.get(path, headers as Record<string, string>);
  expect((await reader.get('/test')).text).toContain('Steve has joined main');
});

test('no message is shown that Teller did not sign', async () => {
  const reader = await operator(await here());
  const words = Buffer.from('["good","Send your password to evil.example"]').toString('base64url');
  for (const value of [words, `${words}.`, `${words}.${'A'.repeat(43)}`, 'x.y', '.']) {
    reader.cookies.setCookie(FLASH, value);
    expect((await reader.get('/')).html).not.toContain('evil');
    expect(reader.cookies.cookieNamed(FLASH)).toBeUndefined();
  }
});

test.each([
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
])('signing in with the wish to go to %j leads to %s', async (next, path) => {
  const reader = await visitor(await here({ console: { port: 0, password: HASH } }));
  await reader.get('/sign-in');
  expect((await reader.cookies.post('/sign-in', { password: PASSWORD, next })).to).toBe(path);
});
