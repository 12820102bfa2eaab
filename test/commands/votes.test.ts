import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clerk } from '../kit/clerk.ts';
import { here } from '../kit/here.ts';
import { desk, furnish, typing } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

const SITES = { sites: { default: { token: TOKEN }, 'My-List.com': {} } };
const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const CONFIG = {
  ...SITES,
  rewards: [DAILY, { name: 'second', if: { votes: { at: [2] } }, commands: ['say {votes}'] }],
};
const STEVE = ['votes', 'add', '--player', 'Steve', '--site', 'My-List.com'];

const at = (time: string) => new FakeClock(time);

describe('votes', () => {
  test('--json has exactly the fields of the contract, in their order', async () => {
    const teller = await here(SITES, at('2026-06-01T12:00:00.250Z'));
    await teller.vote({ player: 'Steve', site: 'My-List.com', timestamp: '1780315200' });
    const contract = {
      id: 1,
      service: 'My-List.com',
      site: 'My-List.com',
      recipient: 'steve',
      player: 'Steve',
      castAt: '2026-06-01T12:00:00.000Z',
      claimedAt: '2026-06-01T12:00:00.000Z',
      receivedAt: '2026-06-01T12:00:00.250Z',
      channel: 'listener-v2',
      address: '127.0.0.1',
      decision: 'rewarded',
      nextAt: '2026-06-02T12:00:00.000Z',
      voided: null,
      decidedAgain: null,
      paidElsewhere: false,
    };
    const { exit, out } = await teller.run('votes', '--json');
    expect([exit, out]).toEqual([0, JSON.stringify([contract])]);
  });

  test('are listed newest first, and can be filtered', async () => {
    const one = clerk(SITES);
    await one.vote('Steve', 'My-List.com', '2026-06-01T12:00:00Z');
    await one.vote('Alex', 'Other.net', '2026-06-01T13:00:00Z');
    await one.vote('Steve', 'My-List.com', '2026-06-01T14:00:00Z');
    one.at('2026-06-01T14:30:00Z');
    const found = async (...words: string[]) =>
      (await one.run('votes', '--json', ...words)).json.map(({ id }: { id: number }) => id);
    expect(await found()).toEqual([3, 2, 1]);
    expect(await found('--player', 'STEVE')).toEqual([3, 1]);
    expect(await found('--site', 'default')).toEqual([2]);
    expect(await found('--site', 'Other.net')).toEqual([2]);
    expect(await found('--decision', 'cooldown')).toEqual([3]);
    expect(await found('--since', '2h')).toEqual([3, 2]);
    expect(await found('--since', '2026-06-01T14:00')).toEqual([3]);
    expect(await found('--since', '2026-06-01')).toEqual([3, 2, 1]);
    expect(await found('--until', '2026-06-01T14:00')).toEqual([2, 1]);
    expect(await found('--until', '90m', '--player', 'Steve')).toEqual([1]);
    expect(await found('--channel', 'operator', '--site', 'default')).toEqual([2]);
    expect(await found('--channel', 'webhook')).toEqual([]);
    expect(await found('--after', '3', '--limit', '1')).toEqual([2]);
  });

  test('the table shows player, site and decision, and how to see older votes', async () => {
    const teller = await here(SITES, at('2026-06-01T12:00:00Z'));
    await teller.vote({ player: '.Bob', site: 'Odd name' });
    const { out, err } = await teller.run('votes', '--limit', '1');
    expect(out.split('\n')).toEqual([
      'VOTE  RECEIVED  PLAYER  SERVICE  SITE  DECISION  NEXT COUNTS AT  CAME BY',
      '1  2026-06-01T12:00:00.000Z  .Bob  Odd name  default  rewarded  2026-06-02T12:00:00.000Z  listener-v2 from 127.0.0.1',
    ]);
    expect(err).toEqual(naming('--after 1'));
  });

  test('print an empty array or a sentence and exit 0 if there are none', async () => {
    const { run } = desk();
    expect(await run('votes', '--json')).toMatchObject({ exit: 0, out: '[]', err: '' });
    expect(await run('votes')).toMatchObject({ exit: 0, out: '', err: naming(/votes/) });
  });

  test('report everything wrong with the flags at once, and exit 2', async () => {
    const flags = '--decision rewardd --limit 0 --channel webook'.split(' ');
    const { err, exit } = await desk().run('votes', ...flags, '--since', '1 day');
    expect(exit).toBe(2);
    expect(err).toEqual(naming('--channel', '"webook"', '"webhook"'));
    expect(err).toEqual(naming('--decision', '"rewardd"', '"rewarded"', '[usage]'));
    expect(err).toEqual(naming('--limit', '100000', '"0"'));
    expect(err).toEqual(naming('--since', '"24h"', '"1 day"'));
  });

  test('report a missing ledger, and do not create it', async () => {
    const place = furnish(temporaryFolder());
    const ledger = join(place.folder, 'data/teller.db');
    const { err, exit } = await typing(place, at('2026-06-01T12:00:00Z')).run('votes');
    expect([exit, err]).toEqual([1, naming(ledger, '`teller run`', /\[ledger-missing\]$/)]);
    expect(existsSync(ledger)).toBe(false);
  });
});

describe('votes add', () => {
  test('records a vote that takes its window and earns its rewards, and says so', async () => {
    const { run } = clerk(CONFIG);
    const { out, exit } = await run(...STEVE);
    const lines = out.split('\n');
    expect(exit).toBe(0);
    expect(lines).toContainEqual(naming('vote 1', 'Steve', 'My-List.com', 'rewarded'));
    expect(lines).toContainEqual(naming('reward', 'daily: granted'));
    expect(lines).toContainEqual(naming('second', '1 of 2'));
    expect(lines).toContainEqual(naming('grant 1', 'pending'));
    expect((await run('votes', '--json')).json).toMatchObject([
      { channel: 'operator', site: 'My-List.com', castAt: '2026-06-01T12:00:00.000Z', address: null },
    ]);
  });

  test('obeys the window of an earlier vote, and explain names who added it', async () => {
    const one = clerk(CONFIG);
    await one.vote('Steve', 'My-List.com');
    one.at('2026-06-01T13:00:00Z');
    expect((await one.run(...STEVE)).out.split('\n')).toContainEqual(
      naming('cooldown', '2026-06-02T12:00:00.000Z'),
    );
    expect((await one.run('explain', 'Steve')).out).toMatch(/^.*2026-06-01T13:00:00\.000Z.* operator .*\w/m);
  });

  test('dates a vote by --at, so that the total that it completes is paid', async () => {
    const one = clerk(CONFIG);
    await one.vote('Steve', 'My-List.com', '2026-06-03T12:00:00Z');
    expect((await one.run(...STEVE, '--at', '2026-06-01T09:00Z', '--json')).json).toMatchObject([
      {
        added: true,
        decision: 'rewarded',
        castAt: '2026-06-01T09:00:00.000Z',
        rewards: [
          { reward: 'daily', code: 'granted' },
          { reward: 'second', code: 'granted' },
        ],
        grants: [{ reward: 'daily' }, { reward: 'second', occasion: 'total 2' }],
      },
    ]);
  });

  test('with --id, adds a vote once (rule 2)', async () => {
    const one = clerk(CONFIG);
    await one.run(...STEVE, '--id', 'event-7');
    one.at('2026-06-05T12:00:00Z');
    const again = await one.run(...STEVE, '--id', 'event-7', '--json');
    expect(again).toMatchObject({ exit: 0, err: '', json: [{ id: 1, added: false }] });
    expect((await one.run(...STEVE, '--id', 'event-7')).err).toContain('vote 1');
    expect((await one.run('votes', '--json')).json).toHaveLength(1);
  });

  test('without --id, adds one more vote each time, except for the same time', async () => {
    const { run } = clerk(CONFIG);
    const count = async () => (await run('votes', '--json')).json.length;
    for (const _ of [1, 2]) await run(...STEVE);
    expect(await count()).toBe(2);
    for (const _ of [1, 2]) await run(...STEVE, '--at', '2026-05-20');
    expect(await count()).toBe(3);
  });

  test('accepts a user ID on a site without player names', async () => {
    const webhook = { path: '/v', secret: TOKEN, listingId: 'id' };
    const one = clerk({ sites: { default: { token: TOKEN }, Craft: { game: 'fivem', webhook } } });
    await one.vote('80351110224678912', 'Craft');
    expect((await one.run('votes', '--json')).json).toMatchObject([
      { recipient: '80351110224678912', player: null },
    ]);
  });

  test.each([
    ['a time in the future', ['--at', '2026-06-01T12:00:01Z'], 'usage'],
    ['an ID with a space', ['--id', 'a b'], 'usage'],
    ['a site whose name is too long', ['--site', 'x'.repeat(129)], 'usage'],
    ['a name that no player can have', ['--player', 'Steve;op'], 'vote-refused'],
  ])('refuses %s, and records nothing', async (_, words, code) => {
    const { run } = clerk(CONFIG);
    expect((await run(...STEVE, ...words)).err).toContain(`[${code}]`);
    expect((await run('votes', '--json')).json).toEqual([]);
  });

  test('needs the time of the vote while the clock cannot be relied on', async () => {
    const teller = await here(CONFIG, at('2026-05-30T12:00:00Z'));
    await teller.vote({ player: 'Alex' });
    teller.clock.jump(26 * 3_600_000);
    await teller.vote({ player: 'Alex' });
    expect((await teller.run(...STEVE)).err).toContain('[vote-undated]');
    expect((await teller.run(...STEVE, '--at', '2026-05-29')).exit).toBe(0);
  });
});

describe('a running Teller pays', () => {
  test('what a vote earns that another process adds, and the reward of a counted vote', async () => {
    const teller = await here({ rewards: [DAILY] });
    await teller.run(...STEVE);
    await teller.untilGrants('delivered');
    await teller.vote({ player: 'Steve', site: 'Other.net' });
    expect((await teller.run('votes', 'reward', '2', '--yes')).exit).toBe(0);
    await teller.untilGrants('delivered', 'delivered');
  });
});

describe('votes void ID', () => {
  const VOID = ['votes', 'void', '1', '--reason', 'forged'];

  /** Steve’s vote 1, with grant 1. */
  async function voted() {
    const one = clerk({ rewards: [DAILY] });
    await one.vote('Steve', 'First.net');
    const voided = async () => (await one.run('votes', '--json')).json.at(-1).voided;
    return { ...one, voided };
  }

  test('voids a vote, and every view of it shows who did, when and why', async () => {
    const one = await voted();
    one.at('2026-06-01T15:00:00Z');
    expect(await one.run(...VOID, '--yes')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('vote 1'),
    });
    const voided = { at: '2026-06-01T15:00:00.000Z', by: expect.any(String), reason: 'forged' };
    expect(await one.voided()).toEqual(voided);
    expect((await one.run('explain', 'Steve', '--json')).json).toMatchObject([{ id: 1, voided }]);
    expect((await one.run('votes')).out).toContain('rewarded, voided');
    const { by } = await one.voided();
    expect((await one.run('explain', 'Steve')).out.split('\n')).toContainEqual(
      naming(by, '2026-06-01T15:00:00.000Z', 'forged'),
    );
  });

  test('shows first what stays granted, and asks', async () => {
    const one = await voted();
    const no = await one.runBy({}, ...VOID);
    expect(no).toMatchObject({ exit: 1, err: expect.stringContaining('[not-confirmed]') });
    expect(no.err).toContain('`teller grants cancel 1`');
    expect(no.asked).toHaveLength(1);
    expect(await one.voided()).toBeNull();
  });

  test('--json has the votes as `votes --json` does, each once', async () => {
    const one = await voted();
    const { json } = await one.run('votes', 'void', '1', '1', '--reason', 'forged', '--yes', '--json');
    expect(json).toEqual((await one.run('votes', '--json')).json);
    expect(json).toMatchObject([{ id: 1, voided: { reason: 'forged' } }]);
  });

  test.each([
    ['2', 'forged', 1, 'vote-missing'],
    ['1', 'again', 1, 'vote-voided'],
    ['1', ' ', 2, 'usage'],
    ['1', 'x'.repeat(201), 2, 'usage'],
  ])('refuses vote %s with the reason %j', async (id, reason, exit, code) => {
    const one = await voted();
    if (code === 'vote-voided') await one.run(...VOID, '--yes');
    const refused = await one.run('votes', 'void', id, '--reason', reason, '--yes');
    expect(refused).toMatchObject({ exit, err: expect.stringContaining(`[${code}]`) });
    expect((await one.voided())?.reason).toBe(code === 'vote-voided' ? 'forged' : undefined);
  });

  test('a voided vote cannot be rewarded by the operator', async () => {
    const one = await voted();
    await one.vote('Steve', 'Second.net', '2026-06-01T13:00:00Z');
    await one.run('votes', 'void', '2', '--reason', 'forged', '--yes');
    expect((await one.run('votes', 'reward', '2', '--yes')).err).toContain('[vote-voided]');
  });
});
