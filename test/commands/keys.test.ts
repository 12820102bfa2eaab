import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { naming, refused } from '../support/naming.ts';

const FIRST_TOKEN = '11'.repeat(16);
const IN_FILE = { default: { token: 'file:data/secrets/default.token' } };
const LISTENER = { host: '127.0.0.1', port: 8192 };

/** A Teller whose default token is in a file. */
function place(config: object = {}): Desk & { text(name: string): string; mode(name: string): number } {
  const files = { 'data/secrets/default.token': `${FIRST_TOKEN}\n` };
  const one = desk({ listener: LISTENER, sites: IN_FILE, ...config }, files);
  const at = (name: string) => path.join(one.folder, name);
  return {
    ...one,
    text: (name) => readFileSync(at(name), 'utf8'),
    mode: (name) => statSync(at(name)).mode & 0o777,
  };
}

test('keys prints what to paste at each listing, and an array for scripts', async () => {
  const sites = { ...IN_FILE, 'My-List.com': { token: 'its-own' }, b: {} };
  const main = { kind: 'rcon', password: 'file:nowhere' };
  const { run, text } = place({ sites, gameServers: { main } });
  const { out, exit } = await run('keys');
  expect(exit).toBe(0);
  for (const line of ['Port: 8192', `default +${FIRST_TOKEN}`, 'My-List\\.com +its-own', `b +${FIRST_TOKEN}`])
    expect(out).toMatch(new RegExp(`^${line}$`, 'm'));
  const publicKey = text('data/keys/public.key');
  expect(out.split('\n')).toContain(publicKey);
  expect(out).not.toContain(text('data/keys/private.key'));
  const row = { problem: null, publicKey, port: 8192 };
  expect((await run('keys', '--json')).json).toEqual([
    { site: 'default', token: FIRST_TOKEN, ...row },
    { site: 'My-List.com', token: 'its-own', ...row },
    { site: 'b', token: FIRST_TOKEN, ...row },
  ]);
});

test('keys shows only what the accepted protocols need', async () => {
  const sites = { default: { token: 'abc' } };
  const v1 = await place({ sites, listener: { ...LISTENER, protocols: ['v1'] } }).run('keys');
  expect(v1.out).not.toContain('abc');
  const v2 = await place({ sites, listener: { protocols: ['v2'] }, keys: 'no/such' }).run('keys');
  expect([v2.exit, v2.out]).toEqual([0, expect.not.stringMatching(/public key/i)]);
});

test('keys exits 1 if a site has no token, and still shows the others; 2 without a key pair or with a wrong config', async () => {
  const sites = { default: { token: 'file:nowhere' }, a: { token: 'its-own' } };
  const { out, exit } = await place({ sites }).run('keys');
  expect([exit, out]).toEqual([1, naming(/^default +\(.*nowhere.*\)$/m, /^a +its-own$/m)]);
  const silent = (why: RegExp) => ({ exit: 2, out: '', err: naming(why) });
  expect(await place({ keys: 'no/such' }).run('keys')).toMatchObject(silent(/\[key-missing\]$/));
  const misspelt = silent(/kyes: .*'keys' \[config-unknown-key\]/);
  expect(await place({ kyes: 'x' }).run('keys')).toMatchObject(misspelt);
});

test('keys rotate rsa asks at a terminal, creates a new pair, keeps the old one with its date, and prints what to paste', async () => {
  const { run, runBy, text, mode, folder } = place();
  const rotate = ['keys', 'rotate', 'rsa'];
  const halves = ['public', 'private'];
  const backups = halves.map((half) => `data/keys/${half}.2026-06-01T12-00-00-000Z.key`);
  const pair = () => halves.map((half) => text(`data/keys/${half}.key`));
  const old = pair();
  const unconfirmed = { exit: 1, err: naming('[not-confirmed]'), asked: [expect.any(String)] };
  expect(await runBy({}, ...rotate)).toMatchObject(unconfirmed);
  expect(await run(...rotate)).toMatchObject({ exit: 2, err: naming(/--yes.*\[usage\]$/), asked: [] });
  expect([pair(), readdirSync(path.join(folder, 'data/keys')).length]).toEqual([old, 2]);
  const { exit, out } = await runBy({ answers: [true] }, ...rotate);
  expect([exit, out]).toEqual([0, text('data/keys/public.key')]);
  expect(old).not.toContain(out);
  expect([backups.map(text), mode(backups[1] ?? '')]).toEqual([old, 0o600]);
  // The halves belong together, or this would not be accepted.
  expect((await run('keys', '--json')).json[0].publicKey).toBe(out);
  const other = place();
  const [keys, ...files] = ['data/keys', ...backups].map((name) => path.join(other.folder, name));
  expect((await other.run(...rotate, '--yes', '--json')).json).toEqual([
    { keys, publicKey: other.text('data/keys/public.key'), backups: files },
  ]);
});

const NEW_TOKEN = /^[0-9a-f]{32}\n$/;
const rotate = ({ run }: Desk, site: string, ...flags: string[]) =>
  run('keys', 'rotate', 'token', site, '--yes', ...flags);

test('keys rotate token writes a new token where the old one was, for its owner only, and gives a site that shared the default token its own', async () => {
  const one = place({ '//': 'mine', sites: { ...IN_FILE, a: { cooldown: '12h' } } });
  const config = one.text('config.json');
  const own = await rotate(one, 'a', '--json');
  expect([own.exit, own.json]).toMatchObject([0, [{ site: 'a', sites: ['a'] }]]);
  expect(one.text('data/secrets/a.token')).toMatch(NEW_TOKEN);
  expect(one.text('data/secrets/default.token')).toBe(`${FIRST_TOKEN}\n`);
  const before = JSON.parse(config);
  const added = { cooldown: '12h', token: 'file:data/secrets/a.token' };
  expect(JSON.parse(one.text('config.json'))).toEqual({ ...before, sites: { ...before.sites, a: added } });

  const kept = one.text('config.json');
  const { out, err, exit } = await rotate(one, 'default');
  const token = one.text('data/secrets/default.token');
  expect([exit, token]).toEqual([0, expect.stringMatching(NEW_TOKEN)]);
  expect([token.trim() === FIRST_TOKEN, one.mode('data/secrets/default.token')]).toEqual([false, 0o600]);
  expect(out + err).not.toContain(token.trim());
  expect(one.text('config.json')).toBe(kept);
});

// Each site has its own file inside the secrets folder, whatever its name is.
test.each([
  ['default', /^default\.token$/],
  ['my-list.com', /^my-list\.com\.token$/],
  ['My-List.com', /^my-list\.com-[0-9a-f]{8}\.token$/],
  ['../../etc/passwd', /^etc-passwd-[0-9a-f]{8}\.token$/],
  ['..', /^[0-9a-f]{8}\.token$/],
  ['名', /^[0-9a-f]{8}\.token$/],
])('keys rotate token moves the token of %s from the config to a file', async (site, name) => {
  const one = desk({ sites: { default: { token: 'abc' }, [site]: { token: 'in-the-clear' } } });
  expect((await rotate(one, site)).exit).toBe(0);
  const [file = '', ...rest] = readdirSync(path.join(one.folder, 'data/secrets'));
  expect([file, rest]).toEqual([expect.stringMatching(name), []]);
  const config = JSON.parse(readFileSync(one.config, 'utf8'));
  expect(config.sites[site]).toEqual({ token: `file:data/secrets/${file}` });
});

test('keys rotate token is accepted by a running Teller at once, and other changes are asked about first', async () => {
  const teller = await here({ sites: { default: { token: TOKEN } } });
  const { exit, json } = await rotate(teller, 'default', '--json');
  expect([exit, json[0].processes]).toMatchObject([
    0,
    [{ pid: process.pid, reply: { kind: 'reloaded', applied: [{ key: 'sites.default.token' }] } }],
  ]);
  const token = readFileSync(path.join(teller.folder, 'data/secrets/default.token'), 'utf8').trim();
  expect(await teller.vote({ player: 'Steve' })).not.toBe('ok');
  expect(await teller.vote({ player: 'Steve', token })).toBe('ok');

  rewrite(teller, { sites: IN_FILE, rewards: [] });
  const words = ['keys', 'rotate', 'token', 'default'];
  expect(await teller.runBy({ answers: [true, false] }, ...words)).toEqual(
    refused(1, 'rewards', '[not-confirmed]'),
  );
  expect((await teller.run('votes')).out).toContain('note: ');
  expect((await teller.runBy({ answers: [true] }, ...words)).exit).toBe(0);
  expect((await teller.run('votes')).out).not.toContain('note: ');
});

test('keys rotate token names every site whose votes are refused until its listing has the new token, and refuses an unknown one and a token of the environment', async () => {
  const three = place({ sites: { default: { token: 'abc' }, 'My-List.com': {}, b: { token: 'its-own' } } });
  const { asked } = await three.runBy({}, 'keys', 'rotate', 'token', 'default');
  expect(asked).toEqual([naming('default, My-List.com')]);
  expect(asked).not.toEqual([naming('b')]);
  for (const [site, hint] of [
    ['My-list.com', "'My-List.com'"],
    ['zzz', '"zzz": {}'],
  ] as const)
    expect(await rotate(three, site)).toEqual(refused(2, `'${site}'`, '`sites`', hint, /\[site-unknown\]$/));
  const one = place({ sites: { default: { token: 'env:TELLER_TEST_TOKEN' } } });
  const before = one.text('config.json');
  expect(await rotate(one, 'default')).toEqual(refused(2, /TELLER_TEST_TOKEN.* \[token-elsewhere\]$/));
  expect(one.text('config.json')).toBe(before);
});
