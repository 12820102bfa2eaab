import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/core/outcome.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { THANKS } from '../support/ledgers.ts';
import { MINUTE, startQueue, states, vote } from './scripted-queue.ts';

const RANK: Reward = {
  ...THANKS,
  commands: ['rank {player} vip'],
  verify: { command: 'rank show {player}', reply: 'rank: vip\\b' },
};
const EMPTY: Outcome = { kind: 'delivered', reply: '' };
const DOUBTFUL: Outcome = { kind: 'delivered', reply: 'Error: no change', doubt: 'Error: no change' };
const NO_FRAME: Outcome = { kind: 'unknown', reason: 'no-frame' };

/** A queue whose game server answers the command so, and `verify` with this. */
async function paid(outcome: Outcome, answer: string, reward: Reward = RANK) {
  const here = startQueue();
  here.server.outcome = () => outcome;
  here.server.reply = () => answer;
  await vote(here, 'Steve', reward);
  const [grant] = await here.ledger.grants({ limit: 1 });
  return { ...here, grant };
}

describe('a reward with `verify`', () => {
  test.each([
    ['an empty', EMPTY],
    ['a doubtful', DOUBTFUL],
    ['no', NO_FRAME],
  ] as const)(
    // biome-ignore format: as a table
    'is delivered after %s reply if the answer proves that its command ran',
    async (_, outcome) => {
      const { grant, server } = await paid(outcome, '§aSteve has rank: VIP');
      expect(server.questions).toEqual(['rank show Steve']);
      expect(grant).toMatchObject({
        state: 'delivered',
        commands: [
          { outcome: 'delivered', reason: { code: 'verified', facts: { answer: '§aSteve has rank: VIP' } } },
        ],
      });
    },
  );

  test.each([
    ['an empty', EMPTY],
    ['a doubtful', DOUBTFUL],
    ['no', NO_FRAME],
  ] as const)(
    // biome-ignore format: as a table
    'is held after %s reply if the answer proves nothing',
    async (_, outcome) => {
      const { grant } = await paid(outcome, 'Steve has rank: viper');
      expect(grant).toMatchObject({
        state: 'held',
        reason: { code: 'not-verified' },
        commands: [
          {
            outcome: 'unknown',
            reason: { code: 'not-verified', facts: { answer: 'Steve has rank: viper' } },
          },
        ],
      });
    },
  );

  test('is held if the question gets no answer', async () => {
    const here = startQueue();
    here.server.outcome = () => EMPTY;
    here.server.ask = async () => ({ kind: 'unanswered', reason: 'timeout' });
    await vote(here, 'Steve', RANK);
    const [grant] = await here.ledger.grants({ limit: 1 });
    expect(grant?.commands).toMatchObject([
      { outcome: 'unknown', reason: { code: 'not-verified', facts: { answer: null } } },
    ]);
  });

  test('is run again if that is safe and the answer proves nothing', async () => {
    const here = await paid(EMPTY, 'Steve has no rank', { ...RANK, safeToRunTwice: true });
    here.server.reply = () => 'rank: vip';
    await here.pass(MINUTE);
    expect(here.server.commands).toEqual(['rank Steve vip', 'rank Steve vip']);
    expect(await states(here)).toEqual(['delivered']);
  });

  test.each<[string, Outcome]>([
    ['a reply that says what happened', { kind: 'delivered', reply: 'Done' }],
    ['a refusal', { kind: 'refused', reply: 'Unknown command' }],
    ['a broken connection', { kind: 'unknown', reason: 'closed' }],
  ])('asks nothing after %s', async (_, outcome) => {
    const { server, grant } = await paid(outcome, 'rank: vip');
    expect(server.questions).toEqual([]);
    expect(grant?.commands).toMatchObject([{ outcome: outcome.kind }]);
  });

  test('keeps that it was not verified when the operator says that the command ran', async () => {
    const here = await paid(EMPTY, 'nothing');
    const kindByServer = new Map([['main', 'rcon']]);
    expect(await here.ledger.continueAfter(1, { by: 'ann', kindByServer }, here.clock.now())).toMatchObject({
      kind: 'continued',
    });
    const [grant] = await here.ledger.grants({ limit: 1 });
    expect(grant?.commands).toMatchObject([
      { outcome: 'delivered', reason: { code: 'ran-by-operator', facts: { before: 'not-verified' } } },
    ]);
  });
});

test('a reward without `verify` counts as delivered after an empty reply, and asks nothing', async () => {
  const { server, grant } = await paid(EMPTY, '', { ...RANK, verify: null });
  expect([grant?.state, server.questions]).toEqual(['delivered', []]);
});
