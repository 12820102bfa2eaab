import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { check } from '../kit/check.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, page, player } from '../kit/page.ts';
import { rewrite } from '../kit/place.ts';
import { freePort, serve } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
import { votifierGame } from '../kit/votifier.ts';
import { factsOf, findingsOf, type ShownFinding, stateSentenceOf } from '../support/page-text.ts';

const THANKS = { name: 'thanks', when: 'always', commands: ['say {player}'] };
const SITES = { default: { token: TOKEN } };

const now = async (teller: Here): Promise<string> => (await page(teller, '/')).html;

/** Waits until *Now* shows this finding. */
async function shown(teller: Here, code: string): Promise<ShownFinding> {
  let found: ShownFinding | undefined;
  await teller.until(async () => {
    found = findingsOf(await now(teller)).find((finding) => finding.code === code);
    return found !== undefined;
  });
  return found!;
}

test('what the config alone shows is worth a look', async () => {
  for (const [codes, config] of [
    [['port'], { sites: SITES }],
    [
      ['token-none', 'proxies-open'],
      { sites: {}, listener: { host: '127.0.0.1', port: 0, proxyProtocol: 'required' } },
    ],
    [
      ['v1-open', 'placeholder-unknown', 'colour-code', 'site-silent', 'shadow-alone'],
      {
        ...{ sites: { ...SITES, Silent: {} }, pay: { mode: 'shadow' } },
        rewards: [{ ...THANKS, commands: ['say &6hi {rank}'] }],
      },
    ],
  ] as const) {
    const teller = await here(config);
    for (const code of codes)
      expect(await shown(teller, code)).toMatchObject({
        ...{ mark: 'warning', toDo: expect.stringMatching(/./), button: null },
      });
  }
});

test('Now says the sentences of `teller check`', async () => {
  const teller = await here({
    rewards: [{ ...THANKS, commands: ['say {rank}'] }],
    sites: { ...SITES, Silent: {} },
  });
  await shown(teller, 'site-silent');
  const said = (await page(teller, '/')).text.replaceAll('`', '');
  const alike = ['v1-open', 'placeholder-unknown', 'site-silent', 'ledger', 'grants', 'files'];
  const sentences = (await check(teller)).found
    .filter(({ code }) => alike.includes(code))
    .map(({ sentence }) => sentence.replaceAll('`', ''));
  expect(sentences).toHaveLength(alike.length);
  for (const sentence of sentences) expect(said.toLowerCase()).toContain(sentence.toLowerCase());
});

test.skipIf(process.platform === 'win32')(
  'files that other users can read are shown with the command that closes them, and a public key that is gone',
  async () => {
    const teller = await here();
    rmSync(join(teller.folder, 'data/keys/public.key'));
    expect((await shown(teller, 'keys-not-made')).toDo).not.toBe('');
    const ledger = join(teller.folder, 'data/teller.db');
    chmodSync(teller.config, 0o644);
    chmodSync(ledger, 0o644);
    expect((await shown(teller, 'secrets')).toDo).toBe(`chmod 600 ${teller.config}`);
    expect((await shown(teller, 'ledger-open')).toDo).toBe(`chmod go= ${ledger}`);
  },
);

test('a config file that a reload would refuse is shown with each fault, and one that is gone is shown too', async () => {
  const teller = await here();
  writeFileSync(teller.config, JSON.stringify({ listner: {}, ledger: 5 }));
  expect(await shown(teller, 'config-unknown-key')).toMatchObject({
    ...{ mark: 'problem', button: null },
    toDo: expect.stringContaining('until then the previous config stays in effect'),
  });
  const faults = findingsOf(await now(teller)).filter(({ code }) => code.startsWith('config-'));
  expect(faults.map(({ code }) => code).toSorted()).toEqual(['config-unknown-key', 'config-value']);
  rmSync(teller.config);
  expect((await shown(teller, 'config-missing')).mark).toBe('problem');
});

test('a config file that is newer than what runs can be reloaded, unless its changes need a restart', async () => {
  const teller = await here({ sites: SITES });
  await operator(teller);
  rewrite(teller, { sites: { ...SITES, New: {} } });
  expect(await shown(teller, 'config-older')).toMatchObject({
    ...{ mark: 'warning', button: '/reload' },
    sentence: expect.stringContaining('sites.New'),
  });
  rewrite(teller, { sites: SITES, listener: { host: '127.0.0.1', port: await freePort() } });
  await teller.until(async () => (await shown(teller, 'config-older')).button === null);
  expect((await shown(teller, 'config-older')).toDo).toBe('Restart Teller');
});

test('a listing that does not answer, one without TLS, and rewards that votes cannot earn, are shown', async () => {
  const listing = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"data":[]}'),
  );
  const at = (host: string, port: number) => ({
    api: { baseUrl: `http://${host}:${port}/api/v1`, token: 'tok' },
  });
  const sites = {
    ...{ ...SITES, 'Five.com': { game: 'fivem', ...at('127.0.0.1', await freePort()) } },
    'Plain.com': at('0.0.0.0', await serve(listing)),
  };
  const rewards = [{ name: 'daily', commands: ['give {player} diamond'] }];
  const teller = await here({ sites, rewards });
  for (const [code, mark] of [
    ['rewards-misfit', 'warning'],
    ['api', 'problem'],
    ['api-plain', 'warning'],
  ] as const)
    expect((await shown(teller, code)).mark).toBe(mark);
});

test('game servers that refuse the password or are not there are problems, and the first sentence names them', async () => {
  const main = (await rconGame({ password: 'not its password' })).entry;
  const gone = { ...(await rconGame()).entry, port: await freePort() };
  const teller = await here({ gameServers: { main, gone }, rewards: [{ ...THANKS, servers: 'all' }] });
  expect((await shown(teller, 'wrong-password')).mark).toBe('problem');
  expect((await shown(teller, 'unreachable')).mark).toBe('problem');
  const html = await now(teller);
  expect(stateSentenceOf(html)).toContain('main and gone accept no commands.');
  expect(factsOf(html)).toMatchObject([
    { Connection: expect.stringMatching(/ wrong-password$/) },
    { Connection: expect.stringMatching(/ unreachable$/) },
  ]);
});

test('the page says when a game server is tried again, until it accepts commands', async () => {
  const game = await rconGame();
  const teller = await here({
    gameServers: { main: { ...game.entry, port: await freePort() } },
    rewards: [THANKS],
  });
  const retryAt = async () =>
    /<dt>Next try<\/dt><dd><time datetime="([^"]+)"/.exec(await now(teller))?.[1] ?? null;
  await teller.vote({ player: 'Steve' });
  await teller.until(async () => (await retryAt()) !== null);
  const first = await retryAt();
  expect(Math.abs(Date.parse(first ?? '') - teller.clock.now())).toBeLessThan(60_000);
  await teller.until(async () => (await retryAt()) !== first);
  await teller.reload({ gameServers: { main: game.entry }, rewards: [THANKS] });
  await teller.until(async () => factsOf(await now(teller))[0]?.Connection === 'It accepts commands.');
  expect(await now(teller)).not.toContain('Next try');
});

test('a game server that cannot report who is online is a problem, and one that is asked player by player is fine', async () => {
  const mute = await rconGame({}, (command) =>
    /give|say/.test(command) ? undefined : 'Nobody but us chickens',
  );
  const asked = await rconGame({}, (command) => (command.includes('execute') ? 'Test failed' : 'Hello'));
  const one = await here({ gameServers: { main: mute.entry } });
  await shown(one, 'list-not-understood');
  expect(factsOf(await now(one))[0]?.Reports).toMatch(/ list-not-understood$/);
  const other = await here({ gameServers: { main: asked.entry } });
  await other.until(
    async () => factsOf(await now(other))[0]?.Reports?.includes('Whether one player is online') === true,
  );
  await other.until(async () =>
    (await page(other, '/')).text.includes('does not understand its player list'),
  );
  expect(findingsOf(await now(other)).map(({ code }) => code)).not.toContain('presence-one-by-one');
});

test('a game server without UUIDs, and a plugin and another listener that are not there, are shown before anything is sent to them', async () => {
  const game = await rconGame();
  game.show('Steve');
  const url = `http://127.0.0.1:${await freePort()}/run`;
  const city = { kind: 'http', url, secret: 's3cret-of-the-city-0123456789abcdef' };
  const old = { ...(await votifierGame()).entry, port: await freePort() };
  const rewards = [
    { name: 'rank', servers: ['main'], commands: ['lp user {uuid} parent add voter'] },
    { ...THANKS, servers: ['city'] },
  ];
  const teller = await here({ gameServers: { main: game.entry, city, old }, rewards });
  await shown(teller, 'uuid-unknown');
  for (const code of ['http-unreachable', 'votifier.unreachable'])
    expect((await shown(teller, code)).mark).toBe('problem');
});

test('a reply that looks like a failure is shown with what would refuse it, and a refused grant as one that needs the operator', async () => {
  const shop = await rconGame({}, (command) =>
    command.startsWith('say') ? 'Could not find a shop for Steve' : undefined,
  );
  const rewards = [THANKS, { ...THANKS, name: 'broken', commands: ['nonsense {player}'] }];
  const teller = await here({ gameServers: { main: shop.entry }, rewards });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('delivered', 'refused');
  expect((await shown(teller, 'replies-doubtful')).toDo).toContain('gameServers.main.refusedReplies');
  expect((await shown(teller, 'grants-stuck')).button).toBeNull();
  expect((await page(teller, '/')).text).toContain('1 grant needs you.');
});

test('votes of practice still count when a real game server is in the config', async () => {
  const teller = await here();
  await teller.vote({ player: 'Steve' });
  await teller.reload({ gameServers: { main: (await rconGame()).entry } });
  expect((await shown(teller, 'practice-votes')).toDo).toContain('votes void --practice');
});

test('an unlisted site has a button that adds it, and so has a window that several share, but only once', async () => {
  const teller = await here({ rewards: [THANKS], sites: SITES });
  await teller.vote({ player: 'Steve', site: 'First' });
  expect(await shown(teller, 'site-unlisted')).toMatchObject({
    mark: 'warning',
    button: '/now/site?service=First',
  });
  await teller.vote({ player: 'Steve', site: 'Second' });
  expect(await shown(teller, 'window-shared')).toMatchObject({
    mark: 'problem',
    button: '/now/site?service=Second',
  });
  expect((await now(teller)).match(/href="\/now\/site\?service=Second"/g)).toHaveLength(1);
});

test('refused votes, a clock that most sites disagree with, and an event that did not reach its receiver are shown', async () => {
  const url = `http://127.0.0.1:${await freePort()}/events`;
  const events = [{ url, on: ['vote.rewarded'], secret: 'the-secret-of-the-plugin' }];
  const teller = await here({ rewards: [THANKS], events });
  await teller.vote({ player: 'Steve', token: 'another-token-of-thirty-two-chars' });
  const at = teller.clock.now() - 2 * 3_600_000;
  for (const name of ['Steve', 'Alex', 'Zoe']) await teller.vote({ player: name, at });
  expect((await shown(teller, 'refusals')).toDo).toContain('Paste the token');
  expect((await shown(teller, 'clock-wrong')).toDo).not.toBe('');
  expect((await shown(teller, 'events-unsent')).mark).toBe('warning');
});

test('a port that the public page cannot have costs only that page', async () => {
  const port = await serve(createServer());
  const teller = await here({ console: { port: 0, public: { port } } });
  expect(await teller.vote({ player: 'Alex' })).toBe('ok');
  const finding = await shown(teller, 'port-in-use');
  expect(finding).toMatchObject({ mark: 'problem', toDo: 'Then restart Teller' });
  expect(finding.sentence).toContain(`127.0.0.1:${port}`);
  expect(finding.sentence).toContain('console.public');
  expect(teller.log.map(({ code }) => code)).toContain('port-in-use');
});

test('twenty requests to the public page through a proxy that the config does not name are a warning for an hour', async () => {
  const teller = await here({ console: { port: 0, public: { port: 0 } } });
  const asked = async (times: number, headers = { 'x-forwarded-for': '192.0.2.7' }) => {
    for (let time = 0; time < times; time += 1) await player(teller).get('/top.json', headers);
    return (await check(teller, '--offline')).of('proxy-unnamed');
  };
  expect(await asked(19)).toEqual([]);
  const toDo = expect.stringMatching(/trustedProxies.*"127\.0\.0\.1\/32"|"127\.0\.0\.1\/32".*trustedProxies/);
  expect(await asked(1)).toMatchObject([{ mark: 'warning', toDo }]);
  expect(await shown(teller, 'proxy-unnamed')).toMatchObject({ mark: 'warning', toDo, button: null });
  teller.clock.advance(3_600_001);
  expect(await asked(0)).toEqual([]);
});

test('requests without that header, or through a proxy that is trusted, are none', async () => {
  const forwarded = { 'x-forwarded-for': '192.0.2.7' };
  for (const [headers, more] of [
    [{}, {}],
    [forwarded, { trustedProxies: ['127.0.0.0/8'] }],
  ] as const) {
    const teller = await here({ console: { port: 0, ...more, public: { port: 0 } } });
    for (let time = 0; time < 40; time += 1) await player(teller).get('/top.json', headers);
    expect((await check(teller, '--offline')).of('proxy-unnamed')).toEqual([]);
  }
});

/** What the page says of each check that found nothing wrong. */
const FINE = [
  ...['1 listed site, 1 game server', 'The RSA key pair in', 'which is enough for 1024 connections'],
  ...[/It is [\w ,:-]*\d\d:\d\d/, 'Days begin at midnight in UTC', 'can be read; --deep reads all of it'],
  ...['MiB are free in', 'accepts the login', 'the other side pays earlier ones', 'No message was sent yet'],
  ...['The receiver of events is ops', 'No grant needs a decision', 'List: last vote'],
];

test('the page lists what was found to be fine', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const teller = await here({
    gameServers: { main: (await rconGame()).entry },
    alarms: { url: `${url}/alarms`, format: 'chat' },
    events: [{ url: `${url}/events`, format: 'chat', on: ['party'], name: 'ops' }],
    pay: { mode: 'real', from: '2020-01-01T00:00:00Z' },
  });
  await teller.vote({ player: 'Steve' });
  let text = '';
  const missing = () => FINE.filter((said) => text.search(said) < 0);
  await teller.until(async () => {
    text = (await page(teller, '/')).text;
    return text.includes('accepts the login');
  });
  expect(missing()).toEqual([]);
});
