import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { changesBetween } from '../../src/config/changes.ts';
import { configKeys } from '../../src/config/describe.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigNews } from '../../src/core/config-news.ts';
import { liveEntries } from '../../src/operator/control/client.ts';
import { WATCH_INTERVAL_MS } from '../../src/operator/control/config-watch.ts';
import { startControl } from '../../src/operator/control/control.ts';
import { controlFolder, socketOf } from '../../src/operator/control/place.ts';
import { marksOf, publish } from '../../src/operator/control/published.ts';
import { reloadRunning } from '../../src/operator/reload.ts';
import { olderConfigs } from '../../src/operator/running-config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { CHANGES, FULL, withValueAt, writeEntries } from '../support/config-changes.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { controlledApp } from '../support/controlled.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { naming } from '../support/naming.ts';
import { runningApp } from '../support/running-app.ts';

const REWARD = { name: 'daily', commands: ['give {player} diamond 1'] };
const EMERALD = { name: 'daily', commands: ['give {player} emerald 1'] };

function replacePair(folder: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const lines = { 'public.key': publicKey, 'private.key': privateKey };
  for (const [name, key] of Object.entries(lines)) {
    const type = name === 'public.key' ? 'spki' : 'pkcs8';
    const der = key.export({ format: 'der', type: type as 'spki' }) as Buffer;
    writeFileSync(join(folder, name), der.toString('base64'));
  }
}

describe('a reload', () => {
  test('reaches a running Teller, which says what it applied and what needs a restart', async () => {
    const { config, app } = await controlledApp({ rewards: [REWARD] });
    const listener = { host: '127.0.0.1', port: 1, deadline: '9s' };
    writeConfig(config, { rewards: [EMERALD], listener });

    expect(await reloadRunning(app.config.ledger)).toMatchObject([
      {
        pid: process.pid,
        configFile: config,
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
    expect(app.config.rewards[0]?.commands).toEqual(['give {player} emerald 1']);
  });

  test('of an invalid config is refused with all of its faults, and the previous config stays', async () => {
    const { config, app } = await controlledApp({ rewards: [REWARD] });
    writeConfig(config, { rewards: [{ ...EMERALD, when: 'soon' }], listener: { port: 'many' } });

    const [answer] = await reloadRunning(app.config.ledger);
    expect(answer?.reply).toMatchObject({ kind: 'refused', code: 'config-invalid', exit: 2 });
    expect(JSON.stringify(answer?.reply)).toMatch(/listener\.port.*rewards\[0\]\.when/);
    expect(app.config.rewards[0]?.commands).toEqual(['give {player} diamond 1']);
  });

  test('reaches every process that records into the ledger', async () => {
    const first = await controlledApp();
    const second = await controlledApp({ ledger: first.app.config.ledger });
    const answers = await reloadRunning(first.app.config.ledger);
    expect(answers.map(({ configFile }) => configFile).toSorted()).toEqual(
      [first.config, second.config].toSorted(),
    );
  });

  test('finds no process if none is running, and removes the files of dead processes', async () => {
    const ledger = join(temporaryFolder({ 'teller.db.run/x': '' }), 'teller.db');
    const folder = controlFolder(ledger);
    const times = { startedAt: 0, loadedAt: 0 };
    const dead = {
      pid: 1,
      ...times,
      configFile: 'config.json',
      key: 'ab',
      marks: [],
      publicKey: null,
      hasSocket: true,
    };
    await publish(folder, 'dead00', dead);
    expect(await reloadRunning(ledger)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['x']);
  });

  test('finds only running processes, because each start removes the files of killed processes', async () => {
    const folder = temporaryFolder();
    const ledger = join(folder, 'teller.db');
    const published = { startedAt: 0, loadedAt: 0, configFile: 'config.json', key: 'ab', marks: [] };
    const dead = { ...published, pid: 1, hasSocket: true, publicKey: null };
    await publish(controlFolder(ledger), 'dead00', dead);
    await controlledApp({ ledger });
    expect(readdirSync(controlFolder(ledger))).not.toContain('dead00.json');
    expect(await reloadRunning(ledger)).toHaveLength(1);
  });

  test('keeps the file of a running process that has no socket', async () => {
    const folder = controlFolder(join(temporaryFolder({ 'teller.db.run/x': '' }), 'teller.db'));
    const times = { startedAt: 0, loadedAt: 0 };
    const published = { ...times, configFile: 'config.json', key: 'ab', marks: [], publicKey: null };
    await publish(folder, 'lives0', { ...published, pid: process.pid, hasSocket: false });
    expect((await liveEntries(folder)).map(({ id }) => id)).toEqual(['lives0']);
  });

  test('reports a replaced key pair as a change that needs a restart', async () => {
    const { app, control } = await controlledApp();
    replacePair(app.config.keys);
    const keys = { key: 'keys', kind: 'changed' };
    expect(await control.reload()).toEqual({ kind: 'reloaded', applied: [], needRestart: [keys] });
  });

  test('is refused if it hits a bug, and the next reload works', async () => {
    const { app, config } = await runningApp(systemClock);
    const { log, codes } = loggedLines();
    const loads = [() => Promise.reject(new TypeError('a bug')), () => loadConfig(config)];
    const load = () => (loads.shift() ?? (() => loadConfig(config)))();
    const control = await startControl({ app, load, clock: systemClock, log });
    onTestFinished(() => control.close());
    expect(await control.reload()).toMatchObject({ kind: 'refused', code: 'bug', exit: 1 });
    expect(codes('error')).toEqual(['bug']);
    expect(await control.reload()).toMatchObject({ kind: 'reloaded' });
  });

  test('waits for an earlier reload to finish', async () => {
    const { config, app, control } = await controlledApp({ rewards: [REWARD] });
    writeConfig(config, { rewards: [EMERALD] });
    const replies = await Promise.all([control.reload(), control.reload(), control.reload()]);
    const applied = replies.map((reply) => (reply.kind === 'reloaded' ? reply.applied.length : reply.code));
    expect(applied).toEqual([1, 0, 0]);
    expect(app.config.rewards[0]?.commands).toEqual(['give {player} emerald 1']);
  });
});

describe('what a process publishes', () => {
  test('is readable only by its owner and contains no secret', async () => {
    const { app } = await controlledApp();
    const folder = controlFolder(app.config.ledger);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const file = readdirSync(folder).find((name) => name.endsWith('.json')) ?? '';
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain(TOKEN);
  });

  test('is removed when the process exits', async () => {
    const { app, control } = await controlledApp();
    await control.close();
    expect(readdirSync(controlFolder(app.config.ledger))).toEqual([]);
  });

  test('shows a change of any key, and whether it needs a restart', async () => {
    const folder = temporaryFolder();
    const before = (await loadConfig(writeEntries(folder, FULL))).settings;
    for (const { key, reload } of configKeys()) {
      const change = CHANGES[key];
      if (change === undefined) continue;
      const [path, value, reported] = change;
      const after = (await loadConfig(writeEntries(folder, withValueAt(path, value)))).settings;
      const found = changesBetween(marksOf(before, 'ab'), marksOf(after, 'ab')).find(
        (one) => one.key === reported,
      );
      expect(found, key).toMatchObject({ needsRestart: reload === 'restart' });
    }
  });
});

describe('a config file that differs from the running config', () => {
  test('is compared by value: a changed secret file is a difference, and a comment is not', async () => {
    const { config, folder, app } = await controlledApp({ sites: { default: { token: TOKEN } } });
    const secret = join(folder, 'token');
    writeFileSync(secret, TOKEN, { mode: 0o600 });
    writeConfig(config, { '//': 'a comment', sites: { default: { token: 'file:token' } } });
    expect(await olderConfigs(await loadConfig(config))).toEqual([]);

    writeFileSync(secret, 'another-token-of-thirty-two-chars');
    expect(await olderConfigs(await loadConfig(config))).toMatchObject([
      { pid: process.pid, changes: [{ key: 'sites.default.token', kind: 'changed', needsRestart: false }] },
    ]);
    await reloadRunning(app.config.ledger);
    expect(await olderConfigs(await loadConfig(config))).toEqual([]);
  });

  test('lists an added or removed site, reward or game server once', async () => {
    const { config } = await controlledApp({ rewards: [REWARD] });
    writeConfig(config, {
      rewards: [{ name: 'weekly', servers: 'all', commands: ['say hello'] }],
      sites: { default: { token: TOKEN }, 'My-List.com': {} },
      gameServers: { main: { kind: 'practice', joinDelay: '0s' }, second: { kind: 'practice' } },
    });
    const [older] = await olderConfigs(await loadConfig(config));
    expect(older?.changes.map(({ key, kind }) => `${key} ${kind}`).toSorted()).toEqual([
      'gameServers.second added',
      'rewards.daily removed',
      'rewards.weekly added',
      'sites["My-List.com"] added',
    ]);
  });

  test('includes a key pair that was replaced after the start, which needs a restart', async () => {
    const { config, app } = await controlledApp();
    replacePair(app.config.keys);
    expect(await olderConfigs(await loadConfig(config))).toMatchObject([
      { changes: [{ key: 'keys', kind: 'changed', needsRestart: true }] },
    ]);
  });

  test('needs no restart to add the first webhook, even with a port', async () => {
    const { config } = await controlledApp();
    const webhook = { path: '/list', secret: 'first-webhook-secret', listingId: '1077' };
    writeConfig(config, {
      sites: { default: { token: TOKEN }, List: { webhook } },
      webhook: { host: '127.0.0.1', port: 0 },
    });
    const [older] = await olderConfigs(await loadConfig(config));
    const changes = new Map(older?.changes.map(({ key, needsRestart }) => [key, needsRestart]));
    expect([changes.get('sites.List'), changes.get('webhook.port')]).toEqual([false, false]);
  });

  test('is the file that each process was started with', async () => {
    const first = await controlledApp();
    const second = await controlledApp({
      ledger: first.app.config.ledger,
      keys: first.app.config.keys,
      listener: { host: '127.0.0.1', port: 0, deadline: '9s' },
    });
    const here = await loadConfig(first.config);
    expect(await olderConfigs(here)).toEqual([]);
    writeConfig(second.config, { ledger: first.app.config.ledger, keys: first.app.config.keys });
    expect(await olderConfigs(here)).toMatchObject([
      { configFile: second.config, changes: [{ key: 'listener.deadline' }] },
    ]);
  });

  test('needs a restart if the value of an environment variable has changed', async () => {
    vi.stubEnv('TELLER_TEST_TOKEN', 'the-first-token');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { config } = await controlledApp({ sites: { default: { token: 'env:TELLER_TEST_TOKEN' } } });
    const env = { TELLER_TEST_TOKEN: 'the-second-token' };
    expect(await olderConfigs(await loadConfig(config, { env }))).toMatchObject([
      { changes: [{ key: 'sites.default.token', kind: 'changed', needsRestart: true }] },
    ]);
  });

  test('has an unknown secret if its environment variable is not set in this shell', async () => {
    const { config } = await controlledApp();
    writeConfig(config, { rewards: [], sites: { default: { token: 'env:TELLER_TEST_NOT_SET' } } });
    const [older] = await olderConfigs(await loadConfig(config, { missingSecrets: 'defer' }));
    expect(older?.unknown).toEqual(['sites.default.token']);
    expect(older?.changes.map(({ key }) => key)).not.toContain('sites.default.token');
  });
});

describe('the log', () => {
  test('says that the config has changed and what to do, except for a changed comment', async () => {
    const { app, config } = await runningApp(systemClock, { rewards: [REWARD] });
    const { log, lines } = loggedLines();
    const clock = new FakeClock();
    const control = await startControl({ app, load: () => loadConfig(config), clock, log });
    onTestFinished(() => control.close());
    const said = () => {
      clock.advance(WATCH_INTERVAL_MS);
      return lines.filter(({ code }) => code.startsWith('config-'));
    };
    writeConfig(config, { rewards: [REWARD], '//': 'a comment' });
    writeConfig(config, { rewards: [EMERALD], '//': 'a comment' });
    await expect
      .poll(said)
      .toMatchObject([
        { level: 'info', code: 'config-changed', fields: { changes: ['rewards.daily.commands'] } },
      ]);

    writeConfig(config, { rewards: [REWARD], keys: 'data/other-keys' });
    await expect.poll(() => said().at(-1)).toMatchObject({ sentence: naming('keys', /restart/i) });

    writeConfig(config, { rewards: 'none' });
    await expect.poll(() => said().at(-1)).toMatchObject({ level: 'warn', code: 'config-invalid' });
  });
});

test('the app is told how the file differs from what runs, also after a reload that was refused, and when it is the same', async () => {
  const { app, config } = await runningApp(systemClock, { rewards: [REWARD] });
  const news: (ConfigNews | null)[] = [];
  const noting = Object.create(app, { noteConfig: { value: (one: ConfigNews | null) => news.push(one) } });
  const [{ log }, clock] = [loggedLines(), new FakeClock()];
  const control = await startControl({ app: noting, load: () => loadConfig(config), clock, log });
  onTestFinished(() => control.close());
  const last = () => {
    clock.advance(WATCH_INTERVAL_MS);
    return news.at(-1);
  };
  writeConfig(config, { rewards: [EMERALD] });
  const toDo = 'run `teller reload`';
  const newer = { kind: 'newer', file: 'config.json', keys: ['rewards.daily.commands'], toDo };
  await expect.poll(last).toEqual(newer);

  writeConfig(config, { rewards: 'none', log: { level: 'loud' } });
  await control.reload();
  expect(news.at(-1)).toEqual({ kind: 'refused', file: 'config.json', code: 'config-invalid', faults: 2 });

  writeConfig(config, { rewards: [EMERALD] });
  await control.reload();
  expect(news.at(-1)).toBeNull();
});

test('notices a change that was made during a reload', async () => {
  const { app, config } = await runningApp(systemClock, { rewards: [REWARD] });
  const { log, lines } = loggedLines();
  const clock = new FakeClock();
  const load = async () => {
    const loaded = await loadConfig(config);
    if (loaded.rewards.length === 1) writeConfig(config, { rewards: [] });
    return loaded;
  };
  const control = await startControl({ app, load, clock, log });
  onTestFinished(() => control.close());
  await control.reload();
  clock.advance(WATCH_INTERVAL_MS);
  await expect.poll(() => lines.map(({ code }) => code)).toContain('config-changed');
});

describe('the socket', () => {
  test('sends no reply to an unknown request', async () => {
    const { app } = await controlledApp();
    const folder = controlFolder(app.config.ledger);
    const [entry] = await liveEntries(folder);
    const socket = connect(socketOf(folder, entry?.id ?? '') ?? '');
    const received: string[] = [];
    socket.setEncoding('utf8').on('data', (text: string) => received.push(text));
    socket.on('error', () => {});
    socket.write('read /etc/passwd\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toEqual([]);
  });

  test('is not created if its path would be too long, and the log names another way to reload', async () => {
    const deep = `data/${'a'.repeat(100)}/teller.db`;
    const { lines, app } = await controlledApp({ ledger: deep });
    expect(lines.map(({ code }) => code)).toContain('no-control-socket');
    expect(await reloadRunning(app.config.ledger)).toMatchObject([{ reply: { kind: 'unreachable' } }]);
  });
});
