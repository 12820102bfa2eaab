/** Accounts: signing in and out, invitations, and the account page. */
import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { DAY, listing, MINUTE, type Site, type SiteWanted } from '../../kit/listing.ts';
import { type Browser, PASSWORD, type Person } from '../../kit/listing-people.ts';

const SESSION = 'listing-session';
const ANOTHER = 'another long sentence';

/** A listing with an owner and a manager, and somebody else. */
async function people(wanted: SiteWanted = {}) {
  const site = await listing(wanted);
  const olga = await site.person('Olga');
  const milo = await site.person('Milo');
  const sven = await site.person('Sven');
  const listed = await olga.list('minecraft', { name: 'Harbour Survival' });
  await olga.invite(listed, milo);
  return { site, olga, milo, sven, listed };
}

const entering = async (browser: Browser, name: string, password: string, headers = {}) => {
  await browser.visitor.get('/sign-in');
  return browser.visitor.post('/sign-in', { name, password }, headers);
};

/** Whether a browser with this cookie is signed in. */
const isOpen = async (site: Site, cookie = ''): Promise<boolean> => {
  const { visitor } = site.visitor();
  visitor.setCookie(SESSION, cookie);
  return (await visitor.get('/dashboard')).status === 200;
};

test('signing in leads to the page that was requested, and never to another site', async () => {
  const { site } = await people();
  const { visitor } = site.visitor();
  expect((await visitor.get('/account')).to).toBe('/sign-in?next=%2Faccount');
  expect((await visitor.get('/sign-in?next=%2Faccount')).text).toContain('name="next" value="/account"');
  const fields = { name: 'Olga', password: PASSWORD };
  const answer = await visitor.post('/sign-in', { ...fields, next: '/account' });
  expect(answer).toMatchObject({ status: 303, to: '/account' });
  expect((await visitor.get('/sign-in')).to).toBe('/dashboard');
  const other = site.visitor().visitor;
  await other.get('/sign-in?next=https%3A%2F%2Fevil.example');
  expect((await other.post('/sign-in', { ...fields, next: '//evil.example' })).to).toBe('/dashboard');
});

test('signing in needs the right name, in upper or lower case, and the right password with its spaces, in any Unicode form; a wrong name is answered like a wrong password, which is never repeated', async () => {
  const { site, olga } = await people();
  await olga.press('/account', '/account', { current: PASSWORD, password: ' ten times caf\u00e9 ' });
  for (const [name, password, status] of [
    ['OLGA', ' ten times caf\u00e9 ', 303],
    ['Olga', ' ten times cafe\u0301 ', 303],
    ['Olga', 'ten times caf\u00e9', 422],
    ['Olga', ' TEN TIMES CAF\u00c9 ', 422],
    ['Nobody', ' ten times caf\u00e9 ', 422],
  ] as const)
    expect((await entering(site.visitor(), name, password)).status, name + password).toBe(status);
  const [wrong, unknown] = await Promise.all(
    ['Olga', 'Nobody'].map(async (name) => {
      const { status, text } = await entering(site.visitor(), name, 'secret guess');
      return [status, text.replaceAll(name, 'NAME').replaceAll(/value="[\w-]{43}"/g, '')];
    }),
  );
  expect(wrong).toEqual(unknown);
  expect([wrong?.[0], String(wrong?.[1]).includes('secret guess')]).toEqual([422, false]);
});

test('signing in sets a new HttpOnly cookie, never one that was planted before (fixation), ends the browser’s previous session, and lasts 14 days', async () => {
  const { site, sven } = await people();
  const [one, two] = [site.visitor(), site.visitor()];
  one.visitor.setCookie(SESSION, 'planted');
  const seen = await entering(one, 'Olga', PASSWORD);
  expect(seen.headers.getSetCookie()).toContainEqual(
    expect.stringMatching(/^listing-session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/),
  );
  expect(await isOpen(site, 'planted')).toBe(false);
  await entering(two, 'Olga', PASSWORD);
  expect(two.visitor.cookieNamed(SESSION)).not.toBe(one.visitor.cookieNamed(SESSION));
  const before = sven.visitor.cookieNamed(SESSION);
  expect(await isOpen(site, before)).toBe(true);
  await sven.visitor.post('/sign-in', { name: 'Olga', password: PASSWORD });
  expect((await sven.open('/dashboard')).text).toContain('Harbour Survival');
  expect(await isOpen(site, before)).toBe(false);
  site.clock.advance(14 * DAY - 1);
  expect((await one.visitor.get('/dashboard')).status).toBe(200);
  site.clock.advance(1);
  expect((await one.visitor.get('/dashboard')).to).toBe('/sign-in?next=%2Fdashboard');
});

/** Guesses from an address behind a proxy. */
async function guessed() {
  const { site } = await people({ trustedProxies: ['127.0.0.0/8'] });
  const guesser = site.visitor();
  await guesser.visitor.get('/sign-in');
  const attempt = async (from: string, name = 'Olga', password = 'wrong', browser = guesser) => {
    const headers = { 'x-forwarded-for': from };
    const { status } = await browser.visitor.post('/sign-in', { name, password }, headers);
    return status;
  };
  const isRefused = async (from: string, name = 'Olga'): Promise<boolean> => {
    const browser = site.visitor();
    await browser.visitor.get('/sign-in');
    return (await attempt(from, name, PASSWORD, browser)) === 429;
  };
  return { site, attempt, isRefused };
}

test('guessing a password is refused for 15 minutes after 10 wrong attempts on one account from one address, also parallel ones, with Retry-After; the right password never counts', async () => {
  const { site, attempt, isRefused } = await guessed();
  const statuses = await Promise.all(Array.from({ length: 25 }, () => attempt('192.0.2.1')));
  expect(statuses.filter((status) => status === 422)).toHaveLength(10);
  site.clock.advance(5 * MINUTE);
  const browser = site.visitor();
  const headers = { 'x-forwarded-for': '192.0.2.1' };
  const seen = await entering(browser, 'Olga', PASSWORD, headers);
  expect([seen.status, seen.headers.get('retry-after')]).toEqual([429, '600']);
  expect(browser.visitor.cookieNamed(SESSION)).toBeUndefined();
  for (let right = 0; right < 40; right++) expect(await isRefused('192.0.2.2')).toBe(false);
  site.clock.advance(10 * MINUTE);
  expect(await isRefused('192.0.2.1')).toBe(false);
});

test('guessing a password is refused after 30 wrong attempts on any accounts from one address, of which an IPv6 /64 is one; for an account after 300 from many addresses, but not from an address that its owner uses', async () => {
  const { attempt, isRefused } = await guessed();
  for (let wrong = 0; wrong < 30; wrong++)
    expect(await attempt(`2001:db8::${wrong.toString(16)}`, `name ${wrong}`)).toBe(422);
  expect(await isRefused('2001:db8::ffff')).toBe(true);
  expect(await isRefused('2001:db8:0:1::1')).toBe(false);
  expect(await isRefused('192.0.2.99')).toBe(false);
  for (let wrong = 0; wrong < 300; wrong++) expect(await attempt(`198.51.100.${wrong % 60}`)).toBe(422);
  expect(await isRefused('192.0.2.98')).toBe(true);
  expect(await isRefused('192.0.2.99')).toBe(false);
});

test('guessing a password does not lock out a browser that has signed in to this account before', async () => {
  const { site, olga } = await people();
  await olga.visitor.post('/sign-out');
  const guesser = site.visitor();
  for (const name of ['Olga', 'Milo', 'Sven'])
    for (let wrong = 0; wrong < 12; wrong++) await entering(guesser, name, 'wrong');
  expect((await entering(guesser, 'Olga', PASSWORD)).status).toBe(429);
  expect((await entering(olga, 'Milo', PASSWORD)).status).toBe(429);
  expect((await entering(olga, 'Olga', PASSWORD)).status).toBe(303);
});

test('signing out ends the session for every copy of its cookie; signing out everywhere ends every session of the account, and no other', async () => {
  const { site, olga, milo } = await people();
  const cookie = olga.visitor.cookieNamed(SESSION);
  expect((await olga.visitor.post('/sign-out', { csrf: 'x' })).status).toBe(403);
  expect((await olga.visitor.post('/sign-out')).to).toBe('/sign-in');
  expect(olga.visitor.cookieNamed(SESSION)).toBeUndefined();
  expect(await isOpen(site, cookie)).toBe(false);
  expect((await olga.open('/sign-in')).tone).toBe('good');
  const second = site.visitor();
  for (const browser of [olga, second]) await entering(browser, 'Olga', PASSWORD);
  expect((await olga.open('/account')).form('/account/end-sessions')).not.toBeNull();
  expect((await olga.visitor.post('/account/end-sessions')).to).toBe('/sign-in');
  const statuses = [olga, second, milo].map(async ({ visitor }) => (await visitor.get('/dashboard')).status);
  expect(await Promise.all(statuses)).toEqual([303, 303, 200]);
});

test('an invitation is shown once, makes one signed-in person a manager, and is not used up by someone who already has access', async () => {
  const { site, olga, sven, listed } = await people();
  const link = await olga.invitation(listed);
  expect((await olga.open(`${listed.dashboard}/people`)).html).not.toContain('/invitations/');
  await olga.open(link);
  await olga.post(link);
  const [first] = (await olga.values(`${listed.dashboard}/people`)).members;
  expect(first).toMatchObject({ role: 'owner', account: { name: 'Olga' } });
  expect((await sven.open(link)).text).toContain('Harbour Survival');
  expect((await sven.open(listed.dashboard)).status).toBe(403);
  expect((await sven.press(link)).path).toBe(listed.dashboard);
  const late = await site.person();
  for (const person of [sven, late]) expect((await person.open(link)).status).toBe(410);
  expect((await late.post(link)).status).toBe(410);
  expect((await late.open(listed.dashboard)).status).toBe(403);
});

test('an invitation creates an account for a new person and signs them in; it shows an error at its field, and stays valid', async () => {
  const { site, olga, listed } = await people();
  const link = await olga.invitation(listed);
  const guest = site.visitor();
  for (const [fields, field, fact] of [
    [{ name: '', password: PASSWORD }, 'name', ''],
    [{ name: 'Nils', password: 'short' }, 'password', '10'],
    [{ name: 'milo', password: PASSWORD }, 'name', ''],
    [{ name: 'Ni\u202Els', password: PASSWORD }, 'name', ''],
  ] as const) {
    await guest.open(link);
    const shown = await guest.post(link, fields);
    expect([fields, shown.status]).toEqual([fields, 422]);
    expect(shown.faults).toEqual({ [field]: expect.stringContaining(fact) });
  }
  const shown = await guest.press(link, undefined, { name: 'Nils', password: PASSWORD });
  expect(shown.path).toBe(listed.dashboard);
  expect((await entering(site.visitor(), 'nils', PASSWORD)).status).toBe(303);
});

test('an invitation is used by only one of several people who create accounts with it at once', async () => {
  const { site, olga, listed } = await people();
  const link = await olga.invitation(listed);
  const guests = Array.from({ length: 8 }, () => site.visitor());
  for (const guest of guests) await guest.open(link);
  const statuses = await Promise.all(
    guests.map(async (guest, index) => {
      const fields = { name: `new ${index}`, password: PASSWORD };
      return (await guest.visitor.post(link, fields)).status;
    }),
  );
  expect(statuses.toSorted()).toEqual([303, ...Array(7).fill(410)]);
  expect((await olga.values(`${listed.dashboard}/people`)).members).toHaveLength(3);
  const entered = guests.map((_, index) => entering(site.visitor(), `new ${index}`, PASSWORD));
  expect((await Promise.all(entered)).filter(({ status }) => status === 303)).toHaveLength(1);
});

test('an invitation is valid for 7 days, and not after its listing is removed', async () => {
  const { site, olga, sven, listed } = await people();
  const [link, other] = [await olga.invitation(listed), await olga.invitation(listed)];
  site.clock.advance(7 * DAY - 1);
  expect((await sven.open(link)).status).toBe(200);
  site.clock.advance(1);
  expect((await sven.open(link)).status).toBe(410);
  expect((await sven.post(link)).status).toBe(410);
  const fresh = await olga.invitation(listed);
  expect((await sven.open(fresh)).status).toBe(200);
  await olga.press(listed.dashboard, `${listed.dashboard}/remove`);
  for (const gone of [fresh, other, '/invitations/guess']) expect((await sven.open(gone)).status).toBe(410);
});

test('rule 10: an invitation and a session are stored only as hashes, and it never appears in the log, even when its page fails; a password is stored as the hash that scrypt makes of it, with a salt of its own and its cost', async () => {
  const { site, olga, listed } = await people();
  const link = await olga.invitation(listed);
  const secret = link.split('/').at(-1)!;
  const bytes = site.bytes();
  expect(bytes.includes('Harbour Survival')).toBe(true);
  for (const part of [secret, olga.visitor.cookieNamed(SESSION)!, PASSWORD])
    expect(bytes.includes(part)).toBe(false);
  site.lose('invitations');
  expect((await site.visitor().visitor.get(link)).status).toBe(500);
  expect(site.log.map(({ code }) => code)).toContain('page-fault');
  expect(JSON.stringify(site.log)).not.toContain(secret);
  const written = /\$scrypt\$ln=(\d+),r=8,p=1\$([\w+/]{22}==)\$([\w+/]{43}=)/g;
  const hashes = [...bytes.toString('latin1').matchAll(written)];
  expect(new Set(hashes.map(([, , salt]) => salt)).size).toBe(3);
  for (const [, ln, salt = '', hash] of hashes) {
    const key = scryptSync(PASSWORD, Buffer.from(salt, 'base64'), 32, { N: 2, r: 8, p: 1 });
    expect([ln, hash]).toEqual(['1', key.toString('base64')]);
  }
});

test('the account page changes the password if the current one is right, and signs out all other sessions', async () => {
  const { site, olga, milo } = await people();
  const there = site.visitor();
  await entering(there, 'Olga', PASSWORD);
  const wrong = await olga.press('/account', '/account', { current: 'wrong wrong', password: ANOTHER });
  expect(Object.keys(wrong.faults)).toEqual(['current']);
  const changed = await olga.press('/account', '/account', { current: PASSWORD, password: ANOTHER });
  expect(changed.tone).toBe('good');
  const open = async ({ visitor }: Browser | Person) => (await visitor.get('/account')).status;
  expect([await open(olga), await open(there), await open(milo)]).toEqual([200, 303, 200]);
  expect((await entering(site.visitor(), 'Olga', PASSWORD)).status).toBe(422);
  expect((await entering(site.visitor(), 'Olga', ANOTHER)).status).toBe(303);
});

test('a password takes as much work to check for an unknown name as for a known one', async () => {
  const { site } = await people({ passwordCost: 14 });
  const timed = async (name: string) => {
    const visitor = site.visitor();
    const before = process.cpuUsage();
    await entering(visitor, name, 'a wrong password');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // The least of several, because other threads of this process use the processor too.
  const known = Math.min(await timed('Olga'), await timed('Olga'), await timed('Olga'));
  expect(await timed('Nobody')).toBeGreaterThan(known / 2);
});
