import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readKeyPair } from '../../../src/config/keys.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { TOKEN, writeConfig } from '../../support/config-folder.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import { PASSWORD, practice } from '../../support/rcon.ts';
import { SettableClock } from '../../support/settable-clock.ts';
import { voteTo } from '../../support/votes-to.ts';
import { AS_JSON, type OpenConsole, openConsole } from './open-console.ts';

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const DAILY = [{ name: 'daily', commands: ['give {player} diamond'] }];
const SITES = { default: { token: TOKEN } };
const rcon = (port: number) => ({ kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD });

const listed = ({ app }: OpenConsole): string[] => [...app.config.sites.keys()];

describe('reload', () => {
  test('applies the file, and the page then finds nothing that is newer', async () => {
    const one = await openConsole();
    writeConfig(one.config, { sites: { ...SITES, New: {} } });
    const { status, json } = await one.act('/reload');
    expect([status, json.applied]).toEqual([200, [{ key: 'sites.New', kind: 'added' }]]);
    expect(listed(one)).toEqual(['default', 'New']);
    expect((await one.problems()).map(({ code }) => code)).not.toContain('config-older');
  });

  test('is refused for a file with faults, and what runs stays', async () => {
    const one = await openConsole();
    writeConfig(one.config, { sites: 5 });
    expect(await one.act('/reload')).toMatchObject({ status: 409, json: { code: 'config-invalid' } });
    expect(listed(one)).toEqual(['default']);
  });

  test('leads a browser back to the page with what it did', async () => {
    const one = await openConsole();
    writeConfig(one.config, { sites: { ...SITES, New: {} } });
    const { csrf } = (await one.browser.get('/')) && one.browser;
    expect(csrf).not.toBe('');
    expect(await one.browser.post('/reload', { next: '/' })).toMatchObject({ status: 303, to: '/' });
    expect(await one.text()).toContain('Applied sites.New.');
  });
});

describe('adding a site', () => {
  /** Looks at what would be written for these fields, and then has it written. */
  async function add(one: OpenConsole, fields: Readonly<Record<string, string>>) {
    const { status, json } = await one.act('/now/site', fields);
    expect(status).toBe(200);
    return one.act('/now/site/write', { ...fields, shown: String(json.shown) });
  }

  test('shows the lines first, then writes them, reloads, and pays what waited', async () => {
    const one = await openConsole({ rewards: THANKS, sites: SITES });
    for (const service of ['First', 'Second']) await voteTo(one.app.listener.port, 'Steve', service);
    const shown = await one.act('/now/site', { service: 'Second' });
    expect(shown).toMatchObject({
      status: 200,
      json: {
        added: ['Second'],
        unproven: [],
        waiting: 1,
        diff: expect.arrayContaining([expect.stringContaining('+ ')]),
      },
    });
    expect(JSON.parse(readFileSync(one.config, 'utf8')).sites).not.toHaveProperty('Second');
    const fields = { service: 'Second', shown: String(shown.json.shown) };
    const { status, json } = await one.act('/now/site/write', fields);
    expect([status, json.added]).toEqual([200, ['Second']]);
    expect(json.message).toContain('1 vote of the last 7 days waited for this');
    expect(JSON.parse(readFileSync(one.config, 'utf8')).sites).toHaveProperty('Second', {});
    expect(listed(one)).toEqual(['default', 'Second']);
    await expect.poll(() => one.app.ledger.grantStates()).toEqual({ delivered: 2 });
  });

  test('is offered before its first vote, with the page where players vote', async () => {
    const one = await openConsole({ sites: SITES });
    expect((await one.browser.get('/')).text).toContain('href="/now/site"');
    expect((await one.browser.get('/now/site')).text).toContain('name="service"');
    const fields = {
      service: 'MCSL',
      url: 'https://minecraft-server-list.com/server/7/vote/',
      unproven: 'yes',
    };
    const shown = await one.act('/now/site', fields);
    expect(shown.json).toMatchObject({
      unproven: [{ name: 'MCSL', seen: null }],
      known: [{ list: { domain: 'minecraft-server-list.com' } }],
    });
    expect((await add(one, fields)).status).toBe(200);
    expect(one.app.config.sites.get('MCSL')).toMatchObject({ url: fields.url });
    expect((await one.json()).sites).toMatchObject([{ service: 'MCSL', isListed: true, lastVoteAt: null }]);
  });

  test('gives a listed site its vote page', async () => {
    const one = await openConsole({ sites: { ...SITES, List: {} } });
    const url = 'https://list.example/vote';
    expect((await add(one, { service: 'List', url })).status).toBe(200);
    expect(one.app.config.sites.get('List')).toMatchObject({ url });
  });

  test('leads from what was found to the lines, and warns of a name that only v1 votes have', async () => {
    const one = await openConsole({ rewards: THANKS, sites: SITES });
    const { publicKey } = await readKeyPair(one.app.config.keys);
    await sendVote(
      { serviceName: 'Invented', username: 'Steve', address: '', timestamp: '' },
      { ...one.app.listener, auth: { version: 'v1', publicKey } },
      { clock: systemClock },
    );
    await expect.poll(async () => (await one.app.ledger.votes({ limit: 1 })).length).toBe(1);
    await expect.poll(() => one.text()).toContain('Add this site');
    expect((await one.browser.get('/')).text).toContain('href="/now/site?service=Invented"');
    expect((await one.browser.get('/now/site?service=Invented')).text).toContain(
      'No vote with this name was signed',
    );
    const refused = await add(one, { service: 'Invented' });
    expect(refused).toMatchObject({ status: 409, json: { code: 'site-unproven' } });
    expect(listed(one)).toEqual(['default']);
    await add(one, { service: 'Invented', unproven: 'yes' });
    expect(listed(one)).toEqual(['default', 'Invented']);
  });

  test.each([
    ['site-unlistable', { service: '' }],
    ['site-unlistable', { service: 'x'.repeat(129) }],
    ['site-unlistable', { service: 'default' }],
    ['site-present', { service: 'List' }],
    ['site-url', { service: 'New', url: 'not a page' }],
  ])('is refused with %s, and what was typed stays', async (code, fields) => {
    const one = await openConsole({ sites: { ...SITES, List: {} } });
    expect(await one.act('/now/site', fields)).toMatchObject({ status: 422, json: { code } });
    await one.browser.get('/now/site');
    const { text } = await one.browser.post('/now/site', fields);
    expect(text).toContain(`name="service" type="text" value="${fields.service}"`);
  });

  test('writes nothing that was not shown', async () => {
    const one = await openConsole({ sites: SITES });
    const before = readFileSync(one.config, 'utf8');
    const write = (fields: object) =>
      one.act('/now/site/write', { service: 'New', unproven: 'yes', ...fields });
    expect(await write({})).toMatchObject({ status: 409, json: { code: 'not-shown' } });
    const { json } = await one.act('/now/site', { service: 'New' });
    expect(await write({ shown: String(json.shown), url: 'https://new.example/' })).toMatchObject({
      status: 409,
      json: { code: 'config-changed', shown: expect.stringMatching(/./) },
    });
    expect(readFileSync(one.config, 'utf8')).toBe(before);
  });

  test('is refused while the file has other changes, which a reload would apply too, and what was typed stays', async () => {
    const one = await openConsole({ rewards: THANKS, sites: SITES });
    await voteTo(one.app.listener.port, 'Steve', 'List');
    writeConfig(one.config, { rewards: [], sites: SITES });
    const before = readFileSync(one.config, 'utf8');
    const { json } = await one.act('/now/site', { service: 'List' });
    expect(json).toMatchObject({ code: 'config-older', message: expect.stringContaining('rewards.thanks') });
    expect((await one.browser.get('/now/site?service=List')).text).toContain('value="List"');
    expect(readFileSync(one.config, 'utf8')).toBe(before);
  });
});

describe('paying what is held', () => {
  /** A grant is held on `main`, because the game server closed the connection instead of replying. */
  async function held() {
    const server = await practice();
    server.join('Steve');
    const one = await openConsole({
      gameServers: { main: { ...rcon(server.port), joinDelay: '0s' } },
      rewards: DAILY,
    });
    server.setFault('run-and-close', 1);
    await voteTo(one.app.listener.port);
    await expect.poll(() => one.app.ledger.grantStates()).toEqual({ held: 1 });
    expect(server.inventory('Steve')).toEqual({ diamond: 1 });
    return { ...one, server };
  }

  test('runs its commands again, and says so', { timeout: 20_000 }, async () => {
    const one = await held();
    // The page may be as old as its last reading.
    await expect
      .poll(() => one.problems())
      .toContainEqual(
        expect.objectContaining({ code: 'grants-stuck', fix: { kind: 'pay-held', server: 'main' } }),
      );
    const { status, json } = await one.act('/now/pay-held', { server: 'main' });
    expect([status, json]).toMatchObject([200, { paid: 1, notPaid: [], hasMore: false }]);
    await expect.poll(() => one.app.ledger.grantStates(), { timeout: 15_000 }).toEqual({ delivered: 1 });
    expect(one.server.inventory('Steve')).toEqual({ diamond: 2 });
  });

  test('is refused if nothing is held there', async () => {
    const one = await openConsole();
    expect(await one.act('/now/pay-held', { server: 'main' })).toMatchObject({
      status: 409,
      json: { code: 'nothing-held' },
    });
  });

  test('is refused for a game server that is not in the config any more', { timeout: 20_000 }, async () => {
    const one = await held();
    writeConfig(one.config, { gameServers: { other: { kind: 'practice' } }, rewards: THANKS });
    await one.reload();
    expect(await one.act('/now/pay-held', { server: 'main' })).toMatchObject({
      status: 409,
      json: { code: 'none-payable', notPaid: [{ problem: 'grant-nowhere' }] },
    });
  });
});

describe('ending a pause', () => {
  test('pays again, and records who did it', async () => {
    const one = await openConsole();
    await one.app.ledger.pause({ server: 'main', reward: null }, 'admin', systemClock.now());
    expect((await one.act('/now/resume', { server: 'main' })).status).toBe(200);
    expect(await one.app.ledger.pauses()).toEqual([]);
    expect((await one.json()).modes.map(({ kind }: { kind: string }) => kind)).toEqual(['practice']);
  });

  test.each([
    ['not-paused', { server: 'main' }],
    ['server-unknown', { server: 'nowhere' }],
    ['reward-unknown', { reward: 'nothing' }],
  ])('is refused with %s', async (code, fields) => {
    const one = await openConsole();
    expect(await one.act('/now/resume', fields)).toMatchObject({ status: 409, json: { code } });
  });
});

describe('releasing the clock', () => {
  test('pays what was held because of it', async () => {
    const clock = new SettableClock('2026-06-01T12:00:00Z');
    const one = await openConsole({ rewards: THANKS }, clock);
    const vote = (username: string) =>
      sendVote(
        { serviceName: 'List', username, address: '', timestamp: '' },
        { ...one.app.listener, auth: { version: 'v2', token: TOKEN } },
        { clock: systemClock },
      );
    await vote('Steve');
    clock.jump('2026-06-02T14:00:00Z');
    await vote('Alex');
    expect((await one.act('/now/release-clock')).json.message).toContain('1 reward will be paid');
    await expect.poll(() => one.app.ledger.grantStates()).toEqual({ delivered: 2 });
  });

  test('is refused if it is trusted, and while it shows 1970', async () => {
    const clock = new SettableClock('2026-06-01T12:00:00Z');
    const one = await openConsole({}, clock);
    const code = async () => (await one.act('/now/release-clock')).json.code;
    expect(await code()).toBe('nothing-to-release');
    clock.jump('1970-01-01T00:10:00Z');
    expect(await code()).toBe('clock-not-set');
  });
});

test('nothing is done for a form of another page, or without a session', async () => {
  const one = await openConsole();
  writeConfig(one.config, { sites: { ...SITES, New: {} } });
  const forged = await one.browser.post('/reload', { csrf: 'guessed' }, AS_JSON);
  expect([forged.status, JSON.parse(forged.text).code]).toEqual([403, 'form-outdated']);
  const stranger = await one.visitor().post('/reload', {}, AS_JSON);
  expect(stranger.status).toBe(403);
  expect(listed(one)).toEqual(['default']);
});

test('what was done or refused is logged with who asked for it', async () => {
  const { log, lines } = loggedLines();
  const one = await openConsole({}, systemClock, log);
  await one.act('/now/resume', { server: 'main' });
  await one.act('/now/pay-held', { server: 'main' });
  const logged = lines.filter(({ code }) => code === 'console-action');
  expect(logged.map(({ fields }) => fields)).toMatchObject([
    { action: '/now/resume', by: 'console from 127.0.0.1 by link', ended: 'not-paused' },
    { action: '/now/pay-held', by: 'console from 127.0.0.1 by link', ended: 'nothing-held' },
  ]);
});
