import { expect, onTestFinished, test } from 'vitest';
import { systemZone } from '../../src/platform/zone.ts';

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['America/New_York', 'America/New_York'],
  ['', 'UTC'],
  ['Nowhere/Nothing', 'UTC'],
])('with TZ=%s the time zone is %s', (named, zone) => {
  const before = process.env.TZ;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  process.env.TZ = named;
  expect(systemZone()).toBe(zone);
});
