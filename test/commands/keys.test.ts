import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { naming } from '../support/naming.ts';

const FIRST_TOKEN = '11'.repeat(16);
const IN_FILE = { default: { token: 'file:data/secrets/default.token' } };
const LISTENER = { host: '127.0.0.1', port: 8192 };

/** A Teller whose default token is in a file. */
function place(config: object = {}): Desk & { text(name: string): string } {
  const files = { 'data/secrets/default.token': `${FIRST_TOKEN}\n` };
  const one = desk({ listener: LISTENER, sites: IN_FILE, ...config }, files);
  return { ...one, text: (name) => readFileSync(path.join(one.folder, name), 'utf8') };
}

describe('keys', () => {
  test('prints what to paste at each listing', async () => {
    const { run, text } = place({ sites: { ...IN_FILE, 'My-List.com': { token: 'its-own' }, b: {} } });
    const { out, exit } = await run('keys');
    expect(exit).toBe(0);
    expect(out).toMatch(/^Port: 8192$/m);
    expect(out).toMatch(new RegExp(`^default +${FIRST_TOKEN}$`, 'm'));
    expect(out).toMatch(/^My-List\.com +its-own$/m);
    expect(out).toMatch(new RegExp(`^b +${FIRST_TOKEN}$`, 'm'));
    expect(out.split('\n')).toContain(text('data/keys/public.key'));
    expect(out).not.toContain(text('data/keys/private.key'));
  });

  test('prints an array for scripts', async () => {
    const { run, text } = place();
    expect((await run('keys', '--json')).json).toEqual([
      {
        site: 'default',
        token: FIRST_TOKEN,
        problem: null,
        publicKey: text('data/keys/public.key'),
        port: 8192,
      },
    ]);
  });

  test('shows only what the accepted protocols need', async () => {
    const sites = { default: { token: 'abc' } };
    const v1 = await place({ sites, listener: { ...LISTENER, protocols: ['v1'] } }).run('keys');
    expect(v1.out).not.toContain('abc');
    const v2 = await place({ sites, listener: { protocols: ['v2'] }, keys: 'no/such' }).run('keys');
    expect([v2.exit, v2.out]).toEqual([0, expect.not.stringMatching(/public key/i)]);
  });

  test('exits 1 if a site has no token, and still shows the others', async () => {
    const sites = { default: { token: 'file:nowhere' }, a: { token: 'its-own' } };
    const { out, exit } = await place({ sites }).run('keys');
    expect(exit).toBe(1);
    expect(out).toMatch(/^default +\(.*nowhere.*\)$/m);
    expect(out).toMatch(/^a +its-own$/m);
  });

  test('needs no RCON password', async () => {
    const main = { kind: 'rcon', password: 'file:nowhere' };
    expect((await place({ gameServers: { main } }).run('keys')).exit).toBe(0);
  });

  test('reports key-missing without a key pair, and what is wrong with the config', async () => {
    const noPair = await place({ keys: 'no/such' }).run('keys');
    expect(noPair).toMatchObject({ exit: 2, out: '', err: naming(/\[key-missing\]$/) });
    const badConfig = await place({ kyes: 'x' }).run('keys');
    expect(badConfig).toMatchObject({
      exit: 2,
      out: '',
      err: naming(/kyes: .*'keys' \[config-unknown-key\]/),
    });
  });
});

describe('keys rotate rsa', () => {
  const backups = ['public', 'private'].map((half) => `data/keys/${half}.2026-06-01T12-00-00-000Z.key`);

  test('creates a new pair, keeps the old one with its date, and prints what to paste', async () => {
    const { run, text, folder } = place();
    const old = ['public', 'private'].map((half) => text(`data/keys/${half}.key`));
    const { out, exit } = await run('keys', 'rotate', 'rsa', '--yes');
    expect([exit, out]).toEqual([0, text('data/keys/public.key')]);
    expect(old).not.toContain(out);
    expect(backups.map(text)).toEqual(old);
    expect(statSync(path.join(folder, backups[1] ?? '')).mode & 0o777).toBe(0o600);
    // The halves belong together, or this would not be accepted.
    expect((await run('keys', '--json')).json[0].publicKey).toBe(out);
  });

  test('prints an array for scripts', async () => {
    const { run, text, folder } = place();
    const [keys, ...files] = ['data/keys', ...backups].map((name) => path.join(folder, name));
    expect((await run('keys', 'rotate', 'rsa', '--yes', '--json')).json).toEqual([
      { keys, publicKey: text('data/keys/public.key'), backups: files },
    ]);
  });

  test('asks at a terminal, does nothing if the answer is no, and is wrong usage without --yes elsewhere', async () => {
    const { run, runBy, text, folder } = place();
    const old = text('data/keys/public.key');
    const no = await runBy({}, 'keys', 'rotate', 'rsa');
    expect(no).toMatchObject({ exit: 1, err: naming('[not-confirmed]'), asked: [expect.any(String)] });
    const script = await run('keys', 'rotate', 'rsa');
    expect(script).toMatchObject({ exit: 2, err: naming(/--yes.*\[usage\]$/), asked: [] });
    expect([text('data/keys/public.key'), readdirSync(path.join(folder, 'data/keys')).length]).toEqual([
      old,
      2,
    ]);
    expect((await runBy({ answers: [true] }, 'keys', 'rotate', 'rsa')).exit).toBe(0);
    expect(text('data/keys/public.key')).not.toBe(old);
  });
});

describe('keys rotate token', () => {
  const NEW_TOKEN = /^[0-9a-f]{32}\n$/;
  const rotate = ({ run }: Desk, site: string, ...flags: string[]) =>
    run('keys', 'rotate', 'token', site, '--yes', ...flags);

  test('writes a new token where the old one was, readable only by its owner, and does not print it', async () => {
    const one = place();
    const before = one.text('config.json');
    const { out, err, exit } = await rotate(one, 'default');
    const token = one.text('data/secrets/default.token');
    expect([exit, token]).toEqual([0, expect.stringMatching(NEW_TOKEN)]);
    expect(token.trim()).not.toBe(FIRST_TOKEN);
    expect(statSync(path.join(one.folder, 'data/secrets/default.token')).mode & 0o777).toBe(0o600);
    expect(out + err).not.toContain(token.trim());
    expect(one.text('config.json')).toBe(before);
  });

  test('gives a site that shared the default token its own token', async () => {
    const one = place({ '//': 'mine', sites: { ...IN_FILE, a: { cooldown: '12h' } } });
    const before = JSON.parse(one.text('config.json'));
    const { exit, json } = await rotate(one, 'a', '--json');
    expect([exit, json]).toMatchObject([0, [{ site: 'a', sites: ['a'] }]]);
    expect(one.text('data/secrets/a.token')).toMatch(NEW_TOKEN);
    expect(one.text('data/secrets/default.token')).toBe(`${FIRST_TOKEN}\n`);
    const added = { cooldown: '12h', token: 'file:data/secrets/a.token' };
    expect(JSON.parse(one.text('config.json'))).toEqual({ ...before, sites: { ...before.sites, a: added } });
  });

  // Each site has its own file inside the secrets folder, whatever its name is.
  test.each([
    ['default', /^default\.token$/],
    ['my-list.com', /^my-list\.com\.token$/],
    ['My-List.com', /^my-list\.com-[0-9a-f]{8}\.token$/],
    ['../../etc/passwd', /^etc-passwd-[0-9a-f]{8}\.token$/],
    ['..', /^[0-9a-f]{8}\.token$/],
    ['名', /^[0-9a-f]{8}\.token$/],
  ])('moves the token of %s from the config to a file', async (site, name) => {
    const one = desk({ sites: { default: { token: 'abc' }, [site]: { token: 'in-the-clear' } } });
    expect((await rotate(one, site)).exit).toBe(0);
    const [file = '', ...rest] = readdirSync(path.join(one.folder, 'data/secrets'));
    expect([file, rest]).toEqual([expect.stringMatching(name), []]);
    const config = JSON.parse(readFileSync(one.config, 'utf8'));
    expect(config.sites[site]).toEqual({ token: `file:data/secrets/${file}` });
  });

  test('names every site whose votes are refused until its listing has the new token', async () => {
    const one = place({ sites: { default: { token: 'abc' }, a: {}, b: { token: 'its-own' } } });
    const { asked } = await one.runBy({}, 'keys', 'rotate', 'token', 'default');
    expect(asked).toEqual([naming('default, a')]);
    expect(asked).not.toEqual([naming('b')]);
  });

  test('is accepted by a running Teller at once, and other changes are asked about first', async () => {
    const teller = await here({ sites: { default: { token: TOKEN } } });
    const { exit, json } = await rotate(teller, 'default', '--json');
    expect([exit, json[0].processes]).toMatchObject([
      0,
      [{ pid: process.pid, reply: { kind: 'reloaded', applied: [{ key: 'sites.default.token' }] } }],
    ]);
    const token = readFileSync(path.join(teller.folder, 'data/secrets/default.token'), 'utf8').trim();
    expect(await teller.vote({ player: 'Steve' })).not.toBe('ok');
    expect(await teller.vote({ player: 'Steve', token })).toBe('ok');

    rewrite(teller, { sites: { default: { token: 'file:data/secrets/default.token' } }, rewards: [] });
    const words = ['keys', 'rotate', 'token', 'default'];
    const no = await teller.runBy({ answers: [true, false] }, ...words);
    expect(no).toMatchObject({ exit: 1, err: naming('rewards', '[not-confirmed]') });
    expect((await teller.run('rewards', 'list')).out).toContain('note');
    expect((await teller.runBy({ answers: [true] }, ...words)).exit).toBe(0);
    expect((await teller.run('votes')).out).not.toContain('note: ');
  });

  test.each([
    ['My-list.com', "'My-List.com'"],
    ['zzz', '"zzz": {}'],
  ])('refuses the unknown site %s', async (site, hint) => {
    const one = place({ sites: { 'My-List.com': {} } });
    const { exit, err } = await rotate(one, site);
    expect([exit, err]).toEqual([2, naming(`'${site}'`, '`sites`', hint, /\[site-unknown\]$/)]);
  });

  test('refuses to rotate a token that comes from the environment', async () => {
    const one = place({ sites: { default: { token: 'env:TELLER_TEST_TOKEN' } } });
    const before = one.text('config.json');
    const { exit, err } = await rotate(one, 'default');
    expect([exit, err]).toEqual([2, naming(/TELLER_TEST_TOKEN.* \[token-elsewhere\]$/)]);
    expect(one.text('config.json')).toBe(before);
  });
});
