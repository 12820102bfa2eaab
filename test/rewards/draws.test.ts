import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { environment } from '../../src/main/environment.ts';
import { intakeSettings } from '../../src/main/parts.ts';
import { ALL_WON, draw } from '../../src/rewards/draws.ts';
import { rollsIn } from '../../src/rewards/rolls.ts';
import { Intake } from '../../src/votes/intake/intake.ts';
import { configFolder } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freshLedger } from '../support/ledgers.ts';
import { silentLog } from '../support/log.ts';
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

const drawn = (seed: number, ...of: readonly [purpose: 'chance', reward: string, occasion: string]) =>
  draw({ kind: 'drawn', seed }, ...of);

describe('the numbers of a vote', () => {
  test('are the same each time, and differ by vote, reward and occasion', () => {
    const all = [
      drawn(0.25, 'chance', 'a', ''),
      drawn(0.5, 'chance', 'a', ''),
      drawn(0.25, 'chance', 'b', ''),
      drawn(0.25, 'chance', 'a', 'total 5'),
      drawn(0.25, 'chance', 'a", "b', ''),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(drawn(0.25, 'chance', 'a', '')).toBe(all[0]);
  });

  test('are spread evenly: of 10,000, between 930 and 1,070 lie in each tenth', () => {
    const tenths = new Array<number>(10).fill(0);
    for (let seed = 0; seed < 10_000; seed++) {
      const tenth = Math.floor(drawn(seed / 10_000, 'chance', 'a', '') * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    // Seven in a hundred are more than two standard deviations; these are always the same numbers.
    expect(tenths.every((count) => count > 930 && count < 1_070)).toBe(true);
  });

  test('all win when everything that could be earned is shown', () => {
    expect(draw(ALL_WON, 'chance', 'a', '')).toBe(0);
  });
});

test('a vote that is stored at the second attempt keeps the numbers drawn when it arrived', async () => {
  const lucky = { name: 'lucky', when: 'always', if: { chance: '85%' }, commands: ['say {player} won'] };
  const config = await loadConfig(configFolder({ rewards: [lucky] }).config);
  const { ledger, database } = freshLedger();
  // The vote is decided, and then its transaction fails.
  database.exec(
    `CREATE TEMP TRIGGER failing AFTER INSERT ON votes BEGIN SELECT RAISE(ROLLBACK, 'the disk fails'); END`,
  );
  const clock = new FakeClock();
  const stored: unknown[] = [];
  const unable: unknown[] = [];
  const intake = new Intake({
    ...intakeSettings(config, environment(clock, falling(), silentLog)),
    ...{ ledger, clock, log: silentLog, onLost: () => {} },
    onUnable: (_, error) => unable.push(error),
    onRecorded: { test: (_, recorded) => stored.push(recorded.kind) },
  });
  const vote = {
    wire: WIRE_VOTE,
    text: '',
    address: '192.0.2.1',
    receivedAt: clock.now(),
    blockDigest: null,
  };
  expect(await intake.accept({ ...vote, channel: 'listener-v1' })).toBeNull();
  expect([stored, unable]).toEqual([[], [expect.objectContaining({ code: 'ledger-failed' })]]);
  database.exec('DROP TRIGGER failing');
  await expect
    .poll(() => {
      clock.advance(1_000);
      return stored;
    })
    .toEqual(['new']);
  const [row] = await ledger.votes({ limit: 1 });
  expect(rollsIn(row?.reasons ?? new Map())).toEqual([
    { reward: 'lucky', chance: 0.85, rolled: drawn(0.9, 'chance', 'lucky', '') },
  ]);
});
