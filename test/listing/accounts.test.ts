import { describe, expect, test } from 'vitest';
import { firstOwner, sampleAccounts } from '../../src/listing/accounts/first-accounts.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { SignIn } from '../../src/web/auth/sign-in.ts';
import { SESSION_SECONDS } from '../../src/web/auth/stored-sessions.ts';
import { freshSite } from '../support/fresh-listing.ts';
import { addListing, addPerson, PASSWORD, QUICK } from '../support/listing-site.ts';

const MINUTE = 60_000;

describe('passwords', () => {
  const passwords = new Passwords(systemRandom, QUICK);

  test('match only their own hash, which stores the salt and the cost but not the password', async () => {
    const stored = await passwords.hash('correct horse');
    expect(stored).toMatch(/^\$scrypt\$ln=1,r=8,p=1\$[\w+/]{22}==\$[\w+/]{43}=$/);
    expect(stored).not.toContain('correct');
    expect(await passwords.matches('correct horse', stored)).toBe(true);
    expect(await passwords.matches('correct horse ', stored)).toBe(false);
    expect(await passwords.matches('', stored)).toBe(false);
  });

  test('get a different hash each time', async () => {
    expect(await passwords.hash('x')).not.toBe(await passwords.hash('x'));
  });

  test('still match a hash that was made at a different cost', async () => {
    const stored = await new Passwords(systemRandom, { ln: 4, r: 4, p: 2 }).hash('x');
    expect(await passwords.matches('x', stored)).toBe(true);
  });

  test('match the test vector of RFC 7914', async () => {
    const stored = `$scrypt$ln=10,r=8,p=16$${Buffer.from('NaCl').toString('base64')}$${Buffer.from(
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
      'hex',
    )
      .subarray(0, 32)
      .toString('base64')}`;
    expect(await passwords.matches('password', stored)).toBe(true);
  });

  test('match if the same letters were typed in another Unicode form', async () => {
    const stored = await passwords.hash('caf\u00e9');
    expect(await passwords.matches('cafe\u0301', stored)).toBe(true);
  });

  test('are hashed by default at a cost that OWASP recommends', async () => {
    expect(await new Passwords(systemRandom).hash('x')).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
  });

  test('take as much work to check for an unknown account as for a known one', async () => {
    const costly = new Passwords(systemRandom, { ln: 14, r: 8, p: 1 });
    const stored = await costly.hash('x');
    const timed = async (hash: string | null) => {
      const before = process.cpuUsage();
      await costly.matches('y', hash);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // The least of several, because other threads of this process use the processor too.
    const known = Math.min(await timed(stored), await timed(stored), await timed(stored));
    expect(await timed(null)).toBeGreaterThan(known / 4);
  });
});

describe('signing in', () => {
  test('requires the right name, in upper or lower case, and the right password', async () => {
    const site = freshSite();
    const { accounts } = site;
    const ada = await addPerson(site, 'Ada');
    expect(await accounts.signIn('ADA', PASSWORD, '::1')).toMatchObject({ kind: 'signed-in', account: ada });
    expect(await accounts.signIn('Ada', PASSWORD.toUpperCase(), '::1')).toEqual({ kind: 'wrong' });
    expect(await accounts.signIn('Nobody', PASSWORD, '::1')).toEqual({ kind: 'wrong' });
  });

  test('is refused for 15 minutes after 10 wrong attempts on one account from one address', async () => {
    const site = freshSite();
    await addPerson(site, 'Ada');
    for (let index = 0; index < 10; index++) {
      expect(await site.accounts.signIn('ada', 'wrong', '192.0.2.1')).toEqual({ kind: 'wrong' });
    }
    site.clock.advance(5 * MINUTE);
    expect(await site.accounts.signIn('Ada', PASSWORD, '192.0.2.1')).toEqual({
      kind: 'too-many-attempts',
      retryAfterSeconds: 600,
    });
    site.clock.advance(10 * MINUTE);
    expect(await site.accounts.signIn('Ada', PASSWORD, '192.0.2.1')).toMatchObject({ kind: 'signed-in' });
  });

  test('is refused if the password changed while the old one was checked', async () => {
    const passwords = new Passwords(systemRandom, QUICK);
    const hashes = [await passwords.hash(PASSWORD), await passwords.hash('another long sentence')];
    const signIn = new SignIn({
      find: () => ({ person: 'Ada', passwordHash: hashes.shift() ?? '' }),
      ...{ passwords, clock: systemClock, random: systemRandom },
    });
    expect(await signIn.attempt('Ada', PASSWORD, '::1', null)).toEqual({ kind: 'wrong' });
  });

  test('still works for the owner from another address while someone guesses', async () => {
    const site = freshSite();
    await addPerson(site, 'Ada');
    for (let index = 0; index < 12; index++) await site.accounts.signIn('Ada', 'wrong', '192.0.2.1');
    expect(await site.accounts.signIn('Ada', PASSWORD, '192.0.2.2')).toMatchObject({ kind: 'signed-in' });
  });

  test('is refused for an account after 300 wrong attempts from many addresses, except from an address its owner uses', async () => {
    const site = freshSite();
    await addPerson(site, 'Ada');
    await site.accounts.signIn('Ada', PASSWORD, '192.0.2.99');
    for (let index = 0; index < 300; index++) {
      const address = `198.51.100.${index % 60}`;
      expect(await site.accounts.signIn('Ada', 'wrong', address)).toEqual({ kind: 'wrong' });
    }
    expect(await site.accounts.signIn('Ada', PASSWORD, '192.0.2.98')).toMatchObject({
      kind: 'too-many-attempts',
    });
    expect(await site.accounts.signIn('Ada', PASSWORD, '192.0.2.99')).toMatchObject({ kind: 'signed-in' });
  });

  test('is refused from an address after 30 wrong attempts on any accounts; an IPv6 /64 counts as one address', async () => {
    const site = freshSite();
    await addPerson(site, 'Ada');
    for (let index = 0; index < 30; index++) {
      const address = `2001:db8::${index.toString(16)}`;
      expect(await site.accounts.signIn(`name ${index}`, 'wrong', address)).toEqual({ kind: 'wrong' });
    }
    expect(await site.accounts.signIn('Ada', PASSWORD, '2001:db8::ffff')).toMatchObject({
      kind: 'too-many-attempts',
    });
    expect(await site.accounts.signIn('Ada', PASSWORD, '2001:db8:0:1::1')).toMatchObject({
      kind: 'signed-in',
    });
  });

  test('allows no more parallel attempts than sequential ones', async () => {
    const site = freshSite();
    await addPerson(site, 'Ada');
    const results = await Promise.all(
      Array.from({ length: 25 }, () => site.accounts.signIn('Ada', 'wrong', '192.0.2.1')),
    );
    expect(results.filter(({ kind }) => kind === 'wrong')).toHaveLength(10);
  });

  test('does not count attempts with the right password', async () => {
    const site = freshSite();
    await addPerson(site, 'Ada');
    for (let index = 0; index < 40; index++) {
      expect(await site.accounts.signIn('Ada', PASSWORD, '::1')).toMatchObject({ kind: 'signed-in' });
    }
  });
});

describe('a session', () => {
  test('is found by its secret until it ends, and only its hash is stored', async () => {
    const site = freshSite();
    const ada = await addPerson(site, 'Ada');
    const secret = await site.accounts.openSession(ada);
    expect(site.accounts.find(secret)).toMatchObject({
      person: ada,
      csrf: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(site.accounts.find(`${secret}x`)).toBeNull();
    const rows = site.database.prepare('SELECT * FROM sessions').all();
    expect(JSON.stringify(rows)).not.toContain(secret);
    await site.accounts.endSession(secret);
    expect(site.accounts.find(secret)).toBeNull();
  });

  test('expires, and is deleted at the next sign-in after that', async () => {
    const site = freshSite();
    const ada = await addPerson(site, 'Ada');
    const secret = await site.accounts.openSession(ada);
    site.clock.advance(SESSION_SECONDS * 1000 - 1);
    expect(site.accounts.find(secret)).not.toBeNull();
    site.clock.advance(1);
    expect(site.accounts.find(secret)).toBeNull();
    await site.accounts.openSession(ada);
    expect(site.database.prepare('SELECT count(*) FROM sessions').pluck().get()).toBe(1);
  });

  test('ends, like every session of its account, when the password changes', async () => {
    const site = freshSite();
    const [ada, bob] = [await addPerson(site, 'Ada'), await addPerson(site, 'Bob')];
    const secrets = await Promise.all([ada, ada, bob].map((account) => site.accounts.openSession(account)));
    await site.accounts.setPassword(ada, 'another long sentence');
    expect(secrets.map((secret) => site.accounts.find(secret)?.person.name ?? null)).toEqual([
      null,
      null,
      'Bob',
    ]);
  });
});

describe('an invitation', () => {
  const invited = async () => {
    const site = freshSite();
    const listing = addListing(site.database, { id: 'harbour' });
    const ada = await addPerson(site, 'Ada');
    return { site, listing, ada, code: await site.invitations.invite(listing) };
  };

  test('makes exactly one person a manager', async () => {
    const { site, listing, ada, code } = await invited();
    const bob = await addPerson(site, 'Bob');
    expect(await site.invitations.accept(code, ada)).toMatchObject({ kind: 'accepted', account: ada });
    expect(site.members.role(listing, ada.id)).toBe('manager');
    expect(await site.invitations.accept(code, bob)).toEqual({ kind: 'gone' });
    expect(site.members.role(listing, bob.id)).toBeNull();
  });

  test('is used by only one of several people who create accounts with it at once', async () => {
    const { site, listing, code } = await invited();
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => site.invitations.acceptAsNew(code, `new ${index}`, PASSWORD)),
    );
    expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'gone')).toHaveLength(7);
    expect(site.members.members(listing)).toHaveLength(1);
    expect(site.database.prepare("SELECT count(*) FROM accounts WHERE name LIKE 'new %'").pluck().get()).toBe(
      1,
    );
  });

  test('is valid for 7 days', async () => {
    const { site, ada, code } = await invited();
    site.clock.advance(7 * 24 * 60 * MINUTE - 1);
    expect(site.invitations.listingOf(code)).not.toBeNull();
    site.clock.advance(1);
    expect(site.invitations.listingOf(code)).toBeNull();
    expect(await site.invitations.accept(code, ada)).toEqual({ kind: 'gone' });
  });

  test('is not used up by a taken name or by someone who already has access, and never makes an owner a manager', async () => {
    const { site, listing, code } = await invited();
    const olga = await addPerson(site, 'Olga', [listing, 'owner']);
    expect(await site.invitations.acceptAsNew(code, 'ADA', PASSWORD)).toEqual({ kind: 'name-taken' });
    expect(await site.invitations.accept(code, olga)).toMatchObject({ kind: 'member-already' });
    expect(site.members.role(listing, olga.id)).toBe('owner');
    expect(site.invitations.listingOf(code)).not.toBeNull();
  });

  test('is stored as a hash, and is invalid once its listing is removed', async () => {
    const { site, code } = await invited();
    expect(JSON.stringify(site.database.prepare('SELECT * FROM invitations').all())).not.toContain(code);
    site.database.prepare('UPDATE listings SET removed_at = 1').run();
    expect(site.invitations.listingOf(code)).toBeNull();
  });
});

describe('the first accounts', () => {
  test('are created at the first start, with a password that is returned once; a second start creates none', async () => {
    const site = freshSite();
    const parts = { ...site, random: systemRandom };
    const first = await firstOwner(parts);
    expect(first?.password).toMatch(/^(?:[a-z2-9]{4}-){3}[a-z2-9]{4}$/);
    expect(await site.accounts.signIn('owner', first?.password ?? '', '::1')).toMatchObject({
      kind: 'signed-in',
    });
    expect(await firstOwner(parts)).toBeNull();
    expect(JSON.stringify(site.database.prepare('SELECT * FROM accounts').all())).not.toContain(
      first?.password,
    );
  });

  test('are the same at each practice start, with new passwords if none were stored', async () => {
    const site = freshSite();
    const parts = { ...site, random: systemRandom };
    const first = await sampleAccounts(parts, () => null);
    const second = await sampleAccounts(parts, () => null);
    expect(second.owner.account).toEqual(first.owner.account);
    expect(second.voters.map(({ account }) => account.name)).toHaveLength(3);
    expect(
      new Set(
        [first, second]
          .flatMap(({ owner, manager, voters }) => [owner, manager, ...voters])
          .map(({ password }) => password),
      ).size,
    ).toBe(10);
    const { account, password } = second.manager;
    expect(await site.accounts.signIn(account.name, password, '::1')).toMatchObject({ kind: 'signed-in' });
    expect(await site.accounts.signIn(account.name, first.manager.password, '::1')).toEqual({
      kind: 'wrong',
    });
  });

  test('get different user IDs in the chat platform’s format', async () => {
    const site = freshSite();
    const ids = [(await addPerson(site, 'a')).userId, (await addPerson(site, 'b')).userId];
    expect(ids).toEqual([expect.stringMatching(/^1\d{17}$/), expect.stringMatching(/^1\d{17}$/)]);
    expect(ids[0]).not.toBe(ids[1]);
  });
});
