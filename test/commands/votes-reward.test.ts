import { describe, expect, onTestFinished, test } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { planVoteReward, rewardVote } from '../../src/operator/reward-vote.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { naming } from '../support/naming.ts';
import { runningApp } from '../support/running-app.ts';
import { arrival } from '../support/votes.ts';
import { type Operator, operator } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const CRATE = { name: 'crate', if: { chance: '60%' }, commands: ['give {player} chest 1'] };

/** Steve's vote 1 took the window of unlisted sites, so vote 2 on another site was counted but not rewarded. */
async function counted(overrides: object = {}): Promise<Operator> {
  const one = await operator({ rewards: [DAILY], ...overrides });
  await one.vote('Steve', 'First.net', { at: '2026-06-01T12:00:00Z' });
  await one.vote('Steve', 'Second.net', { at: '2026-06-01T13:00:00Z' });
  return one;
}

const grantsOf = ({ ledger }: Operator, voteId: number) => ledger.grants({ voteId, limit: 9 });

describe('votes reward ID', () => {
  test('rewards a counted vote with the current config, and every trace shows it', async () => {
    const one = await counted();
    const { out, err, exit } = await one.teller('votes', 'reward', '2', '--yes');
    expect(exit).toBe(0);
    expect(err).toContain('give Steve diamond 1');
    expect(out).toContain('grant 2');
    expect(await grantsOf(one, 2)).toMatchObject([
      { id: 2, reward: 'daily', player: 'Steve', state: 'pending' },
    ]);
    const rows = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    expect(rows[1]).toMatchObject({
      id: 2,
      decision: 'unlisted',
      operatorRewardedAt: '2026-06-01T13:00:00.000Z',
      grants: [{ id: 2 }],
    });
    expect((await one.teller('explain', 'Steve')).out.split('\n')).toContainEqual(
      naming('operator', '2026-06-01T13:00:00.000Z'),
    );
  });

  test('is suggested by explain for a vote on an unlisted site, until it is done', async () => {
    const one = await counted();
    expect((await one.teller('explain', 'Steve')).out).toContain('`teller votes reward 2`');
    await one.teller('votes', 'reward', '2', '--yes');
    expect((await one.teller('explain', 'Steve')).out).not.toContain('votes reward');
  });

  test('takes no window and changes no total', async () => {
    const one = await counted();
    const before = await one.ledger.tallies(0);
    await one.teller('votes', 'reward', '2', '--yes');
    expect(await one.ledger.tallies(0)).toEqual(before);
    const next = await one.vote('Steve', 'Second.net', { at: '2026-06-02T12:00:00Z' });
    expect(next).toMatchObject({ decision: { kind: 'rewarded' } });
  });

  test('asks first, and changes nothing without a yes', async () => {
    const one = await counted();
    const no = await one.tellerAsked({ interactive: true, answer: false }, 'votes', 'reward', '2');
    expect(no).toMatchObject({ exit: 1, err: expect.stringContaining('[not-confirmed]') });
    expect(one.asked).toHaveLength(1);
    expect((await one.teller('votes', 'reward', '2')).err).toContain('[usage]');
    expect(await grantsOf(one, 2)).toEqual([]);
  });

  test('draws a chance once, when it is confirmed, and keeps what was drawn', async () => {
    const one = await counted({ rewards: [DAILY, CRATE] });
    const { err } = await one.teller('votes', 'reward', '2', '--yes');
    expect(err).toContain('60%');
    const rows = JSON.parse((await one.teller('explain', 'Steve', '--json')).out);
    const [roll] = rows[1].operatorRolls;
    expect(roll).toMatchObject({ reward: 'crate', chance: 0.6 });
    expect((await grantsOf(one, 2)).map(({ reward }) => reward).toSorted()).toEqual(
      roll.rolled < 0.6 ? ['crate', 'daily'] : ['daily'],
    );
  });

  test('shows the figures of the player, who had voted before', async () => {
    const figures = {
      name: 'figures',
      commands: ['say {votes} {votesDay} {votesSite} {streak} {bestStreak}'],
    };
    const one = await operator({ rewards: [figures] });
    await one.vote('Steve', 'First.net', { at: '2026-05-31T11:00:00Z' });
    await one.vote('Steve', 'First.net', { at: '2026-06-01T12:00:00Z' });
    await one.vote('Steve', 'Second.net', { at: '2026-06-01T13:00:00Z' });
    const { err } = await one.teller('votes', 'reward', '3', '--yes');
    // The vote marks its day and is in no total.
    expect(err).toContain('say 2 1 0 2 2');
    const [grant] = await grantsOf(one, 3);
    expect(grant?.commands).toMatchObject([{ command: 'say 2 1 0 2 2' }]);
  });

  test('takes a place of a limit, and is not granted a reward whose limit is full', async () => {
    const one = await counted({
      rewards: [{ ...DAILY, limit: { per: 'player', count: 2, within: 'ever' } }],
    });
    await one.vote('Steve', 'Third.net', { at: '2026-06-01T14:00:00Z' });
    expect((await one.teller('votes', 'reward', '2', '--yes')).exit).toBe(0);
    expect((await one.teller('votes', 'reward', '3', '--yes')).err).toContain('[reward-none]');
  });

  test('--json has what was granted', async () => {
    const one = await counted();
    const { out } = await one.teller('votes', 'reward', '2', '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject([{ id: 2, grants: [{ id: 2, voteId: 2, reward: 'daily' }] }]);
  });

  test('creates a grant that `--since` finds, although the vote is older', async () => {
    const one = await counted();
    one.clock.set('2026-06-01T20:00:00Z');
    await one.teller('votes', 'reward', '2', '--yes');
    const found = async () => JSON.parse((await one.teller('grants', '--json', '--since', '1h')).out);
    expect(await found()).toMatchObject([{ id: 2 }]);
    await one.vote('Alex', 'First.net', { at: '2026-06-01T20:30:00Z' });
    expect(await found()).toMatchObject([{ id: 3 }, { id: 2 }]);
  });

  test.each([
    ['does not exist', '99', 'vote-missing'],
    ['was rewarded when it arrived', '1', 'vote-rewarded'],
  ])('refuses a vote that %s', async (_, id, code) => {
    const one = await counted();
    const { err, exit } = await one.teller('votes', 'reward', id, '--yes');
    expect([exit, err]).toEqual([1, expect.stringContaining(`[${code}]`)]);
    expect(await one.ledger.grants({ limit: 9 })).toHaveLength(1);
  });

  test('refuses the same vote a second time, even if its rewards were lost by chance the first time', async () => {
    const never = { ...CRATE, if: { chance: '0.0001%' } };
    const one = await counted({ rewards: [never] });
    expect((await one.teller('votes', 'reward', '2', '--yes')).exit).toBe(0);
    const { err, exit } = await one.teller('votes', 'reward', '2', '--yes');
    expect([exit, err]).toEqual([1, expect.stringContaining('[vote-rewarded-by-operator]')]);
  });

  test('refuses a vote whose player was forgotten', async () => {
    const one = await counted();
    await one.teller('players', 'forget', 'Steve', '--yes');
    const { err, exit } = await one.teller('votes', 'reward', '2', '--yes');
    expect([exit, err]).toEqual([1, expect.stringContaining('[vote-forgotten]')]);
  });

  test('refuses a vote that names no player', async () => {
    const webhook = { path: '/votes', secret: TOKEN, listingId: 'id' };
    const one = await operator({
      sites: { default: { token: TOKEN }, Craft: { webhook } },
      rewards: [DAILY],
    });
    await one.voteOf('80351110224678912', 'Craft', 'minecraft');
    const { err, exit } = await one.teller('votes', 'reward', '1', '--yes');
    expect([exit, err]).toEqual([1, expect.stringContaining('[vote-no-player]')]);
  });

  test('refuses if no reward applies, and works once one does', async () => {
    const one = await counted();
    writeConfig(one.config, { rewards: [] });
    expect((await one.teller('votes', 'reward', '2', '--yes')).err).toContain('[reward-none]');
    writeConfig(one.config, { rewards: [DAILY] });
    expect((await one.teller('votes', 'reward', '2', '--yes')).exit).toBe(0);
  });
});

test('a running Teller pays the grants of votes reward', async () => {
  const running = await runningApp(systemClock, { rewards: [DAILY] });
  const ledger = await openLedger(running.app.config.ledger, 'write', { clock: systemClock });
  onTestFinished(() => ledger.close());
  const { id } = await ledger.record({ ...arrival(), unrewarded: 'too-old' }, null);
  const plan = await planVoteReward(ledger, running.app.config, id);
  if (plan.kind === 'refused') throw new Error(plan.code);
  await rewardVote(ledger, running.app.config, plan, fixedRandom(0), systemClock);
  await expect
    .poll(async () => (await running.look.grants({ limit: 9 })).map(({ state }) => state))
    .toEqual(['delivered']);
});
