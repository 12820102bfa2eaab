import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { linkOf, openLink, operator, type Page, page, type Reader, signedIn, visitor } from '../kit/page.ts';
import { HASH, PASSWORD, rewrite } from '../kit/place.ts';

const SITES = {
  default: { token: 'token-of-every-other-listing' },
  'MyList.com': { token: 'token-of-my-list' },
};
const FIVE_MINUTES = 300_000;
const BY = 'console from 127.0.0.1 by link';

/** Teller, and an operator who has signed in just now. */
async function fresh(config: object = {}): Promise<{ teller: Here; reader: Reader }> {
  const teller = await here({ sites: SITES, ...config });
  return { teller, reader: await operator(teller) };
}

const asks = ({ html }: Page): boolean => html.includes('<h1>Sign in again</h1>');

test('within five minutes of signing in, the page shows every token and the public key; a visitor has to sign in first', async () => {
  const { teller, reader } = await fresh();
  const keys = await reader.get('/keys');
  expect(keys.status).toBe(200);
  expect(keys.text).toMatch(/Port\d{4,5}/);
  const key = readFileSync(join(teller.folder, 'data/keys/public.key'), 'utf8').trim();
  for (const part of ['token-of-every-other-listing', 'token-of-my-list', key])
    expect(keys.html).toContain(part);
  expect([keys.headers.get('cache-control'), keys.headers.get('refresh')]).toEqual(['no-store', '300']);
  expect((await (await visitor(teller)).get('/keys')).to).toBe('/sign-in?next=%2Fkeys');
  // The log says who saw them, and nothing of them.
  const shown = teller.log.filter(({ code }) => code === 'keys-shown').map(({ fields }) => fields);
  expect(shown).toEqual([{ code: 'keys-shown', by: BY }]);
  expect(JSON.stringify(teller.log)).not.toContain('token-of');
  teller.clock.advance(FIVE_MINUTES - 1);
  expect((await reader.get('/keys')).status).toBe(200);
});

test('the page asks to sign in again five minutes after signing in, or if the clock was set back, and has no secret', async () => {
  const { teller, reader } = await fresh();
  for (const ms of [-1, FIVE_MINUTES + 1]) {
    teller.clock.jump(ms);
    const keys = await reader.get('/keys');
    expect([keys.status, asks(keys), keys.html.includes('token-of')]).toEqual([403, true, false]);
  }
});

test('the next link leads back to the keys, in a new session; the old session has ended', async () => {
  const { teller, reader } = await fresh();
  const copy = await visitor(teller);
  copy.cookies.setCookie(
    'teller-console-session',
    reader.cookies.cookieNamed('teller-console-session') ?? '',
  );
  teller.clock.jump(FIVE_MINUTES);
  await reader.get('/keys');
  const keys = await openLink(reader, await linkOf(teller));
  expect([keys.at, keys.html.includes('token-of-my-list')]).toEqual(['/keys', true]);
  expect((await copy.get('/')).status).toBe(303);
  expect((await openLink(reader, await linkOf(teller))).at).toBe('/');
});

test('the password also opens the keys again', async () => {
  const { teller, reader } = await fresh({ console: { port: 0, password: HASH } });
  teller.clock.jump(FIVE_MINUTES);
  const asked = await reader.get('/keys');
  const wrong = await reader.submit(asked, '/sign-in', { password: 'wrong' });
  expect([wrong.status, wrong.text.includes('Wrong password')]).toEqual([422, true]);
  expect((await reader.get('/keys')).status).toBe(403);
  const keys = await reader.submit(asked, '/sign-in', { password: PASSWORD });
  expect([keys.at, keys.html.includes('token-of-my-list')]).toEqual(['/keys', true]);
});

test('the page says that the config has changed since Teller read it, and shows what Teller accepts; a key pair that is gone is a page with a code', async () => {
  const { teller, reader } = await fresh();
  const hint = 'has changed since Teller read it';
  expect((await reader.get('/keys')).html).not.toContain(hint);
  rewrite(teller, { sites: { default: { token: 'another-token-of-my-own' } } });
  await teller.until(async () => (await reader.get('/keys')).html.includes(hint));
  const { html } = await reader.get('/keys');
  expect([html.includes('token-of-my-list'), html.includes('another-token')]).toEqual([true, false]);
  rmSync(join(teller.folder, 'data/keys/public.key'));
  const gone = await reader.get('/keys');
  expect([gone.status, gone.html.includes('key-missing')]).toEqual([500, true]);
});

/** What asks for a new sign-in, with fields that it would accept. docs/operators/security.md lists it. */
const ASKS = { '/now/game-server/write': { plan: '1' } };
/** What does not: docs/operators/security.md says why. */
const ASKS_NOT = [
  ...[
    '/now/site',
    '/now/site/write',
    '/now/pay-held',
    '/now/resume',
    '/now/release-clock',
    '/now/game-server',
  ],
  ...['/grants/change', '/reload', '/test/votes', '/test/practice'],
];

test('five minutes after signing in, what sends commands elsewhere asks for a new sign-in, and nothing else does', async () => {
  const { teller, reader } = await fresh();
  teller.clock.jump(FIVE_MINUTES);
  await reader.get('/');
  for (const [path, fields] of Object.entries(ASKS)) {
    const answer = await reader.post(path, fields);
    expect([path, answer.status, asks(answer)]).toEqual([path, 403, true]);
  }
  for (const path of ASKS_NOT) {
    const answer = await reader.post(path);
    expect([path, answer.status === 403, asks(answer)]).toEqual([path, false, false]);
  }
});

test.each(['password', 'link'] as const)(
  'a game server is not written into the config then, and can be written after the %s was used',
  async (by) => {
    const game = await rconGame();
    const { teller, reader } = await fresh({ console: { port: 0, password: HASH } });
    const { port } = game.entry as { port: number };
    teller.clock.jump(FIVE_MINUTES);
    const form = await page(teller, '/now/game-server');
    const secret = 'a-password-of-this-test';
    const typed = { host: '127.0.0.1', port: String(port), password: secret };
    const shown = await reader.submit(form, '/now/game-server', typed);
    const before = readFileSync(teller.config, 'utf8');
    const asked = await reader.submit(shown, '/now/game-server/write');
    expect([asked.status, asks(asked), asked.html.includes(secret)]).toEqual([403, true, false]);
    expect(readFileSync(teller.config, 'utf8')).toBe(before);
    expect(teller.log.some(({ code }) => code === 'console-action')).toBe(false);
    const again =
      by === 'password'
        ? await reader.submit(asked, '/sign-in', { password: PASSWORD })
        : await openLink(reader, await linkOf(teller));
    expect(again.status).toBe(303);
    expect((await teller.during(reader.submit(again, '/now/game-server/write'))).at).toBe('/');
    expect(JSON.parse(readFileSync(teller.config, 'utf8')).gameServers.main).toMatchObject({ port });
  },
);

test('a form that was opened before signing in again is still accepted, but none from before signing out', async () => {
  const { teller } = await fresh();
  const reader = await signedIn(teller);
  const before = await reader.get('/test');
  await openLink(reader, await linkOf(teller));
  const vote = { player: 'Steve', service: 'List' };
  expect((await reader.submit(before, '/test/votes', vote)).status).toBe(303);
  await reader.post('/sign-out');
  await openLink(reader, await linkOf(teller));
  expect((await reader.submit(before, '/test/votes', vote)).text).toContain('403 form-outdated');
});
