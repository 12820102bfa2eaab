import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, type Page, page } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';
import { faultsOf, rowsOf, textOf } from '../support/page-text.ts';

const REWARDS = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const VOTE = { player: 'Steve', service: 'My-List.com', version: 'v2' };

/** Fills in the form for a vote, and sends it. */
const sent = async (teller: Here, fields: Readonly<Record<string, string>> = {}): Promise<Page> =>
  teller.during(
    (await operator(teller)).submit(await page(teller, '/test'), '/test/votes', { ...VOTE, ...fields }),
  );

const votes = async (teller: Here) => (await teller.run('votes', '--json')).json;

test.each([
  ['v2', 'accepted', 'listener-v2'],
  ['v1', 'sent', 'listener-v1'],
])(
  'a vote of %s is sent to the listener, which answers %s, and is shown until it is paid',
  async (version, code, channel) => {
    const teller = await here({ rewards: REWARDS });
    expect((await sent(teller, { version })).at).toBe('/test/votes/1');
    await teller.untilGrants('delivered');
    expect(await votes(teller)).toMatchObject([
      { player: 'Steve', service: 'My-List.com', channel, decision: 'rewarded' },
    ]);
    const { html } = await page(teller, '/test/votes/1');
    for (const part of [
      ...[`<code>${code}</code>`, 'Stored', 'href="/votes/1"', 'Decided'],
      ...['Paid: <bdi>daily</bdi>', 'give Steve diamond 1'],
    ])
      expect(html).toContain(part);
  },
);

test.each([
  [
    'Teller test, so that no listed site loses a window',
    { default: { token: TOKEN }, List: {} },
    'Teller test',
  ],
  ['a listed site, if only its votes can be signed', { List: { token: TOKEN } }, 'List'],
])('the service that is suggested for a vote is %s', async (_, sites, service) => {
  const { html } = await page(await here({ sites }), '/test');
  expect(/name="service"[^>]*value="([^"]*)"/.exec(html)?.[1]).toBe(service);
});

test('a vote that came too early shows its decision and that nothing was paid', async () => {
  const teller = await here({ rewards: REWARDS });
  await teller.vote({ player: 'Steve', site: 'My-List.com' });
  await sent(teller);
  const text = async (): Promise<string> => (await page(teller, '/test/votes/1')).text;
  await teller.until(async () => (await text()).includes('No reward came of this vote'));
  expect(await text()).toContain('Decided too early');
});

test('a vote that cannot be sent is refused at its field, which refers to what is wrong; one that the listener refuses shows its answer; neither arrives', async () => {
  const teller = await here();
  for (const [fields, field] of [
    [{ player: '  ' }, 'player'],
    [{ player: 'Steve\nAlex' }, 'player'],
    [{ service: 'My\u202eList' }, 'service'],
    [{ service: 'x'.repeat(129) }, 'service'],
    [{ version: 'v3' }, 'version'],
  ] as const) {
    const { html } = await sent(teller, fields);
    expect(faultsOf(html)).toEqual([field]);
    expect(html).toMatch(new RegExp(`aria-describedby="${field}-fault[^"]*" aria-invalid="true"`));
    expect(html).toMatch(/<div class="alert bad" role="alert"/);
  }
  const refused = await sent(teller, { player: 'x'.repeat(64) });
  expect(refused.at).toBe('/test/votes/1');
  const stages = /The vote was not accepted\..* Now: Answered .* name-too-long 3 Stored 4 Decided 5 Paid /;
  expect(refused.text).toMatch(stages);
  expect(await votes(teller)).toEqual([]);
  expect((await page(teller, '/test/votes/2')).status).toBe(404);
});

test('a protocol that the listener does not accept is not offered', async () => {
  const teller = await here({ listener: { host: '127.0.0.1', port: 0, protocols: ['v2'] } });
  const { html } = await page(teller, '/test');
  expect([html.includes('value="v2"'), html.includes('value="v1"')]).toEqual([true, false]);
  expect(faultsOf((await sent(teller, { version: 'v1' })).html)).toEqual(['version']);
});

test('a site without a token is refused, and why is said at its name', async () => {
  const { html } = await sent(await here({ sites: { default: {} } }));
  expect([faultsOf(html), html.includes('no token is set')]).toEqual([['service'], true]);
});

test('a vote is said to be paid for real only if a game server is real and this Teller pays', async () => {
  const said = 'The player is paid for real';
  const gameServers = { main: (await rconGame()).entry };
  expect((await page(await here({ gameServers }), '/test')).text).toContain(said);
  expect((await page(await here({ gameServers, pay: { mode: 'shadow' } }), '/test')).text).not.toContain(
    said,
  );
  expect((await page(await here(), '/test')).text).not.toContain(said);
});

test('players join and leave a practice server, and their inventories are shown', async () => {
  const teller = await here({ rewards: REWARDS });
  const reader = await operator(teller);
  const players = async () => rowsOf((await page(teller, '/test')).html, 'Players on practice servers');
  const joined = await reader.submit(await page(teller, '/test'), '/test/practice', {
    joining: 'Steve',
    move: 'join',
  });
  expect(joined.text).toContain('Steve has joined main.');
  await teller.vote({ player: 'Steve' });
  await teller.until(async () => (await players())[0]?.Has !== 'nothing');
  expect(await players()).toMatchObject([{ Player: 'Steve', On: 'main', Has: '1 diamond' }]);
  await reader.post('/test/practice', { world: 'main', joining: 'Steve', move: 'leave' });
  expect(await players()).toEqual([]);
});

test('what a player on a practice server cannot do is refused, and changes nothing', async () => {
  const teller = await here();
  const reader = await operator(teller);
  await reader.get('/test');
  const move = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    const { html } = await reader.post('/test/practice', { world: 'main', ...fields });
    return textOf({ text: /role="alert"(.*?)<\/div>\s*<\/div>/s.exec(html)?.[1] ?? '' });
  };
  await move({ joining: 'Alex', move: 'join' });
  for (const [fields, said] of [
    [{ joining: '@a', move: 'join' }, 'No player can have this name.'],
    [{ joining: 'Alex', move: 'join' }, 'A player with this name is online already.'],
    [{ joining: 'Steve', move: 'leave' }, 'The player is not online any more.'],
    [{ joining: '', move: 'join' }, 'Name is missing.'],
    [{ joining: 'Steve', move: 'fly' }, 'Action'],
    [{ joining: 'Steve', move: 'join', world: 'elsewhere' }, 'Practice server'],
  ] as const)
    expect(await move(fields)).toContain(said);
  const players = rowsOf((await page(teller, '/test')).html, 'Players on practice servers');
  expect(players.map(({ Player }) => Player)).toEqual(['Alex']);
});
