import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Game, rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { linkOf, linksOf, openLink, operator, type Page, page, signedIn } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { faultsOf, noticeOf, rowsOf } from '../support/page-text.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const ON_MAIN = { rewards: [{ ...DAILY, servers: ['main'] }] };
const FORM = '/now/game-server';
const WRITE = '/now/game-server/write';
const PASSWORD = 'a-password-of-this-test';
const FIVE_MINUTES = 300_000;

/** What is typed into the form; by default of a game server that takes the place of the practice server. */
const entered = (at: Game | number, more: object = {}) => ({
  ...{ name: 'main', host: '127.0.0.1', replaces: 'main', password: PASSWORD },
  port: String(typeof at === 'number' ? at : (at.entry as { port: number }).port),
  ...more,
});

const BESIDE = { name: 'sky', replaces: '' };

/** Sends the form: what changes is shown, or why nothing can. */
const planned = async (teller: Here, fields: Readonly<Record<string, string>>, form = FORM): Promise<Page> =>
  (await operator(teller)).submit(await page(teller, form), form, fields);

/** Presses the button below what is shown. */
const written = async (teller: Here, shown: Page, fields = {}, write = WRITE): Promise<Page> =>
  teller.during((await operator(teller)).submit(shown, write, fields));

const connect = async (teller: Here, fields: Readonly<Record<string, string>>): Promise<Page> =>
  written(teller, await planned(teller, fields));

const gameServersIn = ({ config }: Here) => JSON.parse(readFileSync(config, 'utf8')).gameServers;

test('a game server takes the place of the practice server: shown, written once, applied and connected', async () => {
  const game = await rconGame();
  game.show('Steve');
  const teller = await here();
  // The form says how to run one in a process of its own.
  expect((await page(teller, FORM)).html).toMatch(/<code>[^<]*teller practice<\/code>/);
  const shown = await planned(teller, entered(game));
  expect(shown.text).toContain('It takes the place of the practice server main');
  expect(shown.text).toContain('"kind": "rcon"');
  expect(gameServersIn(teller).main.kind).toBe('practice');
  const after = await written(teller, shown);
  expect([after.status, after.at]).toEqual([303, '/']);
  expect(after.text).toContain('main is in the config, and accepts the login.');
  expect(after.text).toContain('1 player: Steve');
  expect(noticeOf(after.html)).toBe('');
  const { port } = game.entry as { port: number };
  expect(gameServersIn(teller)).toEqual({
    main: { kind: 'rcon', host: '127.0.0.1', port, password: 'file:data/secrets/main.rcon' },
  });
  const file = join(teller.folder, 'data/secrets/main.rcon');
  expect([readFileSync(file, 'utf8').trim(), statSync(file).mode & 0o777]).toEqual([PASSWORD, 0o600]);
  expect((await written(teller, shown)).text).toContain('This was written already: main is in the config.');
});

test('with the first real game server, the votes that were tried from this machine are voided', async () => {
  const teller = await here();
  await teller.run('send', '--player', 'Steve', '--port', await portOf(teller), '--token', TOKEN);
  expect((await connect(teller, entered(await rconGame()))).text).toContain(
    '1 vote from this machine, sent while every game server was a practice one, is voided; none came from outside.',
  );
  expect((await teller.run('votes', '--json')).json).toMatchObject([{ decision: 'practice' }]);
});

const portOf = async (teller: Here): Promise<string> =>
  /Listening on port (\d+)/.exec((await page(teller, '/')).text)?.[1] ?? '';

test('a wrong password is told by the page that follows, and can be changed', async () => {
  const game = await rconGame();
  const teller = await here();
  const first = await connect(teller, entered(game, { password: 'not its password' }));
  expect(first.text).toContain('(wrong-password)');
  expect(first.html).toContain('href="/now/game-server?replace=main"');
  const form = await page(teller, '/now/game-server?replace=main');
  const again = await (await operator(teller)).submit(form, FORM, { password: PASSWORD });
  expect((await written(teller, again)).text).toContain('main is in the config, and accepts the login.');
});

test('what was entered is refused with what it must be; rewards stay on their game server; nothing is written, and the password is in no page', async () => {
  const teller = await here();
  for (const [sentence, more] of [
    ['Name must be', { name: 'not a name' }],
    ['Address must be', { host: 'not a host' }],
    ['Port must be', { port: '65536' }],
    ['Port must be', { port: '0' }],
    ['Port must be', { port: 'x' }],
    ['Password: ', { password: '' }],
    ["Name 'main' is in the config already", { replaces: '' }],
    ["The game server to replace: 'gone' is not in the config", { name: 'sky', replaces: 'gone' }],
  ] as const) {
    const { status, text, html } = await planned(teller, entered(25_575, more));
    expect([status, text]).toEqual([422, expect.stringContaining(sentence)]);
    expect(html).not.toContain(PASSWORD);
  }
  const beside = await planned(teller, entered(65_535, BESIDE));
  expect(beside.status).toBe(200);
  expect(beside.text).toContain('Rewards that named no game server stay on main');
  expect(beside.html).not.toContain(PASSWORD);
  expect(gameServersIn(teller).main.kind).toBe('practice');
});

test('a config that would have faults is refused with what they are', async () => {
  const teller = await here({ rewards: [{ ...DAILY, servers: 'where-online' }] });
  const { status, text } = await planned(teller, entered(25_575, BESIDE));
  expect(status).toBe(422);
  expect(text).toContain('The config would have errors with this game server');
  expect(text).toContain('rewards[0].servers');
});

test('nothing is written while the file has other changes, or if it changed since it was shown', async () => {
  const teller = await here();
  const shown = await planned(teller, entered(25_575));
  writeFileSync(teller.config, readFileSync(teller.config, 'utf8').replace('{', '{ '));
  const late = await written(teller, shown);
  expect(late.status).toBe(409);
  expect(late.text).toContain('The config file was changed since these lines were shown');
  rewrite(teller, { rewards: [] });
  const other = await planned(teller, entered(25_575, { host: 'typed.example' }));
  expect(other.status).toBe(409);
  expect(other.text).toContain('The config file has changes that do not run yet');
  expect(other.html).toContain('value="typed.example"');
  expect(other.html).not.toContain(PASSWORD);
  expect(gameServersIn(teller).main.kind).toBe('practice');
});

test('of two tabs, one is told that the other has changed the config, is shown the lines again, and keeps the password', async () => {
  const teller = await here(ON_MAIN);
  const first = await planned(teller, entered(await rconGame(), BESIDE));
  await connect(teller, entered(await rconGame(), { ...BESIDE, name: 'mill' }));
  const again = await written(teller, first);
  expect(again.status).toBe(409);
  expect(again.text).toContain('The config file was changed');
  expect(Object.keys(gameServersIn(teller))).toEqual(['main', 'mill']);
  const after = await written(teller, again);
  expect(after.text).toContain('sky is in the config, and accepts the login.');
  expect(Object.keys(gameServersIn(teller))).toEqual(['main', 'mill', 'sky']);
});

test('of three tabs, each writes what it showed if the others have written nothing; one whose name another has taken is shown its form again', async () => {
  const teller = await here(ON_MAIN);
  const first = await planned(teller, entered(25_575, BESIDE));
  const second = await planned(teller, entered(25_576, BESIDE));
  await planned(teller, entered(25_577, { ...BESIDE, name: 'mill' }));
  expect((await written(teller, first)).status).toBe(303);
  expect(Object.keys(gameServersIn(teller))).toEqual(['main', 'sky']);
  const again = await written(teller, second);
  expect([again.status, faultsOf(again.html)]).toEqual([422, ['name']]);
  expect(again.html).toContain('value="25576"');
});

test('a change that Teller does not have any more leads to the form with what was typed, without the password', async () => {
  const teller = await here();
  const shown = await planned(teller, entered(25_577, { host: 'play.example' }));
  expect(shown.html).not.toContain(PASSWORD);
  const gone = await written(teller, shown, { plan: 'another' });
  expect(gone.status).toBe(409);
  expect(gone.text).toContain('Teller does not have this change any more');
  for (const kept of ['value="play.example"', 'value="25577"', 'name="replaces" value="main"'])
    expect(gone.html).toContain(kept);
  expect((await page(teller, '/now/game-server/write?plan=9')).html).toContain(`action="${FORM}"`);
});

test('a change is kept for 15 minutes, and for its own session only', async () => {
  const teller = await here();
  const shown = await planned(teller, entered(25_575));
  const plan = /name="plan" value="([^"]+)"/.exec(shown.html)?.[1] ?? '';
  const other = await signedIn(teller);
  await other.get(FORM);
  expect((await other.post(WRITE, { plan })).text).toContain('Teller does not have this change any more');
  const reader = await operator(teller);
  const after = async (ms: number): Promise<Page> => {
    teller.clock.advance(ms);
    await openLink(reader, await linkOf(teller));
    return reader.open(`${WRITE}?plan=${plan}`);
  };
  expect((await after(3 * FIVE_MINUTES)).html).toContain(`name="plan" value="${plan}"`);
  expect((await after(1)).html).not.toContain(`name="plan" value="${plan}"`);
  expect((await reader.post(WRITE, { plan })).text).toContain(
    'These lines were shown more than 15 minutes ago',
  );
});

test('the latest 50 changes are kept', async () => {
  const teller = await here();
  const [first, second] = [await planned(teller, entered(25_575)), await planned(teller, entered(25_576))];
  const reader = await operator(teller);
  for (let tab = 2; tab < 51; tab += 1) await reader.post(FORM, entered(25_575));
  const planOf = ({ html }: Page): string => /name="plan" value="([^"]+)"/.exec(html)?.[0] ?? '';
  const look = async (shown: Page): Promise<string> =>
    (await reader.open(`${WRITE}?plan=${planOf(shown).split('"')[3]}`)).html;
  expect(await look(first)).not.toContain(planOf(first));
  expect(await look(second)).toContain(planOf(second));
});

describe('a site', () => {
  const SITES = { default: { token: TOKEN } };
  const FORM = '/now/site';
  const WRITE = '/now/site/write';

  const sitesIn = ({ config }: Here): Record<string, object> =>
    JSON.parse(readFileSync(config, 'utf8')).sites;

  const plannedSite = (teller: Here, fields: Readonly<Record<string, string>>) =>
    planned(teller, fields, FORM);
  const writtenSite = (teller: Here, shown: Page, fields = {}) => written(teller, shown, fields, WRITE);

  test('the lines are shown first, then written and applied, and the votes that waited are paid', async () => {
    const teller = await here({ sites: SITES });
    for (const site of ['First', 'Second']) await teller.vote({ player: 'Steve', site });
    const shown = await plannedSite(teller, { service: 'Second' });
    expect(shown.status).toBe(200);
    expect(shown.html).not.toContain('name="unproven"');
    expect(shown.text).toContain('1 vote of the last 7 days waited for this');
    expect(shown.text).toMatch(/\+\s+"Second": \{/);
    expect(sitesIn(teller)).not.toHaveProperty('Second');
    const after = await writtenSite(teller, shown);
    expect([after.status, after.at]).toEqual([303, '/']);
    expect(after.text).toContain('1 vote of the last 7 days waited for this and will be decided now');
    expect(sitesIn(teller)).toHaveProperty('Second', {});
    await teller.untilGrants('delivered', 'delivered');
  });

  test('a site is added before its first vote, with the page where players vote', async () => {
    const teller = await here({ sites: SITES });
    expect(linksOf(await page(teller, '/'))).toContain(FORM);
    const url = 'https://minecraft-server-list.com/server/7/vote/';
    const shown = await plannedSite(teller, { service: 'MCSL', url });
    expect(shown.text).toContain('No vote with the service name MCSL has arrived yet');
    expect(shown.text).toContain('is known as the list minecraft-server-list.com');
    expect((await writtenSite(teller, shown, { unproven: 'yes' })).status).toBe(303);
    expect(sitesIn(teller).MCSL).toEqual({ url });
    expect(rowsOf((await page(teller, '/')).html, 'Sites')).toMatchObject([
      { Site: 'MCSL', 'Last vote': 'never', State: 'Silent' },
    ]);
  });

  test('a listed site is given its vote page', async () => {
    const teller = await here();
    const url = 'https://list.example/vote';
    expect((await writtenSite(teller, await plannedSite(teller, { service: 'List', url }))).status).toBe(303);
    expect(sitesIn(teller).List).toEqual({ url });
  });

  test('Now leads to the lines of a site that sent votes, with a warning of a name that only v1 votes have', async () => {
    const teller = await here({ sites: SITES });
    await (await operator(teller)).submit(await page(teller, '/test'), '/test/votes', {
      ...{ player: 'Steve', service: 'Invented', version: 'v1' },
    });
    const path = '/now/site?service=Invented';
    await teller.until(async () => linksOf(await page(teller, '/')).includes(path));
    const shown = await page(teller, path);
    expect(shown.text).toContain('No vote with this name was signed');
    const refused = await (await operator(teller)).post(WRITE, {
      service: 'Invented',
      shown: /name="shown" value="([^"]+)"/.exec(shown.html)?.[1] ?? '',
    });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(
      'Invented was seen, but has not sent a correctly signed (version 2) vote.',
    );
    expect(sitesIn(teller)).toEqual(SITES);
    await writtenSite(teller, shown, { unproven: 'yes' });
    expect(Object.keys(sitesIn(teller))).toEqual(['default', 'Invented']);
  });

  test.each([
    ['Service name is missing', 'service', { service: '' }],
    ['can have at most 128 characters', 'service', { service: 'x'.repeat(129) }],
    ['cannot be added', 'service', { service: 'default' }],
    ['already has an entry', 'service', { service: 'List' }],
    ['Vote page must be', 'url', { service: 'New', url: 'not a page' }],
  ])('a form is refused with “%s”, and what was typed stays', async (sentence, field, fields) => {
    const teller = await here();
    const refused = await plannedSite(teller, fields);
    expect([refused.status, faultsOf(refused.html)]).toEqual([422, [field]]);
    expect(refused.text).toContain(sentence);
    expect(refused.html).toContain(`name="service" type="text" value="${fields.service}"`);
    if (fields.service.length > 128)
      expect((await plannedSite(teller, { service: fields.service.slice(1) })).status).toBe(200);
  });

  test('nothing is written that was not shown', async () => {
    const teller = await here({ sites: SITES });
    const shown = await plannedSite(teller, { service: 'New' });
    for (const fields of [{ shown: '' }, { url: 'https://new.example/' }]) {
      const again = await writtenSite(teller, shown, { unproven: 'yes', ...fields });
      expect(again.status).toBe(409);
      expect(again.text).toContain('Something else would be written now. Look at the lines again.');
      expect(again.html).toMatch(/name="shown" value="[^"]+"/);
    }
    expect(sitesIn(teller)).toEqual(SITES);
  });

  test('nothing is written while the file has other changes, which a reload would apply too', async () => {
    const teller = await here({ sites: SITES });
    await teller.vote({ player: 'Steve' });
    await operator(teller);
    rewrite(teller, { rewards: [], sites: SITES });
    const refused = await plannedSite(teller, { service: 'List' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('has changes that do not run yet (rewards.thanks)');
    expect((await page(teller, '/now/site?service=List')).html).toContain('value="List"');
    expect(sitesIn(teller)).toEqual(SITES);
  });
});
