import { describe, expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { freePort } from '../kit/serve.ts';
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

describe('explain', () => {
  test('shows a rewarded vote from receipt to reply', async () => {
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

  test('names the vote that has the window, and when the next vote will be rewarded; newest last', async () => {
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
  });

  test('says why the rewards of a game server that is away wait, since when, and what to do', async () => {
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
  });

  test('says why a grant waits for a UUID, and what to do', async () => {
    const game = await rconGame();
    game.show('Steve');
    const rank = { name: 'rank', commands: ['lp user {uuid} parent add voter'] };
    const teller = await here({ ...CONFIG, gameServers: { main: game.entry }, rewards: [rank] });
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('waiting');
    await teller.until(async () => (await rowsOf(teller, 'Steve'))[0].grants[0].note === 'uuid-unknown');
    const lines = await linesOf(teller, 'Steve');
    expect(lines).toContainEqual(naming(/grant 1\b/i, 'rank', 'waiting', '{uuid}'));
    expect(lines).toContainEqual(naming('`list uuids`', 'main', '{uuid}', '`teller grants cancel 1`'));
  });

  test('says on which game servers a grant waits for its player, and on which it was paid', async () => {
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
    expect((await rowsOf(teller, 'Steve'))[0].grants).toMatchObject([
      { server: 'sky', whereOnline: ['sky', 'survival'] },
    ]);
  });

  test('says until when a reward with a delay waits', async () => {
    const later = { name: 'later', when: 'always', delay: '10m', commands: ['say {player}'] };
    const teller = await here({ ...CONFIG, rewards: [later] }, atNoon());
    await teller.vote({ player: 'Steve' });
    await teller.pass(1_000);
    expect(await outOf(teller, 'Steve')).toContain('not before 2026-06-01T12:10:00.000Z');
    expect((await rowsOf(teller, 'Steve'))[0].grants).toMatchObject([
      { reason: 'delayed', dueFrom: '2026-06-01T12:10:00.000Z', note: expect.stringContaining('12:10:00') },
    ]);
  });

  test('says why no reward could be paid for a vote', async () => {
    const rewards = [{ name: 'points', when: 'always', commands: ['points {userId}'] }];
    const teller = await here({ ...CONFIG, rewards });
    await teller.vote({ player: 'Steve' });
    expect(await linesOf(teller, 'Steve')).toContainEqual(naming('points', '{userId}'));
  });

  test('says that a claimed time is missing or not believed', async () => {
    const teller = await here(CONFIG, atNoon());
    await teller.vote({ player: 'Steve', at: Date.parse('2026-06-01T10:00:00Z') });
    await teller.vote({ player: 'Alex', timestamp: 'yesterday' });
    expect(await linesOf(teller, 'Steve')).toContainEqual(
      naming(NOON, '2026-06-01T10:00:00.000Z', '2 h', '10 min'),
    );
    expect(await rowsOf(teller, 'Alex')).toMatchObject([{ castAt: NOON, claimedAt: null }]);
    expect(await linesOf(teller, 'Alex')).not.toContainEqual(naming('10 min'));
  });

  test('shows that a vote arrived again and was counted once', async () => {
    const teller = await here(CONFIG, atNoon());
    for (let again = 0; again < 4; again++) {
      await teller.vote({ player: 'Steve', at: Date.parse(NOON) });
      await teller.pass(1_000);
    }
    expect(await rowsOf(teller, 'Steve')).toMatchObject([{ id: 1, repeats: 3 }]);
    expect(await linesOf(teller, 'Steve')).toContainEqual(naming('3', '2026-06-01T12:00:03.000Z'));
  });

  test('says what to do about each grant that waits', async () => {
    const { teller } = await stuck();
    await teller.vote({ player: 'Kim' });
    await teller.untilGrants('refused', 'held', 'delivered', 'waiting');
    const [steve, alex, kim] = [
      await linesOf(teller, 'Steve'),
      await linesOf(teller, 'Alex'),
      await linesOf(teller, 'Kim'),
    ];
    expect(steve).toContainEqual(naming('daily', 'refused', /2026-06-01T12:00:0\d/));
    expect(steve).toContainEqual(naming('`teller grants pay 1 --rerender`', '`teller grants cancel 1`'));
    expect(alex).toContainEqual(
      naming('1.', 'give Alex diamond 1', /unknown, may have run at 2026-06-01T12:00/),
    );
    expect(alex).toContainEqual(
      naming('main', 'give Alex diamond 1', '`teller grants ran 2`', '`teller grants pay 2`'),
    );
    expect(kim).toContainEqual(naming('daily', 'waiting'));
    expect(kim).toContainEqual(naming('Kim', 'main'));
    expect((await rowsOf(teller, 'Kim'))[0].grants[0].commands[1]).toMatchObject({
      ...{ outcome: null, attempts: 0, startedAt: null },
    });
  });

  test('--bytes shows what was received', async () => {
    const teller = await here(CONFIG);
    await teller.vote({ player: 'Steve' });
    expect(await outOf(teller, 'Steve', '--bytes')).toContain('\\"username\\":');
    expect(await outOf(teller, 'Steve')).not.toContain('username');
    expect((await rowsOf(teller, 'Steve'))[0]).not.toHaveProperty('received');
  });

  test('--json has the usual fields of each vote, plus its trace', async () => {
    const { teller } = await stuck({ rewards: [DAILY, CRATE] });
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

  test('shows refusals since the latest vote, because one of them may be the missing vote', async () => {
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

  test('finds a Bedrock player by the name with the prefix, and mentions the name without it', async () => {
    const teller = await here(CONFIG);
    for (const player of ['.Steve', 'Steve']) await teller.vote({ player, site: 'My-List.com' });
    const { out, err, exit } = await teller.run('explain', '.steve');
    expect([exit, out.split('\n')[0]]).toEqual([0, naming(/vote 1\b/i, '.Steve', 'My-List.com')]);
    expect(err).toEqual(naming(/(?<![.\w])steve\b/));
    expect(await rowsOf(teller, 'Steve')).toMatchObject([{ id: 2, otherNames: ['.steve'] }]);
  });

  test('shows a reply that looks like a failure with the config entry that would refuse it, until that entry is added', async () => {
    const game = await rconGame();
    const main = game.entry;
    const rewards = [{ name: 'bank', when: 'always', commands: ['bank {player}'] }];
    const teller = await here({ rewards, gameServers: { main } });
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('delivered');
    expect(await linesOf(teller, 'Steve')).toContainEqual(
      naming('"\\\\S+ has no account here"', 'gameServers.main.refusedReplies'),
    );
    const doubt = async () => (await rowsOf(teller, 'Steve'))[0].grants[0].commands[0].doubt;
    expect(await doubt()).toBe('\\S+ has no account here');
    const deliveredReplies = ['no account here'];
    await teller.reload({ rewards, gameServers: { main: { ...main, deliveredReplies } } });
    expect(await doubt()).toBeNull();
  });

  test('shows that an announcement was delivered although no player was there to see it', async () => {
    const game = await rconGame();
    const news = { name: 'all', when: 'always', commands: ['tellraw @a "{site}"'] };
    const teller = await here({ rewards: [news], gameServers: { main: game.entry } });
    await teller.vote({ player: 'Steve' });
    await teller.untilGrants('delivered');
    expect(await linesOf(teller, 'Steve')).toContainEqual(
      naming('1.', 'delivered', /No player was found \(.+\)$/),
    );
  });
});

describe('explain without a vote', () => {
  test('exits 1, and suggests similar names', async () => {
    const teller = await here(CONFIG);
    for (const player of ['.Steven', 'Stevens', 'Alex']) await teller.vote({ player });
    const { out, exit } = await teller.run('explain', 'Steven');
    const lines = out.split('\n');
    expect([exit, lines[0], lines[1]]).toEqual([1, naming('Steven'), naming('.steven', 'stevens')]);
    expect(out).not.toMatch(/alex/i);
    expect((await teller.run('explain', 'Steven', '--json')).json).toMatchObject([
      { id: null, name: 'Steven', isAllowed: true, otherNames: ['.steven', 'stevens'] },
    ]);
  });

  test('shows refusals of the last 7 days that may be the vote, each cause with its senders', async () => {
    const teller = await here(CONFIG, atNoon());
    for (const player of ['Steve', 'Alex']) await teller.vote({ player, site: 'My-List.com', token: WRONG });
    await teller.restart();
    expect(await linesOf(teller, 'Steve')).toEqual([
      naming('Steve'),
      '',
      naming('7 days'),
      naming('2', NOON, '127.0.0.1', 'My-List.com', '`teller keys`', '[v2-signature]'),
    ]);
    expect(await rowsOf(teller, 'Steve')).toMatchObject([
      {
        refusals: [
          { code: 'v2-signature', service: 'My-List.com', count: 2, lastAt: NOON, senders: ['127.0.0.1'] },
        ],
        noise: [],
      },
    ]);
    teller.clock.jump(7 * 86_400_000 - 1);
    expect((await rowsOf(teller, 'Steve'))[0].refusals).toHaveLength(1);
    teller.clock.jump(1);
    expect((await rowsOf(teller, 'Steve'))[0].refusals).toHaveLength(0);
  });

  test('names the newest sender of refused votes, an IPv6 network as one, and how many others there are', async () => {
    const listener = {
      host: '127.0.0.1',
      port: 0,
      proxyProtocol: 'required',
      trustedProxies: ['127.0.0.0/8'],
    };
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

  test('counts what any open port gets as noise, because a connection that closed may have been the vote', async () => {
    const port = await freePort();
    const teller = await here({ ...CONFIG, listener: { host: '127.0.0.1', port } }, atNoon());
    for (let again = 0; again < 3; again++) await fetch(`http://127.0.0.1:${port}/`).catch(() => {});
    await teller.restart();
    expect(await linesOf(teller, 'Steve')).toContainEqual(naming('7 days', '3', '3 http'));
    expect(await rowsOf(teller, 'Steve')).toMatchObject([
      { refusals: [], noise: [{ code: 'http', count: 3 }] },
    ]);
  });

  test('says that the name is not a valid player name, unless it may be a user ID', async () => {
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
});

const votesIn = (out: string): readonly string[] => out.match(/^vote \d+/gm) ?? [];

describe('explain at a terminal', () => {
  /** Twelve votes, one a day. */
  async function voter() {
    const one = desk({ timeZone: 'Asia/Kolkata', rewards: [] });
    for (let day = 10; day <= 21; day++) {
      const cast = ['--player', 'Steve', '--site', 'List', '--at', `2026-05-${day}T20:00:07Z`];
      await one.run('votes', 'add', ...cast);
    }
    return one;
  }

  test('prints the ten newest votes in local time; --all, --limit and --json have the others', async () => {
    const one = await voter();
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

  test('begins with the sentence that the console’s page of the player has', async () => {
    const teller = await here({ sites: SITES, rewards: [] }, atNoon());
    for (let again = 0; again < 2; again++) {
      await teller.vote({ player: 'Steve', site: 'My-List.com' });
      await teller.pass(60_000);
    }
    const [sentence] = (await teller.runBy({}, 'explain', 'Steve')).out.split('\n');
    expect(sentence).toEqual(naming('The last vote, on My-List.com 1 min ago, came too early'));
  });

  test('waits until a grant that is being paid was paid, three seconds at most; a script does not wait', async () => {
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
});
