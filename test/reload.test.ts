/** What `teller reload` applies, and what becomes of votes, grants and commands meanwhile. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { faults } from './kit/faults.ts';
import { rconGame } from './kit/game.ts';
import { type Here, here } from './kit/here.ts';
import { isLockHeld, ledgerFileOf, lockFileOf, lockLedger } from './kit/ledger-file.ts';
import { rewrite } from './kit/place.ts';
import { isListening, serve } from './kit/serve.ts';
import { TOKEN } from './kit/vote.ts';
import { CHANGES, FULL, withValueAt } from './support/config-changes.ts';
import { FakeClock } from './support/fake-clock.ts';

const OTHER_TOKEN = 'another-token-of-thirty-two-chars';
const THANKS = { name: 'thanks', when: 'always', commands: ['say {player} voted'] };
const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const PRACTICE = { kind: 'practice', joinDelay: '0s' };

/** What the running Teller says of a reload with this config. */
async function reloaded(teller: Here, more: object) {
  rewrite(teller, more);
  const { json } = await teller.run('reload', '--json');
  return json[0].reply;
}

/** `thanks on main: delivered`, oldest first. */
const grantsOf = async (teller: Here): Promise<readonly string[]> =>
  (await teller.grants()).map(({ reward, server, state }) => `${reward} on ${server}: ${state}`);

/** How many ports this process listens on. */
const openServers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

/** The keys that have a value of their own, with `yes` or `restart`. */
const KEYS = readFileSync(join(import.meta.dirname, '../docs/reference/config.md'), 'utf8')
  .split('\n')
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', '')))
  .flatMap(([, key = '', , , reload = '']) => (/^(?:yes|restart)$/.test(reload) ? [{ key, reload }] : []))
  .filter(
    ({ key }) => !/^listing\.|^(?:sites|gameServers|rewards|party|tops|publish|remind|events)$/.test(key),
  );

test('each key of the config is changed by this test', () => {
  expect(Object.keys(CHANGES).toSorted()).toEqual(KEYS.map(({ key }) => key).toSorted());
});

test('each key of the config is applied by a reload, or is reported as needing a restart, as its page says', async () => {
  const teller = await here(FULL);
  const keys = KEYS.filter(({ key }) => key !== 'ledger');
  const middle = Math.ceil(keys.length / 2);
  // Each takes back the change before it, so two that are reported alike must not follow each other, as keys of one list are.
  const inTurn = keys
    .slice(0, middle)
    .flatMap((one, at) => [one, ...keys.slice(middle + at, middle + at + 1)]);
  let before = '';
  for (const { key, reload } of inTurn) {
    const [path, value, reported] = CHANGES[key]!;
    expect(reported, key).not.toBe(before);
    const { applied, needRestart } = await reloaded(teller, withValueAt(path, value));
    const found: readonly { key: string }[] = reload === 'yes' ? applied : needRestart;
    const names = found.map((change) => change.key);
    expect(names, key).toContain(reported);
    before = reported;
  }
  // The ledger is where a command finds the Teller that runs.
  rewrite(teller, { ...FULL, ledger: 'data/other.db' });
  expect((await teller.run('reload')).err).toContain('if you changed `ledger` in the config, restart Teller');
});

test('after a reload the next vote earns the new rewards, with the new token alone, and an added site has its own window', async () => {
  const sites = { default: { token: TOKEN } };
  const teller = await here({ sites, rewards: [{ ...DAILY, name: 'old' }] });
  await teller.vote({ player: 'Steve', site: 'One' });
  await teller.reload({ sites: { default: { token: OTHER_TOKEN }, Two: {} }, rewards: [DAILY] });
  expect(await teller.vote({ player: 'Steve', site: 'Two' })).toBe('InvalidSignature');
  expect(await teller.vote({ player: 'Steve', site: 'Two', token: OTHER_TOKEN })).toBe('ok');
  expect((await teller.run('votes', '--json')).json).toMatchObject([
    { site: 'Two', decision: 'rewarded' },
    { site: 'default', decision: 'rewarded' },
  ]);
  await teller.untilGrants('delivered', 'delivered');
  expect(await grantsOf(teller)).toEqual(['old on main: delivered', 'daily on main: delivered']);
});

test('after a reload the new protocols apply', async () => {
  const teller = await here();
  await teller.reload({ listener: { host: '127.0.0.1', port: 0, protocols: ['v1'] } });
  expect(await teller.vote({ player: 'Steve' })).toBe('UnsupportedProtocol');
  expect(await teller.vote({ player: 'Steve', via: 'v1' })).toBe('');
  expect((await teller.run('votes', '--json')).json).toHaveLength(1);
});

test('after a reload votes are paid, or left to another listener, as `pay` says, and no command is sent in shadow', async () => {
  const game = await rconGame();
  const config = { gameServers: { main: game.entry }, rewards: [THANKS] };
  const teller = await here(config);
  await teller.reload({ ...config, pay: { mode: 'shadow' } });
  await teller.vote({ player: 'Alex' });
  await teller.reload({ ...config, pay: { mode: 'real' } });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('cancelled', 'delivered');
  await teller.reload({ ...config, pay: { from: '2100-01-01' } });
  await teller.vote({ player: 'Sasha' });
  await teller.untilGrants('cancelled', 'delivered', 'cancelled');
  expect(game.ran).toEqual(['say Steve voted']);
});

test('after a reload a game server that replaced the practice server is paid, and grants for the practice server are held', async () => {
  const game = await rconGame();
  game.show('Steve');
  const main = { ...PRACTICE, autoJoin: false };
  const teller = await here({ rewards: [DAILY], gameServers: { main } });
  await teller.vote({ player: 'Alex' });
  await teller.untilGrants('waiting');
  await teller.reload({ rewards: [DAILY], gameServers: { main: game.entry } });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('held', 'delivered');
  expect(game.ran).toEqual(['give Steve diamond 1']);
});

test('after a reload a command in progress ends on its old connection and runs once', async () => {
  let answer: (said: string) => void = () => {};
  const answered = new Promise<string>((resolve) => (answer = resolve));
  const game = await rconGame({}, (command) => (command.startsWith('say') ? answered : undefined));
  const rewards = [THANKS];
  const teller = await here({ rewards, gameServers: { main: game.entry } });
  await teller.vote({ player: 'Steve' });
  await teller.until(async () => (await teller.grants())[0]?.commands[0]?.attempts === 1);
  const main = { ...game.entry, commandPause: '1ms' };
  const reloading = reloaded(teller, { rewards, gameServers: { main } });
  answer('said');
  const { applied } = await teller.during(reloading);
  expect(applied).toMatchObject([{ key: 'gameServers.main.commandPause' }]);
  expect(await grantsOf(teller)).toEqual(['thanks on main: delivered']);
  expect(game.ran).toEqual(['say Steve voted']);
});

test.each([
  ['another game server', '1ms', 'say {player} voted'],
  ['a reward', '0ms', 'say thanks, {player}'],
])(
  'a reload that changes %s leaves a queue undisturbed: its command in progress ends on the same connection, and no join delay starts over',
  async (_, pause, text) => {
    const [main, other] = [await rconGame({ joinDelay: '20s', commandTimeout: '1m' }), await rconGame()];
    let answer: (said: string) => void = () => {};
    main.reply((command) =>
      command.startsWith('say') ? new Promise((resolve) => (answer = resolve)) : undefined,
    );
    main.show('Steve');
    const config = (commandPause: string, command: string) => ({
      gameServers: { main: main.entry, other: { ...other.entry, commandPause } },
      rewards: [
        { ...DAILY, servers: ['main'] },
        { ...THANKS, servers: ['main'], commands: [command] },
      ],
    });
    const teller = await here(config('0ms', 'say {player} voted'));
    await teller.vote({ player: 'Steve' });
    await teller.until(async () => (await teller.grants())[1]?.commands[0]?.attempts === 1);
    await teller.pass(15_000);
    expect((await teller.during(reloaded(teller, config(pause, text)))).applied).toHaveLength(1);
    answer('said');
    await teller.pass(8_000);
    expect(main.ran).toEqual(['say Steve voted', 'give Steve diamond 1']);
    await teller.untilGrants('delivered', 'delivered');
    expect(main.connections()).toBe(1);
  },
);

test('after a reload the webhook port opens with the first site that has a webhook, and closes with the last', async () => {
  const teller = await here();
  expect(teller.webhookPort).toBe(0);
  const webhook = { path: '/list', secret: 'first-webhook-secret', listingId: '1077' };
  const sites = { default: { token: TOKEN }, List: { webhook } };
  await teller.reload({ sites, webhook: { host: '127.0.0.1', port: 0 } });
  expect(teller.webhookPort).toBeGreaterThan(0);
  await teller.reload({});
  expect(teller.webhookPort).toBe(0);
});

describe('a reload that fails', () => {
  const siteWith = (path: string) => ({
    webhook: { path, secret: 'first-webhook-secret', listingId: '1077' },
  });
  const receiver = (port: number) => ({
    ...{ url: `http://127.0.0.1:${port}/hook`, on: ['party'], secret: 'first-events-secret' },
  });
  const webhook = { host: '127.0.0.1', port: 0 };
  const OLD = {
    sites: { default: { token: TOKEN } },
    gameServers: { main: PRACTICE },
    rewards: [{ ...THANKS, name: 'old' }],
    events: [receiver(9)],
    webhook,
  };
  const OLD_WITH_WEBHOOK = { ...OLD, sites: { ...OLD.sites, List: siteWith('/list') } };
  /** Something of each part is different. */
  const NEW = {
    sites: { default: { token: OTHER_TOKEN }, Other: siteWith('/other') },
    gameServers: { main: PRACTICE, second: PRACTICE },
    rewards: [{ ...THANKS, name: 'new', servers: ['second'] }],
    tops: [{ name: 'best', period: 'month', servers: ['second'], prizes: { 1: ['say {player}'] } }],
    events: [receiver(10)],
    keep: { addresses: '30d' },
    webhook,
  };
  const hook = async ({ webhookPort }: Here, path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${webhookPort}${path}`, { method: 'POST', body: '{}' })).status;
  const filesOf = ({ folder }: Here): readonly string[] => readdirSync(join(folder, 'data')).toSorted();
  /** Every row of its ledger, its files, and whether its port for webhooks is open. */
  async function seen(teller: Here) {
    const database = new Sqlite(ledgerFileOf(teller), { readonly: true });
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    const rows = (tables as string[]).map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()]);
    database.close();
    const isOpen = teller.webhookPort > 0 && (await isListening(teller.webhookPort));
    return { files: filesOf(teller), port: teller.webhookPort, isOpen, rows };
  }
  const locked = async (teller: Here) => ({ code: 'ledger-locked', heal: lockLedger(teller) });
  const taken = async () => {
    const server = createServer();
    const port = await serve(server);
    return {
      more: { webhook: { host: '127.0.0.1', port } },
      code: 'port-in-use',
      heal: () => void server.close(),
    };
  };

  test.each([
    ['the port for webhooks is taken', OLD, NEW, taken],
    ['another process has the ledger locked', OLD, NEW, locked],
    ['another process has the ledger locked', OLD_WITH_WEBHOOK, NEW, locked],
    [
      'another process has the ledger locked, and the last webhook goes',
      OLD_WITH_WEBHOOK,
      { ...NEW, sites: { default: NEW.sites.default } },
      locked,
    ],
  ] as const)(
    'because %s changes nothing, and the old config stays in use',
    async (_, old, wanted, fails) => {
      const teller = await here(old, new FakeClock('2026-06-01T12:00:00Z'));
      await teller.until(() => filesOf(teller).includes('practice-main.json'));
      const before = await seen(teller);
      const { code, heal, ...around } = { more: {}, ...(await fails(teller)) };
      const next = { ...wanted, ...around.more };
      expect(await reloaded(teller, next)).toMatchObject({ kind: 'refused', code });
      heal();
      expect(await seen(teller)).toEqual(before);
      expect(await reloaded(teller, old)).toEqual({ kind: 'reloaded', applied: [], needRestart: [] });
      expect(await teller.vote({ player: 'Steve' })).toBe('ok');
      await teller.untilGrants('delivered');
      expect(await grantsOf(teller)).toEqual(['old on main: delivered']);
      if (teller.webhookPort > 0) expect(await hook(teller, '/list')).toBe(401);

      expect((await reloaded(teller, next)).applied.length).toBeGreaterThan(4);
      expect(await teller.vote({ player: 'Alex' })).toBe('InvalidSignature');
      await teller.until(() => filesOf(teller).includes('practice-second.json'));
    },
  );

  test.each([
    ['opens', OLD],
    ['is open', OLD_WITH_WEBHOOK],
  ])(
    'because any one part cannot be prepared changes nothing, and what ran goes on, where the port for webhooks %s',
    async (_, old) => {
      const fault = faults();
      const teller = await here(old, new FakeClock('2026-06-01T12:00:00Z'), undefined, fault);
      const delivered: string[] = [];
      for (const part of fault.parts) {
        await teller.until(() => filesOf(teller).includes('practice-main.json'));
        await teller.pass(50);
        const before = { ...(await seen(teller)), servers: openServers() };
        fault.fail('prepare', part);
        expect(await reloaded(teller, NEW), part).toMatchObject({ kind: 'refused', code: fault.code });
        fault.fail(null);
        await teller.pass(1);
        expect({ ...(await seen(teller)), servers: openServers() }, part).toEqual(before);
        expect(await teller.vote({ player: `Steve${delivered.length}` }), part).toBe('ok');
        delivered.push('delivered');
        await teller.untilGrants(...delivered);
      }
      if (old === OLD_WITH_WEBHOOK) expect(await hook(teller, '/list')).toBe(401);
      expect(delivered.length).toBeGreaterThan(10);
      expect((await reloaded(teller, NEW)).applied.length).toBeGreaterThan(4);
      expect(await teller.vote({ player: 'Alex' })).toBe('InvalidSignature');
      expect(await hook(teller, '/other')).toBe(401);
    },
  );
});

test('a start that fails because any one part cannot be prepared, or cannot start, leaves nothing open', async () => {
  const fault = faults();
  const webhook = { path: '/list', secret: 'first-webhook-secret', listingId: '1077' };
  const config = {
    sites: { default: { token: TOKEN }, List: { webhook } },
    webhook: { host: '127.0.0.1', port: 0 },
    rewards: [THANKS],
  };
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const teller = await here(config, clock, undefined, fault);
  const left = () => ({
    servers: openServers(),
    timers: clock.pendingTimers,
    files: readdirSync(join(teller.folder, 'data')).toSorted(),
    isDelivering: isLockHeld(lockFileOf(ledgerFileOf(teller))),
  });
  const { servers } = left();
  await teller.stop();
  await teller.pass(1);
  const stopped = left();
  // Of the listener, webhooks, and the practice server at least.
  expect(servers - stopped.servers).toBeGreaterThanOrEqual(3);
  expect(stopped).toMatchObject({ timers: 0, isDelivering: false });
  for (const step of ['prepare', 'start'] as const)
    for (const part of fault.parts) {
      fault.fail(step, part);
      await expect(teller.restart(), part).rejects.toMatchObject({ code: fault.code });
      await teller.pass(1);
      expect(left(), `${step} ${part}`).toEqual(stopped);
    }
  fault.fail(null);
  await teller.restart();
  expect(await teller.vote({ player: 'Steve' })).toBe('ok');
  await teller.untilGrants('delivered');
});

test('where any one part cannot begin what only the delivering process does, votes are recorded, and it is tried again until it can', async () => {
  const fault = faults();
  const teller = await here({ rewards: [THANKS] }, new FakeClock('2026-06-01T12:00:00Z'), undefined, fault);
  const delivered: string[] = [];
  for (const part of fault.parts) {
    fault.fail('startDelivering', part);
    await teller.restart();
    expect(await teller.vote({ player: `Steve${delivered.length}` }), part).toBe('ok');
    await teller.pass(5_000);
    expect((await teller.grants()).at(-1)?.state, part).toBe('pending');
    fault.fail(null);
    delivered.push('delivered');
    await teller.untilGrants(...delivered);
  }
  expect(teller.log.filter(({ code }) => code === fault.code)).toHaveLength(delivered.length);
});
