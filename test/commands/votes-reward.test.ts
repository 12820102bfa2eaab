import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Clerk, clerk } from '../kit/clerk.ts';
import { here } from '../kit/here.ts';
import { rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { naming } from '../support/naming.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
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

describe('votes reward ID', () => {
  test('rewards a counted vote with the current config, and every trace shows it', async () => {
    const one = await counted();
    expect((await one.run('explain', 'Steve')).out).toContain('`teller votes reward 2`');
    const { out, err, exit } = await reward(one, 2);
    expect([exit, err, out]).toEqual([0, naming('give Steve diamond 1'), naming('grant 2')]);
    expect(await grantsOf(one, 2)).toMatchObject([
      { id: 2, reward: 'daily', player: 'Steve', state: 'pending' },
    ]);
    const operatorRewardedAt = '2026-06-01T13:00:00.000Z';
    const [, shown] = (await one.run('explain', 'Steve', '--json')).json;
    expect(shown).toMatchObject({ id: 2, decision: 'unlisted', operatorRewardedAt, grants: [{ id: 2 }] });
    const explained = (await one.run('explain', 'Steve')).out;
    expect(explained.split('\n')).toContainEqual(naming('operator', operatorRewardedAt));
    expect(explained).not.toContain('votes reward');
  });

  test('takes no window and changes no total', async () => {
    const one = await counted();
    const total = async () => (await one.run('players', 'show', 'Steve', '--json')).json[0].votes;
    const before = await total();
    await reward(one, 2);
    expect(await total()).toBe(before);
    expect(await one.vote('Steve', 'Second.net', '2026-06-02T12:00:00Z')).toMatchObject({
      decision: 'rewarded',
    });
  });

  test('asks first, and changes nothing without a yes', async () => {
    const one = await counted();
    const no = await one.runBy({}, 'votes', 'reward', '2');
    expect(no).toMatchObject({ exit: 1, err: expect.stringContaining('[not-confirmed]') });
    expect(no.asked).toHaveLength(1);
    expect((await one.run('votes', 'reward', '2')).err).toContain('[usage]');
    expect(await grantsOf(one, 2)).toEqual([]);
  });

  test('draws a chance once, when it is confirmed, and keeps what was drawn', async () => {
    const one = await counted([DAILY, CRATE]);
    expect((await reward(one, 2)).err).toContain('60%');
    const [roll] = (await one.run('explain', 'Steve', '--json')).json[1].operatorRolls;
    expect(roll).toMatchObject({ reward: 'crate', chance: 0.6 });
    expect((await grantsOf(one, 2)).map(({ reward: name }: { reward: string }) => name).toSorted()).toEqual(
      roll.rolled < 0.6 ? ['crate', 'daily'] : ['daily'],
    );
  });

  test('shows the figures of the player, who had voted before', async () => {
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

  test('takes a place of a limit, and is not granted a reward whose limit is full', async () => {
    const one = await counted([{ ...DAILY, limit: { per: 'player', count: 2, within: 'ever' } }]);
    await one.vote('Steve', 'Third.net', '2026-06-01T14:00:00Z');
    expect((await reward(one, 2)).exit).toBe(0);
    expect((await reward(one, 3)).err).toContain('[reward-none]');
  });

  test('creates a grant that --json shows and `--since` finds, although the vote is older', async () => {
    const one = await counted();
    one.at('2026-06-01T20:00:00Z');
    expect((await reward(one, 2, '--json')).json).toMatchObject([
      { id: 2, grants: [{ id: 2, voteId: 2, reward: 'daily' }] },
    ]);
    const found = async () => (await one.run('grants', '--json', '--since', '1h')).json;
    expect(await found()).toMatchObject([{ id: 2 }]);
    await one.vote('Alex', 'First.net', '2026-06-01T20:30:00Z');
    expect(await found()).toMatchObject([{ id: 3 }, { id: 2 }]);
  });
});

describe('votes reward refuses', () => {
  const isRefused = async (one: Clerk, id: number, code: string) =>
    expect(await reward(one, id)).toMatchObject({ exit: 1, err: expect.stringContaining(`[${code}]`) });

  test.each([
    ['does not exist', 99, 'vote-missing'],
    ['was rewarded when it arrived', 1, 'vote-rewarded'],
  ])('a vote that %s', async (_, id, code) => {
    const one = await counted();
    await isRefused(one, id, code);
    expect((await one.run('grants', '--json')).json).toHaveLength(1);
  });

  test('the same vote a second time, even if its rewards were lost by chance the first time', async () => {
    const one = await counted([{ ...CRATE, if: { chance: '0.0001%' } }]);
    expect((await reward(one, 2)).exit).toBe(0);
    await isRefused(one, 2, 'vote-rewarded-by-operator');
  });

  test('a vote whose player was forgotten', async () => {
    const one = await counted();
    await one.run('players', 'forget', 'Steve', '--yes');
    await isRefused(one, 2, 'vote-forgotten');
  });

  test('a vote that no reward applies to, until one does', async () => {
    const one = await counted();
    rewrite(one, { rewards: [] });
    await isRefused(one, 2, 'reward-none');
    rewrite(one, { rewards: [DAILY] });
    expect((await reward(one, 2)).exit).toBe(0);
  });

  test('a vote that names no player', async () => {
    const port = await freePort();
    const webhook = { path: '/votes', secret: TOKEN, listingId: 'id' };
    const teller = await here({
      webhook: { host: '127.0.0.1', port },
      sites: { default: { token: TOKEN }, Craft: { webhook } },
      rewards: [DAILY],
    });
    const now = new Date(teller.clock.now()).toISOString();
    const voter = { userId: '80351110224678912', playerName: null, listingType: 'game', game: 'minecraft' };
    const data = { ...voter, listingId: 'id', weight: 1, votedAt: now, nextVoteAt: now };
    const delivery = { event: 'vote.created', version: 1, eventId: 'e-1', timestamp: now, test: false, data };
    const body = JSON.stringify(delivery);
    const signed = `sha256=${createHmac('sha256', TOKEN).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': signed };
    const { status } = await fetch(`http://127.0.0.1:${port}/votes`, { method: 'POST', headers, body });
    expect(status).toBe(200);
    expect((await teller.run('votes', 'reward', '1', '--yes')).err).toContain('[vote-no-player]');
  });
});
