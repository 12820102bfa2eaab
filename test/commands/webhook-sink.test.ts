import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Around, service } from '../kit/service.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import {
  ALARMS_DATA,
  EVENT_DATA,
  eventBody,
  TELLER_EVENTS,
  TEST_BODY,
} from '../webhook-tools/event-bodies.ts';
import {
  AnnouncingClock,
  DELIVERY_ID,
  EVENT_ID,
  payload,
  post,
  SECRET,
  signature,
} from '../webhook-tools/started-sink.ts';

/** Flags, and what the answer names. */
type Case = readonly [flags: string, ...facts: string[]];

const BODY = payload();
const PARTY = eventBody('party', EVENT_DATA.party);
const NOON = '2026-06-01T12:00:00.000Z';
const at = () => new FakeClock(NOON);

/** Runs `teller webhook sink …` in this process. */
async function start(words: readonly string[], around: Around = {}) {
  const running = await service(['webhook', 'sink', ...words], around);
  return { ...running, sink: { ...running.ready.sink, port: Number(new URL(running.ready.sink.url).port) } };
}

const refused = (words: readonly string[]) => typed(['webhook', 'sink', ...words], null);

test('prints its URL in the first line, and exits 0 after a signal', async () => {
  const { sink, printed, stop, err } = await start([]);
  expect(sink.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await printed(1)).toEqual([`{"msg":"ready","sink":{"url":"${sink.url}"}}`]);
  expect(err).toEqual([]);
  expect(await stop()).toBe(0);
});

describe('the text for each delivery shows', () => {
  test('who voted, its IDs, whether its signature is valid, and the answer', async () => {
    const { sink, printed } = await start(['--secret', SECRET], { clock: at() });
    await post(sink, BODY, signature(BODY));
    expect((await printed(2))[1]?.split('\n')).toEqual([
      naming(/^2026-06-01T12:00:00\.000Z {2}/, 'minecraft', 'Steve'),
      naming(EVENT_ID),
      naming(DELIVERY_ID, 'attempt 2'),
      naming('80351110224678912', 'listing-1'),
      naming('valid'),
      naming('204'),
      '',
    ]);
  });

  test.each([
    ['--secret', SECRET, signature(BODY, 'x'), 'WRONG', '401'],
    ['--secret', SECRET, undefined, 'MISSING', '401'],
    ['--answer', '200', undefined, '--secret', '200'],
  ])(
    'with %s %s, that the signature is wrong, missing or not checked',
    async (flag, value, header, state, answered) => {
      const { sink, printed } = await start([flag, value], { clock: at() });
      await post(sink, BODY, header);
      const [, block] = await printed(2);
      expect(block?.split('\n').slice(4)).toEqual([naming(state), naming(answered), '']);
    },
  );

  test('whether it is a repeat or a test', async () => {
    const { sink, printed } = await start([]);
    for (const body of [BODY, BODY, payload({ eventId: 'test', test: true })]) await post(sink, body);
    const [, first, second, third] = await printed(4);
    expect(first?.split('\n')).not.toContainEqual(naming(EVENT_ID, 'eventId'));
    expect(second?.split('\n')).toContainEqual(naming(EVENT_ID, 'eventId'));
    expect(second).not.toContain('TEST');
    expect(third?.split('\n')[0]).toEqual(naming('TEST', 'minecraft', 'Steve'));
  });

  test('requests that are not deliveries, and why', async () => {
    const { sink, printed } = await start([], { clock: at() });
    await post(sink, '{');
    expect((await printed(2))[1]).toEqual(naming(/^2026-06-01T12:00:00\.000Z {2}/, 'JSON', '400'));
  });

  test('no control characters', async () => {
    const { sink, printed } = await start([]);
    await post(sink, payload({ eventId: 'a\u001b[2Jb\nc' }));
    expect((await printed(2))[1]).toContain('a?[2Jb / c');
  });
});

test('--json prints one object per line', async () => {
  const { sink, printed } = await start(['--json'], { clock: at() });
  await post(sink, BODY);
  await post(sink, '{');
  const [, delivery, other] = await printed(3);
  expect(JSON.parse(delivery as string)).toEqual({
    kind: 'delivery',
    receivedAt: NOON,
    eventId: EVENT_ID,
    deliveryId: DELIVERY_ID,
    attempt: 2,
    test: false,
    listingId: 'listing-1',
    userId: '80351110224678912',
    game: 'minecraft',
    playerName: 'Steve',
    signature: 'not-checked',
    again: false,
    answered: 204,
    afterMs: 0,
  });
  expect(JSON.parse(other as string)).toEqual({
    kind: 'no-delivery',
    receivedAt: NOON,
    reason: 'not-json',
    signature: 'not-checked',
    answered: 400,
  });
});

test('the statuses of --answer are sent in turn, and the last one repeats', async () => {
  const { sink } = await start(['--answer', '500, 503,200']);
  const statuses: number[] = [];
  for (const _ of [1, 2, 3, 4]) statuses.push((await post(sink, BODY)).status);
  expect(statuses).toEqual([500, 503, 200, 200]);
});

test('with a --delay of more than 10 s the sender reports a timeout, and the receiver a closed connection', async () => {
  const clock = new AnnouncingClock();
  const { sink, printed } = await start(['--delay', '11s'], { clock });
  const sending = typed(['webhook', 'send', '--url', sink.url], null, clock);
  await clock.isSet(11_000);
  clock.advance(10_000);
  const { exit, out } = await sending;
  expect([exit, out]).toEqual([1, naming('10 seconds', '5')]);
  expect((await printed(2))[1]?.split('\n').at(-2)).toEqual(naming('10 s'));
});

test('exits 0 after --count answered deliveries, not counting other requests', async () => {
  const { sink, ended, out } = await start(['--count', '2', '--json']);
  expect((await post(sink, '{')).status).toBe(400);
  expect((await post(sink, BODY)).status).toBe(204);
  expect((await post(sink, BODY)).status).toBe(204);
  expect(await ended).toBe(0);
  expect(out).toHaveLength(4);
});

test('never prints the secret', async () => {
  const { sink, stop, out, err } = await start(['--secret', SECRET]);
  await post(sink, BODY, signature(BODY));
  await post(sink, BODY, signature(BODY, 'x'));
  await stop();
  expect([...out, ...err].join()).not.toContain(SECRET);
});

test('warns that others can reach it beyond loopback, and prints a URL for this machine', async () => {
  const { sink, err } = await start(['--host', '0.0.0.0']);
  expect(sink.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(err).toEqual([naming('0.0.0.0')]);
  expect((await post(sink, BODY)).status).toBe(204);
});

test.each([
  [[], ''],
  [['--secret', 'env:HOOK_SECRET'], ' --secret env:HOOK_SECRET'],
  [['--secret', SECRET], ' --secret …'],
])('shows at a terminal how to send a delivery, without the secret: %j', async (words, rest) => {
  vi.stubEnv('HOOK_SECRET', SECRET);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { sink, err } = await start(words, { interactive: true });
  expect(err).toEqual([expect.stringMatching(/teller webhook send --url /)]);
  expect(err[0]?.endsWith(`teller webhook send --url ${sink.url}${rest}`)).toBe(true);
});

describe('an invalid flag exits 2', () => {
  test.each<Case>([
    ['--answer 200,99', '--answer', '200', '599'],
    ['--answer ', '--answer', '200', '599'],
    ['--answer 200,', '--answer', '200', '599'],
    ['--delay 11', '--delay', '1 h'],
    ['--delay 30d', '--delay', '1 h'],
    ['--count 0', '--count', '1', '"0"'],
    ['--port 70000', '--port', '65535', '"70000"'],
    ['--host ', '--host'],
    ['--secret ', '--secret'],
    ['--online Steve', '--online needs --commands'],
    ['--commands --answer delivered', '--secret'],
    ['--commands --online Steve', '--secret'],
    [`--commands --secret ${SECRET} --answer 200`, '--answer'],
    [`--commands --secret ${SECRET} --answer ofline`, '--answer'],
    [`--commands --secret ${SECRET} --online ${'x'.repeat(33)}`, '--online'],
  ])('%j', async (flags, ...facts) => {
    const { exit, err, out } = await refused(flags.split(' '));
    expect({ exit, out, err }).toEqual({ exit: 2, out: '', err: naming(...facts, '[usage]') });
  });

  test('exits 1 with the code for a port in use', async () => {
    const { sink } = await start([]);
    const { exit, err } = await refused(['--port', String(sink.port)]);
    expect(exit).toBe(1);
    expect(err).toContain('[port-in-use]');
  });
});

describe('events of Teller', () => {
  test('the text for each event shows what happened, its IDs, whether its signature is valid, and the answer', async () => {
    const { sink, printed } = await start(['--secret', SECRET], { clock: at() });
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
    const { sink, ended, out } = await start(['--json', '--count', '1', '--secret', SECRET], { clock: at() });
    await post(sink, PARTY, signature(PARTY));
    expect(await ended).toBe(0);
    const [, line = '', ...rest] = out;
    expect(rest).toEqual([]);
    expect(JSON.parse(line)).toEqual({
      ...{ kind: 'event', receivedAt: NOON, eventId: 'e-1', deliveryId: DELIVERY_ID },
      ...{ attempt: 2, test: false, payload: JSON.parse(PARTY), signature: 'valid', again: false },
      ...{ answered: 204, afterMs: 0 },
    });
  });

  test('an unknown event is refused, with what is accepted', async () => {
    const { sink, printed } = await start([], { clock: at() });
    await post(sink, eventBody('vote.deleted', EVENT_DATA.party));
    expect((await printed(2))[1]).toEqual(naming('no delivery', 'vote.created', 'event of Teller', '400'));
  });
});

describe('--commands', () => {
  const COMMAND = {
    ...{ id: 'r-1', command: 'give Steve diamond 1', server: 'city', commandId: '7-0', grant: 7 },
    ...{ reward: 'daily', occasion: 'total 25', vote: 31, site: 'A.example', player: 'Steve' },
    ...{ uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5', attempt: 1 },
  };

  async function running(...words: string[]) {
    const { sink, printed, ended } = await start(['--commands', '--secret', SECRET, ...words], {
      clock: at(),
    });
    const send = async (change: object = {}) => {
      const body = JSON.stringify({ ...COMMAND, ...change });
      return await post(sink, body, signature(body));
    };
    return { sink, printed, ended, send };
  }

  test('each command is one line with its facts and the answer', async () => {
    const { send, printed } = await running();
    expect((await send()).status).toBe(204);
    await send({ id: 'r-2', attempt: 2 });
    await send({ id: 'r-3', command: 'say §chi\nyou', commandId: undefined });
    expect((await printed(4)).slice(1)).toEqual([
      '2026-06-01T12:00:00.000Z  city  give Steve diamond 1; for Steve; UUID 069a79f4-44e9-4726-a5be-fca90e38aaf5; reward daily; occasion total 25; vote 31; on A.example; commandId 7-0; attempt 1; answered 204',
      naming('attempt 2', 'ran already', 'answered 204'),
      '2026-06-01T12:00:00.000Z  city  say hi / you; tried by the operator; answered 204',
    ]);
  });

  test('--answer is what it says, in turn, and --online who is there', async () => {
    const { send, printed } = await running(
      '--answer',
      'player-offline,delivered',
      '--online',
      'Steve, Alex',
    );
    expect((await send()).status).toBe(200);
    await send({ id: 'r-2', attempt: 2 });
    await send({ id: 'r-3', command: undefined, ask: 'players' });
    expect((await printed(4)).slice(1)).toEqual([
      naming('answered 200 player-offline'),
      naming('answered 200 delivered'),
      '2026-06-01T12:00:00.000Z  city  asks who is online; answered 200: Steve, Alex',
    ]);
  });

  test('with --json each is one object, and --count ends it', async () => {
    const { send, printed, ended } = await running('--json', '--count', '1', '--answer', 'refused');
    await send({ id: 'r-0', command: undefined, ask: 'players' });
    await send();
    const [, players = '', command = ''] = await printed(3);
    expect(JSON.parse(players)).toMatchObject({ kind: 'players', players: null, answered: 400 });
    expect(JSON.parse(command)).toEqual({
      ...COMMAND,
      ...{ kind: 'command', receivedAt: NOON, signature: 'valid' },
      ...{ again: false, replayed: false, answered: 200, outcome: 'refused', afterMs: 0 },
    });
    expect(await ended).toBe(0);
  });

  test('a wrong signature and a request that is no command are shown', async () => {
    const { sink, printed } = await running();
    const body = JSON.stringify(COMMAND);
    await post(sink, body, signature(body, 'another'));
    await post(sink, '{}', signature('{}'));
    expect((await printed(3)).slice(1)).toEqual([
      naming('WRONG', 'answered 401'),
      naming('no command', 'answered 400'),
    ]);
  });

  test('without --secret a command is taken as it is', async () => {
    const { sink, printed } = await start(['--commands'], { clock: at() });
    expect((await post(sink, JSON.stringify(COMMAND), undefined)).status).toBe(204);
    expect((await printed(2))[1]).toEqual(naming('not checked', 'answered 204'));
  });
});
