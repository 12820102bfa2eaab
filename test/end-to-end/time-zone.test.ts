import { expect, test } from 'vitest';
import { runningApp } from '../support/running-app.ts';
import { SettableClock } from '../support/settable-clock.ts';

const clock = new SettableClock('2026-06-01T12:00:00Z');

test('a second Teller on the same ledger starts only with the same time zone, until the first one has ended', async () => {
  const first = await runningApp(clock, { timeZone: 'America/New_York' });
  const ledger = first.app.config.ledger;
  expect(await first.look.timeZone()).toBe('America/New_York');

  const other = { ledger, timeZone: 'Europe/Berlin' };
  await expect(runningApp(clock, other)).rejects.toMatchObject({ code: 'time-zone-differs' });
  await runningApp(clock, { ledger, timeZone: 'America/New_York' });
  expect(await first.look.timeZone()).toBe('America/New_York');
});

test('a changed time zone is stored at the next start', async () => {
  const first = await runningApp(clock, { timeZone: 'America/New_York' });
  await first.app.close();
  const { ledger } = first.app.config;
  await runningApp(clock, { ledger, timeZone: 'Europe/Berlin' });
  expect(await first.look.timeZone()).toBe('Europe/Berlin');
});

test('without a time zone in the config, days begin in that of the system', async () => {
  const { look } = await runningApp(clock);
  expect(await look.timeZone()).toBe(clock.zone);
});
