import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Game, rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { linkOf, openLink, operator, type Page, page, passing, signedIn } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { faultsOf, noticeOf } from '../support/page-text.ts';

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
const planned = async (teller: Here, fields: Readonly<Record<string, string>>): Promise<Page> =>
  (await operator(teller)).submit(await page(teller, FORM), FORM, fields);

/** Presses the button below what is shown. */
const written = async (teller: Here, shown: Page, fields = {}): Promise<Page> =>
  passing(teller, (await operator(teller)).submit(shown, WRITE, fields));

const connect = async (teller: Here, fields: Readonly<Record<string, string>>): Promise<Page> =>
  written(teller, await planned(teller, fields));

const gameServersIn = ({ config }: Here) => JSON.parse(readFileSync(config, 'utf8')).gameServers;

test('a game server takes the place of the practice server: shown, written, applied and connected', async () => {
  const game = await rconGame();
  game.show('Steve');
  const teller = await here();
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

test('the form says how to run a practice server in a process of its own', async () => {
  expect((await page(await here(), FORM)).html).toMatch(/<code>[^<]*teller practice<\/code>/);
});

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

test('a second game server is added beside the first, if the rewards say where they are paid', async () => {
  const teller = await here(ON_MAIN);
  await connect(teller, entered(await rconGame(), BESIDE));
  expect(Object.keys(gameServersIn(teller))).toEqual(['main', 'sky']);
});

test('rewards that name no game server stay where they are when another is added, and the page says so', async () => {
  const { status, text } = await planned(await here(), entered(25_575, BESIDE));
  expect(status).toBe(200);
  expect(text).toContain('Rewards that named no game server stay on main');
});

test.each([
  ['Name must be', { name: 'not a name' }],
  ['Address must be', { host: 'not a host' }],
  ['Port must be', { port: '65536' }],
  ['Port must be', { port: '0' }],
  ['Port must be', { port: 'x' }],
  ['Password: ', { password: '' }],
  ["Name 'main' is in the config already", { replaces: '' }],
  ["The game server to replace: 'gone' is not in the config", { name: 'sky', replaces: 'gone' }],
])('what was entered is refused with “%s …”, and nothing is written', async (sentence, more) => {
  const teller = await here();
  const { status, text } = await planned(teller, entered(25_575, more));
  expect([status, text]).toEqual([422, expect.stringContaining(sentence)]);
  expect(gameServersIn(teller).main.kind).toBe('practice');
});

test('a config that would have faults is refused with what they are', async () => {
  const teller = await here({ rewards: [{ ...DAILY, servers: 'where-online' }] });
  const { status, text } = await planned(teller, entered(25_575, BESIDE));
  expect(status).toBe(422);
  expect(text).toContain('The config would have errors with this game server');
  expect(text).toContain('rewards[0].servers');
});

test('the password is in no page', async () => {
  const teller = await here();
  const secret = 'correct-horse-battery-staple';
  const refused = await planned(teller, entered(0, { password: secret }));
  const shown = await planned(teller, entered(65_535, { password: secret }));
  expect([refused.status, shown.status]).toEqual([422, 200]);
  expect(refused.html + shown.html).not.toContain(secret);
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

test('of two tabs, each writes what it showed, if the other one has written nothing', async () => {
  const teller = await here(ON_MAIN);
  const first = await planned(teller, entered(25_575, BESIDE));
  await planned(teller, entered(25_576, { ...BESIDE, name: 'mill' }));
  expect((await written(teller, first)).status).toBe(303);
  expect(Object.keys(gameServersIn(teller))).toEqual(['main', 'sky']);
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

test('of two tabs, one whose name the other has taken is shown its form again, with what was typed', async () => {
  const teller = await here(ON_MAIN);
  const first = await planned(teller, entered(25_575, BESIDE));
  await connect(teller, entered(await rconGame(), BESIDE));
  const again = await written(teller, first);
  expect([again.status, faultsOf(again.html)]).toEqual([422, ['name']]);
  expect(again.html).toContain('value="25575"');
});

test('a change is written once, and the second time it is said that it was', async () => {
  const teller = await here();
  const shown = await planned(teller, entered(await rconGame()));
  expect((await written(teller, shown)).text).toContain('main is in the config, and');
  expect((await written(teller, shown)).text).toContain('This was written already: main is in the config.');
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
