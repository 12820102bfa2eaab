import { expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import {
  ALARMS_DATA,
  EVENT_DATA,
  eventBody,
  TELLER_EVENTS,
  TEST_BODY,
} from '../webhook-tools/event-bodies.ts';
import { DELIVERY_ID, post, SECRET, signature } from '../webhook-tools/started-sink.ts';
import { start } from './running-sink.ts';

const at = () => new FakeClock('2026-06-01T12:00:00Z');
const PARTY = eventBody('party', EVENT_DATA.party);

test('the text for each event shows what happened, its IDs, whether its signature is valid, and the answer', async () => {
  const { sink, printed } = await start(['--secret', SECRET], at());
  await post(sink, PARTY, signature(PARTY));
  expect((await printed(2))[1]?.split('\n')).toEqual([
    naming(/^2026-06-01T12:00:00\.000Z {2}party: /, 'rain', '100', 'Alex'),
    naming('e-1'),
    naming(DELIVERY_ID, 'attempt 2'),
    naming('valid'),
    naming('204'),
    '',
  ]);
});

const FACTS: Readonly<Record<string, readonly string[]>> = {
  'vote.rewarded': ['Alex', 'My-List.com', 'daily', 'crate'],
  'vote.cooldown': ['Alex', 'My-List.com'],
  'vote.refused': ['3', 'My-List.com', 'token-wrong'],
  'grant.delivered': ['Alex', 'daily', 'city'],
  'grant.held': ['Alex', 'daily', 'city'],
  party: ['rain', '100'],
  health: ['The disk is almost full.', 'Make room.'],
  'alarms.changed': ['survival', 'The disk is almost full.', 'city answers again.'],
};

test.each(TELLER_EVENTS)('%s is told in one line', async (event, data) => {
  const { sink, printed } = await start([]);
  await post(sink, eventBody(event, data));
  expect((await printed(2))[1]?.split('\n')).toEqual([
    naming(`  ${event}: `, ...(FACTS[event] ?? ['no facts of this kind'])),
    ...Array.from({ length: 5 }, () => expect.any(String)),
  ]);
});

test('the text shows a wrong signature, a repeat and a test', async () => {
  const { sink, printed } = await start(['--secret', SECRET]);
  const alarmsTest = eventBody('alarms.changed', ALARMS_DATA, { eventId: 'test', test: true });
  await post(sink, PARTY, signature(PARTY, 'x'));
  for (const body of [PARTY, PARTY, TEST_BODY, alarmsTest, TEST_BODY])
    await post(sink, body, signature(body));
  const [, forged, first, second, tested, alarms, testedAgain] = await printed(7);
  expect(forged?.split('\n').slice(3)).toEqual([naming('WRONG'), naming('401'), '']);
  expect(first).not.toContain('repeated');
  expect(second?.split('\n')[1]).toEqual(naming('e-1', 'repeated', 'eventId'));
  expect(tested?.split('\n')[0]).toEqual(naming('TEST: This is a test.'));
  expect(alarms?.split('\n')[0]).toEqual(naming('TEST alarms.changed: survival'));
  expect(testedAgain).not.toContain('repeated');
});

test('the text has no control characters and at most 500 of the event', async () => {
  const { sink, printed } = await start([]);
  const sentence = `a\u001b[2Jb\nc ${'d'.repeat(600)}`;
  await post(sink, eventBody('health', { ...EVENT_DATA.health, sentence }));
  const title = (await printed(2))[1]?.split('\n')[0] ?? '';
  expect(title).toEqual(naming('a?[2Jb / c', /d…$/));
  expect(title.split('health: ')[1]).toHaveLength(500);
});

test('--json prints one object with the payload, and --count counts events', async () => {
  const { sink, ended } = await start(['--json', '--count', '1', '--secret', SECRET], at());
  await post(sink, PARTY, signature(PARTY));
  const { exit, out } = await ended;
  expect(exit).toBe(0);
  const [, line = '', ...rest] = out.trim().split('\n');
  expect(rest).toEqual([]);
  expect(JSON.parse(line)).toEqual({
    ...{ kind: 'event', receivedAt: '2026-06-01T12:00:00.000Z', eventId: 'e-1', deliveryId: DELIVERY_ID },
    ...{ attempt: 2, test: false, payload: JSON.parse(PARTY), signature: 'valid', again: false },
    ...{ answered: 204, afterMs: 0 },
  });
});

test('an unknown event is refused, with what is accepted', async () => {
  const { sink, printed } = await start([], at());
  await post(sink, eventBody('vote.deleted', EVENT_DATA.party));
  expect((await printed(2))[1]).toEqual(naming('no delivery', 'vote.created', 'event of Teller', '400'));
});
