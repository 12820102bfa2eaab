import { expect, test } from 'vitest';
import { practiceClockIn } from '../../src/platform/practice-clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';

test.each([
  '',
  '{',
  '[]',
  '{"offsetMs": "1"}',
  '{"offsetMs": -1}',
  '{"offsetMs": 1.5}',
  '{"offsetMs": 1e15}',
])('refuses a practice clock file that contains %j (practice-clock-damaged)', (text) => {
  const folder = temporaryFolder({ 'practice-clock.json': text });
  expect(() => practiceClockIn(folder, new FakeClock())).toThrow(
    expect.objectContaining({ code: 'practice-clock-damaged' }),
  );
});

test('the offset survives a restart and never shrinks', async () => {
  const folder = temporaryFolder();
  const first = practiceClockIn(folder, new FakeClock());
  expect([await first.advance(86_400_000), await first.advance(-5)]).toEqual([true, true]);
  expect(first.offsetMs).toBe(86_400_000);
  expect(practiceClockIn(folder, new FakeClock()).offsetMs).toBe(86_400_000);
});

test('moves that are asked for at once are added up', async () => {
  const folder = temporaryFolder();
  const clock = practiceClockIn(folder, new FakeClock());
  await Promise.all([clock.advance(1_000), clock.advance(2_000), clock.advance(3_000)]);
  expect(clock.offsetMs).toBe(6_000);
  expect(practiceClockIn(folder, new FakeClock()).offsetMs).toBe(6_000);
});

test('calls back after each move, until that is cancelled', async () => {
  const clock = practiceClockIn(temporaryFolder(), new FakeClock(0));
  const seen: number[] = [];
  const cancel = clock.whenMoved(() => void seen.push(clock.now()));
  await clock.advance(1_000);
  await clock.advance(2_000);
  cancel();
  await clock.advance(3_000);
  expect(seen).toEqual([1_000, 3_000]);
});
