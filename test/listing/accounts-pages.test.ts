import { describe, expect, test } from 'vitest';
import type { FakeBrowser } from '../support/fake-browser.ts';
import { freshSite, signIn } from '../support/fresh-listing.ts';
import { addListing, addPerson, PASSWORD } from '../support/listing-site.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { shownPage } from './dashboard/shown-page.ts';

const SESSION = 'listing-session';

/** The header with which scripts ask for JSON. */
const JSON_WANTED = { accept: 'application/json' };

/** A site with a listing that has an owner and a manager, and a second listing with another owner. */
async function siteWithPeople(name = 'Harbour Survival') {
  const { log, lines } = loggedLines();
  const site = freshSite({ log });
  addListing(site.database, { id: 'harbour', name });
  addListing(site.database, { id: 'other', name: 'Other' });
  const people = {
    olga: await addPerson(site, 'Olga', ['harbour', 'owner']),
    milo: await addPerson(site, 'Milo', ['harbour', 'manager']),
    sven: await addPerson(site, 'Sven', ['other', 'owner']),
  };
  const signedIn = async (who: string): Promise<FakeBrowser> => {
    const visitor = site.visitor();
    await signIn(visitor, who, PASSWORD);
    await visitor.get('/dashboard');
    return visitor;
  };
  return { site, people, signedIn, lines };
}

describe('signing in and out', () => {
  test('leads to the page that was requested, and never to another site', async () => {
    const { site } = await siteWithPeople();
    const visitor = site.visitor();
    expect((await visitor.get('/account')).to).toBe('/sign-in?next=%2Faccount');
    expect((await visitor.get('/sign-in?next=%2Faccount')).text).toContain('name="next" value="/account"');
    const fields = { name: 'Olga', password: PASSWORD };
    expect(await visitor.post('/sign-in', { ...fields, next: '/account' })).toMatchObject({
      status: 303,
      to: '/account',
    });
    expect((await visitor.get('/sign-in')).to).toBe('/dashboard');
    const other = site.visitor();
    await other.get('/sign-in?next=https%3A%2F%2Fevil.example');
    expect((await other.post('/sign-in', { ...fields, next: '//evil.example' })).to).toBe('/dashboard');
  });

  test('answers a wrong name exactly like a wrong password, and never repeats the password', async () => {
    const { site } = await siteWithPeople();
    const answers = await Promise.all(
      ['Olga', 'Nobody'].map(async (name) => {
        const { status, text } = await signIn(site.visitor(), name, 'secret guess');
        return [status, text.replaceAll(name, 'NAME').replaceAll(/value="[\w-]{43}"/g, '')];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(422);
    expect(answers.join()).not.toContain('secret guess');
  });

  test('keeps spaces at the start and end of a password', async () => {
    const { site } = await siteWithPeople();
    await site.accounts.add('Nils', ' spaced out ');
    expect((await signIn(site.visitor(), 'Nils', 'spaced out')).status).toBe(422);
    expect((await signIn(site.visitor(), 'Nils', ' spaced out ')).status).toBe(303);
  });

  test('answers too many attempts with 429 and Retry-After', async () => {
    const { site } = await siteWithPeople();
    const visitor = site.visitor();
    for (let index = 0; index < 10; index++) await signIn(visitor, 'Olga', 'wrong');
    const seen = await signIn(visitor, 'Olga', PASSWORD);
    expect(seen.status).toBe(429);
    expect(seen.headers.get('retry-after')).toBe('900');
    expect(visitor.cookieNamed(SESSION)).toBeUndefined();
  });

  test('still works, during guesses from its address, in a browser that has signed in to this account before', async () => {
    const { site, signedIn } = await siteWithPeople();
    const known = await signedIn('Olga');
    await known.post('/sign-out');
    const guessing = site.visitor();
    for (let index = 0; index < 40; index++) await signIn(guessing, 'Olga', 'wrong');
    for (let index = 0; index < 40; index++) await signIn(guessing, 'Milo', 'wrong');
    expect((await signIn(guessing, 'Olga', PASSWORD)).status).toBe(429);
    expect((await signIn(known, 'Milo', PASSWORD)).status).toBe(429);
    expect((await signIn(known, 'Olga', PASSWORD)).status).toBe(303);
  });

  test('signing out everywhere ends every session of the account, and no other', async () => {
    const { signedIn } = await siteWithPeople();
    const [first, second, other] = [await signedIn('Olga'), await signedIn('Olga'), await signedIn('Milo')];
    expect((await first.get('/account')).text).toContain('action="/account/end-sessions"');
    expect((await first.post('/account/end-sessions')).to).toBe('/sign-in');
    const statuses = [first, second, other].map(async (each) => (await each.get('/dashboard')).status);
    expect(await Promise.all(statuses)).toEqual([303, 303, 200]);
  });

  test('sets an HttpOnly cookie for 14 days, with a new session at each sign-in', async () => {
    const { site } = await siteWithPeople();
    const visitor = site.visitor();
    const seen = await signIn(visitor, 'Olga', PASSWORD);
    expect(seen.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^listing-session=[\w-]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/),
    );
    const other = site.visitor();
    await signIn(other, 'Olga', PASSWORD);
    expect(other.cookieNamed(SESSION)).not.toBe(visitor.cookieNamed(SESSION));
  });

  test('never adopts a session cookie that was planted before signing in (fixation)', async () => {
    const { site } = await siteWithPeople();
    const visitor = site.visitor();
    visitor.setCookie(SESSION, 'planted');
    await signIn(visitor, 'Olga', PASSWORD);
    expect(visitor.cookieNamed(SESSION)).not.toBe('planted');
    const attacker = site.visitor();
    attacker.setCookie(SESSION, 'planted');
    expect((await attacker.get('/dashboard')).status).toBe(303);
  });

  test('ends the browser’s previous session', async () => {
    const { site, signedIn } = await siteWithPeople();
    const visitor = await signedIn('Sven');
    const before = visitor.cookieNamed(SESSION) ?? '';
    await visitor.get('/account');
    await visitor.post('/sign-in', { name: 'Olga', password: PASSWORD });
    expect((await visitor.get('/dashboard')).text).toContain('Harbour Survival');
    const other = site.visitor();
    other.setCookie(SESSION, before);
    expect((await other.get('/dashboard')).status).toBe(303);
  });

  test('signing out ends the session for every copy of its cookie', async () => {
    const { site, signedIn } = await siteWithPeople();
    const visitor = await signedIn('Olga');
    const copy = site.visitor();
    copy.setCookie(SESSION, visitor.cookieNamed(SESSION) ?? '');
    expect((await visitor.post('/sign-out')).to).toBe('/sign-in');
    expect(visitor.cookieNamed(SESSION)).toBeUndefined();
    expect((await copy.get('/dashboard')).status).toBe(303);
    expect(shownPage('/sign-in', await visitor.get('/sign-in')).tone).toBe('good');
  });

  test('signing out requires the CSRF token of the session', async () => {
    const { signedIn } = await siteWithPeople();
    const visitor = await signedIn('Olga');
    expect((await visitor.post('/sign-out', { csrf: 'x' })).status).toBe(403);
    expect((await visitor.get('/dashboard')).status).toBe(200);
  });

  test('asks a visitor with an expired session to sign in again', async () => {
    const { site, signedIn } = await siteWithPeople();
    const visitor = await signedIn('Olga');
    site.clock.advance(14 * 24 * 3_600_000);
    expect((await visitor.get('/dashboard')).to).toBe('/sign-in?next=%2Fdashboard');
  });
});

describe('roles', () => {
  test('AU-14: only its owner and managers can open a listing’s pages', async () => {
    const { site, signedIn } = await siteWithPeople();
    const page = '/dashboard/harbour/people';
    expect((await (await signedIn('Olga')).get(page)).status).toBe(200);
    expect((await (await signedIn('Milo')).get(page)).status).toBe(200);
    expect((await (await signedIn('Sven')).get(page)).status).toBe(403);
    expect(await site.visitor().get(page)).toMatchObject({
      status: 303,
      to: expect.stringMatching(/^\/sign-in/),
    });
  });

  test('AU-14: guards every route that is added below a listing', async () => {
    const { site, signedIn } = await siteWithPeople();
    const served: string[] = [];
    site.app.post('/dashboard/:listing/tokens/create', (c) => {
      served.push(c.var.visit.person?.name ?? 'nobody');
      return c.text('created');
    });
    const post = async (visitor: FakeBrowser) =>
      (await visitor.post('/dashboard/harbour/tokens/create')).status;
    const stranger = site.visitor();
    await stranger.get('/sign-in');
    expect(await post(stranger)).toBe(303);
    expect(await post(await signedIn('Sven'))).toBe(403);
    expect(served).toEqual([]);
    expect(await post(await signedIn('Olga'))).toBe(200);
    expect(await post(await signedIn('Milo'))).toBe(200);
    expect(served).toEqual(['Olga', 'Milo']);
  });

  test('RD-08: refuses a stranger’s direct POST, even with their own session and CSRF token', async () => {
    const { site, signedIn } = await siteWithPeople();
    let redelivered = 0;
    site.app.post('/dashboard/:listing/deliveries/:delivery/redeliver', (c) => {
      redelivered += 1;
      return c.text('done');
    });
    const stranger = await signedIn('Sven');
    const path = '/deliveries/d1/redeliver';
    expect((await stranger.post(`/dashboard/harbour${path}`)).status).toBe(403);
    expect(redelivered).toBe(0);
    expect((await stranger.post(`/dashboard/other${path}`)).status).toBe(200);
  });

  test('answers 404 for a listing that does not exist or was removed', async () => {
    const { site, signedIn } = await siteWithPeople();
    const owner = await signedIn('Olga');
    expect((await owner.get('/dashboard/nothing/people')).status).toBe(404);
    site.database.prepare("UPDATE listings SET removed_at = 1 WHERE id = 'harbour'").run();
    expect((await owner.get('/dashboard/harbour/people')).status).toBe(404);
    expect((await owner.get('/dashboard')).text).not.toContain('Harbour Survival');
  });

  test('answers a program without a session in JSON', async () => {
    const seen = await (await siteWithPeople()).site
      .visitor()
      .get('/dashboard', { accept: 'application/json' });
    expect(seen.status).toBe(403);
    expect(JSON.parse(seen.text)).toMatchObject({ code: 'signed-out' });
  });

  test('only the owner can invite and remove people, also by direct POST', async () => {
    const { site, people, signedIn } = await siteWithPeople();
    const manager = await signedIn('Milo');
    expect((await manager.get('/dashboard/harbour/people')).text).not.toMatch(/people\/(invite|remove)/);
    expect((await manager.post('/dashboard/harbour/people/invite')).status).toBe(403);
    expect((await manager.post('/dashboard/harbour/people/remove', { account: people.milo.id })).status).toBe(
      403,
    );
    expect(site.members.role('harbour', people.milo.id)).toBe('manager');
    const owner = await signedIn('Olga');
    await owner.post('/dashboard/harbour/people/remove', { account: people.milo.id });
    expect((await manager.get('/dashboard/harbour/people')).status).toBe(403);
  });

  test('never removes an owner', async () => {
    const { site, people, signedIn } = await siteWithPeople();
    const owner = await signedIn('Olga');
    const asked = { account: people.olga.id };
    const { status, text } = await owner.post('/dashboard/harbour/people/remove', asked, JSON_WANTED);
    expect([status, JSON.parse(text).code]).toEqual([409, 'no-manager']);
    expect(site.members.role('harbour', people.olga.id)).toBe('owner');
  });
});

describe('an invitation', () => {
  const invite = async (owner: FakeBrowser): Promise<string> => {
    const { text } = await owner.post('/dashboard/harbour/people/invite');
    return /\/invitations\/[\w-]{43}/.exec(text)?.[0] ?? 'no link';
  };

  test('is shown once, and makes the signed-in person a manager', async () => {
    const { site, people, signedIn } = await siteWithPeople();
    const owner = await signedIn('Olga');
    const link = await invite(owner);
    expect((await owner.get('/dashboard/harbour/people')).text).not.toContain('/invitations/');
    const guest = await signedIn('Sven');
    expect((await guest.get(link)).text).toContain('Harbour Survival');
    expect(site.members.role('harbour', people.sven.id)).toBeNull();
    expect((await guest.post(link)).to).toBe('/dashboard/harbour');
    expect(site.members.role('harbour', people.sven.id)).toBe('manager');
    expect((await guest.get(link)).status).toBe(410);
  });

  test('creates an account for a new person and signs them in', async () => {
    const { site, signedIn } = await siteWithPeople();
    const link = await invite(await signedIn('Olga'));
    const guest = site.visitor();
    await guest.get(link);
    expect(await guest.post(link, { name: 'Nils', password: PASSWORD })).toMatchObject({ status: 303 });
    expect((await guest.get('/dashboard')).text).toContain('Harbour Survival');
  });

  test.each([
    [{ name: '', password: PASSWORD }, 'name', ''],
    [{ name: 'Nils', password: 'short' }, 'password', '10'],
    [{ name: 'milo', password: PASSWORD }, 'name', ''],
    [{ name: 'Ni\u202Els', password: PASSWORD }, 'name', ''],
  ])('with %j shows the error at its field, and the invitation stays valid', async (fields, field, fact) => {
    const { site, signedIn } = await siteWithPeople();
    const link = await invite(await signedIn('Olga'));
    const guest = site.visitor();
    await guest.get(link);
    const seen = await guest.post(link, fields);
    expect(seen.status).toBe(422);
    expect(shownPage(link, seen).faults).toEqual({ [field]: expect.stringContaining(fact) });
    expect((await guest.get(link)).status).toBe(200);
  });

  test('answers 410 for an unknown code, just as for a used one', async () => {
    const { site } = await siteWithPeople();
    const visitor = site.visitor();
    expect(await visitor.get('/invitations/guess')).toMatchObject({ status: 410 });
    await visitor.get('/sign-in');
    expect(await visitor.post('/invitations/guess', { name: 'Nils', password: PASSWORD })).toMatchObject({
      status: 410,
    });
  });

  test('never appears in the log, even when its page fails', async () => {
    const { site, signedIn, lines } = await siteWithPeople();
    const link = await invite(await signedIn('Olga'));
    site.database.exec('DROP TABLE invitations');
    expect((await site.visitor().get(link)).status).toBe(500);
    expect(lines.map(({ code }) => code)).toEqual(['page-fault']);
    expect(JSON.stringify(lines)).not.toContain(link.split('/').at(-1));
  });
});

describe('the account page', () => {
  test('changes the password if the current one is right, and signs out all other sessions', async () => {
    const { site, signedIn } = await siteWithPeople();
    const [here, there] = [await signedIn('Olga'), await signedIn('Olga')];
    await here.get('/account');
    const wrong = await here.post('/account', { current: 'wrong wrong', password: 'another long sentence' });
    expect(Object.keys(shownPage('/account', wrong).faults)).toEqual(['current']);
    await here.post('/account', { current: PASSWORD, password: 'another long sentence' });
    expect(shownPage('/account', await here.get('/account')).tone).toBe('good');
    expect((await there.get('/account')).status).toBe(303);
    expect((await signIn(site.visitor(), 'Olga', PASSWORD)).status).toBe(422);
    expect((await signIn(site.visitor(), 'Olga', 'another long sentence')).status).toBe(303);
  });
});

test('WF-06: escapes the names of listings and people on every page', async () => {
  const hostile = '<script>alert("1")</script>';
  const { site, signedIn } = await siteWithPeople(hostile);
  await addPerson(site, hostile, ['harbour', 'owner']);
  const owner = await signedIn(hostile);
  const link =
    (await owner.post('/dashboard/harbour/people/invite')).text.match(/\/invitations\/[\w-]{43}/)?.[0] ?? '';
  const pages = ['/dashboard', '/dashboard/harbour/people', '/account', link, '/dashboard/harbour/nothing'];
  for (const path of pages) {
    const { text } = await owner.get(path);
    expect(text, path).not.toContain('<script>alert');
    if (!path.endsWith('nothing')) expect(text, path).toContain('&lt;script&gt;alert');
  }
});
