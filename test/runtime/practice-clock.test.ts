import { expect, test } from 'vitest';
import { practiceClockIn } from '../../src/runtime/practice-clock.ts';
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

test('the offset survives a restart and never shrinks', () => {
  const folder = temporaryFolder();
  const first = practiceClockIn(folder, new FakeClock());
  expect([first.advance(86_400_000), first.advance(-5), first.offsetMs]).toEqual([true, true, 86_400_000]);
  expect(practiceClockIn(folder, new FakeClock()).offsetMs).toBe(86_400_000);
});
