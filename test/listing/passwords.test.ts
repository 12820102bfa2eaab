/** How passwords are stored. */
import { expect, test } from 'vitest';
import { systemRandom } from '../../src/platform/random.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';

const passwords = new Passwords(systemRandom, { ln: 1, r: 8, p: 1 });

test('a hash has its cost and its salt, differs each time, and matches only its own password', async () => {
  const stored = await passwords.hash('correct horse');
  expect(stored).toMatch(/^\$scrypt\$ln=1,r=8,p=1\$[\w+/]{22}==\$[\w+/]{43}=$/);
  expect(stored).not.toContain('correct');
  expect(await passwords.hash('correct horse')).not.toBe(stored);
  expect(await passwords.matches('correct horse', stored)).toBe(true);
  expect(await passwords.matches('correct horse ', stored)).toBe(false);
  expect(await passwords.matches('', stored)).toBe(false);
});

test('a hash that was made at another cost still matches', async () => {
  const stored = await new Passwords(systemRandom, { ln: 4, r: 4, p: 2 }).hash('x');
  expect(await passwords.matches('x', stored)).toBe(true);
});

test('the test vector of RFC 7914 matches', async () => {
  const salt = Buffer.from('NaCl').toString('base64');
  // The first 32 bytes of its output.
  const output = Buffer.from('fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162', 'hex');
  const stored = `$scrypt$ln=10,r=8,p=16$${salt}$${output.toString('base64')}`;
  expect(await passwords.matches('password', stored)).toBe(true);
});

test('the same letters match in another Unicode form', async () => {
  expect(await passwords.matches('cafe\u0301', await passwords.hash('caf\u00e9'))).toBe(true);
});

test('by default the cost is one that OWASP recommends', async () => {
  expect(await new Passwords(systemRandom).hash('x')).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
});

test('checking takes as much work for an unknown account as for a known one', async () => {
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
