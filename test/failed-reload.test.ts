import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { valuesOf } from '../src/config/changes.ts';
import { loadConfig } from '../src/config/load.ts';
import { startApp } from '../src/main/app.ts';
import type { Environment } from '../src/main/environment.ts';
import { systemClock } from '../src/platform/clock.ts';
import { sendVote } from '../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN, writeConfig } from './support/config-folder.ts';
import { testEnvironment } from './support/environment.ts';
import { silentLog } from './support/log.ts';
import { isListening } from './support/npm.ts';

const webhookOf = (path: string) => ({
  webhook: { path, secret: 'first-webhook-secret', listingId: '1077' },
});
const practice = { kind: 'practice', joinDelay: '0s' };
const receiver = (port: number) => ({
  url: `http://127.0.0.1:${port}/hook`,
  on: ['party'],
  secret: 'first-events-secret',
});
const top = { name: 'champions', period: 'month', prizes: { 1: ['say {player}'] } };

const OLD = {
  sites: { default: { token: TOKEN } },
  gameServers: { main: practice },
  rewards: [{ name: 'old', when: 'always', commands: ['say {player} voted'] }],
  events: [receiver(9)],
  webhook: { host: '127.0.0.1', port: 0 },
};
const OLD_WITH_WEBHOOK = { ...OLD, sites: { ...OLD.sites, List: webhookOf('/list') } };
/** Something of each part is different. */
const NEW = {
  sites: { default: { token: 'another-token-of-thirty-two-chars' }, Other: webhookOf('/other') },
  gameServers: { main: practice, second: practice },
  rewards: [{ name: 'new', when: 'always', servers: ['second'], commands: ['say {player}'] }],
  tops: [{ ...top, servers: ['second'] }],
  events: [receiver(10)],
  keep: { addresses: '30d' },
  webhook: { host: '127.0.0.1', port: 0 },
  log: { level: 'debug' },
};

/** A Teller with another program around it that can make a step of a reload fail. */
async function running(overrides: object) {
  const { config } = configFolder(overrides);
  const log: Environment['log'] = { ...silentLog, level: 'info' };
  const around = testEnvironment(systemClock, log);
  const broken = new Set<string>();
  const connect: Environment['connect'] = async (server, name, embedded) => {
    if (broken.has(name)) throw new Error('a file of its kind cannot be read');
    return around.connect(server, name, embedded);
  };
  const app = await startApp(await loadConfig(config), { ...around, connect });
  onTestFinished(() => app.close());
  const look = lookInto(app.config.ledger);
  const reload = async (next: object) => {
    writeConfig(config, next);
    return app.reload(await loadConfig(config));
  };
  const stored = (): unknown => {
    const database = new Database(app.config.ledger, { readonly: true });
    const tables = ['rewards', 'reward_names', 'top_starts', 'recoveries', 'event_receivers', 'event_wants'];
    const rows = tables.map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()]);
    database.close();
    return rows;
  };
  /** Everything of it that can be seen from outside. */
  const state = async () => ({
    config: [...valuesOf(app.config.settings)],
    webhook: app.webhook,
    isWebhookOpen: app.webhook !== null && (await isListening(app.webhook.port)),
    gameServers: app.gameServers.map(({ name }) => name),
    practice: [...app.practiceServers].map(([name, { port }]) => [name, port]),
    files: readdirSync(dirname(app.config.ledger)).toSorted(),
    level: log.level,
    stored: stored(),
  });
  const vote = async (token: string) => {
    const wire = { serviceName: 'Vote', username: 'Steve', address: '', timestamp: String(Date.now()) };
    const sent = await sendVote(
      wire,
      { ...app.listener, auth: { version: 'v2', token } },
      { clock: systemClock },
    );
    return sent.kind;
  };
  const paid = async () =>
    (await look.grants({ limit: 9 })).map(({ reward, server, state: is }) => `${reward} on ${server}: ${is}`);
  const hook = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${app.webhook?.port}${path}`, { method: 'POST', body: '{}' })).status;
  return { app, broken, reload, state, vote, paid, hook };
}

type Running = Awaited<ReturnType<typeof running>>;

/** Makes a reload with this config fail. Resolves with how to stop that. */
const failures: Readonly<
  Record<string, (one: Running) => Promise<{ next: object; code: string; heal: () => void }>>
> = {
  'a game server cannot be set up': async ({ broken }) => {
    broken.add('second');
    return { next: NEW, code: 'a file of its kind', heal: () => broken.delete('second') };
  },
  'the port for webhooks is taken': async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    onTestFinished(() => void server.close());
    return {
      next: { ...NEW, webhook: { host: '127.0.0.1', port } },
      code: 'port-in-use',
      heal: () => server.close(),
    };
  },
  'another process has the ledger locked': async ({ app }) => {
    const other = new Database(app.config.ledger);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    return { next: NEW, code: 'ledger-locked', heal: () => other.exec('ROLLBACK') };
  },
  'another process has the ledger locked, and the last webhook goes': async ({ app }) => {
    const other = new Database(app.config.ledger);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    const { default: site } = NEW.sites;
    return {
      next: { ...NEW, sites: { default: site } },
      code: 'ledger-locked',
      heal: () => other.exec('ROLLBACK'),
    };
  },
};

test.each([
  ['a game server cannot be set up', OLD],
  ['a game server cannot be set up', OLD_WITH_WEBHOOK],
  ['the port for webhooks is taken', OLD],
  ['another process has the ledger locked', OLD],
  ['another process has the ledger locked', OLD_WITH_WEBHOOK],
  ['another process has the ledger locked, and the last webhook goes', OLD_WITH_WEBHOOK],
] as const)('if %s, a reload changes nothing, and the old config stays in effect', async (cause, old) => {
  const one = await running(old);
  await expect.poll(async () => (await one.state()).files).toContain('practice-main.json');
  const before = await one.state();
  const { next, code, heal } = await (failures[cause] as NonNullable<(typeof failures)[string]>)(one);

  await expect(one.reload(next)).rejects.toSatisfy(
    (error: Error & { code?: string }) => error.code === code || error.message.includes(code),
  );
  heal();

  expect(await one.state()).toEqual(before);
  expect((await one.reload(old)).applied).toEqual([]);
  expect(await one.vote(TOKEN)).toBe('accepted');
  await expect.poll(one.paid, { timeout: 10_000 }).toEqual(['old on main: delivered']);
  if (one.app.webhook !== null) expect(await one.hook('/list')).toBe(401);

  const after = await one.reload(next);
  expect(after.applied.length).toBeGreaterThan(4);
  expect(await one.vote(TOKEN)).toBe('failed');
  expect((await one.state()).gameServers).toEqual(['main', 'second']);
});
