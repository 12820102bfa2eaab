import { describe, expect, test } from 'vitest';
import { accountName } from '../../src/platform/account.ts';
import { naming } from '../support/naming.ts';
import { type Operator, operator } from './operator.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };

/** Steve's vote 1, with grant 1. */
async function voted(): Promise<Operator> {
  const one = await operator({ rewards: [DAILY] });
  await one.vote('Steve', 'First.net', { at: '2026-06-01T12:00:00Z' });
  return one;
}

const isVoided = async ({ ledger }: Operator) =>
  (await ledger.votes({ id: 1, limit: 1 }))[0]?.voided !== null;

describe('votes void ID', () => {
  test('voids a vote, and every view of it shows who did, when and why', async () => {
    const one = await voted();
    one.clock.set('2026-06-01T15:00:00Z');
    const { out, exit } = await one.teller('votes', 'void', '1', '--reason', 'forged', '--yes');
    expect([exit, out]).toEqual([0, expect.stringContaining('vote 1')]);
    const voided = { at: '2026-06-01T15:00:00.000Z', by: accountName(), reason: 'forged' };
    expect(JSON.parse((await one.teller('votes', '--json')).out)).toMatchObject([{ id: 1, voided }]);
    expect(JSON.parse((await one.teller('explain', 'Steve', '--json')).out)).toMatchObject([
      { id: 1, voided },
    ]);
    expect((await one.teller('votes')).out).toContain('rewarded, voided');
    expect((await one.teller('explain', 'Steve')).out.split('\n')).toContainEqual(
      naming(accountName(), '2026-06-01T15:00:00.000Z', 'forged'),
    );
  });

  test('shows first what stays granted, and asks', async () => {
    const one = await voted();
    const person = { interactive: true, answer: false };
    const no = await one.tellerAsked(person, 'votes', 'void', '1', '--reason', 'forged');
    expect(no).toMatchObject({ exit: 1, err: expect.stringContaining('[not-confirmed]') });
    expect(no.err).toContain('`teller grants cancel 1`');
    expect(one.asked).toHaveLength(1);
    expect(await isVoided(one)).toBe(false);
  });

  test('--json has the votes as `votes --json` does', async () => {
    const one = await voted();
    const { out } = await one.teller('votes', 'void', '1', '1', '--reason', 'forged', '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject([{ id: 1, voided: { reason: 'forged' } }]);
  });

  test.each([
    ['does not exist', ['2'], 'vote-missing'],
    ['is voided already', ['1'], 'vote-voided'],
  ])('refuses a vote that %s', async (_, ids, code) => {
    const one = await voted();
    await one.teller('votes', 'void', '1', '--reason', 'forged', '--yes');
    const { err, exit } = await one.teller('votes', 'void', ...ids, '--reason', 'again', '--yes');
    expect([exit, err]).toEqual([1, expect.stringContaining(`[${code}]`)]);
  });

  test.each([
    ['is empty', ' '],
    ['is longer than 200 characters', 'x'.repeat(201)],
  ])('refuses a reason that %s', async (_, reason) => {
    const one = await voted();
    const { err, exit } = await one.teller('votes', 'void', '1', '--reason', reason, '--yes');
    expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
    expect(await isVoided(one)).toBe(false);
  });

  test('a voided vote cannot be rewarded by the operator', async () => {
    const one = await voted();
    await one.vote('Steve', 'Second.net', { at: '2026-06-01T13:00:00Z' });
    await one.teller('votes', 'void', '2', '--reason', 'forged', '--yes');
    const { err } = await one.teller('votes', 'reward', '2', '--yes');
    expect(err).toContain('[vote-voided]');
  });
});
