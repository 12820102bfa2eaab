import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { check } from '../kit/check.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { desk, furnish, type Place, rewrite } from '../kit/place.ts';
import { freePort } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const DIAMOND = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const EMERALD = [{ name: 'daily', commands: ['give {player} emerald 1'] }];

describe('reload', () => {
  test('prints what each process applied and what needs a restart, and exits 1 if anything needs a restart', async () => {
    const teller = await here({ rewards: DIAMOND });
    const applied = await teller.reload({ rewards: EMERALD });
    expect([applied.exit, applied.out]).toEqual([0, naming('rewards.daily.commands', 'changed')]);
    const restart = await teller.reload({ rewards: EMERALD, keys: 'data/other-keys' });
    expect([restart.exit, restart.out.split('\n')[1]]).toEqual([1, naming('keys', /restart/)]);
    const [{ startedAt }] = (await teller.run('reload', '--json')).json;
    expect(new Date(startedAt).toISOString()).toBe(startedAt);
  });

  test('exits 2 with every error of an invalid config, and contacts no process', async () => {
    const teller = await here({ rewards: DIAMOND });
    const { exit, err } = await teller.reload({
      rewards: EMERALD,
      listener: { port: 'many' },
      log: { level: 'loud' },
    });
    expect([exit, err]).toEqual([2, expect.stringMatching(/listener\.port[\s\S]*log\.level/)]);
    expect(teller.log.map(({ code }) => code)).not.toContain('config-invalid');
    await teller.vote({ player: 'Steve' });
    expect((await teller.run('grants', '--json')).err).toContain('config-invalid');
    await teller.untilGrants('delivered');
    expect((await teller.grants())[0]?.commands).toMatchObject([{ command: 'give Steve diamond 1' }]);
  });

  test('exits 1 if no Teller is running', async () => {
    const { run } = desk();
    expect(await run('reload')).toMatchObject({ exit: 1, err: expect.stringContaining('teller.db') });
    expect((await run('reload', '--json')).out).toBe('[]');
  });

  test('does not claim that no Teller is running if it cannot reach one that is', async () => {
    const teller = await here({ rewards: DIAMOND });
    rmSync(join(teller.folder, 'data/teller.db.run'), { recursive: true });
    const { exit, err } = await teller.run('reload');
    expect([exit, err]).toEqual([1, expect.stringMatching(/^a Teller is running .*restart/)]);
  });

  test('says why it is waiting if the answer takes long', async () => {
    const game = await rconGame({ commandTimeout: '5s' });
    const say = { name: 'say', when: 'always', commands: ['say {player}'] };
    const teller = await here({ gameServers: { main: game.entry }, rewards: [say] });
    game.fault('silent');
    await teller.vote({ player: 'Steve' });
    await teller.until(async () => (await teller.grants())[0]?.commands[0]?.attempts === 1);
    const reloading = teller.reload({
      gameServers: { main: { ...game.entry, password: 'x' } },
      rewards: [say],
    });
    await teller.pass(6_000);
    expect(await reloading).toMatchObject({ exit: 0, err: expect.stringContaining('commandTimeout') });
  });
});

describe('rule 15: while the running Teller has an older config', () => {
  test('commands note first what differs, on standard error with --json, and not after a reload', async () => {
    const teller = await here({ rewards: DIAMOND });
    rewrite(teller, { rewards: EMERALD });
    const commands = ['preview Steve', 'sites', 'explain Steve', 'grants', 'votes', 'keys'].map((line) =>
      line.split(' '),
    );
    for (const words of commands) {
      const { out } = await teller.run(...words);
      expect(out.split('\n')[0]).toMatch(/^note: .*rewards\.daily\.commands.*teller reload/);
      const scripted = await teller.run(...words, '--json');
      expect(scripted.json).toBeInstanceOf(Array);
      expect(scripted.err).toContain('rewards.daily.commands');
    }
    expect((await check(teller)).marks(/^config-older/)).toEqual(['warning config-older']);
    await teller.run('reload');
    for (const words of commands) {
      const after = await teller.run(...words);
      expect(`${after.out}${after.err}`).not.toContain('teller reload');
    }
    expect((await check(teller)).of('config-older')).toEqual([]);
  });
});

describe('the control of a running Teller', () => {
  const REWARD = { name: 'daily', when: 'always', commands: ['give {player} diamond 1'] };
  const EMERALD = { ...REWARD, commands: ['give {player} emerald 1'] };
  const SITES = { default: { token: TOKEN }, List: {} };

  function replacePair({ folder }: Place): void {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const der = { format: 'der' } as const;
    const keys = {
      'public.key': publicKey.export({ ...der, type: 'spki' }),
      'private.key': privateKey.export({ ...der, type: 'pkcs8' }),
    };
    for (const [name, bytes] of Object.entries(keys))
      writeFileSync(join(folder, 'data/keys', name), bytes.toString('base64'));
  }

  /** What each running Teller answers to `teller reload`. */
  const repliesTo = async (teller: Here) => (await teller.run('reload', '--json')).json;
  /** What commands say first of a config that differs from what runs. */
  const noteOf = async ({ run }: Here): Promise<string> => (await run('votes', '--json')).err;
  const runFolder = ({ folder }: Place): string => join(folder, 'data/teller.db.run');
  const paidFor = async (teller: Here, player: string): Promise<string | undefined> => {
    expect(await teller.vote({ player })).toBe('ok');
    return (await teller.grants()).at(-1)?.commands[0]?.command;
  };

  test('a reload reaches a running Teller, which says what it applied and what needs a restart', async () => {
    const teller = await here({ rewards: [REWARD] });
    rewrite(teller, { rewards: [EMERALD], listener: { host: '127.0.0.1', port: 1, deadline: '9s' } });
    expect(await repliesTo(teller)).toMatchObject([
      {
        ...{ pid: process.pid, configFile: teller.config },
        reply: {
          kind: 'reloaded',
          applied: [
            { key: 'listener.deadline', kind: 'changed' },
            { key: 'rewards.daily.commands', kind: 'changed' },
          ],
          needRestart: [{ key: 'listener.port', kind: 'changed' }],
        },
      },
    ]);
    expect(await paidFor(teller, 'Steve')).toBe('give Steve emerald 1');
  });

  test('reloads at one time are applied one after another', async () => {
    const teller = await here({ rewards: [REWARD] });
    rewrite(teller, { rewards: [EMERALD] });
    const replies = await Promise.all([repliesTo(teller), repliesTo(teller), repliesTo(teller)]);
    expect(replies.map(([{ reply }]) => reply.applied.length)).toEqual([1, 0, 0]);
  });

  test('a reload reaches every process that records into the ledger, each with the file that it was started with', async () => {
    const first = await here();
    const ledger = join(first.folder, 'data/teller.db');
    const second = await here({ ledger, listener: { host: '127.0.0.1', port: 0, deadline: '9s' } });
    expect(await noteOf(first)).toBe('');
    const files = (await repliesTo(first)).map(({ configFile }: { configFile: string }) => configFile);
    expect(files.toSorted()).toEqual([first.config, second.config].toSorted());
    rewrite(second, { ledger });
    expect(await noteOf(first)).toContain('listener.deadline');
  });

  test('a start removes what killed processes have left, and a command finds only those that run', async () => {
    const teller = await here();
    const [name = ''] = readdirSync(runFolder(teller)).filter((one) => one.endsWith('.json'));
    const entry = JSON.parse(readFileSync(join(runFolder(teller), name), 'utf8'));
    await teller.stop();
    expect(readdirSync(runFolder(teller))).toEqual([]);
    writeFileSync(join(runFolder(teller), 'dead00.json'), JSON.stringify({ ...entry, pid: 1 }));
    expect((await teller.run('reload')).exit).toBe(1);
    writeFileSync(join(runFolder(teller), 'dead00.json'), JSON.stringify({ ...entry, pid: 1 }));
    await teller.restart();
    expect(readdirSync(runFolder(teller))).not.toContain('dead00.json');
    expect(await repliesTo(teller)).toHaveLength(1);
  });

  test('what a process publishes is for its owner only, holds no secret, and is removed when it stops', async () => {
    const teller = await here();
    const folder = runFolder(teller);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.json')) ?? '');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(TOKEN);
    await teller.stop();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a config is compared by value: a changed secret file is a difference, and a comment is none', async () => {
    const teller = await here({ sites: SITES });
    const secret = join(teller.folder, 'token');
    writeFileSync(secret, TOKEN, { mode: 0o600 });
    const sites = { ...SITES, default: { token: 'file:token' } };
    rewrite(teller, { '//': 'a comment', sites });
    expect(await noteOf(teller)).toBe('');
    writeFileSync(secret, 'another-token-of-thirty-two-chars');
    expect(await noteOf(teller)).toEqual(
      naming(String(process.pid), 'sites.default.token', '`teller reload`'),
    );
    await teller.run('reload');
    expect(await noteOf(teller)).toBe('');
  });

  test('an added or removed site, reward or game server is one difference', async () => {
    const teller = await here({ rewards: [REWARD] });
    rewrite(teller, {
      rewards: [{ name: 'weekly', servers: 'all', commands: ['say hello'] }],
      sites: { ...SITES, 'My-List.com': {} },
      gameServers: { main: { kind: 'practice', joinDelay: '0s' }, second: { kind: 'practice' } },
    });
    const [{ reply }] = await repliesTo(teller);
    const changes = [...reply.applied, ...reply.needRestart];
    expect(changes.map(({ key, kind }: Record<string, string>) => `${key} ${kind}`).toSorted()).toEqual([
      'gameServers.second added',
      'rewards.daily removed',
      'rewards.weekly added',
      'sites["My-List.com"] added',
    ]);
  });

  test('a replaced key pair needs a restart', async () => {
    const teller = await here();
    replacePair(teller);
    expect(await noteOf(teller)).toEqual(naming('keys', /restart/i));
    const [{ reply }] = await repliesTo(teller);
    expect(reply).toEqual({ kind: 'reloaded', applied: [], needRestart: [{ key: 'keys', kind: 'changed' }] });
  });

  test('a changed variable of the environment needs a restart, and one that is not set here is no difference', async () => {
    vi.stubEnv('TELLER_TEST_TOKEN', 'the-first-token-of-thirty-characters');
    onTestFinished(() => void vi.unstubAllEnvs());
    const teller = await here({ sites: { default: { token: 'env:TELLER_TEST_TOKEN' } } });
    expect(await noteOf(teller)).toBe('');
    vi.stubEnv('TELLER_TEST_TOKEN', 'the-second-token-of-thirty-characters');
    expect(await noteOf(teller)).toEqual(naming('sites.default.token', /restart/i));
    vi.stubEnv('TELLER_TEST_TOKEN', undefined);
    expect(await noteOf(teller)).not.toContain('sites.default.token');
  });

  test('the log says that the config has changed and what to do, except for a changed comment', async () => {
    const teller = await here({ rewards: [REWARD] });
    const lines = () => teller.log.filter(({ code }) => code.startsWith('config-'));
    rewrite(teller, { rewards: [REWARD], '//': 'a comment' });
    await teller.pass(5_000, 500);
    expect(lines()).toEqual([]);
    rewrite(teller, { rewards: [EMERALD] });
    await teller.until(() => lines().length === 1, 500);
    expect(lines()).toMatchObject([
      { level: 'info', code: 'config-changed', fields: { changes: ['rewards.daily.commands'] } },
    ]);
    rewrite(teller, { rewards: [REWARD], keys: 'data/other-keys' });
    await teller.until(() => lines().length === 2, 500);
    expect(lines()[1]?.sentence).toEqual(naming('keys', /restart/i));
    rewrite(teller, { rewards: 'none' });
    await teller.until(() => lines().length === 3, 500);
    expect(lines()[2]).toMatchObject({ level: 'warn', code: 'config-invalid' });
  });

  test('an unknown request to the socket gets no reply', async () => {
    const teller = await here();
    const name = readdirSync(runFolder(teller)).find((one) => one.endsWith('.sock')) ?? '';
    const received: string[] = [];
    const socket = connect(join(runFolder(teller), name));
    socket.setEncoding('utf8').on('data', (text: string) => received.push(text));
    socket.on('error', () => {}).write('read /etc/passwd\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toEqual([]);
  });

  test('without room for the path of a socket there is none, and the log and `reload` name another way', async () => {
    const teller = await here({ ledger: `data/${'a'.repeat(100)}/teller.db` });
    expect(teller.log.map(({ code }) => code)).toContain('no-control-socket');
    expect(await repliesTo(teller)).toMatchObject([{ reply: { kind: 'unreachable' } }]);
  });
});

describe('a running Teller', () => {
  /** Types it as one line. */
  const teller = (place: Place, line: string) => typedHere(place, ...line.split(' '));
  const rows = async (place: Place, line: string) => (await teller(place, `${line} --json`)).json;

  describe('the address of a running Teller', () => {
    test('is where votes are sent, whichever port the config has, or was written into it since', async () => {
      const one = await here();
      expect(await rows(one, 'send')).toMatchObject([{ code: 'accepted' }]);
      const [{ port }] = await rows(one, 'keys');
      expect(port).toBeGreaterThan(0);
      rewrite(one, { listener: { host: '127.0.0.1', port: await freePort() } });
      expect(await rows(one, 'send')).toMatchObject([{ code: 'accepted' }]);
      expect(await rows(one, 'keys')).toMatchObject([{ port }, { port }]);
      const found: readonly { code: string }[] = await rows(one, 'check');
      expect(found.map(({ code }) => code)).toEqual(
        expect.arrayContaining(['config-older', 'port-not-held']),
      );
    });
  });

  describe('while the config of a running Teller has a fault', () => {
    const REWARD = { name: 'daily', commands: ['say {player}'] };
    const UNKNOWN_KEY = (text: string) => text.replace('"rewards"', '"rewrads"');
    const FAULTS: readonly [string, (text: string) => string][] = [
      ['a key that does not exist', UNKNOWN_KEY],
      ['a comma is missing', (text) => text.replace(/,\n/, '\n')],
      ['it is cut off', (text) => text.slice(0, -20)],
    ];
    const WARNING = expect.stringMatching(/^warning: .*\[config-invalid\]$/m);

    async function faulty(change: (text: string) => string, more: object = {}): Promise<Here> {
      const one = await here({ rewards: [REWARD], ...more });
      expect(await one.vote({ player: 'Alex' })).toBe('ok');
      writeFileSync(one.config, change(readFileSync(one.config, 'utf8')));
      return one;
    }

    test.each(FAULTS)('(%s), commands that only read go by what runs, and say so', async (_, change) => {
      const one = await faulty(change);
      const lines =
        'explain Alex,grants,votes,sites,players show Alex,keys,send,rewards list,preview Steve,practice players';
      for (const line of lines.split(',')) {
        const { exit, err } = await teller(one, line);
        expect([line, exit, err]).toEqual([line, 0, WARNING]);
      }
      expect((await teller(one, 'rewards list')).out).toContain('daily');
      // The warning is not where scripts read, and names no secret.
      const { json, err } = await teller(one, 'explain Alex --json');
      expect(json).toMatchObject([{ player: 'Alex' }]);
      expect(err).not.toContain(TOKEN);
    });

    test('its Teller is found by a ledger at another place too', async () => {
      const ledger = join(temporaryFolder(), 'other.db');
      expect((await teller(await faulty((text) => text.slice(0, -1), { ledger }), 'explain Alex')).exit).toBe(
        0,
      );
    });

    test('a backup has the file as it is, the keys and the ledger, and can be restored', async () => {
      const one = await faulty((text) => text.slice(0, -20));
      const dir = join(temporaryFolder(), 'monday');
      expect(await teller(one, `backup ${dir}`)).toMatchObject({ exit: 0, err: WARNING });
      const folder = temporaryFolder();
      const target = { folder, config: join(folder, 'config.json') };
      const restored = await teller(target, `restore ${dir}`);
      expect([restored.exit, restored.err]).toEqual([0, expect.stringContaining('[config-syntax]')]);
      for (const name of ['config.json', 'data/keys/private.key'])
        expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(one.folder, name), 'utf8'));
      rewrite(target, { rewards: [REWARD] });
      expect(await rows(target, 'explain Alex')).toMatchObject([{ player: 'Alex' }]);
    });

    test('commands that change something, and check, name the fault (config-invalid), and all do once that Teller has stopped', async () => {
      const one = await faulty(UNKNOWN_KEY);
      const isNamed = { exit: 2, err: expect.stringContaining('[config-unknown-key]') };
      expect(await teller(one, 'pause')).toMatchObject(isNamed);
      const checked = await teller(one, 'check');
      expect([checked.exit, checked.out]).toEqual([2, expect.stringContaining('config-unknown-key')]);
      await one.stop();
      expect(await teller(one, 'explain Alex')).toMatchObject(isNamed);
    });

    test('a Teller of another config on the same ledger is not taken for its own', async () => {
      const one = await here();
      const other = furnish(temporaryFolder(), { ledger: join(one.folder, 'data/teller.db'), rewrads: [] });
      expect((await teller(other, 'explain Alex')).exit).toBe(2);
    });
  });
});
