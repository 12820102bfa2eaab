import { describe, expect, test } from 'vitest';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { operator, refusal } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1', 'say {site}'] };
const CRATE = { name: 'crate', if: { chance: '5%' }, commands: ['give {player} chest 1'] };
const CONFIG = { sites: { default: { token: TOKEN }, 'My-List.com': {} }, rewards: [DAILY, CRATE] };

const REFUSED = { kind: 'refused', reply: 'Unknown item' } as const;
const UNKNOWN = { kind: 'unknown', reason: 'timeout' } as const;
const DELIVERED = { kind: 'delivered', reply: 'Gave 1 [Diamond] to Steve' } as const;

describe('explain', () => {
  test('tells one rewarded vote from the wire to the reply', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com', {
      at: '2026-06-01T12:00:05Z',
      timestamp: String(Date.parse('2026-06-01T12:00:00Z')),
    });
    await one.answer(1, 0, DELIVERED);
    await one.answer(1, 1, { kind: 'delivered', reply: '' });
    const { out, exit } = await one.teller('explain', 'sTEVE');
    expect(exit).toBe(0);
    expect(out.split('\n')).toEqual([
      'vote 1 of Steve on My-List.com: rewarded',
      '  came        2026-06-01T12:00:05.000Z, by Votifier v2, from 192.0.2.1',
      '  cast        2026-06-01T12:00:00.000Z, the time that the site says, 5 s before it came',
      '  site        My-List.com, by its own entry in sites',
      '  decision    rewarded: it took the window of 24 h; the next one counts from 2026-06-02T12:00:00.000Z',
      '  dice        crate: not won; 50% was rolled, and its chance is 5%',
      '  grant 1     daily on main, a practice server: delivered at 2026-06-01T12:00:05.000Z',
      '              1. give Steve diamond 1 → delivered at 2026-06-01T12:00:05.000Z, 1 attempt: Gave 1 [Diamond] to Steve',
      '              2. say My-List.com → delivered at 2026-06-01T12:00:05.000Z, 1 attempt: (an empty reply: the command was taken)',
    ]);
  });

  test('a vote inside the window names the vote that has it and when the next counts; the newest is last', async () => {
    const one = await operator({ ...CONFIG, rewards: [] });
    await one.vote('Steve', 'First.net', { at: '2026-06-01T12:00:00Z' });
    await one.vote('Steve', 'Second.net', { at: '2026-06-01T15:00:00Z' });
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toMatch(
      /^vote 1 of Steve on First\.net: rewarded\n[\s\S]*\n\nvote 2 of Steve on Second\.net: cooldown\n/,
    );
    expect(out).toContain('  grants      none: no reward applied to this vote');
    expect(out).toContain(
      '  site        Second.net shares the window of unlisted sites; for a window of its own add "Second.net": {} to sites',
    );
    expect(out).toContain(
      '  decision    cooldown, so counted and not rewarded: vote 1, cast at 2026-06-01T12:00:00.000Z on First.net, has the window of 24 h; the next one counts from 2026-06-02T12:00:00.000Z',
    );
  });

  test('a grant whose queue pauses says why, since when, and what to do', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com');
    await one.ledger.noteQueue('main', 'wrong-password', Date.parse('2026-06-01T11:00:00Z'));
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toContain(
      'paused: all rewards on main have waited since 2026-06-01T11:00:00.000Z [wrong-password]',
    );
    expect(out).toContain('to do: the game server refused the password: compare it with rcon.password');
    const [vote] = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    expect(vote.grants[0]).toMatchObject({
      paused: { reason: 'wrong-password', since: '2026-06-01T11:00:00.000Z' },
      toDo: expect.stringContaining('rcon.password'),
    });
  });

  test('a grant that waits for a UUID says why, and what to do', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'My-List.com');
    await one.ledger.wait(1, 'uuid-unknown', one.clock.now(), one.clock.now());
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toContain('its player list shows no UUIDs, so {uuid} in a command cannot be filled in');
    expect(out).toContain('to do: make `list uuids` work on main; or take {uuid} out of the reward');
  });

  test('a vote that no reward could be paid for says why', async () => {
    const rewards = [{ name: 'points', when: 'always', commands: ['points {userId}'] }];
    const one = await operator({ ...CONFIG, rewards });
    await one.vote('Steve', 'First.net');
    expect((await one.teller('explain', 'Steve')).out).toContain(
      'none: no reward applied to this vote; points uses {userId}, which a vote for a player does not name',
    );
  });

  test('a claimed time that is not believed, or none at all, is said', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A', { at: '2026-06-01T12:00:00Z', timestamp: '1780308000' });
    await one.vote('Alex', 'A', { timestamp: 'yesterday' });
    expect((await one.teller('explain', 'Steve')).out).toContain(
      'cast        2026-06-01T12:00:00.000Z, the time of receipt: the site says 2026-06-01T10:00:00.000Z, which is 2 h before it came, and more than 10 min is not believed',
    );
    expect((await one.teller('explain', 'Alex')).out).toContain(
      'cast        2026-06-01T12:00:00.000Z, the time of receipt, because the site sent no time that can be relied on',
    );
  });

  test('the same vote again is counted once, and told', async () => {
    const one = await operator(CONFIG);
    for (const at of ['12:00:00', '12:00:01', '12:00:02', '12:00:03']) {
      await one.vote('Steve', 'A', { at: `2026-06-01T${at}Z`, timestamp: '1780315200' });
    }
    expect((await one.teller('explain', 'Steve')).out).toContain(
      'again       the same vote arrived 3 more times, last 2026-06-01T12:00:03.000Z; it is counted once',
    );
  });

  test('what waits for somebody says what to do', async () => {
    const one = await operator(CONFIG);
    for (const player of ['Steve', 'Alex', 'Zoe', 'Bob']) await one.vote(player, 'A');
    await one.answer(1, 0, REFUSED);
    await one.answer(2, 0, UNKNOWN);
    await one.ledger.wait(3, 'the player is not online', one.clock.now());
    const told = async (name: string) => (await one.teller('explain', name)).out;
    expect(await told('Steve')).toContain('refused since 2026-06-01T12:00:00.000Z');
    expect(await told('Steve')).toContain(
      'to do: correct the reward in the config, then `teller grants pay 1 --rerender`; or `teller grants cancel 1`',
    );
    expect(await told('Alex')).toContain(
      '1. give Alex diamond 1 → unknown, it may have run at 2026-06-01T12:00:00.000Z, 1 attempt: no complete reply came in time',
    );
    expect(await told('Alex')).toContain(
      'to do: look on main whether “give Alex diamond 1” ran: if it did, `teller grants ran 2`; if not, `teller grants pay 2`',
    );
    expect(await told('Zoe')).toContain('waiting since 2026-06-01T12:00:00.000Z: the player is not online');
    expect(await told('Zoe')).toContain('to do: nothing; it is paid when Zoe is on main');
    expect(await told('Bob')).toContain('1. give Bob diamond 1 → not tried yet');
  });

  test('a reply that looks like a failure is shown with the entry that would refuse it, until it is added', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A');
    await one.answer(1, 0, { kind: 'delivered', reply: '[Bank] Steve has no account here' });
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toContain('add "\\\\S+ has no account here" to gameServers.main.refusedReplies');
    const doubts = async () =>
      JSON.parse((await one.teller('explain', 'Steve', '--json')).out)[0].grants[0].commands.map(
        ({ doubt }: { doubt: string | null }) => doubt,
      );
    expect(await doubts()).toEqual(['\\S+ has no account here', null]);
    const main = { kind: 'practice', deliveredReplies: ['no account here'] };
    writeConfig(one.config, { ...CONFIG, gameServers: { main } });
    expect(await doubts()).toEqual([null, null]);
  });

  test('an announcement that nobody was there to see is delivered, and shown as that', async () => {
    const one = await operator({ ...CONFIG, rewards: [{ name: 'all', commands: ['tellraw @a "{site}"'] }] });
    await one.vote('Steve', 'A');
    await one.answer(1, 0, { kind: 'delivered', reply: 'No player was found' });
    expect((await one.teller('explain', 'Steve')).out).toContain(
      'No player was found (nobody was there to see it)',
    );
  });

  test('a command that is being sent is told as such', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A');
    await one.ledger.claim(1, 0, 'Steve', one.clock.now());
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toContain('daily on main, a practice server: being sent at this moment');
    expect(out).toContain('1. give Steve diamond 1 → being sent');
  });

  test('--bytes shows what was received, with nothing that could steer the terminal', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A', { wire: 'VOTE\nA\u001b[2J\nSteve' });
    expect((await one.teller('explain', 'Steve', '--bytes')).out).toContain(
      'received    "VOTE\\nA\\u001b[2J\\nSteve"',
    );
  });

  test('--limit keeps the latest ones, and says that there are older', async () => {
    const one = await operator({ ...CONFIG, rewards: [] });
    for (const hour of ['09', '10', '11']) await one.vote('Steve', 'A', { at: `2026-06-01T${hour}:00:00Z` });
    const { out, err } = await one.teller('explain', 'Steve', '--limit', '2');
    expect(out.match(/^vote \d/gm)).toEqual(['vote 2', 'vote 3']);
    expect(err).toBe('the latest 2; perhaps there are older ones: --limit 20');
    expect((await one.teller('explain', 'Steve', '--limit', 'all')).exit).toBe(2);
  });

  test('--json has each vote as everywhere, with what only its trace tells', async () => {
    const one = await operator(CONFIG);
    await one.vote('Steve', 'A', { at: '2026-06-01T12:00:00Z' });
    await one.vote('Steve', 'A', { at: '2026-06-01T13:00:00Z' });
    await one.answer(1, 0, REFUSED);
    const rows = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    expect(rows[0]).toMatchObject({
      id: 1,
      decision: 'rewarded',
      sharesWindow: true,
      rolls: [{ reward: 'crate', chance: 0.05, rolled: 0.5 }],
      grants: [{ id: 1, state: 'refused', note: 'Unknown item', commands: [{ outcome: 'refused' }, {}] }],
    });
    expect(rows[1]).toMatchObject({ takenBy: { id: 1, castAt: '2026-06-01T12:00:00.000Z' }, grants: [] });
    expect(rows[0]).not.toHaveProperty('received');
  });

  test('what was refused since the latest vote may be the one that is missed', async () => {
    const one = await operator({ ...CONFIG, rewards: [] });
    await one.vote('Steve', 'A', { at: '2026-06-01T12:00:00Z' });
    await one.ledger.countRefusals([
      refusal('v2-signature', 'Old', '2026-06-01T11:59:00Z'),
      refusal('v2-signature', 'New', '2026-06-01T12:05:00Z'),
    ]);
    one.clock.set('2026-06-01T13:00:00Z');
    const { out } = await one.teller('explain', 'Steve');
    expect(out).toContain(
      '\n\nIf a later vote is missed: refused since then, and one of these may have been it:\n  2026',
    );
    expect(out).toContain('for “New”');
    expect(out).not.toContain('Old');
  });

  test('a Bedrock player is found with his prefix, and the other name is mentioned', async () => {
    const one = await operator(CONFIG);
    await one.vote('.Steve', 'A');
    await one.vote('Steve', 'A');
    const { out, err, exit } = await one.teller('explain', '.steve');
    expect(exit).toBe(0);
    expect(out).toMatch(/^vote 1 of \.Steve on A/);
    expect(err).toBe('there are votes of steve as well');
  });
});

describe('explain, where there is no vote', () => {
  test('says so with 1, and names those that are close', async () => {
    const one = await operator(CONFIG);
    for (const player of ['.Steven', 'Stevens', 'Alex']) await one.vote(player, 'A');
    const { out, exit } = await one.teller('explain', 'Steven');
    expect(exit).toBe(1);
    expect(out).toContain(
      'no vote of Steven has arrived here\n  names close to it that did vote: .steven, stevens\n',
    );
  });

  test('shows recent refusals that may have been it, without the noise of every open port', async () => {
    const one = await operator(CONFIG);
    await one.ledger.countRefusals([
      refusal('v2-signature', 'My-List.com', '2026-06-01T11:00:00Z', 2),
      refusal('http', '', '2026-06-01T11:30:00Z', 500),
    ]);
    const { out } = await one.teller('explain', 'Steve');
    expect(out.split('\n')).toEqual([
      'no vote of Steve has arrived here',
      '',
      'Refused in the last 7 days, and one of these may have been it:',
      '  2 times, last 2026-06-01T11:00:00.000Z: 192.0.2.66 for “My-List.com” sent a v2 vote with a wrong token: paste the token shown by `teller keys` at the site [v2-signature]',
    ]);
  });

  test('says where to look when nothing was refused either', async () => {
    const { teller } = await operator(CONFIG);
    expect((await teller('explain', 'Steve')).out).toContain('the site has not sent it to this port');
  });

  test('names connections that brought no vote, one of which may have been it', async () => {
    const one = await operator(CONFIG);
    await one.ledger.countRefusals([
      refusal('http', '', '2026-06-01T11:00:00Z', 3),
      refusal('crowded', '', '2026-06-01T11:00:00Z', 5),
    ]);
    one.clock.set('2026-06-01T12:00:00Z');
    expect((await one.teller('explain', 'Steve')).out).toContain(
      'no vote was refused in the last 7 days, but 8 connections brought no whole vote: 5 crowded, 3 http; else the site has not sent it to this port:',
    );
  });

  test('says that no player can have the name', async () => {
    const { teller } = await operator(CONFIG);
    expect((await teller('explain', '@a')).out).toContain(
      'no player can have this name, and votes for it are refused: 1 to 16 of A-Z a-z 0-9 _, for Bedrock players behind "." or "*"',
    );
  });

  test('says nothing of names where it may be a user ID', async () => {
    const webhook = { path: '/votes', secret: TOKEN, listingId: 'id' };
    const sites = { default: { token: TOKEN }, 'Five.com': { game: 'fivem', webhook } };
    const { teller } = await operator({ sites });
    expect((await teller('explain', '80351110224678912')).out).not.toContain('no player can have this name');
    expect((await teller('explain', '@a')).out).toContain('no player can have this name');
  });

  test('--json has the same facts as the text: near names, refusals and noise, in a row without an ID', async () => {
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

  test('--json names with the newest vote what was refused since, and the other name', async () => {
    const one = await operator(CONFIG);
    await one.vote('.Steve', 'A');
    await one.vote('Steve', 'A');
    await one.ledger.countRefusals([refusal('v2-signature', 'A', '2026-06-01T12:05:00Z')]);
    const [row] = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    expect(row).toMatchObject({ id: 2, otherNames: ['.steve'], refusals: [{ code: 'v2-signature' }] });
  });
});
