import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { linkOf, openLink, operator, Reader, signedIn, visitor } from '../kit/page.ts';
import { type Desk, desk, HASH, PASSWORD, rewrite } from '../kit/place.ts';
import { naming } from '../support/naming.ts';

/** Another hash of the password. */
const OTHER = '$scrypt$ln=4,r=8,p=1$c2FsdC1vZi1hLXNlY29uZA==$MmDwOy3T6o34WjfL1H4WostEIXzapjO9HWDQt2y+bKk=';
const SESSION = 'teller-console-session';
const KNOWN = 'teller-console-known';

const withHash = (password: string) => ({ console: { port: 0, password } });

async function trying(reader: Reader, password: string, more: object = {}) {
  await reader.get('/sign-in');
  return reader.post('/sign-in', { password, ...more });
}

/** A Teller with a password, and a browser that has signed in with it. */
async function withPassword(): Promise<{ teller: Here; reader: Reader }> {
  const teller = await here(withHash(HASH));
  const reader = await visitor(teller);
  await trying(reader, PASSWORD);
  return { teller, reader };
}

/** Whether this browser is signed in: 200, or 303 to the page for signing in. */
const statusOf = async (reader: Reader): Promise<number> => (await reader.get('/votes')).status;

/** Another browser with the session of this one. */
async function copied(teller: Here, { cookies }: Reader): Promise<Reader> {
  const copy = await visitor(teller);
  copy.cookies.setCookie(SESSION, cookies.cookieNamed(SESSION) ?? '');
  return copy;
}

test('a visitor is sent to the page for signing in, and from there back to the page they wanted, with its filters, but not to the stream of an open page, or to another site', async () => {
  const teller = await here();
  const reader = await visitor(teller);
  expect(await reader.get('/')).toMatchObject({ status: 303, to: '/sign-in?next=%2F' });
  const wanted = await reader.get('/?day=2026-06-01');
  expect(wanted.to).toBe('/sign-in?next=%2F%3Fday%3D2026-06-01');
  await reader.get(wanted.to ?? '');
  expect((await openLink(reader, await linkOf(teller))).at).toBe('/?day=2026-06-01');
  const left = await visitor(teller);
  await left.open('/live');
  expect((await openLink(left, await linkOf(teller))).at).toBe('/');
  const other = await visitor(teller);
  other.cookies.setCookie('teller-console-wanted', encodeURIComponent('//evil.example/'));
  expect((await openLink(other, await linkOf(teller))).at).toBe('/');
});

test('the one-time link opens the console once, and there is another one then; only the user who runs Teller can read it and the sessions', async () => {
  const teller = await here();
  const first = await linkOf(teller);
  const reader = await visitor(teller);
  expect(await openLink(reader, first)).toMatchObject({ status: 303, at: '/' });
  const used = await openLink(await visitor(teller), first);
  expect([used.status, used.text]).toEqual([410, expect.stringContaining('This link was used before')]);
  const files = readdirSync(teller.folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /console\.(?:link|sessions)$/.test(file),
  );
  expect(files.map((file) => statSync(join(teller.folder, file)).mode & 0o777)).toEqual([0o600, 0o600]);
  const second = await linkOf(teller);
  expect(second).not.toBe(first);
  expect((await openLink(await visitor(teller), second)).status).toBe(303);
});

test('looking at the link uses nothing up, and no password opens the console: only its button, pressed on our own page, does', async () => {
  const teller = await here();
  const link = await linkOf(teller);
  const { pathname } = new URL(link);
  const head = await fetch(link, { method: 'HEAD' });
  expect(head.headers.getSetCookie().join()).not.toContain(SESSION);
  const reader = await visitor(teller);
  for (const headers of [
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { accept: '*/*' },
  ]) {
    const looked = await reader.get(pathname, headers as Record<string, string>);
    expect([looked.status, looked.html.match(/<button/g)?.length]).toEqual([200, 1]);
  }
  expect(await statusOf(reader)).toBe(303);
  // Without a password in the config, none opens the console.
  for (const password of ['', PASSWORD]) await trying(reader, password);
  expect(await statusOf(reader)).toBe(303);
  const foreign = { origin: 'http://evil.example' };
  expect((await reader.post(pathname, {}, foreign)).text).toContain('403 cross-site');
  expect((await openLink(reader, link)).status).toBe(303);
  expect(await statusOf(reader)).toBe(200);
});

test('of two browsers that press the button of one link, one is let in', async () => {
  const teller = await here();
  const { pathname } = new URL(await linkOf(teller));
  const readers = [await visitor(teller), await visitor(teller)];
  for (const reader of readers) await reader.get(pathname);
  const answers = await Promise.all(readers.map((reader) => reader.post(pathname)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410]);
});

test('the password opens the console; after ten wrong ones, an address has to wait for a quarter of an hour', async () => {
  const teller = await here(withHash(HASH));
  const reader = await visitor(teller);
  for (let times = 0; times < 10; times += 1) {
    const wrong = await trying(reader, 'wrong');
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Wrong password')]);
  }
  const waits = await trying(reader, PASSWORD);
  expect([waits.status, waits.headers.get('retry-after')]).toEqual([429, '900']);
  expect(waits.text).toContain('Too many attempts');
  teller.clock.advance(15 * 60_000);
  expect(await trying(reader, PASSWORD, { next: '/votes' })).toMatchObject({ status: 303, at: '/votes' });
});

test('signing out ends the session, also for a copy of its cookie', async () => {
  const teller = await here();
  const reader = await operator(teller);
  const copy = await copied(teller, reader);
  await reader.get('/');
  expect(await statusOf(copy)).toBe(200);
  expect((await reader.post('/sign-out')).at).toBe('/sign-in');
  expect(await statusOf(copy)).toBe(303);
});

test('a new password ends every session, however it began, and those of before stay ended when it comes back', async () => {
  const { teller, reader } = await withPassword();
  const byLink = await signedIn(teller);
  expect([await statusOf(reader), await statusOf(byLink)]).toEqual([200, 200]);
  const before = readFileSync(teller.config, 'utf8');
  await teller.reload(withHash(OTHER));
  expect([await statusOf(reader), await statusOf(byLink)]).toEqual([303, 303]);
  writeFileSync(teller.config, before);
  await teller.run('reload');
  expect([await statusOf(reader), await statusOf(byLink)]).toEqual([303, 303]);
  await trying(reader, PASSWORD);
  expect([await statusOf(reader), await statusOf(byLink)]).toEqual([200, 303]);
});

test('a session survives a restart, but not one with a new password', async () => {
  const { teller, reader } = await withPassword();
  await teller.restart();
  expect(await statusOf(await copied(teller, reader))).toBe(200);
  rewrite(teller, withHash(OTHER));
  await teller.restart();
  expect(await statusOf(await copied(teller, reader))).toBe(303);
});

test('the button “Sign out everywhere” of each page ends all sessions, also after a restart, but not for a visitor who has not signed in', async () => {
  const { teller, reader } = await withPassword();
  const byLink = await signedIn(teller);
  const stranger = await visitor(teller);
  await stranger.get('/sign-in');
  expect((await stranger.post('/sign-out/everywhere')).at).toBe('/sign-in');
  expect([await statusOf(reader), await statusOf(byLink)]).toEqual([200, 200]);
  const votes = await byLink.open('/votes');
  expect(votes.html).toContain('>Sign out everywhere</button>');
  expect((await byLink.submit(votes, '/sign-out/everywhere')).at).toBe('/sign-in');
  expect([await statusOf(reader), await statusOf(byLink)]).toEqual([303, 303]);
  await teller.restart();
  expect(await statusOf(await copied(teller, reader))).toBe(303);
  expect(teller.log.filter(({ code }) => code === 'sessions-ended').map(({ fields }) => fields)).toEqual([
    { code: 'sessions-ended', by: 'console from 127.0.0.1 by link' },
  ]);
});

test('the 51st session ends the one that began first', async () => {
  const { teller, reader } = await withPassword();
  const second = await signedIn(teller);
  for (let number = 3; number <= 51; number += 1) await trying(new Reader(reader.origin), PASSWORD);
  expect([await statusOf(reader), await statusOf(second)]).toEqual([303, 200]);
});

/** Forty wrong passwords of a browser that has never signed in. */
async function guessing(teller: Here): Promise<Reader> {
  const reader = await visitor(teller);
  await reader.get('/sign-in');
  for (let number = 0; number < 40; number += 1)
    await reader.post('/sign-in', { password: `wrong ${number}` });
  return reader;
}

/** What became of a sign-in. */
async function endOf(reader: Reader, password = PASSWORD): Promise<string | undefined> {
  const { at, html } = await trying(reader, password);
  return at === '/' ? 'Signed in' : /class="alert-title">([^<]*)</.exec(html)?.[1];
}

const signedOut = async (reader: Reader): Promise<void> => {
  await reader.get('/');
  await reader.post('/sign-out');
};

test('forty wrong passwords from its address lock out neither a browser that has signed in before, nor the link', async () => {
  const { teller, reader } = await withPassword();
  await signedOut(reader);
  const other = await guessing(teller);
  expect(await endOf(other)).toBe('Too many attempts');
  expect(await endOf(reader)).toBe('Signed in');
  expect(await endOf(other)).toBe('Too many attempts');
  expect((await openLink(other, await linkOf(teller))).at).toBe('/');
});

test('a browser that has signed in before has ten tries of its own, also after a restart', async () => {
  const { teller, reader } = await withPassword();
  await teller.restart();
  await guessing(teller);
  const known = await visitor(teller);
  known.cookies.setCookie(KNOWN, reader.cookies.cookieNamed(KNOWN) ?? '');
  for (let times = 0; times < 10; times += 1) expect(await endOf(known, 'wrong')).toBe('Wrong password');
  expect(await endOf(known)).toBe('Too many attempts');
});

test('a cookie that was invented, or with another ID than the signed one, gives no tries of its own', async () => {
  const { teller, reader } = await withPassword();
  const other = await guessing(teller);
  const [, signature] = (reader.cookies.cookieNamed(KNOWN) ?? '').split('.');
  for (const end of ['B'.repeat(43), signature]) {
    other.cookies.setCookie(KNOWN, `${'A'.repeat(22)}.${end}`);
    expect(await endOf(other)).toBe('Too many attempts');
  }
});

test('who had signed in with the old password has no tries of their own after a new one', async () => {
  const { teller, reader } = await withPassword();
  await signedOut(reader);
  await teller.reload(withHash(OTHER));
  await guessing(teller);
  expect(await endOf(reader)).toBe('Too many attempts');
});

test('`console open` prints the link, and at a terminal opens a browser, unless it is told to print only', async () => {
  const teller = await here();
  const link = await linkOf(teller);
  expect(await teller.run('console', 'open')).toMatchObject({ out: link, asked: [] });
  expect(await teller.runBy({}, 'console', 'open')).toMatchObject({ out: link, asked: [`open ${link}`] });
  expect(await teller.runBy({}, 'console', 'open', '--print')).toMatchObject({ out: link, asked: [] });
  await teller.stop();
  expect(await teller.run('console', 'open')).toMatchObject({ exit: 1, err: naming('[console-not-served]') });
});

/** Sets the password from a file with this text, as in a panel's console, where nobody can be asked. */
async function setPassword({ folder, run }: Pick<Desk, 'folder' | 'run'>, text = `${PASSWORD}\n`) {
  const file = join(folder, 'password.txt');
  writeFileSync(file, text);
  const ran = await run('console', 'password', '--password-file', file);
  return { ...ran, hashFile: join(folder, 'data/secrets/console.password') };
}

test('`console password` stores a hash that only its owner can read, names its file in the config, and opens the running console at once', async () => {
  const teller = await here();
  const { exit, hashFile } = await setPassword(teller, `${PASSWORD}\r\n`);
  expect([exit, statSync(hashFile).mode & 0o777]).toEqual([0, 0o600]);
  expect(readFileSync(hashFile, 'utf8')).toMatch(/^\$scrypt\$/);
  expect(JSON.parse(readFileSync(teller.config, 'utf8')).console).toEqual({
    ...{ port: 0, password: 'file:data/secrets/console.password' },
  });
  expect((await trying(await visitor(teller), PASSWORD)).at).toBe('/');
});

test('`console password` can be set first where other machines can reach the console; nine characters, or one from the environment, are refused', async () => {
  expect((await setPassword(desk({ console: { host: '0.0.0.0', port: 0 } }))).exit).toBe(0);
  const { exit, err, hashFile } = await setPassword(desk(), 'ninechars\n');
  expect([exit, err, existsSync(hashFile)]).toEqual([2, naming('[usage]'), false]);
  expect(await setPassword(desk({ console: { password: 'env:TELLER_TEST_HASH' } }))).toMatchObject({
    ...{ exit: 2, err: naming('[password-elsewhere]') },
  });
});
