import { describe, expect, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { draw } from '../../src/rewards/draws.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { naming } from '../support/naming.ts';
import { type Operator, operator, refusal, withTeller } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1', 'say {site}'] };
const CRATE = { name: 'crate', if: { chance: '5%' }, commands: ['give {player} chest 1'] };
const CONFIG = { sites: { default: { token: TOKEN }, 'My-List.com': {} }, rewards: [DAILY, CRATE] };

const REFUSED = { kind: 'refused', reply: 'Unknown item' } as const;
const UNKNOWN = { kind: 'unknown', reason: 'timeout' } as const;
const DELIVERED = { kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' } as const;

/** The number drawn for the crate. */
const rolled = draw({ kind: 'drawn', seed: 0.5 }, 'chance', 'crate', '');

const NOON = '2026-06-01T12:00:00.000Z';

const linesOf = async ({ teller }: Operator, name: string, ...flags: string[]) =>
  (await teller('explain', name, ...flags)).out.split('\n');

const rowsOf = async ({ teller }: Operator, name: string) =>
  JSON.parse((await teller('explain', name, '--json')).out);

describe('explain', () => {
  test('shows a rewarded vote from receipt to reply', async () => {
    const one = await operator(CONFIG);
    withTeller(one);
    await one.vote('Steve', 'My-List.com', {
      at: '2026-06-01T12:00:05Z',
      timestamp: String(Date.parse('2026-06-01T12:00:00Z')),
    });
    await one.answer(1, 0, DELIVERED);
    await one.answer(1, 1, { kind: 'delivered', reply: '' });
    const { out, exit } = await one.teller('explain', 'sTEVE');
    expect(exit).toBe(0);
    expect(out.split('\n')).toEqual([
      naming(/vote 1\b/i, 'Steve', 'My-List.com', 'rewarded'),
      naming('2026-06-01T12:00:05.000Z', 'v2', '192.0.2.1'),
      naming(NOON, '5 s'),
      naming('My-List.com', 'sites'),
      naming('rewarded', '24 h', '2026-06-02T12:00:00.000Z'),
      naming('reward', 'daily', 'granted'),
      naming('reward', 'crate', /rolled [\d.]+%/, '5%'),
      naming(/grant 1\b/i, 'daily', 'main', 'practice', 'delivered', '2026-06-01T12:00:05.000Z'),
      naming('1.', 'give Steve diamond 1', 'delivered', '2026-06-01T12:00:05.000Z', DELIVERED.reply),
      naming('2.', 'say My-List.com', 'delivered', '2026-06-01T12:00:05.000Z'),
    ]);
  });

  test('names the vote that has the window, and when the next vote will be rewarded; newest last', async () => {
    const one = await operator({ ...CONFIG, rewards: [] });
    await one.vote('Steve', 'First.net', { at: '2026-06-01T12:00:00Z' });
    await one.vote('Steve', 'Second.net', { at: '2026-06-01T15:00:00Z' });
    const lines = await linesOf(one, 'Steve');
    expect(lines.filter((line) => /^vote \d/i.test(line))).toEqual([
      naming('1', 'Steve', 'First.net', 'rewarded'),
      naming('2', 'Steve', 'Second.net', 'unlisted'),
    ]);
    expect(lines).toContainEqual(naming('"Second.net": {}', 'sites'));
    expect(lines).toContainEqual(
      naming('unlisted', /vote 1\b/i, NOON, 'First.net', '24 h', '2026-06-02T12:00:00.000Z'),
    );
    expect(await rowsOf(one, 'Steve')).toMatchObject([{ grants: [] }, { grants: [] }]);
  });

  test('says why the rewards of a game server that is away wait, since when, and what to do', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com');
    await one.ledger.storeQueueState('main', 'wrong-password', Date.parse('2026-06-01T11:00:00Z'));
    const lines = await linesOf(one, 'Steve');
    expect(lines).toContainEqual(naming('waiting:', 'main', '2026-06-01T11:00:00.000Z', '[wrong-password]'));
    expect(lines).not.toContainEqual(naming('paused'));
    expect(lines).toContainEqual(naming('rcon.password'));
    const [vote] = await rowsOf(one, 'Steve');
    expect(vote.grants[0]).toMatchObject({
      waiting: { reason: 'wrong-password', since: '2026-06-01T11:00:00.000Z' },
      toDo: expect.stringContaining('rcon.password'),
    });
  });

  test('says why a grant waits for a UUID, and what to do', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com');
    await one.ledger.wait(
      { id: 1, server: 'main' },
      { code: 'uuid-unknown' },
      one.clock.now(),
      one.clock.now(),
    );
    expect((await rowsOf(one, 'Steve'))[0].grants).toMatchObject([
      { state: 'waiting', note: 'uuid-unknown' },
    ]);
    const lines = await linesOf(one, 'Steve');
    expect(lines).toContainEqual(naming(/grant 1\b/i, 'daily', 'waiting', '{uuid}'));
    expect(lines).toContainEqual(naming('`list uuids`', 'main', '{uuid}', '`teller grants cancel 1`'));
  });

  test('says on which game servers a grant waits for its player, and on which it was paid', async () => {
    const kind = { kind: 'practice', autoJoin: false };
    const roaming = { ...DAILY, servers: { whereOnline: ['sky', 'survival'] } };
    const one = await operator({ ...CONFIG, gameServers: { sky: kind, survival: kind }, rewards: [roaming] });
    await one.vote('Steve', 'A');
    const pool = 'sky or survival';
    await one.ledger.wait({ id: 1, server: pool }, { code: 'player-offline' }, one.clock.now());
    const waiting = await linesOf(one, 'Steve');
    expect(waiting).toContainEqual(naming('daily', 'waits for sky or survival', NOON));
    expect(waiting).toContainEqual(naming('nothing', 'Steve is on sky or survival'));
    expect((await one.teller('grants')).out).toContain(pool);
    const sent = { grantId: 1, player: 'Steve', uuid: null, now: one.clock.now() };
    for (const position of [0, 1]) {
      await one.ledger.claim({ ...sent, position, take: { pool, server: 'sky' } });
      const state = position === 0 ? 'pending' : 'delivered';
      const settlement = { grantId: 1, position, outcome: DELIVERED, state, reason: null } as const;
      await one.ledger.settle({ ...settlement, dueAt: 0, endedAt: one.clock.now() });
    }
    expect(await linesOf(one, 'Steve')).toContainEqual(naming('daily', pool, 'paid on sky', NOON));
    const [vote] = await rowsOf(one, 'Steve');
    expect(vote.grants).toMatchObject([{ server: 'sky', whereOnline: ['sky', 'survival'] }]);
  });

  test('says why no reward could be paid for a vote', async () => {
    const rewards = [{ name: 'points', when: 'always', commands: ['points {userId}'] }];
    const one = await operator({ ...CONFIG, rewards });
    await one.vote('Steve', 'First.net');
    expect(await linesOf(one, 'Steve')).toContainEqual(naming('points', '{userId}'));
  });

  test('says that a claimed time is missing or not believed', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A', { at: '2026-06-01T12:00:00Z', timestamp: '1780308000' });
    await one.vote('Alex', 'A', { timestamp: 'yesterday' });
    expect(await linesOf(one, 'Steve')).toContainEqual(
      naming(NOON, '2026-06-01T10:00:00.000Z', '2 h', '10 min'),
    );
    expect(await rowsOf(one, 'Alex')).toMatchObject([{ castAt: NOON, claimedAt: null }]);
    expect(await linesOf(one, 'Alex')).not.toContainEqual(naming('10 min'));
  });

  test('shows that a vote arrived again and was counted once', async () => {
    const one = await operator(CONFIG);
    for (const at of ['12:00:00', '12:00:01', '12:00:02', '12:00:03']) {
      await one.vote('Steve', 'A', { at: `2026-06-01T${at}Z`, timestamp: '1780315200' });
    }
    expect(await rowsOf(one, 'Steve')).toMatchObject([{ id: 1, repeats: 3 }]);
    expect(await linesOf(one, 'Steve')).toContainEqual(naming('3', '2026-06-01T12:00:03.000Z'));
  });

  test('says what to do about each grant that waits', async () => {
    const one = await operator(CONFIG);
    for (const player of ['Steve', 'Alex', 'Zoe', 'Bob']) await one.vote(player, 'A');
    await one.answer(1, 0, REFUSED);
    await one.answer(2, 0, UNKNOWN);
    await one.ledger.wait({ id: 3, server: 'main' }, { code: 'player-offline' }, one.clock.now());
    const [steve, alex, zoe] = [
      await linesOf(one, 'Steve'),
      await linesOf(one, 'Alex'),
      await linesOf(one, 'Zoe'),
    ];
    expect(steve).toContainEqual(naming('daily', 'refused', NOON));
    expect(steve).toContainEqual(naming('`teller grants pay 1 --rerender`', '`teller grants cancel 1`'));
    expect(alex).toContainEqual(naming('1.', 'give Alex diamond 1', 'unknown', NOON));
    expect(alex).toContainEqual(
      naming('main', 'give Alex diamond 1', '`teller grants ran 2`', '`teller grants pay 2`'),
    );
    expect(zoe).toContainEqual(naming('daily', 'waiting', NOON));
    expect(zoe).toContainEqual(naming('Zoe', 'main'));
    const [bob] = await rowsOf(one, 'Bob');
    expect(bob.grants[0].commands[0]).toMatchObject({ outcome: null, attempts: 0, startedAt: null });
  });

  test('shows a reply that looks like a failure with the config entry that would refuse it, until that entry is added', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A');
    await one.answer(1, 0, { kind: 'delivered', reply: '[Bank] Steve has no account here' });
    expect(await linesOf(one, 'Steve')).toContainEqual(
      naming('"\\\\S+ has no account here"', 'gameServers.main.refusedReplies'),
    );
    const doubts = async () =>
      (await rowsOf(one, 'Steve'))[0].grants[0].commands.map(({ doubt }: { doubt: string | null }) => doubt);
    expect(await doubts()).toEqual(['\\S+ has no account here', null]);
    const main = { kind: 'practice', deliveredReplies: ['no account here'] };
    writeConfig(one.config, { ...CONFIG, gameServers: { main } });
    expect(await doubts()).toEqual([null, null]);
  });

  test('shows that an announcement was delivered although no player was there to see it', async () => {
    const one = await operator({ ...CONFIG, rewards: [{ name: 'all', commands: ['tellraw @a "{site}"'] }] });
    await one.vote('Steve', 'A');
    await one.answer(1, 0, { kind: 'delivered', reply: 'No player was found' });
    expect(await linesOf(one, 'Steve')).toContainEqual(
      naming('1.', 'delivered', /No player was found \(.+\)$/),
    );
  });

  test('shows that a command is being sent', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A');
    await one.ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: one.clock.now() });
    const lines = await linesOf(one, 'Steve');
    expect(lines).toContainEqual(naming('daily', 'main', 'practice', /being sent|sending/));
    expect(lines).toContainEqual(naming('1.', 'give Steve diamond 1', /being sent|sending/));
  });

  test('--bytes shows what was received, without control characters', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A', { wire: 'VOTE\nA\u001b[2J\nSteve' });
    expect(await linesOf(one, 'Steve', '--bytes')).toContainEqual(naming('"VOTE\\nA\\u001b[2J\\nSteve"'));
  });

  test('--limit shows the latest votes, and says that there are older ones', async () => {
    const one = await operator({ ...CONFIG, rewards: [] });
    for (const hour of ['09', '10', '11']) await one.vote('Steve', 'A', { at: `2026-06-01T${hour}:00:00Z` });
    const { out, err } = await one.teller('explain', 'Steve', '--limit', '2');
    expect(out.match(/^vote \d/gm)).toEqual(['vote 2', 'vote 3']);
    expect(err).toEqual(naming('2', '--all'));
    expect((await one.teller('explain', 'Steve', '--limit', 'all')).exit).toBe(2);
  });

  test('--json has the usual fields of each vote, plus its trace', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A', { at: '2026-06-01T12:00:00Z' });
    await one.vote('Steve', 'A', { at: '2026-06-01T13:00:00Z' });
    await one.answer(1, 0, REFUSED);
    const rows = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    expect(rows[0]).toMatchObject({
      id: 1,
      decision: 'rewarded',
      sharesWindow: true,
      rolls: [{ reward: 'crate', chance: 0.05, rolled }],
      rewards: [
        { reward: 'daily', granted: true, code: 'granted', facts: {} },
        { reward: 'crate', granted: false, code: 'chance', facts: { chance: 0.05, rolled } },
      ],
      grants: [{ id: 1, state: 'refused', note: 'Unknown item', commands: [{ outcome: 'refused' }, {}] }],
    });
    expect(rows[1]).toMatchObject({ takenBy: { id: 1, castAt: '2026-06-01T12:00:00.000Z' }, grants: [] });
    expect(rows[0]).not.toHaveProperty('received');
  });

  test('shows refusals since the latest vote, because one of them may be the missing vote', async () => {
    const one = await operator({ ...CONFIG, rewards: [] });
    await one.vote('Steve', 'A', { at: '2026-06-01T12:00:00Z' });
    await one.ledger.countRefusals([
      refusal('v2-signature', 'Old', '2026-06-01T11:59:00Z'),
      refusal('v2-signature', 'New', '2026-06-01T12:05:00Z'),
    ]);
    one.clock.set('2026-06-01T13:00:00Z');
    const lines = await linesOf(one, 'Steve');
    expect(lines.at(-1)).toEqual(naming('2026-06-01T12:05:00.000Z', 'New', '[v2-signature]'));
    expect(lines).not.toContainEqual(naming('Old'));
  });

  test('finds a Bedrock player by the name with the prefix, and mentions the name without it', async () => {
    const one = await operator(CONFIG);
    withTeller(one);
    await one.vote('.Steve', 'A');
    await one.vote('Steve', 'A');
    const { out, err, exit } = await one.teller('explain', '.steve');
    expect(exit).toBe(0);
    expect(out.split('\n')[0]).toEqual(naming(/vote 1\b/i, '.Steve', 'A'));
    expect(err).toEqual(naming(/(?<![.\w])steve\b/));
  });

  test('shows the reasons under the config that decided the vote, even after the config changes', async () => {
    const weekend = { name: 'weekend', if: { site: 'My-List.com' }, commands: ['say {player}'] };
    const one = await operator({ ...CONFIG, rewards: [weekend, CRATE] });
    await one.vote('Steve', 'Other.net');
    writeConfig(one.config, { ...CONFIG, rewards: [{ ...weekend, if: {} }] });
    const [{ rewards }] = await rowsOf(one, 'Steve');
    expect(rewards).toMatchObject([
      { reward: 'weekend', code: 'site', facts: {} },
      { reward: 'crate', code: 'chance' },
    ]);
  });

  test('shows the stored draws of a vote from an older Teller, and why no current reward matches', async () => {
    const rewards = [{ name: 'points', when: 'always', commands: ['points {userId}'] }];
    const one = await operator({ ...CONFIG, rewards });
    await one.vote('Steve', 'First.net');
    const database = openDatabase(one.file, ledgerSchema, 'write');
    database.prepare('UPDATE votes SET reasons = NULL').run();
    database.close();
    expect(await rowsOf(one, 'Steve')).toMatchObject([{ rolls: [], rewards: [] }]);
    expect(await linesOf(one, 'Steve')).toContainEqual(naming('points', '{userId}'));
  });

  test('shows no reward reasons for a vote that took no window', async () => {
    const one = await operator(CONFIG);
    for (const at of ['2026-06-01T12:00:00Z', '2026-06-01T13:00:00Z']) await one.vote('Steve', 'A', { at });
    expect((await rowsOf(one, 'Steve'))[1]).toMatchObject({ decision: 'cooldown', rewards: [] });
  });
});

describe('explain without a vote', () => {
  test('exits 1, and suggests similar names', async () => {
    const one = await operator(CONFIG);
    withTeller(one);
    for (const player of ['.Steven', 'Stevens', 'Alex']) await one.vote(player, 'A');
    const { out, exit } = await one.teller('explain', 'Steven');
    expect(exit).toBe(1);
    const lines = out.split('\n');
    expect(lines[0]).toEqual(naming('Steven'));
    expect(lines[1]).toEqual(naming('.steven', 'stevens'));
    expect(out).not.toMatch(/alex/i);
  });

  test('shows recent refusals that may be the vote, without the noise that any open port gets', async () => {
    const one = await operator(CONFIG);
    withTeller(one);
    await one.ledger.countRefusals([
      refusal('v2-signature', 'My-List.com', '2026-06-01T11:00:00Z', 2),
      refusal('http', '', '2026-06-01T11:30:00Z', 500),
    ]);
    expect(await linesOf(one, 'Steve')).toEqual([
      naming('Steve'),
      '',
      naming('7 days'),
      naming('2', '2026-06-01T11:00:00.000Z', '192.0.2.66', 'My-List.com', '`teller keys`', '[v2-signature]'),
    ]);
  });

  test('says where to look if nothing was refused either', async () => {
    const one = await operator(CONFIG);
    expect((await linesOf(one, 'Steve')).at(-1)).toEqual(naming('`teller keys`'));
  });

  test('counts connections that closed before a whole vote arrived, because one may have been the vote', async () => {
    const one = await operator(CONFIG);
    await one.ledger.countRefusals([
      refusal('http', '', '2026-06-01T11:00:00Z', 3),
      refusal('crowded', '', '2026-06-01T11:00:00Z', 5),
    ]);
    one.clock.set('2026-06-01T12:00:00Z');
    expect(await linesOf(one, 'Steve')).toContainEqual(naming('7 days', '8', '5 crowded', '3 http'));
  });

  test('says that the name is not a valid player name', async () => {
    const one = await operator(CONFIG);
    expect(await linesOf(one, '@a')).toContainEqual(naming('16', 'A-Z a-z 0-9 _', '"."', '"*"'));
  });

  test('does not call a name invalid if it may be a user ID', async () => {
    const webhook = { path: '/votes', secret: TOKEN, listingId: 'id' };
    const sites = { default: { token: TOKEN }, 'Five.com': { game: 'fivem', webhook } };
    const one = await operator({ sites });
    expect(await rowsOf(one, '80351110224678912')).toMatchObject([{ id: null, isAllowed: true }]);
    expect(await linesOf(one, '80351110224678912')).not.toContainEqual(naming('A-Z a-z 0-9 _'));
    expect(await linesOf(one, '@a')).toContainEqual(naming('A-Z a-z 0-9 _'));
  });

  test('--json has similar names, refusals and noise in a row without an ID', async () => {
    const one = await operator(CONFIG);
    await one.vote('.Steven', 'A');
    await one.ledger.countRefusals([
      refusal('v2-signature', 'My-List.com', '2026-06-01T11:00:00Z', 2),
      refusal('http', '', '2026-06-01T11:30:00Z', 500),
    ]);
    const { out, exit } = await one.teller('explain', 'Steven', '--json');
    expect(exit).toBe(1);
    expect(JSON.parse(out)).toMatchObject([
      {
        id: null,
        name: 'Steven',
        isAllowed: true,
        otherNames: ['.steven'],
        refusals: [
          {
            code: 'v2-signature',
            service: 'My-List.com',
            count: 2,
            lastAt: '2026-06-01T11:00:00.000Z',
            senders: ['192.0.2.66'],
          },
        ],
        noise: [{ code: 'http', count: 500 }],
      },
    ]);
    expect(JSON.parse((await one.teller('explain', '@a', '--json')).out)).toMatchObject([
      { id: null, isAllowed: false },
    ]);
  });

  test('--json has later refusals and the Bedrock name in the row of the newest vote', async () => {
    const one = await operator(CONFIG);
    await one.vote('.Steve', 'A');
    await one.vote('Steve', 'A');
    await one.ledger.countRefusals([refusal('v2-signature', 'A', '2026-06-01T12:05:00Z')]);
    const [row] = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    expect(row).toMatchObject({ id: 2, otherNames: ['.steve'], refusals: [{ code: 'v2-signature' }] });
  });
});
