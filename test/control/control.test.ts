import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { type Place, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { naming } from '../support/naming.ts';

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

test('an invalid config is refused with all of its faults, and the previous config stays', async () => {
  const teller = await here({ rewards: [REWARD] });
  rewrite(teller, { rewards: [{ ...EMERALD, when: 'soon' }], listener: { port: 'many' } });
  const { exit, err } = await teller.run('reload');
  expect([exit, err]).toEqual([2, naming('listener.port', 'rewards[0].when', '[config-value]')]);
  expect(await paidFor(teller, 'Steve')).toBe('give Steve diamond 1');
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
  expect(await noteOf(teller)).toEqual(naming(String(process.pid), 'sites.default.token', '`teller reload`'));
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

test('the first webhook needs no restart, even with a port', async () => {
  const teller = await here();
  const webhook = { path: '/list', secret: 'first-webhook-secret', listingId: '1077' };
  rewrite(teller, { sites: { ...SITES, List: { webhook } }, webhook: { host: '127.0.0.1', port: 0 } });
  const [{ reply }] = await repliesTo(teller);
  expect(reply).toMatchObject({ kind: 'reloaded', needRestart: [] });
  expect(teller.webhookPort).toBeGreaterThan(0);
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
