import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { check } from '../kit/check.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { desk, furnish, type Place, rewrite } from '../kit/place.ts';
import { freePort } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming, refused } from '../support/naming.ts';

const DIAMOND = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const EMERALD = [{ name: 'daily', commands: ['give {player} emerald 1'] }];

/** What each running Teller answers to `teller reload`. */
const repliesTo = async (teller: Here) => (await teller.run('reload', '--json')).json;

test('reload reaches a running Teller, prints what that applied and what needs a restart, and exits 1 if anything does', async () => {
  const teller = await here({ rewards: DIAMOND });
  const applied = await teller.reload({ rewards: EMERALD });
  expect([applied.exit, applied.out]).toEqual([0, naming('rewards.daily.commands', 'changed')]);
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered');
  expect((await teller.grants())[0]?.commands).toMatchObject([{ command: 'give Steve emerald 1' }]);
  const listener = { host: '127.0.0.1', port: 1 };
  const restart = await teller.reload({ rewards: EMERALD, listener });
  expect([restart.exit, restart.out.split('\n')[1]]).toEqual([1, naming('listener.port', /restart/)]);
  rewrite(teller, { rewards: DIAMOND, listener });
  const [answer] = await repliesTo(teller);
  expect(answer).toMatchObject({
    ...{ pid: process.pid, configFile: teller.config },
    reply: {
      kind: 'reloaded',
      applied: [{ key: 'rewards.daily.commands', kind: 'changed' }],
      needRestart: [{ key: 'listener.port', kind: 'changed' }],
    },
  });
  expect(new Date(answer.startedAt).toISOString()).toBe(answer.startedAt);
});

test('reload exits 2 with every error of an invalid config, and contacts no process', async () => {
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

test('reload exits 1 if no Teller is running, which it does not claim if it cannot reach one that is', async () => {
  const { run } = desk();
  expect(await run('reload')).toEqual(refused(1, /teller\.db/));
  expect((await run('reload', '--json')).out).toBe('[]');
  const teller = await here({ rewards: DIAMOND });
  rmSync(join(teller.folder, 'data/teller.db.run'), { recursive: true });
  expect(await teller.run('reload')).toEqual(refused(1, /^a Teller is running .*restart/));
});

test('reload says why it is waiting if the answer takes long', async () => {
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
  expect(await reloading).toMatchObject({ exit: 0, err: naming('commandTimeout') });
});

test('rule 15: while the running Teller has an older config, commands note first what differs, on standard error with --json, and not after a reload', async () => {
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

/** What commands say first of a config that differs from what runs. */
const noteOf = async ({ run }: Here): Promise<string> => (await run('votes', '--json')).err;
const runFolder = ({ folder }: Place): string => join(folder, 'data/teller.db.run');
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

test('what a process publishes is for its owner only, holds no secret, obeys nothing unknown, and is removed when it stops', async () => {
  const teller = await here();
  const folder = runFolder(teller);
  const names = readdirSync(folder);
  const file = join(folder, names.find((name) => name.endsWith('.json')) ?? '');
  expect([folder, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
  expect(readFileSync(file, 'utf8')).not.toContain(TOKEN);
  const received: string[] = [];
  const socket = connect(join(folder, names.find((name) => name.endsWith('.sock')) ?? ''));
  socket.setEncoding('utf8').on('data', (text: string) => received.push(text));
  socket.on('error', () => {}).write('read /etc/passwd\n');
  await new Promise((resolve) => socket.once('close', resolve));
  expect(received).toEqual([]);

  const entry = JSON.parse(readFileSync(file, 'utf8'));
  await teller.stop();
  expect(readdirSync(folder)).toEqual([]);
  // A command finds only processes that run, and a start removes what killed ones have left.
  const leave = () => writeFileSync(join(folder, 'dead00.json'), JSON.stringify({ ...entry, pid: 1 }));
  leave();
  expect((await teller.run('reload')).exit).toBe(1);
  leave();
  await teller.restart();
  expect(readdirSync(folder)).not.toContain('dead00.json');
  expect(await repliesTo(teller)).toHaveLength(1);
});

test('a config is compared by value: a comment is no difference, a changed secret file is one, and a variable or key pair needs a restart', async () => {
  vi.stubEnv('TELLER_TEST_TOKEN', 'the-first-token-of-thirty-characters');
  onTestFinished(() => void vi.unstubAllEnvs());
  const sites = { default: { token: TOKEN }, List: { token: 'env:TELLER_TEST_TOKEN' } };
  const teller = await here({ sites });
  const secret = join(teller.folder, 'token');
  writeFileSync(secret, TOKEN, { mode: 0o600 });
  rewrite(teller, { '//': 'a comment', sites: { ...sites, default: { token: 'file:token' } } });
  expect(await noteOf(teller)).toBe('');
  writeFileSync(secret, 'another-token-of-thirty-two-chars');
  expect(await noteOf(teller)).toEqual(naming(String(process.pid), 'sites.default.token', '`teller reload`'));
  // Reloads at one time are applied one after another.
  const replies = await Promise.all([repliesTo(teller), repliesTo(teller), repliesTo(teller)]);
  expect(replies.map(([{ reply }]) => reply.applied.length)).toEqual([1, 0, 0]);
  expect(await noteOf(teller)).toBe('');
  vi.stubEnv('TELLER_TEST_TOKEN', 'the-second-token-of-thirty-characters');
  expect(await noteOf(teller)).toEqual(naming('sites.List.token', /restart/i));
  // One that is not set here is no difference.
  vi.stubEnv('TELLER_TEST_TOKEN', undefined);
  expect(await noteOf(teller)).not.toContain('sites.List.token');
  vi.stubEnv('TELLER_TEST_TOKEN', 'the-first-token-of-thirty-characters');
  await teller.run('keys', 'rotate', 'rsa', '--yes');
  expect(await noteOf(teller)).toEqual(naming('keys', /restart/i));
  const [{ reply }] = await repliesTo(teller);
  expect(reply).toEqual({ kind: 'reloaded', applied: [], needRestart: [{ key: 'keys', kind: 'changed' }] });
});

test('an added or removed site, reward or game server is one difference', async () => {
  const teller = await here({ rewards: DIAMOND });
  rewrite(teller, {
    rewards: [{ name: 'weekly', servers: 'all', commands: ['say hello'] }],
    sites: { default: { token: TOKEN }, List: {}, 'My-List.com': {} },
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

test('the log says that the config has changed and what to do, except for a changed comment', async () => {
  const teller = await here({ rewards: DIAMOND });
  const lines = () => teller.log.filter(({ code }) => code.startsWith('config-'));
  rewrite(teller, { rewards: DIAMOND, '//': 'a comment' });
  await teller.pass(5_000, 500);
  expect(lines()).toEqual([]);
  const said = async (more: object) => {
    const before = lines().length;
    rewrite(teller, more);
    await teller.until(() => lines().length > before, 500);
    return lines().slice(before);
  };
  expect(await said({ rewards: EMERALD })).toMatchObject([
    { level: 'info', code: 'config-changed', fields: { changes: ['rewards.daily.commands'] } },
  ]);
  expect(await said({ rewards: DIAMOND, keys: 'data/other-keys' })).toMatchObject([
    { sentence: naming('keys', /restart/i) },
  ]);
  expect(await said({ rewards: 'none' })).toMatchObject([{ level: 'warn', code: 'config-invalid' }]);
});

test('without room for the path of a socket there is none, and the log and `reload` name another way', async () => {
  const teller = await here({ ledger: `data/${'a'.repeat(100)}/teller.db` });
  expect(teller.log.map(({ code }) => code)).toContain('no-control-socket');
  expect(await repliesTo(teller)).toMatchObject([{ reply: { kind: 'unreachable' } }]);
});

test('a running Teller is sent votes at its address, whichever port the config has, or was written into it since', async () => {
  const one = await here();
  const rows = async (name: string) => (await one.run(name, '--json')).json;
  expect(await rows('send')).toMatchObject([{ code: 'accepted' }]);
  const [{ port }] = await rows('keys');
  expect(port).toBeGreaterThan(0);
  rewrite(one, { listener: { host: '127.0.0.1', port: await freePort() } });
  expect(await rows('send')).toMatchObject([{ code: 'accepted' }]);
  expect(await rows('keys')).toMatchObject([{ port }, { port }]);
  const marks = (await check(one)).marks(/^config-older|^port-not/);
  expect(marks.toSorted()).toEqual(['warning config-older', 'warning port-not-held']);
});

const REWARD = { name: 'daily', commands: ['say {player}'] };
const UNKNOWN_KEY = (text: string) => text.replace('"rewards"', '"rewrads"');
const CUT_OFF = (text: string) => text.slice(0, -20);
const WARNING = expect.stringMatching(/^warning: .*\[config-invalid\]$/m);

async function faulty(change: (text: string) => string, more: object = {}): Promise<Here> {
  const one = await here({ rewards: [REWARD], ...more });
  expect(await one.vote({ player: 'Alex' })).toBe('ok');
  writeFileSync(one.config, change(readFileSync(one.config, 'utf8')));
  return one;
}

test('while the config of a running Teller has a fault, commands that only read go by what runs, and say so', async () => {
  const one = await faulty(UNKNOWN_KEY);
  const lines =
    'explain Alex,grants,votes,sites,players show Alex,keys,send,rewards list,preview Steve,practice players';
  for (const line of lines.split(',')) {
    const { exit, err } = await typedHere(one, ...line.split(' '));
    expect([line, exit, err]).toEqual([line, 0, WARNING]);
  }
  expect((await one.run('rewards', 'list')).out).toContain('daily');
  // The warning is not where scripts read, and names no secret.
  const { json, err } = await one.run('explain', 'Alex', '--json');
  expect(json).toMatchObject([{ player: 'Alex' }]);
  expect(err).not.toContain(TOKEN);
  for (const change of [CUT_OFF, (text: string) => text.replace(/,\n/, '\n')]) {
    rewrite(one, { rewards: [REWARD] });
    writeFileSync(one.config, change(readFileSync(one.config, 'utf8')));
    expect(await one.run('explain', 'Alex')).toMatchObject({ exit: 0, err: WARNING });
  }
  const elsewhere = await faulty((text) => text.slice(0, -1), {
    ledger: join(temporaryFolder(), 'other.db'),
  });
  expect((await elsewhere.run('explain', 'Alex')).exit).toBe(0);
});

test('while the config of a running Teller has a fault, a backup has the file as it is, the keys and the ledger, and can be restored', async () => {
  const one = await faulty(CUT_OFF);
  const dir = join(temporaryFolder(), 'monday');
  expect(await one.run('backup', dir)).toMatchObject({ exit: 0, err: WARNING });
  const folder = temporaryFolder();
  const target = { folder, config: join(folder, 'config.json') };
  const restored = await typedHere(target, 'restore', dir);
  expect([restored.exit, restored.err]).toEqual([0, expect.stringContaining('[config-syntax]')]);
  for (const name of ['config.json', 'data/keys/private.key'])
    expect(readFileSync(join(folder, name), 'utf8')).toBe(readFileSync(join(one.folder, name), 'utf8'));
  rewrite(target, { rewards: [REWARD] });
  const { json } = await typedHere(target, 'explain', 'Alex', '--json');
  expect(json).toMatchObject([{ player: 'Alex' }]);
});

test('while the config of a running Teller has a fault, commands that change something, and check, name the fault (config-invalid), and all do once that Teller has stopped', async () => {
  const one = await faulty(UNKNOWN_KEY);
  const isNamed = { exit: 2, err: expect.stringContaining('[config-unknown-key]') };
  expect(await one.run('pause')).toMatchObject(isNamed);
  const checked = await one.run('check');
  expect([checked.exit, checked.out]).toEqual([2, expect.stringContaining('config-unknown-key')]);
  // A Teller of another config on the same ledger is not taken for its own.
  const other = furnish(temporaryFolder(), { ledger: join(one.folder, 'data/teller.db'), rewrads: [] });
  expect((await typedHere(other, 'explain', 'Alex')).exit).toBe(2);
  await one.stop();
  expect(await one.run('explain', 'Alex')).toMatchObject(isNamed);
});
