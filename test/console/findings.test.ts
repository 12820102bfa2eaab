import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { check } from '../kit/check.ts';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { page, player } from '../kit/page.ts';
import { freePort, serve } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
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

/** What is wrong or worth a look, and what was found to be fine, among what `teller check` finds below. */
const ALIKE = {
  problem: ['wrong-password', 'unreachable'],
  warning: ['v1-open', 'placeholder-unknown', 'colour-code', 'site-silent'],
  ok: ['config', 'keys', 'files', 'ledger', 'game-server', 'grants'],
} as const;

test('Now shows what `teller check` finds, each problem and warning with its code and what to do; the first sentence names the game servers', async () => {
  const game = await rconGame();
  const teller = await here({
    sites: { ...SITES, Silent: {}, List: {} },
    gameServers: {
      main: game.entry,
      locked: (await rconGame({ password: 'not its password' })).entry,
      gone: { ...game.entry, port: await freePort() },
    },
    rewards: [{ ...THANKS, servers: ['main'], commands: ['say &6hi {rank}'] }],
    pay: { mode: 'real', from: '2020-01-01T00:00:00Z' },
  });
  await teller.vote({ player: 'Steve' });
  const { found } = await teller.during(check(teller));
  let { html, text } = await page(teller, '/');
  await teller.until(async () => {
    ({ html, text } = await page(teller, '/'));
    const codes = findingsOf(html).map(({ code }) => code);
    const isAll = [...ALIKE.problem, ...ALIKE.warning].every((code) => codes.includes(code));
    return isAll && text.includes('accepts the login');
  });
  const said = (sentence: string): string => sentence.replaceAll('`', '').toLowerCase();
  for (const [mark, codes] of Object.entries(ALIKE)) {
    const alike = found.filter((each) => each.mark === mark && codes.some((code) => code === each.code));
    expect([...new Set(alike.map(({ code }) => code))].toSorted()).toEqual(codes.toSorted());
    for (const { code, sentence, toDo } of alike) {
      expect(said(text)).toContain(said(sentence));
      if (mark === 'ok') continue;
      const one = findingsOf(html).find((each) => each.code === code);
      expect([code, one?.mark, said(one?.toDo ?? '')]).toEqual([code, mark, said(toDo ?? '')]);
    }
  }
  expect(text).toContain('the other side pays earlier ones');
  expect(stateSentenceOf(html)).toContain('locked and gone accept no commands.');
  expect(factsOf(html).map(({ Connection }) => Connection)).toEqual([
    'It accepts commands.',
    ...[/ wrong-password$/, / unreachable$/].map((end) => expect.stringMatching(end)),
  ]);
});

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

test('a port that the public page cannot have costs only that page, and Now says so when it is first opened', async () => {
  const port = await serve(createServer());
  const teller = await here({ console: { port: 0, public: { port } } });
  expect(await teller.vote({ player: 'Alex' })).toBe('ok');
  const finding = findingsOf(await now(teller)).find(({ code }) => code === 'port-in-use')!;
  expect(finding).toMatchObject({ mark: 'problem', toDo: 'Then restart Teller' });
  expect(finding.sentence).toContain(`127.0.0.1:${port}`);
  expect(finding.sentence).toContain('console.public');
  expect(teller.log.map(({ code }) => code)).toContain('port-in-use');
});

const FORWARDED = { 'x-forwarded-for': '192.0.2.7' };

/** What is found of proxies after so many requests to the public page. */
async function asked(teller: Here, times: number, headers: Record<string, string> = FORWARDED) {
  for (let time = 0; time < times; time += 1) await player(teller).get('/top.json', headers);
  return (await check(teller, '--offline')).of('proxy-unnamed');
}

test('twenty requests to the public page through a proxy that the config does not name are a warning for an hour, and any number through one that is trusted none', async () => {
  const teller = await here({ console: { port: 0, public: { port: 0 } } });
  expect(await asked(teller, 40, {})).toEqual([]);
  expect(await asked(teller, 19)).toEqual([]);
  const toDo = expect.stringMatching(/trustedProxies.*"127\.0\.0\.1\/32"|"127\.0\.0\.1\/32".*trustedProxies/);
  expect(await asked(teller, 1)).toMatchObject([{ mark: 'warning', toDo }]);
  expect(await shown(teller, 'proxy-unnamed')).toMatchObject({ mark: 'warning', toDo, button: null });
  teller.clock.advance(3_600_001);
  expect(await asked(teller, 0)).toEqual([]);
  const trusting = { port: 0, trustedProxies: ['127.0.0.0/8'], public: { port: 0 } };
  expect(await asked(await here({ console: trusting }), 40)).toEqual([]);
});
