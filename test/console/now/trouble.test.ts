import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Finding, findingCodes } from '../../../src/core/finding.ts';
import { systemClock } from '../../../src/runtime/clock.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { openMark } from '../../../src/sqlite/mark.ts';
import { json, scriptedServer } from '../../listing-client/scripted-api.ts';
import { freePort } from '../../sender/scripted-listener.ts';
import { TOKEN, writeConfig } from '../../support/config-folder.ts';
import { answer, PASSWORD, practice, scripted } from '../../support/rcon.ts';
import { SettableClock } from '../../support/settable-clock.ts';
import { voteTo } from '../../support/votes-to.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const rcon = (port: number, more: object = {}) => ({
  main: { kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD, commandTimeout: '500ms', ...more },
});

const ISO = /(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z/g;

/** As the page shows it: without the marks of commands, with readable times, and possibly with a capital letter. */
const asShown = (sentence: string): string =>
  sentence
    .replaceAll('`', '')
    .slice(1)
    .replaceAll(ISO, (_, year, month, day, time) => {
      const name = new Date(`${year}-${month}-01T00:00:00Z`).toLocaleString('en-US', {
        month: 'short',
        timeZone: 'UTC',
      });
      return `${Number(day)} ${name} ${year} ${time} UTC`;
    });

/** Waits until the page shows a finding with what to do, and returns it. */
async function shown(one: OpenConsole, code: string): Promise<Finding> {
  const found = async () => (await one.problems()).find((finding) => finding.code === code);
  await expect.poll(found, { timeout: 8_000, interval: 100 }).toBeDefined();
  const finding = (await found())!;
  const text = await one.text();
  expect(text).toContain(code);
  expect(text).toContain(asShown(finding.sentence));
  if (finding.toDo !== null) expect(text).toContain(asShown(finding.toDo));
  return finding;
}

const WAIT = { timeout: 20_000 };

describe('the page shows with what to do', () => {
  test.each([
    ['port', {}],
    ['v1-open', {}],
    ['token-none', { sites: {} }],
    ['proxies-open', { listener: { host: '127.0.0.1', port: 0, proxyProtocol: 'required' } }],
    ['placeholder-unknown', { rewards: [{ name: 'thanks', when: 'always', commands: ['say {rank}'] }] }],
    ['colour-code', { rewards: [{ name: 'thanks', when: 'always', commands: ['say &6hi'] }] }],
    [
      'total-filtered',
      { rewards: [{ name: 'ten', if: { votes: { every: 10 }, weekday: ['sat'] }, commands: ['say hi'] }] },
    ],
    ['site-silent', { sites: { default: { token: TOKEN }, Silent: {} } }],
    ['shadow-alone', { pay: { mode: 'shadow' } }],
    [
      'user-cache-unusable',
      { gameServers: { main: { kind: 'practice', userCache: 'no-such-usercache.json' } } },
    ],
  ])('%s, which the config alone shows', async (code, overrides) => {
    const finding = await shown(await openConsole(overrides), code);
    expect(finding).toMatchObject({ mark: 'warning', fix: null });
    expect(finding.toDo).not.toBeNull();
  });

  test(
    'rewards-misfit and api, of a site whose votes earn nothing and whose API does not answer',
    WAIT,
    async () => {
      const api = { baseUrl: `http://127.0.0.1:${await freePort()}/api/v1`, token: 'tok' };
      const sites = { default: { token: TOKEN }, 'Five.com': { game: 'fivem', api } };
      const one = await openConsole({
        sites,
        rewards: [{ name: 'daily', commands: ['give {player} diamond'] }],
      });
      await shown(one, 'rewards-misfit');
      expect(await shown(one, 'api')).toMatchObject({ mark: 'problem' });
    },
  );

  test('api-plain, of a listing whose API is called without TLS', WAIT, async () => {
    const { port } = await scriptedServer(json(200, { data: [] }));
    const api = { baseUrl: `http://0.0.0.0:${port}/api/v1`, token: 'tok' };
    await shown(
      await openConsole({ sites: { default: { token: TOKEN }, 'Plain.com': { api } } }),
      'api-plain',
    );
  });

  test.skipIf(process.platform === 'win32')('secrets, which other users can read', async () => {
    const one = await openConsole();
    chmodSync(one.config, 0o644);
    expect((await shown(one, 'secrets')).toDo).toBe(`\`chmod 600 ${one.config}\``);
  });

  test('keys-not-made, if the public key is gone', async () => {
    const one = await openConsole();
    rmSync(path.join(one.folder, 'data/keys/public.key'));
    await shown(one, 'keys-not-made');
  });

  test('ledger-behind, with the file to put back', async () => {
    const one = await openConsole({ rewards: THANKS });
    await voteTo(one.app.listener.port);
    openMark(`${one.app.config.ledger}.mark`).set(30);
    expect(await shown(one, 'ledger-behind')).toMatchObject({ mark: 'problem' });
  });

  test('every fault of a config file that a reload would refuse, and that the previous config stays', async () => {
    const one = await openConsole();
    writeConfig(one.config, { listner: {}, ledger: 5 });
    const finding = await shown(one, 'config-unknown-key');
    expect(finding).toMatchObject({ mark: 'problem', fix: null });
    expect((await one.problems()).filter(({ code }) => code.startsWith('config-'))).toHaveLength(2);
  });

  test('that the config file is gone', async () => {
    const one = await openConsole();
    rmSync(one.config);
    await shown(one, 'config-missing');
  });

  test('a config file that is newer than what runs, with a button to reload it', async () => {
    const one = await openConsole();
    writeConfig(one.config, { sites: { default: { token: TOKEN }, New: {} } });
    expect(await shown(one, 'config-older')).toMatchObject({ mark: 'warning', fix: { kind: 'reload' } });
    expect((await one.browser.get('/')).text).toContain('action="/reload"');
  });

  test('a config file whose changes need a restart, without a button', async () => {
    const one = await openConsole();
    writeConfig(one.config, { listener: { host: '127.0.0.1', port: await freePort() } });
    expect(await shown(one, 'config-older')).toMatchObject({ toDo: 'restart Teller', fix: null });
  });

  test('wrong-password and unreachable game servers, from what their queues know', WAIT, async () => {
    const server = await practice();
    const one = await openConsole({
      gameServers: {
        ...rcon(server.port, { password: 'not its password' }),
        ...{ gone: rcon(await freePort()).main },
      },
      rewards: [{ ...THANKS[0], servers: 'all' }],
    });
    expect(await shown(one, 'wrong-password')).toMatchObject({ mark: 'problem' });
    expect(await shown(one, 'unreachable')).toMatchObject({ mark: 'problem' });
    const { gameServers } = await one.json();
    expect(gameServers).toMatchObject([
      { connection: { code: 'wrong-password' } },
      { connection: { code: 'unreachable' } },
    ]);
  });

  test('a game server that cannot report who is online, over one connection', WAIT, async () => {
    const reshaped = await scripted((packet, socket) => {
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, 'Nobody but us chickens');
    });
    const one = await openConsole({ gameServers: rcon(reshaped.port) });
    await shown(one, 'list-not-understood');
    expect((await one.json()).gameServers[0]?.reports).toMatchObject({ kind: 'nothing' });
    expect(reshaped.connections()).toBe(1);
  });

  test('a game server that is asked about one player at a time, which is fine', WAIT, async () => {
    const reshaped = await scripted((packet, socket) => {
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, packet.body.includes('execute') ? 'Test failed' : 'Hello');
    });
    const one = await openConsole({ gameServers: rcon(reshaped.port) });
    await expect.poll(async () => (await one.json()).gameServers[0]?.reports.kind).toBe('one-by-one');
    expect(await one.text()).toContain('Whether one player is online');
  });

  test('a game server without UUIDs, if a reward needs them', WAIT, async () => {
    const server = await practice();
    server.join('Steve');
    server.setFault('no-list-uuids');
    const rewards = [{ name: 'rank', commands: ['lp user {uuid} parent add voter'] }];
    await shown(await openConsole({ gameServers: rcon(server.port), rewards }), 'uuid-unknown');
  });

  test('an HTTP game server to which nothing was sent yet and that is not there', WAIT, async () => {
    const url = `http://127.0.0.1:${await freePort()}/run`;
    const one = await openConsole({
      gameServers: { city: { kind: 'http', url, secret: 's3cret-of-the-city-0123456789abcdef' } },
      rewards: [{ ...THANKS[0], servers: ['city'] }],
    });
    expect(await shown(one, 'http-unreachable')).toMatchObject({ mark: 'problem' });
  });

  test('another listener to which votes are forwarded and that is not there', WAIT, async () => {
    const old = { kind: 'votifier', port: await freePort(), token: 's3cret-token-of-the-old-listener' };
    const one = await openConsole({ pay: { mode: 'shadow' }, gameServers: { old }, rewards: [] });
    expect(await shown(one, 'votifier.unreachable')).toMatchObject({ mark: 'problem' });
  });

  test('a reply that looks like a failure, with what would refuse it', WAIT, async () => {
    const server = await scripted((packet, socket) => {
      const list = 'There are 0 of a max of 20 players online: ';
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, packet.body.includes('list') ? list : 'Could not find a shop for Steve');
    });
    const one = await openConsole({ gameServers: rcon(server.port), rewards: THANKS });
    await voteTo(one.app.listener.port);
    await expect.poll(() => one.app.ledger.grantStates()).toMatchObject({ delivered: 1 });
    expect((await shown(one, 'replies-doubtful')).toDo).toContain('gameServers.main.refusedReplies');
  });

  test('grants that the game server refused', WAIT, async () => {
    const one = await openConsole({
      rewards: [{ name: 'daily', when: 'always', commands: ['give {player} no_such_item'] }],
    });
    await voteTo(one.app.listener.port);
    await expect.poll(() => one.app.ledger.grantStates()).toMatchObject({ refused: 1 });
    expect(await shown(one, 'grants-stuck')).toMatchObject({ fix: null });
    expect(await one.text()).toContain('1 grant needs you.');
  });

  test('a pause, with a button to end it', async () => {
    const one = await openConsole();
    await one.app.ledger.pause({ server: 'main', reward: null }, 'admin', systemClock.now());
    expect(await shown(one, 'paused')).toMatchObject({
      fix: { kind: 'resume', scope: { server: 'main', reward: null } },
    });
  });

  test(
    'an unlisted site, and votes that got nothing because sites without an entry share a window',
    WAIT,
    async () => {
      const one = await openConsole({ rewards: THANKS, sites: { default: { token: TOKEN } } });
      await voteTo(one.app.listener.port, 'Steve', 'First');
      await voteTo(one.app.listener.port, 'Steve', 'Second');
      expect(await shown(one, 'site-unlisted')).toMatchObject({
        mark: 'warning',
        fix: { kind: 'add-site', isProven: true },
      });
      const shared = (await one.problems()).find(({ code }) => code === 'window-shared');
      expect(shared).toMatchObject({ mark: 'problem', fix: { service: 'Second' } });
      const { text } = await one.browser.get('/');
      expect(text.match(/value="Second"/g)).toHaveLength(1);
    },
  );

  test('refusals, with their likely cause as what to do', WAIT, async () => {
    const one = await openConsole({ sites: { default: { token: TOKEN }, List: {} } });
    await voteTo(one.app.listener.port, 'Steve', 'List', 'another-token-of-thirty-two-chars');
    const refusals = () => one.app.ledger.refusals(0);
    await expect.poll(refusals, { timeout: 10_000 }).toHaveLength(1);
    expect((await shown(one, 'refusals')).toDo).toContain('paste the token');
  });
});

describe('the page shows about the clock', () => {
  /** A vote without a time, so that this machine's clock decides. */
  const vote = ({ app }: OpenConsole, username: string) =>
    sendVote(
      { serviceName: 'List', username, address: '', timestamp: '' },
      { ...app.listener, auth: { version: 'v2', token: TOKEN } },
      { clock: systemClock },
    );

  test('that it is doubtful and what is held because of it, with a button to release it', WAIT, async () => {
    const clock = new SettableClock('2026-06-01T12:00:00Z');
    const one = await openConsole({ rewards: THANKS }, clock);
    await vote(one, 'Steve');
    clock.jump('2026-06-02T14:00:00Z');
    await vote(one, 'Alex');
    expect(await shown(one, 'clock-doubtful')).toMatchObject({
      mark: 'problem',
      fix: { kind: 'release-clock' },
    });
    expect((await one.problems()).filter(({ code }) => code === 'grants-stuck')).toEqual([]);
  });

  test('that most sites disagree with it', WAIT, async () => {
    const one = await openConsole({ rewards: THANKS });
    const old = String(systemClock.now() - 2 * 3_600_000);
    for (const username of ['Steve', 'Alex', 'Zoe']) {
      await sendVote(
        { serviceName: 'List', username, address: '', timestamp: old },
        { ...one.app.listener, auth: { version: 'v2', token: TOKEN } },
        { clock: systemClock },
      );
    }
    await shown(one, 'clock-wrong');
  });
});

test('what is found is what `teller check` finds in what runs: each code is provoked here, or only seen from outside', () => {
  const fine = [
    'config',
    'keys',
    'files',
    'clock',
    'time-zone',
    'ledger',
    'disk',
    'game-server',
    'grants',
    'alarms',
  ];
  const said = ['practice', 'shadow', 'hand-over'];
  const outside = [
    ...['secret-not-here', 'password-unknown', 'api-unknown', 'not-running', 'port-not-held'],
    ...['single-connection', 'condition-unclear', 'game-doubtful', 'counts', 'counts-rebuilt'],
  ];
  const elsewhere = ['disk-low', 'files-few', 'alarms-unsent', 'site', 'presence-one-by-one', 'user-cache'];
  const here = [
    ...['config-older', 'secrets', 'token-none', 'keys-not-made', 'port', 'clock-wrong'],
    ...[
      'clock-doubtful',
      'replies-doubtful',
      'user-cache-unusable',
      'shadow-alone',
      'paused',
      'grants-stuck',
    ],
    ...['rewards-misfit', 'total-filtered', 'placeholder-unknown', 'colour-code', 'v1-open', 'proxies-open'],
    ...['api', 'api-plain', 'site-silent', 'site-unlisted', 'window-shared', 'refusals'],
  ];
  expect([...fine, ...said, ...outside, ...elsewhere, ...here].toSorted()).toEqual(
    Object.keys(findingCodes).toSorted(),
  );
});
