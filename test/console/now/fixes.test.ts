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
import { faultsOf, noticeOf, rowsOf } from '../../support/page-text.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const DAILY = [{ name: 'daily', commands: ['give {player} diamond'] }];
const SITES = { default: { token: TOKEN } };
const rcon = (port: number) => ({ kind: 'rcon', host: '127.0.0.1', port, password: PASSWORD });

const listed = ({ app }: OpenConsole): string[] => [...app.config.sites.keys()];

describe('reload', () => {
  test('applies the file, and the page then finds nothing that is newer', async () => {
    const one = await openConsole();
    writeConfig(one.config, { sites: { ...SITES, New: {} } });
    const { status, text } = await one.act('/reload', { next: '/' });
    expect([status, text]).toEqual([303, expect.stringContaining('Applied sites.New.')]);
    expect(listed(one)).toEqual(['default', 'New']);
    expect((await one.problems()).map(({ code }) => code)).not.toContain('config-older');
  });

  test('is refused for a file with faults, and what runs stays', async () => {
    const one = await openConsole();
    writeConfig(one.config, { sites: 5 });
    expect((await one.act('/reload', { next: '/' })).page).toMatch(/class="alert bad" role="alert"/);
    expect(listed(one)).toEqual(['default']);
  });
});

describe('adding a site', () => {
  /** Looks at what would be written for these fields, and then has it written. */
  async function add(one: OpenConsole, fields: Readonly<Record<string, string>>) {
    const planned = await one.act('/now/site', fields);
    expect(planned.status).toBe(200);
    return one.act('/now/site/write', { ...fields, shown: shownOn(planned) });
  }

  /** The mark of the lines that a page shows. */
  const shownOn = ({ page }: { readonly page: string }): string =>
    /name="shown" value="([^"]+)"/.exec(page)?.[1] ?? '';

  test('shows the lines first, then writes them, reloads, and pays what waited', async () => {
    const one = await openConsole({ rewards: THANKS, sites: SITES });
    for (const service of ['First', 'Second']) await voteTo(one.app.listener.port, 'Steve', service);
    const shown = await one.act('/now/site', { service: 'Second' });
    expect([shown.status, shown.page.includes('name="unproven"')]).toEqual([200, false]);
    expect(shown.text).toContain('1 vote of the last 7 days waited for this');
    expect(shown.text).toMatch(/\+\s+"Second": \{/);
    expect(JSON.parse(readFileSync(one.config, 'utf8')).sites).not.toHaveProperty('Second');
    const fields = { service: 'Second', shown: shownOn(shown) };
    const { status, text } = await one.act('/now/site/write', fields);
    expect(status).toBe(303);
    expect(text).toContain('1 vote of the last 7 days waited for this and will be decided now');
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
    expect(shown.text).toContain('No vote with the service name MCSL has arrived yet');
    expect(shown.text).toContain('is known as the list minecraft-server-list.com');
    expect((await add(one, fields)).status).toBe(303);
    expect(one.app.config.sites.get('MCSL')).toMatchObject({ url: fields.url });
    expect(rowsOf(await one.page(), 'Sites')).toMatchObject([
      { Site: 'MCSL', 'Last vote': 'never', State: 'Silent' },
    ]);
  });

  test('gives a listed site its vote page', async () => {
    const one = await openConsole({ sites: { ...SITES, List: {} } });
    const url = 'https://list.example/vote';
    expect((await add(one, { service: 'List', url })).status).toBe(303);
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
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(
      'Invented was seen, but has not sent a correctly signed (version 2) vote.',
    );
    expect(listed(one)).toEqual(['default']);
    await add(one, { service: 'Invented', unproven: 'yes' });
    expect(listed(one)).toEqual(['default', 'Invented']);
  });

  test.each([
    ['Service name is missing', 'service', { service: '' }],
    ['can have at most 128 characters', 'service', { service: 'x'.repeat(129) }],
    ['cannot be added', 'service', { service: 'default' }],
    ['already has an entry', 'service', { service: 'List' }],
    ['Vote page must be', 'url', { service: 'New', url: 'not a page' }],
  ])('is refused with “%s”, and what was typed stays', async (sentence, field, fields) => {
    const one = await openConsole({ sites: { ...SITES, List: {} } });
    const { status, page, text } = await one.act('/now/site', fields);
    expect([status, faultsOf(page), text]).toEqual([422, [field], expect.stringContaining(sentence)]);
    expect(page).toContain(`name="service" type="text" value="${fields.service}"`);
  });

  test('writes nothing that was not shown', async () => {
    const one = await openConsole({ sites: SITES });
    const before = readFileSync(one.config, 'utf8');
    const write = (fields: object) =>
      one.act('/now/site/write', { service: 'New', unproven: 'yes', ...fields });
    const shown = shownOn(await one.act('/now/site', { service: 'New' }));
    for (const fields of [{}, { shown, url: 'https://new.example/' }]) {
      const again = await write(fields);
      expect([again.status, shownOn(again)]).toEqual([409, expect.stringMatching(/./)]);
      expect(again.text).toContain('Something else would be written now. Look at the lines again.');
    }
    expect(readFileSync(one.config, 'utf8')).toBe(before);
  });

  test('is refused while the file has other changes, which a reload would apply too, and what was typed stays', async () => {
    const one = await openConsole({ rewards: THANKS, sites: SITES });
    await voteTo(one.app.listener.port, 'Steve', 'List');
    writeConfig(one.config, { rewards: [], sites: SITES });
    const before = readFileSync(one.config, 'utf8');
    const { status, text } = await one.act('/now/site', { service: 'List' });
    expect([status, text]).toEqual([
      409,
      expect.stringContaining('has changes that do not run yet (rewards.thanks)'),
    ]);
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
      .toContainEqual(expect.objectContaining({ code: 'grants-stuck', button: '/now/pay-held' }));
    const { status, text } = await one.act('/now/pay-held', { server: 'main' });
    expect([status, text]).toEqual([303, expect.stringContaining('1 grant will be paid.')]);
    await expect.poll(() => one.app.ledger.grantStates(), { timeout: 15_000 }).toEqual({ delivered: 1 });
    expect(one.server.inventory('Steve')).toEqual({ diamond: 2 });
  });

  test('is refused if nothing is held there', async () => {
    const one = await openConsole();
    expect((await one.act('/now/pay-held', { server: 'main' })).text).toContain(
      'Nothing that can be paid is held there any more.',
    );
  });

  test('is refused for a game server that is not in the config any more', { timeout: 20_000 }, async () => {
    const one = await held();
    writeConfig(one.config, { gameServers: { other: { kind: 'practice' } }, rewards: THANKS });
    await one.reload();
    expect((await one.act('/now/pay-held', { server: 'main' })).text).toContain(
      'None can be paid: see grant 1 under Needs you.',
    );
    expect(await one.app.ledger.grantStates()).toEqual({ held: 1 });
  });
});

describe('ending a pause', () => {
  test('pays again, and records who did it', async () => {
    const one = await openConsole();
    await one.app.ledger.pause({ server: 'main', reward: null }, 'admin', systemClock.now());
    const { page, text } = await one.act('/now/resume', { server: 'main' });
    expect(text).toContain('The pause of all rewards on main is over.');
    expect(await one.app.ledger.pauses()).toEqual([]);
    expect(noticeOf(page)).toMatch(/^Practice: [^:]*$/);
  });

  test.each([
    ['There is no pause of all rewards on main any more.', { server: 'main' }],
    ['No game server in the config is called "nowhere".', { server: 'nowhere' }],
    ['No reward in the config is called "nothing".', { reward: 'nothing' }],
  ])('is refused with “%s”', async (sentence, fields) => {
    const one = await openConsole();
    expect((await one.act('/now/resume', fields)).text).toContain(sentence);
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
    expect((await one.act('/now/release-clock')).text).toContain('1 reward will be paid');
    await expect.poll(() => one.app.ledger.grantStates()).toEqual({ delivered: 2 });
  });

  test('is refused if it is trusted, and while it shows 1970', async () => {
    const clock = new SettableClock('2026-06-01T12:00:00Z');
    const one = await openConsole({}, clock);
    const said = async () => (await one.act('/now/release-clock')).text;
    expect(await said()).toContain('The clock is trusted, and nothing is held because of it.');
    clock.jump('1970-01-01T00:10:00Z');
    expect(await said()).toContain('This machine’s clock is not set.');
  });
});

test('nothing is done for a form of another page, or without a session', async () => {
  const one = await openConsole();
  writeConfig(one.config, { sites: { ...SITES, New: {} } });
  const forged = await one.browser.post('/reload', { csrf: 'guessed' });
  expect([forged.status, forged.text]).toEqual([403, expect.stringContaining('403 form-outdated')]);
  expect((await one.visitor().post('/reload')).status).toBe(403);
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
