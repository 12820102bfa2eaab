import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { keysCommand } from '../../src/commands/keys.ts';
import { createFirstConfig } from '../../src/config/first-start.ts';
import { readKeyPair } from '../../src/config/keys.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { writeConfig, writeKeyPair } from '../support/config-folder.ts';
import { controlledApp } from '../support/controlled.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { runCommand } from './run-command.ts';

interface Person {
  readonly answer?: boolean;
  readonly interactive?: boolean;
}

/** A Teller after its first start, with the given config instead of the first one. */
async function teller(config?: object) {
  const folder = temporaryFolder();
  writeKeyPair(path.join(folder, 'data/keys'));
  const { file } = await createFirstConfig(folder, fixedRandom(0x11));
  if (config !== undefined) writeFileSync(file, JSON.stringify(config, null, 2));
  const asked: string[] = [];
  const keys = async (words: readonly string[], { answer = false, interactive = false }: Person = {}) => {
    const terminal = fakeTerminal(interactive);
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    const tools = { clock: new FakeClock('2026-06-01T12:00:00Z'), random: fixedRandom(0x22), ask };
    return await runCommand(keysCommand(terminal, tools), terminal, [...words, '--config', file]);
  };
  const text = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  return { folder, file, keys, text, asked };
}

const FIRST_TOKEN = '11'.repeat(16);
const NEW_TOKEN = '22'.repeat(16);

describe('keys', () => {
  test('prints what to paste at each listing', async () => {
    const { keys, text } = await teller({
      sites: {
        default: { token: 'file:data/secrets/default.token' },
        'My-List.com': { token: 'its-own' },
        b: {},
      },
    });
    const { out, exit } = await keys([]);
    expect(exit).toBe(0);
    expect(out).toMatch(/^Port: 8192$/m);
    expect(out).toMatch(new RegExp(`^default +${FIRST_TOKEN}$`, 'm'));
    expect(out).toMatch(/^My-List\.com +its-own$/m);
    expect(out).toMatch(new RegExp(`^b +${FIRST_TOKEN}$`, 'm'));
    expect(out.split('\n')).toContain(text('data/keys/public.key'));
    expect(out).not.toContain(text('data/keys/private.key'));
  });

  test('prints an array for scripts', async () => {
    const { keys, text } = await teller();
    expect(JSON.parse((await keys(['--json'])).out)).toEqual([
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
    const v1 = await (
      await teller({ listener: { protocols: ['v1'] }, sites: { default: { token: 'abc' } } })
    ).keys([]);
    expect(v1.out).not.toContain('abc');
    const { keys } = await teller({
      listener: { protocols: ['v2'] },
      keys: 'no/such',
      sites: { default: { token: 'abc' } },
    });
    const v2 = await keys([]);
    expect(v2.exit).toBe(0);
    expect(v2.out).not.toMatch(/public key/i);
  });

  test('exits 1 if a site has no token, and still shows the others', async () => {
    const { keys } = await teller({ sites: { default: { token: 'file:nowhere' }, a: { token: 'its-own' } } });
    const { out, exit } = await keys([]);
    expect(exit).toBe(1);
    expect(out).toMatch(/^default +\(.*nowhere.*\)$/m);
    expect(out).toMatch(/^a +its-own$/m);
  });

  test('needs no RCON password', async () => {
    const main = { kind: 'rcon', password: 'file:nowhere' };
    const { keys } = await teller({ sites: { default: { token: 'abc' } }, gameServers: { main } });
    expect((await keys([])).exit).toBe(0);
  });

  test('reports key-missing without a key pair, and what is wrong with the config', async () => {
    const noPair = await (await teller({ keys: 'no/such' })).keys([]);
    expect([noPair.exit, noPair.out]).toEqual([2, '']);
    expect(noPair.err).toMatch(/\[key-missing\]$/);
    const badConfig = await (await teller({ kyes: 'x' })).keys([]);
    expect([badConfig.exit, badConfig.out]).toEqual([2, '']);
    expect(badConfig.err).toMatch(/kyes: .*'keys' \[config-unknown-key\]/);
  });
});

describe('keys rotate rsa', () => {
  test('creates a new pair, keeps the old one with its date, and prints what to paste', async () => {
    const { folder, keys, text } = await teller();
    const old = { public: text('data/keys/public.key'), private: text('data/keys/private.key') };
    const { out, exit } = await keys(['rotate', 'rsa', '--yes']);
    expect(exit).toBe(0);
    expect(out).toBe(text('data/keys/public.key'));
    expect(out).not.toBe(old.public);
    await readKeyPair(path.join(folder, 'data/keys'));
    expect(text('data/keys/public.2026-06-01T12-00-00-000Z.key')).toBe(old.public);
    expect(text('data/keys/private.2026-06-01T12-00-00-000Z.key')).toBe(old.private);
    const backup = statSync(path.join(folder, 'data/keys/private.2026-06-01T12-00-00-000Z.key'));
    expect(backup.mode & 0o777).toBe(0o600);
  });

  test('prints an array for scripts', async () => {
    const { keys, text, folder } = await teller();
    const { out } = await keys(['rotate', 'rsa', '--yes', '--json']);
    expect(JSON.parse(out)).toEqual([
      {
        keys: path.join(folder, 'data/keys'),
        publicKey: text('data/keys/public.key'),
        backups: ['public', 'private'].map((half) =>
          path.join(folder, `data/keys/${half}.2026-06-01T12-00-00-000Z.key`),
        ),
      },
    ]);
  });

  test('asks at a terminal, and does nothing if the answer is no', async () => {
    const { keys, text, asked } = await teller();
    const old = text('data/keys/public.key');
    const no = await keys(['rotate', 'rsa'], { interactive: true, answer: false });
    expect(no).toMatchObject({ exit: 1, err: naming('[not-confirmed]') });
    expect(text('data/keys/public.key')).toBe(old);
    expect((await keys(['rotate', 'rsa'], { interactive: true, answer: true })).exit).toBe(0);
    expect(text('data/keys/public.key')).not.toBe(old);
    expect(asked).toHaveLength(2);
  });

  test('is wrong usage without a terminal and without --yes', async () => {
    const { keys, folder, asked } = await teller();
    const { exit, err } = await keys(['rotate', 'rsa']);
    expect(exit).toBe(2);
    expect(err).toMatch(/--yes.*\[usage\]$/);
    expect(asked).toEqual([]);
    expect(readdirSync(path.join(folder, 'data/keys'))).toHaveLength(2);
  });
});

describe('keys rotate token', () => {
  test('writes a new token where the old one was, readable only by its owner, and does not print it', async () => {
    const { keys, text, folder, file } = await teller();
    const before = readFileSync(file, 'utf8');
    const { out, err, exit } = await keys(['rotate', 'token', 'default', '--yes']);
    expect(exit).toBe(0);
    expect(text('data/secrets/default.token')).toBe(`${NEW_TOKEN}\n`);
    expect(statSync(path.join(folder, 'data/secrets/default.token')).mode & 0o777).toBe(0o600);
    expect(out + err).not.toContain(NEW_TOKEN);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('gives a site that shared the default token its own token', async () => {
    const config = {
      '//': 'mine',
      sites: { default: { token: 'file:data/secrets/default.token' }, a: { cooldown: '12h' } },
    };
    const { keys, text } = await teller(config);
    const { out, exit } = await keys(['rotate', 'token', 'a', '--yes', '--json']);
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ site: 'a', sites: ['a'] }]);
    expect(text('data/secrets/a.token')).toBe(`${NEW_TOKEN}\n`);
    expect(text('data/secrets/default.token')).toBe(`${FIRST_TOKEN}\n`);
    const added = { cooldown: '12h', token: 'file:data/secrets/a.token' };
    expect(JSON.parse(text('config.json'))).toEqual({ ...config, sites: { ...config.sites, a: added } });
  });

  test('moves a token from the config to a file', async () => {
    const { keys, text } = await teller({ sites: { default: { token: 'in-the-clear' } } });
    await keys(['rotate', 'token', 'default', '--yes']);
    expect(JSON.parse(text('config.json')).sites.default.token).toBe('file:data/secrets/default.token');
    expect(text('data/secrets/default.token')).toBe(`${NEW_TOKEN}\n`);
  });

  test('names every site whose votes are refused until its listing has the new token', async () => {
    const { keys, asked } = await teller({
      sites: { default: { token: 'abc' }, a: {}, b: { token: 'its-own' } },
    });
    await keys(['rotate', 'token', 'default'], { interactive: true });
    expect(asked).toEqual([naming('default, a')]);
    expect(asked).not.toEqual([naming('b')]);
  });

  test('is accepted by a running Teller at once, and other changes are asked about first', async () => {
    const { config, app } = await controlledApp();
    const rotate = async (person: Person, ...flags: string[]) => {
      const terminal = fakeTerminal(person.interactive);
      const ask = async (question: string) => person.answer === true || !/also applies/.test(question);
      const tools = { clock: systemClock, random: fixedRandom(0x22), ask };
      const words = ['rotate', 'token', 'default', ...flags, '--config', config];
      return runCommand(keysCommand(terminal, tools), terminal, words);
    };
    const { exit, out } = await rotate({}, '--yes', '--json');
    expect([exit, JSON.parse(out)[0].processes]).toMatchObject([
      0,
      [{ pid: process.pid, reply: { kind: 'reloaded', applied: [{ key: 'sites.default.token' }] } }],
    ]);
    expect(app.config.sites.get('default')?.token?.reveal()).toBe(NEW_TOKEN);
    writeConfig(config, { rewards: [] });
    expect(await rotate({ interactive: true })).toMatchObject({ exit: 1, err: naming('[not-confirmed]') });
    expect((await rotate({ interactive: true, answer: true })).exit).toBe(0);
    expect(app.config.rewards).toEqual([]);
  });

  test.each([
    ['My-list.com', "'My-List.com'"],
    ['zzz', '"zzz": {}'],
  ])('refuses the unknown site %s', async (site, hint) => {
    const { keys } = await teller({ sites: { 'My-List.com': {} } });
    const { exit, err } = await keys(['rotate', 'token', site, '--yes']);
    expect([exit, err]).toEqual([2, naming(`'${site}'`, '`sites`', hint, /\[site-unknown\]$/)]);
  });

  test('refuses to rotate a token that comes from the environment', async () => {
    const { keys, text } = await teller({ sites: { default: { token: 'env:TELLER_TEST_TOKEN' } } });
    const before = text('config.json');
    const { exit, err } = await keys(['rotate', 'token', 'default', '--yes']);
    expect(exit).toBe(2);
    expect(err).toMatch(/TELLER_TEST_TOKEN.* \[token-elsewhere\]$/);
    expect(text('config.json')).toBe(before);
  });
});
