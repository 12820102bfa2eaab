import { chmodSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FindingCode, findingCodes } from '../../../src/core/finding.ts';
import { NO_RECORD, recordFileOf, writeRecord } from '../../../src/notify/alarms/record.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openMark } from '../../../src/platform/sqlite/mark.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { json, scriptedServer } from '../../kit/listing-api.ts';
import { freePort } from '../../sender/scripted-listener.ts';
import { TOKEN, writeConfig } from '../../support/config-folder.ts';
import { record, rulesFor } from '../../support/ledgers.ts';
import { factsOf, isChecked, noticeOf, type ShownFinding, stateSentenceOf } from '../../support/page-text.ts';
import { answer, PASSWORD, practice, scripted } from '../../support/rcon.ts';
import { SettableClock } from '../../support/settable-clock.ts';
import { webhookArrival } from '../../support/votes.ts';
import { voteTo } from '../../support/votes-to.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const rcon = (port: number, more: object = {}) => ({
  main: { kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD, commandTimeout: '500ms', ...more },
});

/** The codes of what the tests of this file have seen on the page. */
const provoked = new Set<string>();

/** Their sentence says already what to do. */
const SAID_IN_ONE: ReadonlySet<string> = new Set([
  ...['api', 'config-missing', 'ledger-behind'],
  ...['wrong-password', 'http-unreachable', 'votifier.unreachable'],
]);

/** Waits until the page shows a finding, with what to do, and returns it. */
async function shown(one: OpenConsole, code: string): Promise<ShownFinding> {
  const found = async () => (await one.problems()).find((finding) => finding.code === code);
  await expect.poll(found, { timeout: 8_000, interval: 100 }).toBeDefined();
  const finding = (await found())!;
  expect([finding.sentence === '', finding.toDo === '']).toEqual([false, SAID_IN_ONE.has(code)]);
  provoked.add(code);
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
  ])('%s, which the config alone shows', async (code, overrides) => {
    const finding = await shown(await openConsole(overrides), code);
    expect(finding).toMatchObject({ mark: 'warning', toDo: expect.stringMatching(/./), button: null });
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
    expect((await shown(one, 'secrets')).toDo).toBe(`chmod 600 ${one.config}`);
  });

  test.skipIf(process.platform === 'win32')('ledger-open, with the files of the ledger', async () => {
    const one = await openConsole();
    const { ledger } = one.app.config;
    chmodSync(ledger, 0o644);
    expect((await shown(one, 'ledger-open')).toDo).toBe(`chmod go= ${ledger}`);
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
    expect(finding).toMatchObject({ mark: 'problem', button: null });
    expect((await one.problems()).filter(({ code }) => code.startsWith('config-'))).toHaveLength(2);
  });

  test('that the config file is gone', async () => {
    const one = await openConsole();
    rmSync(one.config);
    await shown(one, 'config-missing');
  });

  test('practice-votes, after a real game server was written into the config by hand', WAIT, async () => {
    const one = await openConsole();
    await voteTo(one.app.listener.port, 'Steve');
    const server = await practice();
    writeConfig(one.config, { gameServers: rcon(server.port) });
    await one.reload();
    const { toDo } = await shown(one, 'practice-votes');
    expect(toDo).toContain('votes void --practice');
  });

  test('a config file that is newer than what runs, with a button to reload it', async () => {
    const one = await openConsole();
    writeConfig(one.config, { sites: { default: { token: TOKEN }, New: {} } });
    expect(await shown(one, 'config-older')).toMatchObject({ mark: 'warning', button: '/reload' });
  });

  test('a config file whose changes need a restart, without a button', async () => {
    const one = await openConsole();
    writeConfig(one.config, { listener: { host: '127.0.0.1', port: await freePort() } });
    expect(await shown(one, 'config-older')).toMatchObject({ toDo: 'Restart Teller', button: null });
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
    const page = await one.page();
    expect(stateSentenceOf(page)).toContain('main and gone accept no commands.');
    expect(factsOf(page)).toMatchObject([
      { Connection: expect.stringMatching(/ wrong-password$/) },
      { Connection: expect.stringMatching(/ unreachable$/) },
    ]);
  });

  test('when a game server is tried again, each time anew', WAIT, async () => {
    const one = await openConsole({ gameServers: rcon(await freePort()), rewards: THANKS });
    const retryAt = async () =>
      /<dt>Next try<\/dt><dd><time datetime="([^"]+)"/.exec(await one.page())?.[1] ?? null;
    await voteTo(one.app.listener.port);
    await expect.poll(retryAt).not.toBeNull();
    const first = await retryAt();
    expect(Math.abs(Date.parse(first ?? '') - systemClock.now())).toBeLessThan(60_000);
    await expect.poll(retryAt, { timeout: 15_000 }).not.toBe(first);
    const server = await practice();
    writeConfig(one.config, { gameServers: rcon(server.port), rewards: THANKS });
    await one.reload();
    await expect.poll(async () => (await one.gameServer()).Connection).toBe('It accepts commands.');
    expect(await one.text()).not.toContain('Next try');
  });

  test('a game server that cannot report who is online, over one connection', WAIT, async () => {
    const reshaped = await scripted((packet, socket) => {
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, 'Nobody but us chickens');
    });
    const one = await openConsole({ gameServers: rcon(reshaped.port) });
    await shown(one, 'list-not-understood');
    expect((await one.gameServer()).Reports).toMatch(/ list-not-understood$/);
    expect(reshaped.connections()).toBe(1);
  });

  test('a game server that is asked about one player at a time, which is fine', WAIT, async () => {
    const reshaped = await scripted((packet, socket) => {
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, packet.body.includes('execute') ? 'Test failed' : 'Hello');
    });
    const one = await openConsole({ gameServers: rcon(reshaped.port) });
    await expect.poll(async () => (await one.gameServer()).Reports).toContain('Whether one player is online');
    await expect.poll(() => one.text()).toContain('does not understand its player list');
    provoked.add('presence-one-by-one');
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
    expect(await shown(one, 'grants-stuck')).toMatchObject({ button: null });
    expect(await one.text()).toContain('1 grant needs you.');
  });

  test('a pause, with a button to end it', async () => {
    const one = await openConsole();
    await one.app.ledger.pause({ server: 'main', reward: null }, 'admin', systemClock.now());
    expect(await shown(one, 'paused')).toMatchObject({ button: '/now/resume' });
    expect(await one.page()).toContain('<input type="hidden" name="server" value="main">');
  });

  test('a proxy in front of the public page that the config does not name', async () => {
    const one = await openConsole({ console: { port: 0, public: { port: 0 } } });
    const { url } = one.console.publicPage!;
    for (let at = 0; at < 20; at += 1)
      await fetch(`${url}/`, { headers: { 'x-forwarded-for': '192.0.2.7' } });
    expect(await shown(one, 'proxy-unnamed')).toMatchObject({ mark: 'warning', button: null });
  });

  test('an unlisted site, with a button to add it', WAIT, async () => {
    const one = await openConsole({ rewards: THANKS, sites: { default: { token: TOKEN } } });
    await voteTo(one.app.listener.port, 'Steve', 'First');
    expect(await shown(one, 'site-unlisted')).toMatchObject({
      mark: 'warning',
      button: '/now/site?service=First',
    });
  });

  test('votes that got nothing because sites without an entry share a window, instead of the missing entry', async () => {
    const one = await openConsole({ rewards: THANKS, sites: { default: { token: TOKEN } } });
    await voteTo(one.app.listener.port, 'Steve', 'First');
    await voteTo(one.app.listener.port, 'Steve', 'Second');
    expect(await shown(one, 'window-shared')).toMatchObject({
      mark: 'problem',
      button: '/now/site?service=Second',
    });
    const { text } = await one.browser.get('/');
    expect(text.match(/href="\/now\/site\?service=Second"/g)).toHaveLength(1);
  });

  test('refusals, with their likely cause as what to do', WAIT, async () => {
    const one = await openConsole({ sites: { default: { token: TOKEN }, List: {} } });
    await voteTo(one.app.listener.port, 'Steve', 'List', 'another-token-of-thirty-two-chars');
    const refusals = () => one.app.ledger.refusals(0);
    await expect.poll(refusals, { timeout: 10_000 }).toHaveLength(1);
    expect((await shown(one, 'refusals')).toDo).toContain('Paste the token');
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
      button: '/now/release-clock',
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

test('the page shows that webhook votes of a site are for another game than the config says', async () => {
  const site = { webhook: { path: '/hooked', secret: 'a-secret-of-thirty-two-characters', listingId: '1' } };
  const one = await openConsole({ sites: { default: { token: TOKEN }, 'Hooked.com': site } });
  const recipient = { kind: 'user', key: '4711' } as const;
  const rules = { ...rulesFor(), practiceServers: new Set<string>() };
  await record(
    one.app.ledger,
    [webhookArrival('event-1', { site: 'Hooked.com', recipient } as object)],
    rules,
  );
  await shown(one, 'game-doubtful');
});

test('the page shows that the last message about alarms did not arrive', async () => {
  const alarms = { url: `http://127.0.0.1:${await freePort()}/alarms`, format: 'chat' };
  const one = await openConsole({ alarms });
  const lastPost = { at: systemClock.now(), code: 'receiver-failed', status: 500, detail: null } as const;
  await writeRecord(recordFileOf(one.app.config.ledger), { ...NO_RECORD, lastPost });
  await shown(one, 'alarms-unsent');
});

test('the page shows that an event did not reach its receiver', async () => {
  const url = `http://127.0.0.1:${await freePort()}/events`;
  const one = await openConsole({
    events: [{ url, on: ['vote.rewarded'], secret: 'the-secret-of-the-plugin' }],
  });
  await voteTo(one.app.listener.port, 'Steve');
  const failure = async () => (await one.app.ledger.receiverStates())[0]?.last?.reason;
  await expect.poll(failure, { timeout: 8_000 }).toBe('port-refused');
  await shown(one, 'events-unsent');
});

/** The code of each other check, and what the page says when it found nothing wrong. */
const FINE = {
  config: '1 listed site, 1 game server',
  keys: 'The RSA key pair in',
  files: 'which is enough for 1024 connections',
  clock: /It is [\w ,:-]*\d\d:\d\d/,
  'time-zone': 'Days begin at midnight in UTC',
  ledger: 'can be read; --deep reads all of it',
  disk: 'MiB are free in',
  'game-server': 'accepts the login',
  'hand-over': 'the other side pays earlier ones',
  alarms: 'No message was sent yet',
  events: 'The receiver of events is ops',
  grants: 'No grant needs a decision',
  site: 'List: last vote',
} as const satisfies Partial<Record<FindingCode, string | RegExp>>;

test('the page lists what was found to be fine', WAIT, async () => {
  const server = await practice();
  const one = await openConsole({
    gameServers: rcon(server.port),
    alarms: { url: `http://127.0.0.1:${await freePort()}/alarms`, format: 'chat' },
    events: [
      { url: `http://127.0.0.1:${await freePort()}/events`, format: 'chat', on: ['party'], name: 'ops' },
    ],
    pay: { mode: 'real', from: '2026-01-01T00:00:00Z' },
    sites: { default: { token: TOKEN }, List: {} },
  });
  await voteTo(one.app.listener.port);
  const missing = async () => {
    const text = await one.text();
    return Object.entries(FINE).flatMap(([code, said]) => (text.search(said) >= 0 ? [] : [code]));
  };
  await expect.poll(missing, { timeout: 15_000 }).toEqual([]);
  for (const code of Object.keys(FINE)) provoked.add(code);
});

test.each([
  ['practice', 'Practice: ', {}],
  ['shadow', 'Shadow: ', { pay: { mode: 'shadow' } }],
  ['hand-over', 'Hand-over: ', { pay: { mode: 'real', from: '2099-01-01T00:00:00Z' } }],
])('%s is said below the header of every page, and not once more', async (code, said, overrides) => {
  const one = await openConsole(overrides);
  await expect.poll(async () => isChecked(await one.page())).toBe(true);
  expect(noticeOf(await one.page())).toContain(said);
  expect(await one.text()).not.toContain(`(${code})`);
  expect(await one.page()).not.toContain(`>${code}<`);
  provoked.add(code);
});

const SEEN_FROM_OUTSIDE = 'the running Teller has them, or `check` says it where no Teller runs';
const TRIED_FROM_OUTSIDE = 'a second login tries it; the running Teller uses the one it has';
const LOOKED_UP = '`check` says it of an address in the config; the running Teller is connected already';
const DEEP = 'a deep check reads the whole ledger, and a page does not';

/** Codes that no test above can bring to the page, and why. */
const NOT_ON_THE_PAGE: Partial<Record<FindingCode, string>> = {
  'secret-not-here': SEEN_FROM_OUTSIDE,
  'password-unknown': SEEN_FROM_OUTSIDE,
  'api-unknown': SEEN_FROM_OUTSIDE,
  'not-running': SEEN_FROM_OUTSIDE,
  'port-not-held': SEEN_FROM_OUTSIDE,
  'single-connection': TRIED_FROM_OUTSIDE,
  ...{ 'rcon-public': LOOKED_UP, 'panel-plain': LOOKED_UP },
  counts: DEEP,
  'counts-rebuilt': DEEP,
  'disk-low': 'a nearly full disk is needed; test/check/disk.test.ts has the sentence',
  'files-few': 'a process with few files is needed; test/end-to-end/open-port/few-files.test.ts has one',
};

test('each finding of `teller check` was provoked above, or cannot be on the page', () => {
  expect(
    Object.keys(findingCodes).filter((code) => !(code in NOT_ON_THE_PAGE) && !provoked.has(code)),
  ).toEqual([]);
  expect(Object.keys(NOT_ON_THE_PAGE).filter((code) => provoked.has(code))).toEqual([]);
});
