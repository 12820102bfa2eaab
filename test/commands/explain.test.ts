import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { stuck } from '../kit/stuck.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1', 'say {site}'] };
const CRATE = { name: 'crate', if: { chance: '0.001%' }, commands: ['give {player} chest 1'] };
const SITES = { default: { token: TOKEN }, 'My-List.com': {} };
/** Paid to nobody in these tests. */
const PRACTICE = { main: { kind: 'practice', autoJoin: false } };
const CONFIG = { sites: SITES, rewards: [DAILY, CRATE], gameServers: PRACTICE };

const WRONG = 'wrong-token-of-thirty-two-letters';
const NOON = '2026-06-01T12:00:00.000Z';
const atNoon = () => new FakeClock(NOON);

const outOf = async ({ run }: Pick<Here, 'run'>, name: string, ...flags: string[]) =>
  (await run('explain', name, ...flags)).out;
const linesOf = async (teller: Pick<Here, 'run'>, name: string, ...flags: string[]) =>
  (await outOf(teller, name, ...flags)).split('\n');
const rowsOf = async ({ run }: Pick<Here, 'run'>, name: string) =>
  (await run('explain', name, '--json')).json;

test('explain shows a rewarded vote from receipt to reply', async () => {
  const game = await rconGame();
  game.show('Steve');
  const teller = await here({ ...CONFIG, gameServers: { main: game.entry } }, atNoon());
  await teller.vote({ player: 'Steve', site: 'My-List.com', at: Date.parse('2026-06-01T11:59:55Z') });
  await teller.untilGrants('delivered');
  const { out, exit } = await teller.run('explain', 'sTEVE');
  expect(exit).toBe(0);
  expect(out.split('\n')).toEqual([
    naming(/vote 1\b/i, 'Steve', 'My-List.com', 'rewarded'),
    naming(NOON, 'v2', '127.0.0.1'),
    naming('2026-06-01T11:59:55.000Z', '5 s'),
    naming('My-List.com', 'sites'),
    naming('rewarded', '24 h', '2026-06-02T11:59:55.000Z'),
    naming('reward', 'daily', 'granted'),
    naming('reward', 'crate', /rolled [\d.]+%/, '0.001%'),
    naming(/grant 1\b/i, 'daily', 'main', 'delivered', /2026-06-01T12:00:\d\d/),
    naming('1.', 'give Steve diamond 1', /delivered at 2026-06-01T12:00:\d\d/, 'Gave 1 [diamond] to Steve'),
    naming('2.', 'say My-List.com', /delivered \(unseen\) at 2026-06-01T12:00:\d\d/, '1 attempt'),
  ]);
});

test('explain names the vote that has the window, and when the next vote will be rewarded; newest last', async () => {
  const teller = await here({ ...CONFIG, rewards: [] }, atNoon());
  await teller.vote({ player: 'Steve', site: 'First.net' });
  await teller.pass(1_000);
  await teller.vote({ player: 'Steve', site: 'Second.net' });
  const lines = await linesOf(teller, 'Steve');
  expect(lines.filter((line) => /^vote \d/i.test(line))).toEqual([
    naming('1', 'Steve', 'First.net', 'rewarded'),
    naming('2', 'Steve', 'Second.net', 'unlisted'),
  ]);
  expect(lines).toContainEqual(naming('"Second.net": {}', 'sites'));
  expect(lines).toContainEqual(
    naming('unlisted', /vote 1\b/i, NOON, 'First.net', '24 h', '2026-06-02T12:00:00.000Z'),
  );
  expect(await rowsOf(teller, 'Steve')).toMatchObject([
    { decision: 'rewarded', sharesWindow: true, grants: [] },
    { decision: 'unlisted', takenBy: { id: 1, castAt: NOON }, rewards: [], grants: [] },
  ]);
  // At a terminal it begins with the sentence that the console’s page of the player has.
  for (const _ of [1, 2]) {
    await teller.vote({ player: 'Alex', site: 'My-List.com' });
    await teller.pass(60_000);
  }
  const [sentence] = (await teller.runBy({}, 'explain', 'Alex')).out.split('\n');
  expect(sentence).toEqual(naming('The last vote, on My-List.com 1 min ago, came too early'));
});

test('explain says why the rewards of a game server that is away wait, since when, and what to do, until it is reached', async () => {
  const { entry } = await rconGame();
  const main = { ...entry, password: 'another-password' };
  const teller = await here({ ...CONFIG, gameServers: { main } }, atNoon());
  await teller.vote({ player: 'Steve' });
  await teller.until(() => teller.log.some(({ code }) => code === 'server-unreachable'));
  const lines = await linesOf(teller, 'Steve');
  expect(lines).toContainEqual(naming('waiting:', 'main', /2026-06-01T12:00:\d\d/, '[wrong-password]'));
  expect(lines).not.toContainEqual(naming('paused'));
  expect(lines).toContainEqual(naming('rcon.password'));
  const [{ grants }] = await rowsOf(teller, 'Steve');
  expect(grants[0]).toMatchObject({
    waiting: { reason: 'wrong-password', since: expect.stringContaining('2026-06-01T12:00:') },
    toDo: expect.stringContaining('rcon.password'),
  });
  await teller.reload({ ...CONFIG, gameServers: { main: entry } });
  await teller.until(async () => !(await outOf(teller, 'Steve')).includes('rcon.password'));
});

test('explain says of each grant why it waits, what its reply means, and what to do', async () => {
  const game = await rconGame();
  const main = game.entry;
  const rewards = [
    { name: 'rank', commands: ['lp user {uuid} parent add voter'] },
    { name: 'later', when: 'always', delay: '10m', commands: ['say {player}'] },
    { name: 'bank', when: 'always', commands: ['bank {player}'] },
    { name: 'all', when: 'always', commands: ['tellraw @a "{site}"'] },
    { name: 'points', when: 'always', commands: ['points {userId}'] },
  ];
  const teller = await here({ gameServers: { main }, rewards }, atNoon());
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting', 'waiting', 'delivered', 'delivered');
  const grants = async () => (await rowsOf(teller, 'Steve'))[0].grants;
  const [, later, bank] = await grants();
  const dueFrom = '2026-06-01T12:10:00.000Z';
  expect(later).toMatchObject({ reason: 'delayed', dueFrom, note: expect.stringContaining('12:10:00') });
  expect(bank.commands[0].doubt).toBe('\\S+ has no account here');
  game.show('Steve');
  await teller.until(async () => (await grants())[0].note === 'uuid-unknown');
  const lines = await linesOf(teller, 'Steve');
  for (const line of [
    naming(/grant 1\b/i, 'rank', 'waiting', '{uuid}'),
    naming('`list uuids`', 'main', '{uuid}', '`teller grants cancel 1`'),
    naming(`not before ${dueFrom}`),
    naming('"\\\\S+ has no account here"', 'gameServers.main.refusedReplies'),
    // It was delivered although no player was there to see it.
    naming('1.', 'delivered', /No player was found \(.+\)$/),
    // It could not be granted.
    naming('points', '{userId}'),
  ])
    expect(lines).toContainEqual(line);
  await teller.reload({
    ...{ rewards, gameServers: { main: { ...main, deliveredReplies: ['no account here'] } } },
  });
  expect((await grants())[2].commands[0].doubt).toBeNull();
});

test('explain says on which game servers a grant waits for its player, and on which it was paid', async () => {
  const [sky, survival] = [await rconGame(), await rconGame()];
  const roaming = { ...DAILY, servers: { whereOnline: ['sky', 'survival'] } };
  const gameServers = { sky: sky.entry, survival: survival.entry };
  const teller = await here({ ...CONFIG, gameServers, rewards: [roaming] });
  await teller.vote({ player: 'Steve' });
  await teller.untilGrants('waiting');
  const waiting = await linesOf(teller, 'Steve');
  expect(waiting).toContainEqual(naming('daily', 'waits for sky or survival'));
  expect(waiting).toContainEqual(naming('nothing', 'Steve is on sky or survival'));
  expect((await teller.run('grants')).out).toContain('sky or survival');
  sky.show('Steve');
  await teller.untilGrants('delivered');
  expect(await linesOf(teller, 'Steve')).toContainEqual(naming('daily', 'sky or survival', 'paid on sky'));
  const [{ grants }] = await rowsOf(teller, 'Steve');
  expect(grants).toMatchObject([{ server: 'sky', whereOnline: ['sky', 'survival'] }]);
});

test('explain says that a claimed time is missing or not believed, and that a vote arrived again; --bytes shows what was received', async () => {
  const teller = await here(CONFIG, atNoon());
  await teller.vote({ player: 'Steve', at: Date.parse('2026-06-01T10:00:00Z') });
  await teller.vote({ player: 'Alex', timestamp: 'yesterday' });
  expect(await linesOf(teller, 'Steve')).toContainEqual(
    naming(NOON, '2026-06-01T10:00:00.000Z', '2 h', '10 min'),
  );
  expect(await rowsOf(teller, 'Alex')).toMatchObject([{ castAt: NOON, claimedAt: null }]);
  const alex = await outOf(teller, 'Alex', '--bytes');
  expect(alex).toContain('\\"username\\":');
  expect(alex).not.toContain('10 min');

  for (let again = 0; again < 4; again++) {
    await teller.vote({ player: 'Kim', at: Date.parse(NOON) });
    await teller.pass(1_000);
  }
  const [row] = await rowsOf(teller, 'Kim');
  expect(row).toMatchObject({ id: 3, repeats: 3 });
  expect(row).not.toHaveProperty('received');
  const kim = await outOf(teller, 'Kim');
  expect(kim.split('\n')).toContainEqual(naming('3', '2026-06-01T12:00:03.000Z'));
  expect(kim).not.toContain('username');
});

test('explain says what to do about each grant that waits, and --json has the trace of its vote', async () => {
  const { teller } = await stuck({ rewards: [DAILY, CRATE] });
  await teller.vote({ player: 'Kim' });
  await teller.untilGrants('refused', 'held', 'delivered', 'waiting');
  for (const [player, ...lines] of [
    [
      ...['Steve', naming('daily', 'refused', /2026-06-01T12:00:0\d/)],
      naming('`teller grants pay 1 --rerender`', '`teller grants cancel 1`'),
    ],
    [
      ...['Alex', naming('1.', 'give Alex diamond 1', /unknown, may have run at 2026-06-01T12:00/)],
      naming('main', 'give Alex diamond 1', '`teller grants ran 2`', '`teller grants pay 2`'),
    ],
    ['Kim', naming('daily', 'waiting'), naming('Kim', 'main')],
  ] as const) {
    const shown = await linesOf(teller, player);
    for (const line of lines) expect(shown).toContainEqual(line);
  }
  const untried = { outcome: null, attempts: 0, startedAt: null };
  expect((await rowsOf(teller, 'Kim'))[0].grants[0].commands[1]).toMatchObject(untried);
  const [row] = await rowsOf(teller, 'Steve');
  const { rolled } = row.rolls[0];
  expect([rolled >= 0, rolled < 1]).toEqual([true, true]);
  expect(row).toMatchObject({
    ...{ id: 1, decision: 'rewarded', rolls: [{ reward: 'crate', chance: 0.00001, rolled }] },
    rewards: [
      { reward: 'daily', granted: true, code: 'granted', facts: {} },
      { reward: 'crate', granted: false, code: 'chance', facts: { chance: 0.00001, rolled } },
    ],
    grants: [{ id: 1, state: 'refused', commands: [{ outcome: 'refused' }, {}] }],
  });
});

test('explain shows refusals since the latest vote, because one of them may be the missing vote', async () => {
  const teller = await here({ ...CONFIG, rewards: [] }, atNoon());
  await teller.vote({ player: 'Alex', site: 'Old', token: WRONG });
  await teller.pass(1_000);
  await teller.vote({ player: 'Steve', site: 'My-List.com' });
  await teller.pass(1_000);
  await teller.vote({ player: 'Alex', site: 'My-List.com', token: WRONG });
  await teller.until(async () => (await outOf(teller, 'Steve')).includes('[v2-signature]'));
  const lines = await linesOf(teller, 'Steve');
  expect(lines.at(-1)).toEqual(naming('2026-06-01T12:00:02.000Z', 'My-List.com', '[v2-signature]'));
  expect(lines).not.toContainEqual(naming('Old'));
  const [row] = await rowsOf(teller, 'Steve');
  expect(row).toMatchObject({ id: 1, refusals: [{ code: 'v2-signature', count: 1 }] });
});

test('explain without a vote exits 1, and suggests similar names; a player is found by their own name, and the one with another prefix mentioned', async () => {
  const teller = await here(CONFIG);
  for (const player of ['.Steven', 'Stevens', '.Alex', 'Alex'])
    await teller.vote({ player, site: 'My-List.com' });
  const { out, exit } = await teller.run('explain', 'Steven');
  const lines = out.split('\n');
  expect([exit, lines[0], lines[1]]).toEqual([1, naming('Steven'), naming('.steven', 'stevens')]);
  expect(out).not.toMatch(/alex/i);
  expect(await rowsOf(teller, 'Steven')).toMatchObject([
    { id: null, name: 'Steven', isAllowed: true, otherNames: ['.steven', 'stevens'] },
  ]);

  const found = await teller.run('explain', '.alex');
  expect(found).toMatchObject({ exit: 0, err: naming(/(?<![.\w])alex\b/) });
  expect(found.out.split('\n')[0]).toEqual(naming(/vote 3\b/i, '.Alex', 'My-List.com'));
  expect(await rowsOf(teller, 'Alex')).toMatchObject([{ id: 4, otherNames: ['.alex'] }]);
});

test('explain without a vote shows refusals of the last 7 days that may be the vote, each cause with its senders, and counts as noise what any open port gets', async () => {
  const teller = await here(CONFIG, atNoon());
  const found = async () => (await rowsOf(teller, 'Steve'))[0];
  // A connection that closed may have been the vote.
  for (const _ of [1, 2, 3]) await fetch(`http://127.0.0.1:${teller.port}/`).catch(() => {});
  await teller.restart();
  expect(await linesOf(teller, 'Steve')).toContainEqual(naming('7 days', '3', '3 http'));
  const noise = [{ code: 'http', count: 3 }];
  expect(await found()).toMatchObject({ refusals: [], noise });

  for (const player of ['Steve', 'Alex']) await teller.vote({ player, site: 'My-List.com', token: WRONG });
  await teller.restart();
  expect(await linesOf(teller, 'Steve')).toEqual([
    naming('Steve'),
    '',
    naming('7 days'),
    naming('2', NOON, '127.0.0.1', 'My-List.com', '`teller keys`', '[v2-signature]'),
  ]);
  const refusal = { code: 'v2-signature', service: 'My-List.com', count: 2, lastAt: NOON };
  expect(await found()).toMatchObject({ refusals: [{ ...refusal, senders: ['127.0.0.1'] }], noise });
  teller.clock.jump(7 * 86_400_000 - 1);
  expect((await found()).refusals).toHaveLength(1);
  teller.clock.jump(1);
  expect((await found()).refusals).toHaveLength(0);
});

test('explain without a vote names the newest sender of refused votes, an IPv6 network as one, and how many others there are', async () => {
  const listener = { host: '127.0.0.1', port: 0, proxyProtocol: 'required', trustedProxies: ['127.0.0.0/8'] };
  const teller = await here({ ...CONFIG, listener }, atNoon());
  const refused = async (...addresses: readonly string[]) => {
    for (const address of addresses) {
      const [version, to] = address.includes(':') ? ['6', '2001:db8::1'] : ['4', '192.0.2.9'];
      const before = `PROXY TCP${version} ${address} ${to} 40000 8192\r\n`;
      await teller.vote({ player: 'Steve', site: 'My-List.com', token: WRONG, before });
      await teller.pass(1_000);
    }
    await teller.restart();
    const [{ refusals }] = await rowsOf(teller, 'Steve');
    return [refusals[0].count, ...refusals[0].senders];
  };
  expect(await refused('192.0.2.1')).toEqual([1, '192.0.2.1']);
  expect(await refused('2001:db8::8', '2001:db8::9')).toEqual([3, '2001:db8::9', '192.0.2.1']);
  expect(await linesOf(teller, 'Steve')).toContainEqual(naming('2001:db8::9 and 1 other'));
  expect(await refused('2001:db8:0:1::1')).toEqual([4, '2001:db8:0:1::1', '2001:db8::9', '192.0.2.1']);
  expect(await linesOf(teller, 'Steve')).toContainEqual(naming('2001:db8:0:1::1 and 2 others'));
});

test('explain without a vote says that the name is not a valid player name, unless it may be a user ID', async () => {
  const one = desk(CONFIG);
  expect((await linesOf(one, 'Steve')).at(-1)).toEqual(naming('`teller keys`'));
  expect(await linesOf(one, '@a')).toContainEqual(naming('16', 'A-Z a-z 0-9 _', '"."', '"*"'));
  expect(await rowsOf(one, '@a')).toMatchObject([{ id: null, isAllowed: false }]);
  const webhook = { path: '/votes', secret: TOKEN, listingId: 'id' };
  rewrite(one, { sites: { ...SITES, 'Five.com': { game: 'fivem', webhook } } });
  expect(await rowsOf(one, '80351110224678912')).toMatchObject([{ id: null, isAllowed: true }]);
  expect(await outOf(one, '80351110224678912')).not.toContain('A-Z a-z 0-9 _');
  expect(await linesOf(one, '@a')).toContainEqual(naming('A-Z a-z 0-9 _'));
});

const votesIn = (out: string): readonly string[] => out.match(/^vote \d+/gm) ?? [];

test('explain at a terminal prints the ten newest votes in local time; --all, --limit and --json have the others', async () => {
  const days = Array.from({ length: 12 }, (_, day) => `Steve,List,2026-05-${10 + day}T20:00:07Z\n`);
  const files = { 'votes.csv': `player,service,time\n${days.join('')}` };
  const one = desk({ timeZone: 'Asia/Kolkata', rewards: [] }, files);
  await one.run('import', 'votes', join(one.folder, 'votes.csv'));
  const { out, err } = await one.runBy({}, 'explain', 'Steve');
  expect([votesIn(out).length, votesIn(out).at(-1)]).toEqual([10, 'vote 12']);
  expect(err).toEqual(naming('10', '--all', 'Asia/Kolkata'));
  expect(out).toContain('2026-05-22 01:30:07');
  const counted = async (...flags: string[]) =>
    votesIn((await one.runBy({}, 'explain', 'Steve', ...flags)).out).length;
  expect([await counted('--all'), await counted('--limit', '11')]).toEqual([12, 11]);
  expect((await one.runBy({}, 'explain', 'Steve', '--json')).json).toHaveLength(12);
  expect((await one.run('explain', 'Steve', '--json', '--limit', '2')).json).toHaveLength(2);
  const script = await one.run('explain', 'Steve', '--limit', '2');
  expect([votesIn(script.out), script.err]).toEqual([['vote 11', 'vote 12'], naming('2', '--all')]);
  expect(script.out).toContain('2026-05-21T20:00:07.000Z');
  expect((await one.run('explain', 'Steve', '--limit', 'all')).exit).toBe(2);
});

test('explain at a terminal waits until a grant that is being paid was paid, three seconds at most; a script does not wait', async () => {
  const game = await rconGame({ commandTimeout: '60s' });
  game.show('Steve', 'Kim');
  const teller = await here({ rewards: [DAILY], gameServers: { main: game.entry } });
  await teller.vote({ player: 'Steve' });
  expect(await outOf(teller, 'Steve')).toContain('pending');
  expect((await teller.runBy({}, 'explain', 'Steve', '--json')).json[0].grants[0].state).toBe('pending');
  expect((await teller.during(teller.runBy({}, 'explain', 'Steve'))).out).toContain(
    'Gave 1 [diamond] to Steve',
  );
  game.fault('silent');
  await teller.vote({ player: 'Kim' });
  expect((await teller.during(teller.runBy({}, 'explain', 'Kim'))).out).toMatch(/being sent|sending/);
  teller.clock.advance(60_000);
  await teller.untilGrants('delivered', 'held');
});
