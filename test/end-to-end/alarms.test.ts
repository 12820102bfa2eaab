import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { recordFileOf } from '../../src/notify/alarms/record.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { changesIn } from '../support/alarms.ts';
import { configFolder } from '../support/config-folder.ts';
import { rulesFor, THANKS } from '../support/ledgers.ts';
import { startTeller, teller } from '../support/processes.ts';
import { sink } from '../support/sink.ts';
import { arrival } from '../support/votes.ts';

/** Leaves a ledger as a process does that is killed while it sends a command. */
async function leaveInterrupted(file: string): Promise<void> {
  const ledger = await openLedger(file, 'create', { clock: systemClock });
  await ledger.record({ ...arrival(), rules: rulesFor(THANKS) }, null);
  await ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: 0 });
  await ledger.close();
}

test('a kill after a message has arrived and before that is noted repeats it once, with its event ID', {
  timeout: 90_000,
}, async () => {
  const receiver = await sink();
  const { folder, config, ledger } = configFolder({ alarms: { url: receiver.url } });
  await leaveInterrupted(ledger);
  const start = () => startTeller(['run', '--config', config], folder);

  const killed = new Promise<void>((resolve) => {
    receiver.answers = [() => resolve(), 204];
  });
  const first = await start();
  await killed;
  await first.kill();
  const second = await start();
  const [one, two] = [await receiver.request(1), await receiver.request(2)];
  expect(changesIn(two.json)).toContain('+ grants-held');
  expect(two.json.eventId).toBe(one.json.eventId);
  expect(String(two.body)).toBe(String(one.body));
  await expect.poll(() => second.log(), { timeout: 10_000 }).toContain('alarms-sent');
  await second.stop();

  // What was told stays told.
  const before = readFileSync(recordFileOf(ledger), 'utf8');
  const third = await start();
  await expect.poll(() => readFileSync(recordFileOf(ledger), 'utf8'), { timeout: 10_000 }).not.toBe(before);
  const shown = await teller(['alarms', '--config', config], folder);
  expect(shown).toMatchObject({ code: 1, out: expect.stringContaining('A reward has been held since') });
  await third.stop();
  expect(receiver.requests).toHaveLength(2);
});

test('without `alarms`, a receiver of events is told of health, once also over a kill', {
  timeout: 90_000,
}, async () => {
  const receiver = await sink();
  const events = [{ url: receiver.url, secret: 'the-secret-of-the-events', on: ['health'] }];
  const { folder, config, ledger } = configFolder({ events });
  await leaveInterrupted(ledger);
  const start = () => startTeller(['run', '--config', config], folder);

  const first = await start();
  const { json } = await receiver.request(1);
  expect(json).toMatchObject({
    event: 'health',
    data: { state: 'began', alarm: 'grants-held', until: null },
  });
  await first.kill();
  const second = await start();
  const cancelled = await teller(['grants', 'mark-paid', '1', '--yes', '--config', config], folder);
  expect(cancelled.code).toBe(0);
  const others = [await receiver.request(2)];
  // The kill may have come before it was noted that the first one had arrived.
  if (others[0]?.json.eventId === json.eventId) others.push(await receiver.request(3));
  expect(others.at(-1)?.json).toMatchObject({ data: { state: 'over', alarm: 'grants-held' } });
  await second.stop();
});
