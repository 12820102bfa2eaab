import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Clerk, clerk } from '../kit/clerk.ts';
import { here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { hooked, payload, post } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, refused } from '../support/naming.ts';

const SITES = { sites: { default: { token: TOKEN }, 'My-List.com': {} } };
const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const CONFIG = {
  ...SITES,
  rewards: [DAILY, { name: 'second', if: { votes: { at: [2] } }, commands: ['say {votes}'] }],
};
const STEVE = ['votes', 'add', '--player', 'Steve', '--site', 'My-List.com'];

const NOON = '2026-06-01T12:00:00Z';
const at = (time: string) => new FakeClock(time);

test('votes --json has exactly the fields of the contract, in their order; the table shows player, site and decision, and how to see older votes', async () => {
  const teller = await here(SITES, at('2026-06-01T12:00:00.250Z'));
  await teller.vote({ player: '.Bob', site: 'Odd name', timestamp: '1780315200' });
  const contract = {
    id: 1,
    service: 'Odd name',
    site: 'default',
    recipient: '.bob',
    player: '.Bob',
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
  const table = await teller.run('votes', '--limit', '1');
  expect(table.out.split('\n')).toEqual([
    'VOTE  RECEIVED  PLAYER  SERVICE  SITE  DECISION  NEXT COUNTS AT  CAME BY',
    '1  2026-06-01T12:00:00.250Z  .Bob  Odd name  default  rewarded  2026-06-02T12:00:00.000Z  listener-v2 from 127.0.0.1',
  ]);
  expect(table.err).toEqual(naming('--after 1'));
});

test('votes are listed newest first, and can be filtered', async () => {
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

test('votes print an empty array or a sentence if there are none, and report everything wrong with the flags at once, or a missing ledger', async () => {
  const { run, folder } = desk();
  expect(await run('votes', '--json')).toMatchObject({ exit: 0, out: '[]', err: '' });
  expect(await run('votes')).toMatchObject({ exit: 0, out: '', err: naming(/votes/) });
  const flags = '--decision rewardd --limit 0 --channel webook'.split(' ');
  const { err, exit } = await run('votes', ...flags, '--since', '1 day');
  expect(exit).toBe(2);
  expect(err).toEqual(naming('--channel', '"webook"', '"webhook"'));
  expect(err).toEqual(naming('--decision', '"rewardd"', '"rewarded"', '[usage]'));
  expect(err).toEqual(naming('--limit', '100000', '"0"'));
  expect(err).toEqual(naming('--since', '"24h"', '"1 day"'));
  const ledger = join(folder, 'data/teller.db');
  rmSync(ledger);
  expect(await run('votes')).toEqual(refused(1, ledger, '`teller run`', /\[ledger-missing\]$/));
  expect(existsSync(ledger)).toBe(false);
});

test('votes add records a vote that takes its window and earns its rewards; --at dates it, so that the total that it completes is paid', async () => {
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
  expect((await run(...STEVE, '--at', '2026-05-30T09:00Z', '--json')).json).toMatchObject([
    {
      ...{ added: true, decision: 'rewarded', castAt: '2026-05-30T09:00:00.000Z' },
      rewards: [
        { reward: 'daily', code: 'granted' },
        { reward: 'second', code: 'granted' },
      ],
      grants: [{ reward: 'daily' }, { reward: 'second', occasion: 'total 2' }],
    },
  ]);
});

test('votes add with --id, adds a vote once (rule 2); without it, one more each time, except for the same time', async () => {
  const one = clerk(CONFIG);
  const count = async () => (await one.run('votes', '--json')).json.length;
  await one.run(...STEVE, '--id', 'event-7');
  one.at('2026-06-05T12:00:00Z');
  const again = await one.run(...STEVE, '--id', 'event-7', '--json');
  expect(again).toMatchObject({ exit: 0, err: '', json: [{ id: 1, added: false }] });
  expect((await one.run(...STEVE, '--id', 'event-7')).err).toContain('vote 1');
  expect(await count()).toBe(1);
  for (const _ of [1, 2]) await one.run(...STEVE);
  expect(await count()).toBe(3);
  for (const _ of [1, 2]) await one.run(...STEVE, '--at', '2026-05-20');
  expect(await count()).toBe(4);
});

test('votes add accepts a user ID on a site without player names', async () => {
  const webhook = { path: '/v', secret: TOKEN, listingId: 'id' };
  const one = clerk({ sites: { default: { token: TOKEN }, Craft: { game: 'fivem', webhook } } });
  await one.vote('80351110224678912', 'Craft');
  expect((await one.run('votes', '--json')).json).toMatchObject([
    { recipient: '80351110224678912', player: null },
  ]);
});

test('votes add refuses what no vote can have, and needs its time while the clock cannot be relied on', async () => {
  const teller = await here(CONFIG, at('2026-05-30T12:00:00Z'));
  for (const [flag, value, code] of [
    // A time in the future.
    ['--at', '2026-05-30T12:00:01Z', 'usage'],
    ['--id', 'a b', 'usage'],
    ['--site', 'x'.repeat(129), 'usage'],
    ['--player', 'Steve;op', 'vote-refused'],
  ] as const)
    expect((await teller.run(...STEVE, flag, value)).err).toContain(`[${code}]`);
  expect((await teller.run('votes', '--json')).json).toEqual([]);
  await teller.vote({ player: 'Alex' });
  teller.clock.jump(26 * 3_600_000);
  await teller.vote({ player: 'Alex' });
  expect((await teller.run(...STEVE)).err).toContain('[vote-undated]');
  expect((await teller.run(...STEVE, '--at', '2026-05-29')).exit).toBe(0);
});

test('a running Teller pays what a vote earns that another process adds, and the reward of a counted vote', async () => {
  const teller = await here({ rewards: [DAILY] });
  await teller.run(...STEVE);
  await teller.untilGrants('delivered');
  await teller.vote({ player: 'Steve', site: 'Other.net' });
  expect((await teller.run('votes', 'reward', '2', '--yes')).exit).toBe(0);
  await teller.untilGrants('delivered', 'delivered');
});

test('votes void ID shows first what stays granted, and asks; every view of the vote, which keeps its window and its grants, then shows who voided it, when and why', async () => {
  const one = clerk({ rewards: [DAILY] });
  await one.vote('Steve', 'First.net');
  const voiding = (id: string, reason: string, ...flags: string[]) =>
    one.run('votes', 'void', id, '--reason', reason, ...flags);
  const voided = async () => (await one.run('votes', '--json')).json.at(-1).voided;
  const no = await one.runBy({}, 'votes', 'void', '1', '--reason', 'forged');
  expect([no.exit, no.err]).toEqual([1, naming('[not-confirmed]', '`teller grants cancel 1`')]);
  expect(no.asked).toHaveLength(1);
  for (const [id, reason, exit, code] of [
    ['2', 'forged', 1, 'vote-missing'],
    ['1', ' ', 2, 'usage'],
    ['1', 'x'.repeat(201), 2, 'usage'],
  ] as const)
    expect(await voiding(id, reason, '--yes')).toEqual(refused(exit, `[${code}]`));
  expect(await voided()).toBeNull();

  const time = '2026-06-01T15:00:00.000Z';
  one.at(time);
  expect(await voiding('1', 'forged', '--yes')).toMatchObject({ exit: 0, out: naming('vote 1') });
  const { by } = await voided();
  const shown = { at: time, by: expect.any(String), reason: 'forged' };
  expect((await one.run('explain', 'Steve', '--json')).json).toMatchObject([{ id: 1, voided: shown }]);
  expect((await one.run('votes')).out).toContain('rewarded, voided');
  const { out } = await one.run('explain', 'Steve');
  expect(out.split('\n')).toContainEqual(naming(by, time, 'forged'));
  expect(await voiding('1', 'again', '--yes')).toEqual(refused(1, '[vote-voided]'));
  expect(await voided()).toEqual(shown);
  expect(await one.vote('Steve', 'First.net')).toMatchObject({ id: 2, decision: 'cooldown' });
  expect((await one.run('grants', '--json')).json).toMatchObject([{ voteId: 1, state: 'pending' }]);
});

const CRATE = { name: 'crate', if: { chance: '60%' }, commands: ['give {player} chest 1'] };

/** Steve’s vote 1 took the window of unlisted sites, so vote 2 on another site was counted but not rewarded. */
async function counted(rewards: readonly object[] = [DAILY]): Promise<Clerk> {
  const one = clerk({ rewards });
  await one.vote('Steve', 'First.net', '2026-06-01T12:00:00Z');
  await one.vote('Steve', 'Second.net', '2026-06-01T13:00:00Z');
  return one;
}

const reward = ({ run }: Clerk, id: number, ...flags: string[]) =>
  run('votes', 'reward', String(id), '--yes', ...flags);

const grantsOf = async ({ run }: Clerk, voteId: number) =>
  (await run('grants', '--json')).json.filter((grant: { voteId: number }) => grant.voteId === voteId);

test('votes reward ID rewards a counted vote with the current config, and every trace shows it; `--since` finds the grant, although the vote is older', async () => {
  const one = await counted();
  expect((await one.run('explain', 'Steve')).out).toContain('`teller votes reward 2`');
  one.at('2026-06-01T20:00:00Z');
  const { json, err, exit } = await reward(one, 2, '--json');
  expect([exit, err]).toEqual([0, naming('give Steve diamond 1')]);
  expect(json).toMatchObject([{ id: 2, grants: [{ id: 2, voteId: 2, reward: 'daily' }] }]);
  const found = async () => (await one.run('grants', '--json', '--since', '1h')).json;
  expect(await found()).toMatchObject([{ id: 2, reward: 'daily', player: 'Steve', state: 'pending' }]);
  const operatorRewardedAt = '2026-06-01T20:00:00.000Z';
  const [, shown] = (await one.run('explain', 'Steve', '--json')).json;
  expect(shown).toMatchObject({ id: 2, decision: 'unlisted', operatorRewardedAt, grants: [{ id: 2 }] });
  const explained = (await one.run('explain', 'Steve')).out;
  expect(explained.split('\n')).toContainEqual(naming('operator', operatorRewardedAt));
  expect(explained).not.toContain('votes reward');
  await one.vote('Alex', 'First.net', '2026-06-01T20:30:00Z');
  expect(await found()).toMatchObject([{ id: 3 }, { id: 2 }]);
});

test('votes reward ID draws a chance once, when it is confirmed, and keeps what was drawn', async () => {
  const one = await counted([DAILY, CRATE]);
  expect((await reward(one, 2)).err).toContain('60%');
  const [roll] = (await one.run('explain', 'Steve', '--json')).json[1].operatorRolls;
  expect(roll).toMatchObject({ reward: 'crate', chance: 0.6 });
  expect((await grantsOf(one, 2)).map(({ reward: name }: { reward: string }) => name).toSorted()).toEqual(
    roll.rolled < 0.6 ? ['crate', 'daily'] : ['daily'],
  );
});

test('votes reward ID shows the figures of the player, who had voted before', async () => {
  const one = clerk({
    rewards: [{ name: 'figures', commands: ['say {votes} {votesDay} {votesSite} {streak} {bestStreak}'] }],
  });
  await one.vote('Steve', 'First.net', '2026-05-31T11:00:00Z');
  await one.vote('Steve', 'First.net', '2026-06-01T12:00:00Z');
  await one.vote('Steve', 'Second.net', '2026-06-01T13:00:00Z');
  // The vote marks its day and is in no total.
  expect((await reward(one, 3)).err).toContain('say 2 1 0 2 2');
  expect(await grantsOf(one, 3)).toMatchObject([{ commands: [{ command: 'say 2 1 0 2 2' }] }]);
});

test('votes reward ID takes a place of a limit, and is not granted a reward whose limit is full', async () => {
  const one = await counted([{ ...DAILY, limit: { per: 'player', count: 2, within: 'ever' } }]);
  await one.vote('Steve', 'Third.net', '2026-06-01T14:00:00Z');
  expect(await reward(one, 2)).toMatchObject({ exit: 0, out: naming('grant 2') });
  expect((await reward(one, 3)).err).toContain('[reward-none]');
});

test('votes reward refuses a vote that is missing, was rewarded, or to which no reward applies, and the second time even if it lost its chance', async () => {
  const lost = [{ ...CRATE, if: { chance: '0.0001%' } }];
  const one = await counted(lost);
  const isRefused = async (id: number, code: string) =>
    expect(await reward(one, id)).toEqual(refused(1, `[${code}]`));
  await isRefused(99, 'vote-missing');
  await isRefused(1, 'vote-rewarded');
  rewrite(one, { rewards: [] });
  await isRefused(2, 'reward-none');
  rewrite(one, { rewards: lost });
  expect(await reward(one, 2)).toMatchObject({ exit: 0 });
  await isRefused(2, 'vote-rewarded-by-operator');
  expect((await one.run('grants', '--json')).json).toEqual([]);
});

test('votes reward refuses a vote that names no player', async () => {
  const webhook = { host: '127.0.0.1', port: 0 };
  const teller = await here({ webhook, sites: { List: hooked() }, rewards: [DAILY] }, at(NOON));
  expect((await post(teller, payload({}, { playerName: null }))).status).toBe(200);
  expect((await teller.run('votes', 'reward', '1', '--yes')).err).toContain('[vote-no-player]');
});
