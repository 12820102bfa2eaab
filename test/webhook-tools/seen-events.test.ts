import { expect, test } from 'vitest';
import { SeenEvents } from '../../src/practice/webhook-tools/seen-events.ts';

test('only the latest 4,096 events are remembered', () => {
  const seen = new SeenEvents();
  for (let n = 1; n <= 4_097; n++) expect(seen.add(`event ${n}`)).toBe(false);
  expect(seen.add('event 2')).toBe(true);
  expect(seen.add('event 1')).toBe(false);
});

test('a repeated event becomes the latest one', () => {
  const seen = new SeenEvents();
  for (let n = 1; n <= 4_096; n++) seen.add(`event ${n}`);
  seen.add('event 1');
  seen.add('a new one');
  expect(seen.add('event 1')).toBe(true);
  expect(seen.add('event 2')).toBe(false);
});
