import { expect, onTestFinished, test, vi } from 'vitest';
import { here } from '../kit/here.ts';
import { typed } from '../kit/typed.ts';
import { connectRaw, EVENT_ID, payload, SECRET, sendEndless, signature } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import {
  ALARMS_DATA,
  DELIVERY_ID,
  EVENT_DATA,
  eventBody,
  NOW,
  sinking,
  TELLER_EVENTS,
  TEST_BODY,
} from './sinking.ts';

const CHECKED = ['--secret', SECRET];

const BODY = payload();
const IS_TEST = payload({ eventId: 'test', test: true });
const PARTY = eventBody('party', EVENT_DATA.party);
const NO_LISTS = { ...ALARMS_DATA, began: undefined };

test('prints its URL in the first line, exits 0 after a signal, never prints the secret, and warns that others can reach it beyond loopback', async () => {
  const { url, out, err, post, stop } = await sinking(CHECKED);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect([out[0], err]).toEqual([`{"msg":"ready","sink":{"url":"${url}"}}`, []]);
  for (const secret of [SECRET, 'x']) await post(BODY, signature(BODY, secret));
  expect(await stop()).toBe(0);
  expect([...out, ...err].join()).not.toContain(SECRET);
  const open = await sinking(['--host', '0.0.0.0']);
  expect([open.url, open.err]).toEqual([naming(/^http:\/\/127\.0\.0\.1:\d+\/$/), [naming('0.0.0.0')]]);
  expect((await open.post(BODY)).status).toBe(204);
});

test('the text for a delivery shows who voted, its IDs, whether its signature is valid, a repeat, a test and the answer', async () => {
  const { post, lines } = await sinking(CHECKED);
  for (const body of [BODY, BODY, IS_TEST]) await post(body, signature(body));
  for (const signed of [signature(BODY, 'x'), undefined]) await post(BODY, signed);
  const [first, second, third, wrong, missing] = await lines(5);
  expect(first).toEqual([
    naming(/^2026-06-01T12:00:01\.000Z {2}/, 'minecraft', 'Steve'),
    naming(EVENT_ID),
    naming(DELIVERY_ID, 'attempt 2'),
    naming('80351110224678912', 'listing-1'),
    naming('valid'),
    naming('204'),
    '',
  ]);
  expect(first).not.toContainEqual(naming(EVENT_ID, 'eventId'));
  expect(second).toContainEqual(naming(EVENT_ID, 'eventId'));
  expect(second?.join()).not.toContain('TEST');
  expect(third?.[0]).toEqual(naming('TEST', 'minecraft', 'Steve'));
  expect(wrong?.slice(4)).toEqual([naming('WRONG'), naming('401'), '']);
  expect(missing?.slice(4)).toEqual([naming('MISSING'), naming('401'), '']);
  const unchecked = await sinking(['--answer', '200']);
  await unchecked.post(BODY);
  expect((await unchecked.lines(1))[0]?.slice(4)).toEqual([naming('--secret'), naming('200'), '']);
});

test('the text has no control characters, says why a request is no delivery, and has at most 500 of an event', async () => {
  const { post, texts, lines } = await sinking();
  await post(payload({ eventId: 'a\u001b[2Jb\nc' }));
  await post('{');
  await post(eventBody('vote.deleted', EVENT_DATA.party));
  const sentence = `a\u001b[2Jb\nc ${'d'.repeat(600)}`;
  await post(eventBody('health', { ...EVENT_DATA.health, sentence }));
  const [delivery, broken, unknown] = await texts(3);
  expect(delivery).toContain('a?[2Jb / c');
  expect(broken).toEqual(naming(/^2026-06-01T12:00:01\.000Z {2}/, 'JSON', '400'));
  expect(unknown).toEqual(naming('no delivery', 'vote.created', 'event of Teller', '400'));
  const title = (await lines(4))[3]?.[0] ?? '';
  expect(title).toEqual(naming('a?[2Jb / c', /d…$/));
  expect(title.split('health: ')[1]).toHaveLength(500);
});

test('--json prints one object per line, with null for what is missing or invalid', async () => {
  const { url, post, rows } = await sinking(['--json']);
  await post(BODY);
  await post('{');
  const headers = { 'X-Service-Delivery': DELIVERY_ID, 'X-Service-Attempt': '0x1' };
  await fetch(url, { method: 'POST', headers, body: BODY });
  const bot = payload({}, { listingType: 'bot', game: undefined, playerName: undefined });
  await fetch(url, { method: 'POST', body: bot });
  const [delivery, broken, ...others] = await rows(4);
  expect([delivery, broken]).toEqual([
    {
      ...{ kind: 'delivery', receivedAt: NOW, eventId: EVENT_ID, deliveryId: DELIVERY_ID, attempt: 2 },
      ...{ test: false, listingId: 'listing-1', userId: '80351110224678912', game: 'minecraft' },
      ...{ playerName: 'Steve', signature: 'not-checked', again: false, answered: 204, afterMs: 0 },
    },
    {
      ...{ kind: 'no-delivery', receivedAt: NOW, reason: 'not-json', signature: 'not-checked' },
      answered: 400,
    },
  ]);
  expect(others).toMatchObject([
    { attempt: null, deliveryId: DELIVERY_ID },
    { attempt: null, deliveryId: null, game: null, playerName: null },
  ]);
});

test('shows at a terminal how to send a delivery, without the secret', async () => {
  vi.stubEnv('HOOK_SECRET', SECRET);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [words, rest] of [
    [[], ''],
    [['--secret', 'env:HOOK_SECRET'], ' --secret env:HOOK_SECRET'],
    [CHECKED, ' --secret …'],
  ] as const) {
    const { url, err } = await sinking(words, { interactive: true });
    expect(err).toHaveLength(1);
    expect(err[0]?.endsWith(`teller webhook send --url ${url}${rest}`)).toBe(true);
  }
});

test('an invalid flag is wrong usage and exits 2, and a port in use exits 1', async () => {
  const refused = (words: readonly string[]) => typed(['webhook', 'sink', ...words], null);
  for (const [flags, ...facts] of [
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
  ] as const) {
    const { exit, err, out } = await refused(flags.split(' '));
    expect([flags, exit, out, err]).toEqual([flags, 2, '', naming(...facts, '[usage]')]);
  }
  const inUse = await refused(['--port', String((await sinking()).port)]);
  expect([inUse.exit, inUse.err]).toEqual([1, naming('[port-in-use]')]);
});

test('[WH-7] only the exact signature of the received bytes is valid; without a secret none is checked', async () => {
  const { post, rows } = await sinking(['--json', ...CHECKED]);
  const cases: readonly (readonly [string | undefined, string, number])[] = [
    [signature(BODY), 'valid', 204],
    [signature(BODY, 'another'), 'wrong', 401],
    [signature(`${BODY} `), 'wrong', 401],
    [signature(BODY).toUpperCase(), 'wrong', 401],
    [signature(BODY).slice('sha256='.length), 'wrong', 401],
    ['', 'wrong', 401],
    [undefined, 'missing', 401],
  ];
  for (const [signed, , status] of cases) expect((await post(BODY, signed)).status).toBe(status);
  const seen = (await rows(cases.length)).map((row) => [row.signature, row.answered]);
  expect(seen).toEqual(cases.map(([, state, status]) => [state, status]));
  const spaced = JSON.stringify(JSON.parse(BODY), null, 2);
  expect((await post(spaced, signature(spaced))).status).toBe(204);
  expect((await (await sinking()).post(BODY, signature(BODY, 'another'))).status).toBe(204);
});

test('[WH-5] a repeated event is recognized by its event ID, and not caused by a forged one; [WH-3] a test never is one', async () => {
  const { post, rows } = await sinking(['--json', ...CHECKED]);
  const rewarded = eventBody('vote.rewarded', EVENT_DATA['vote.rewarded']);
  const bodies = [payload({ eventId: 'another' }), BODY, BODY, IS_TEST, IS_TEST, rewarded, rewarded];
  for (const signed of [signature(BODY, 'a guess'), undefined]) await post(BODY, signed);
  for (const body of bodies) await post(body, signature(body));
  const again = (await rows(9)).map((row) => row.again);
  expect(again).toEqual([false, false, false, false, true, false, false, false, true]);
});

test('the statuses of --answer are used in turn by votes and events, and the last one repeats; it exits 0 after --count of those; other requests use up neither', async () => {
  const { post, ended, out } = await sinking(['--answer', '500, 200,503', '--count', '4', '--json']);
  for (const [body, status] of [
    ['{', 400],
    [PARTY, 500],
    [BODY, 200],
    [BODY, 503],
  ] as const)
    expect((await post(body)).status).toBe(status);
  expect(await post(TEST_BODY)).toEqual({ status: 503, text: expect.stringContaining(': test;') });
  expect(await ended).toBe(0);
  expect(out).toHaveLength(6);
});

test('the answer says who voted for whom, whether the signature is valid, a repeat and a configured status, in one line', async () => {
  const { post } = await sinking([...CHECKED, '--answer', '200,200,503,200']);
  const texts = [];
  for (const signed of [signature(BODY), signature(BODY, 'x'), undefined, signature(BODY)])
    texts.push((await post(BODY, signed)).text);
  expect(new Set(texts).size).toBe(4);
  expect(texts).toEqual([
    naming('8035…', 'Steve'),
    naming('signature', 'wrong'),
    naming('signature', 'missing'),
    naming('8035…', 'Steve', 'eventId'),
  ]);
  const broken = await sinking([...CHECKED, '--answer', '503']);
  expect((await broken.post(BODY, signature(BODY))).text).toEqual(naming('8035…', 'Steve', '503'));
  const plain = await sinking(['--answer', '200']);
  const body = payload({}, { playerName: 'St\u001b[2J\neve' });
  expect((await plain.post(body)).text).toEqual(naming('8035…', 'St?[2J / eve'));
});

/** A fake clock, and a wait until a timer of this length is set. */
function watched() {
  const clock = new FakeClock(NOW);
  const after = vi.spyOn(clock, 'after');
  const isSet = (delayMs: number) =>
    expect.poll(() => after.mock.calls.map(([ms]) => ms), { interval: 5 }).toContain(delayMs);
  return { clock, isSet };
}

test('--delay postpones the answer; a sender that disconnects first is not answered', async () => {
  const { clock, isSet } = watched();
  const { post, rows } = await sinking(['--json', '--delay', '9s'], { clock });
  const answer = post(BODY);
  await isSet(9_000);
  clock.advance(9_000);
  expect((await answer).status).toBe(204);
  expect(await rows(1)).toMatchObject([{ answered: 204, afterMs: 9_000 }]);
  const later = watched();
  const other = await sinking(['--json', '--delay', '11s'], { clock: later.clock });
  const timeout = new AbortController();
  const aborted = other.post(BODY, undefined, { signal: timeout.signal });
  await later.isSet(11_000);
  later.clock.advance(10_000);
  timeout.abort();
  await expect(aborted).rejects.toThrow();
  expect(await other.rows(1)).toMatchObject([{ answered: null, afterMs: 10_000 }]);
});

test('each event that Teller posts, also as a test, is accepted and shown as it came, with fields of later versions', async () => {
  const { url, post, rows } = await sinking(['--json', ...CHECKED]);
  const bodies = TELLER_EVENTS.map(([event, data], index) =>
    eventBody(event, { ...data, laterField: 'kept' }, { alsoLater: 1, eventId: `e-${index}` }),
  );
  for (const body of bodies) expect(await post(body, signature(body))).toEqual({ status: 204, text: '' });
  expect(await rows(bodies.length)).toEqual(
    bodies.map((body, index) => ({
      ...{ kind: 'event', receivedAt: NOW, eventId: `e-${index}`, deliveryId: DELIVERY_ID, attempt: 2 },
      ...{ test: false, payload: JSON.parse(body), signature: 'valid', again: false },
      ...{ answered: 204, afterMs: 0 },
    })),
  );
  const to = { url, secret: SECRET, format: 'json' };
  const teller = await here({ events: [{ ...to, on: ['party'] }], alarms: to });
  for (const command of ['events', 'alarms']) expect((await teller.run(command, 'test')).exit).toBe(0);
  expect((await rows(bodies.length + 2)).slice(bodies.length)).toMatchObject(
    ['test', 'alarms.changed'].map((event) => ({
      ...{ payload: { event }, test: true, signature: 'valid', again: false, attempt: 1 },
    })),
  );
});

const FACTS: Readonly<Record<string, readonly string[]>> = {
  'vote.rewarded': ['Alex', 'My-List.com', 'daily', 'crate'],
  'vote.cooldown': ['Alex', 'My-List.com'],
  'vote.refused': ['3', 'My-List.com', 'token-wrong'],
  'grant.delivered': ['Alex', 'daily', 'city'],
  'grant.held': ['Alex', 'daily', 'city'],
  party: ['rain', '100', 'Alex'],
  health: ['The disk is almost full.', 'Make room.'],
  'alarms.changed': ['survival', 'The disk is almost full.', 'city answers again.'],
};

test('the text for an event shows in one line what happened, then its IDs, its signature, a repeat, a test and the answer', async () => {
  const { post, lines } = await sinking(CHECKED);
  await post(PARTY, signature(PARTY, 'x'));
  const bodies = TELLER_EVENTS.map(([event, data]) => eventBody(event, data, { eventId: event }));
  const alarmsTest = eventBody('alarms.changed', ALARMS_DATA, { eventId: 'test', test: true });
  for (const body of [...bodies, PARTY, PARTY, TEST_BODY, alarmsTest, TEST_BODY])
    await post(body, signature(body));
  const [forged, ...shown] = await lines(bodies.length + 6);
  expect(forged?.slice(3)).toEqual([naming('WRONG'), naming('401'), '']);
  for (const [at, [event]] of TELLER_EVENTS.entries())
    expect(shown[at]).toEqual([
      naming(`2026-06-01T12:00:01.000Z  ${event}: `, ...(FACTS[event] ?? ['no facts of this kind'])),
      ...[naming(event), naming(DELIVERY_ID, 'attempt 2'), naming('valid'), naming('204'), ''],
    ]);
  const [, second, tested, alarms, testedAgain] = shown.slice(bodies.length);
  expect(shown[bodies.length]?.join()).not.toContain('repeated');
  expect(second?.[1]).toEqual(naming('e-1', 'repeated', 'eventId'));
  expect(tested?.[0]).toEqual(naming('TEST: This is a test.'));
  expect(alarms?.[0]).toEqual(naming('TEST alarms.changed: survival'));
  expect(testedAgain?.join()).not.toContain('repeated');
});

test('a request that is not a delivery, also one with another method, TLS or an endless body, is answered, shown with its reason and the state of its signature, and not counted', async () => {
  const { url, port, post, rows } = await sinking(['--json', ...CHECKED]);
  const party = EVENT_DATA.party;
  const cases: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, string, number])[] = [
    ['truncated JSON', '{"event":', 'not-json', 400],
    ['an empty body', '', 'not-json', 400],
    ['bytes that are not UTF-8', Uint8Array.from([0xff, 0xfe, 0x00]), 'not-json', 400],
    ['deep nesting', '['.repeat(60_000), 'not-json', 400],
    ['JSON of another kind', '{"content":"Steve voted"}', 'not-a-vote', 400],
    ['null', 'null', 'not-a-vote', 400],
    ['another event', payload({ event: 'vote.deleted' }), 'not-a-vote', 400],
    ['another version', payload({ version: 2 }), 'not-a-vote', 400],
    ['an event of another version', eventBody('party', party, { version: 2 }), 'not-a-vote', 400],
    ['an event with the data of another', eventBody('party', EVENT_DATA.health), 'not-a-vote', 400],
    ['alarms without their lists', eventBody('alarms.changed', NO_LISTS), 'not-a-vote', 400],
    ['a test that does not say so', eventBody('test', { text: 'This is a test.' }), 'not-a-vote', 400],
    ['64 KiB and a byte', ' '.repeat(64 * 1024 + 1), 'too-large', 413],
    ['half a MiB', ' '.repeat(512 * 1024), 'too-large', 413],
  ];
  for (const [what, body, , status] of cases) expect((await post(body)).status, what).toBe(status);
  expect(await rows(cases.length)).toMatchObject(
    cases.map(([, , reason, answered]) => ({ kind: 'no-delivery', reason, answered })),
  );
  await post('{', signature('{'));
  const last = (await rows(cases.length + 1)).at(-1);
  expect(last).toMatchObject({ reason: 'not-json', signature: 'valid' });
  for (const method of ['GET', 'PUT', 'DELETE', 'HEAD']) {
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST']);
  }
  expect(await connectRaw(port, Buffer.from('16030100', 'hex')).back).toContain('HTTP/1.1 400');
  await sendEndless(port, 'POST / HTTP/1.1\r\nHost: x\r\n');
  expect((await rows(cases.length + 7)).slice(-6)).toMatchObject([
    ...Array(4).fill({ reason: 'not-post', answered: 405 }),
    { reason: 'not-http' },
    { reason: 'too-large', answered: 413 },
  ]);
  const full = BODY.padEnd(64 * 1024);
  expect((await post(full, signature(full))).status).toBe(204);
});

const COMMAND = {
  ...{ id: 'r-1', command: 'give Steve diamond 1', server: 'city', commandId: '7-0', grant: 7 },
  ...{ reward: 'daily', occasion: 'total 25', vote: 31, site: 'A.example', player: 'Steve' },
  ...{ uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5', attempt: 1 },
};
const ASKS = { id: 'r-0', command: undefined, ask: 'players' };

/** Runs it with --commands. */
async function obeying(...flags: string[]) {
  const sink = await sinking(['--commands', '--secret', SECRET, ...flags]);
  const send = (change: object = {}, secret = SECRET) => {
    const body = JSON.stringify({ ...COMMAND, ...change });
    return sink.post(body, signature(body, secret));
  };
  return { ...sink, send };
}

test('with --commands each command is one line with its facts and the answer', async () => {
  const { send, post, texts } = await obeying();
  expect((await send()).status).toBe(204);
  await send({ id: 'r-2', attempt: 2 });
  await send({ id: 'r-3', command: 'say §chi\nyou', commandId: undefined });
  expect((await send({ id: 'r-4' }, 'another')).status).toBe(401);
  await post('{}', signature('{}'));
  expect(await texts(5)).toEqual([
    `${NOW}  city  give Steve diamond 1; for Steve; UUID 069a79f4-44e9-4726-a5be-fca90e38aaf5; reward daily; occasion total 25; vote 31; on A.example; commandId 7-0; attempt 1; answered 204`,
    naming('attempt 2', 'ran already', 'answered 204'),
    `${NOW}  city  say hi / you; tried by the operator; answered 204`,
    naming('WRONG', 'answered 401'),
    naming('no command', 'answered 400'),
  ]);
  const open = await sinking(['--commands']);
  expect((await open.post(JSON.stringify(COMMAND))).status).toBe(204);
  expect((await open.texts(1))[0]).toEqual(naming('not checked', 'answered 204'));
});

test('--answer says how commands are answered, in turn, and --online who is there', async () => {
  const { send, texts } = await obeying(
    ...['--answer', 'player-offline,delivered', '--online', 'Steve, Alex'],
  );
  expect((await send()).status).toBe(200);
  await send({ id: 'r-2', attempt: 2 });
  await send(ASKS);
  expect(await texts(3)).toEqual([
    naming('answered 200 player-offline'),
    naming('answered 200 delivered'),
    `${NOW}  city  asks who is online; answered 200: Steve, Alex`,
  ]);
});

test('with --json each command is one object, and --count ends it', async () => {
  const { send, rows, ended } = await obeying('--json', '--count', '1', '--answer', 'refused');
  await send(ASKS);
  await send();
  expect(await rows(2)).toEqual([
    expect.objectContaining({ kind: 'players', players: null, answered: 400 }),
    {
      ...{ ...COMMAND, kind: 'command', receivedAt: NOW, signature: 'valid' },
      ...{ again: false, replayed: false, answered: 200, outcome: 'refused', afterMs: 0 },
    },
  ]);
  expect(await ended).toBe(0);
});

test('a command that ran does not run again, and one that did not does; a forged one is no repeat, and a replay is refused with 409', async () => {
  const { send, rows } = await obeying('--json', '--answer', 'player-offline,delivered,refused');
  const outcomes = [];
  expect((await send({ id: 'z' }, 'another')).status).toBe(401);
  for (const id of ['a', 'b', 'c', 'd']) {
    const { text } = await send({ id, commandId: id === 'd' ? '7-1' : '7-0' });
    outcomes.push(JSON.parse(text).outcome);
  }
  expect(outcomes).toEqual(['player-offline', 'delivered', 'delivered', 'refused']);
  expect((await rows(5)).map(({ signature: state, again }) => [state, again])).toEqual([
    ['wrong', false],
    ['valid', false],
    ['valid', false],
    ['valid', true],
    ['valid', false],
  ]);
  expect((await send({ id: 'd', commandId: '7-1' })).status).toBe(409);
  const replayed = (await rows(6)).map((row) => row.replayed);
  expect(replayed).toEqual([false, false, false, false, false, true]);
});

test('a request that is no command is refused with its reason, and the question who is online without an answer too', async () => {
  const { send, post, rows } = await obeying('--json');
  const cases = [
    ['not-json', '{'],
    ['not-a-command', '{"id":"a","server":"city"}'],
    ['not-a-command', '{"command":"say hi","server":"city"}'],
    ['not-a-command', '[]'],
    ['not-a-command', 'null'],
  ] as const;
  for (const [, body] of cases) expect((await post(body, signature(body))).status).toBe(400);
  expect(await rows(cases.length)).toMatchObject(
    cases.map(([reason]) => ({ kind: 'no-command', reason, signature: 'valid' })),
  );
  expect((await send(ASKS)).status).toBe(400);
  expect((await post(JSON.stringify({ ...COMMAND, ...ASKS }))).status).toBe(401);
});
