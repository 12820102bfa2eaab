import { expect, test } from 'vitest';
import { SeenEvents } from '../../src/webhook-tools/seen-events.ts';

test('the latest 4,096 events are remembered, and no more', () => {
  const seen = new SeenEvents();
  for (let n = 1; n <= 4_097; n++) expect(seen.meet(`event ${n}`)).toBe(false);
  expect(seen.meet('event 2')).toBe(true);
  expect(seen.meet('event 1')).toBe(false);
});

test('an event that came again is the latest', () => {
  const seen = new SeenEvents();
  for (let n = 1; n <= 4_096; n++) seen.meet(`event ${n}`);
  seen.meet('event 1');
  seen.meet('a new one');
  expect(seen.meet('event 1')).toBe(true);
  expect(seen.meet('event 2')).toBe(false);
});
