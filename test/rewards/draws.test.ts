import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { Problem } from '../../src/core/problem.ts';
import { environment } from '../../src/environment.ts';
import { Intake } from '../../src/intake/intake.ts';
import { intakeSettings } from '../../src/parts.ts';
import { drawFor, winningDraws } from '../../src/rewards/draws.ts';
import { rollsIn } from '../../src/rewards/rolls.ts';
import { configFolder } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
import { reward } from '../support/rewards.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

/** Random numbers that decrease: 0.9, 0.8, … */
function falling() {
  let value = 0.9;
  const next = (): number => {
    const drawn = value;
    value = Math.round((value - 0.1) * 10) / 10;
    return drawn;
  };
  return { next, bytes: (count: number) => Buffer.alloc(count) };
}

test('one number is drawn for each reward with a chance, in order', () => {
  const rewards = [reward('a', { if: { chance: 0.5 } }), reward('b'), reward('c', { if: { chance: 0.1 } })];
  expect([...drawFor(rewards, falling())]).toEqual([
    ['a', 0.9],
    ['c', 0.8],
  ]);
  expect([...winningDraws(rewards).values()]).toEqual([0, 0, 0]);
});

test('a vote that is stored at the second attempt keeps the numbers drawn when it arrived', async () => {
  const lucky = { name: 'lucky', when: 'always', if: { chance: '85%' }, commands: ['say {player} won'] };
  const config = await loadConfig(configFolder({ rewards: [lucky] }).config);
  const { ledger } = freshLedger();
  let failures = 1;
  const failing = {
    ...ledger,
    record: async (...[arrivals, decide, judgeClock]: Parameters<typeof ledger.record>) => {
      failures -= 1;
      if (failures < 0) return await ledger.record(arrivals, decide, judgeClock);
      for (const arrival of arrivals) decide(arrival, []);
      throw new Problem('ledger-full', 'The disk is full.');
    },
  };
  const clock = new FakeClock();
  const stored: unknown[] = [];
  const intake = new Intake({
    ...intakeSettings(config, failing, environment(clock, falling(), silentLog)),
    ...{ clock, log: silentLog, onUnable: () => {}, onLost: () => {} },
    onRecorded: (_, recorded) => {
      if (recorded.kind === 'new' && recorded.decision.kind === 'rewarded')
        stored.push(...rollsIn(recorded.decision.reasons));
    },
  });
  const vote = {
    wire: WIRE_VOTE,
    text: '',
    address: '192.0.2.1',
    receivedAt: clock.now(),
    blockDigest: null,
  };
  const answered = intake.accept({ ...vote, channel: 'listener-v1' });
  clock.advance(0);
  await answered;
  expect(stored).toEqual([]);
  await expect
    .poll(() => {
      clock.advance(1_000);
      return stored;
    })
    .toEqual([{ reward: 'lucky', chance: 0.85, rolled: 0.9 }]);
});
