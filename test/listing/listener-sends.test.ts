import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GAMES } from '../../protocol/webhook/payload.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { RESOLVES_INSIDE } from '../../src/listing/targets/checking-lookup.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { failures } from '../../src/sender/result.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  answering,
  CHALLENGE,
  closing,
  fakeListener,
  OK,
  readBlock,
  readFrame,
} from '../support/fake-listener.ts';
import { addListing } from '../support/listing-rows.ts';
import { resolver } from '../support/names.ts';
import { naming } from '../support/naming.ts';
import {
  SERVICE_NAME,
  type SendsFixture,
  type SendsWanted,
  sendsFixture,
  TOKEN,
} from '../support/sends-fixture.ts';
import { saidBy } from '../support/sentences.ts';
import { testKey } from '../support/vectors.ts';
import { turns } from '../support/webhook-fixture.ts';

/** A listing whose votes go to a fake listener. */
async function heardBy(
  listener: Awaited<ReturnType<typeof fakeListener>>,
  method: 'token' | 'public-key' = 'token',
) {
  const scene = sendsFixture();
  const credential = method === 'token' ? TOKEN : testKey.publicKey;
  await scene.save({ port: String(listener.port), method, credential });
  return scene;
}

const rows = async ({ sends, listing }: SendsFixture) => (await sends.page(listing.id, { limit: 99 })).rows;

/** When a later connection is answered, all earlier data on loopback has arrived. */
async function settled(): Promise<void> {
  const late = await fakeListener();
  const socket = connect(late.port, '127.0.0.1');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await turns(10);
}

test('VT-01: a vote that names a player makes one connection to the configured host and port', async () => {
  const listener = await fakeListener();
  const scene = await heardBy(listener);
  scene.vote();
  await scene.ended(1);
  expect(listener.connections).toBe(1);
  expect(await rows(scene)).toMatchObject([{ player: 'Steve', outcome: 'accepted' }]);
});

describe('settings', () => {
  test('VT-02: default to port 8192', async () => {
    const scene = sendsFixture();
    expect(scene.sends.settings(scene.listing.id)).toBeNull();
    await scene.save({ port: '' });
    expect(scene.sends.settings(scene.listing.id)).toMatchObject({
      host: '127.0.0.1',
      port: 8192,
      method: 'token',
    });
  });

  test('report all errors of a form at once, and save nothing', async () => {
    const scene = sendsFixture();
    const saved = await scene.save({ host: '10.0.0.1', port: '99999', method: 'token', credential: 'a b' });
    expect(saved).toMatchObject({
      kind: 'refused',
      faults: [
        { field: 'host', sentence: naming('10.0.0.1') },
        { field: 'port', sentence: naming('1', '65535') },
        { field: 'credential', sentence: naming('1', '255') },
      ],
    });
    expect(scene.sends.settings(scene.listing.id)).toBeNull();
  });

  test.each([
    [{ host: '' }, 'host'],
    [{ host: 'play.example:8192' }, 'host'],
    [{ host: 'localhost' }, 'host'],
    [{ port: '0' }, 'port'],
    [{ port: 'x' }, 'port'],
    [{ method: 'v3' }, 'method'],
    [{ credential: '' }, 'credential'],
    [{ method: 'public-key', credential: TOKEN }, 'credential'],
    [{ method: 'public-key', credential: testKey.privateKeyPem }, 'credential'],
  ])('refuse %j because of its %s', async (entered, field) => {
    const scene = sendsFixture({ lookup: resolver({ localhost: ['::1'] }) });
    expect(await scene.save(entered)).toMatchObject({ kind: 'refused', faults: [{ field }] });
  });

  test('VT-05: keep the stored credential if the field is blank and the method is the same', async () => {
    const listener = await fakeListener();
    const scene = await heardBy(listener);
    expect(await scene.save({ port: String(listener.port), credential: '' })).toMatchObject({
      kind: 'settings',
    });
    scene.vote();
    await scene.ended(1);
    expect(await rows(scene)).toMatchObject([{ outcome: 'accepted' }]);
    expect(await scene.save({ method: 'public-key', credential: '' })).toMatchObject({ kind: 'refused' });
  });

  test('rule 10: never return the credential', async () => {
    const scene = sendsFixture();
    await scene.save({});
    expect(JSON.stringify(scene.sends.settings(scene.listing.id))).not.toContain(TOKEN);
  });

  test('VT-01: without settings, or after they are removed, nothing is sent', async () => {
    const listener = await fakeListener();
    const scene = await heardBy(listener);
    await scene.sends.remove(scene.listing.id);
    scene.vote();
    await settled();
    expect(listener.connections).toBe(0);
  });
});

test('VT-03: with a token, a vote is sent as a version 2 frame, which signs the payload with the challenge in it', async () => {
  const listener = await fakeListener();
  const scene = await heardBy(listener);
  const vote = scene.vote();
  await scene.ended(1);
  const frame = readFrame(listener.received[0]!);
  expect(frame.magic).toBe(0x733a);
  expect(frame.announced).toBe(listener.received[0]!.length - 4);
  expect(frame.signature).toBe(createHmac('sha256', TOKEN).update(frame.payload).digest('base64'));
  expect(frame.vote).toEqual({
    serviceName: SERVICE_NAME,
    username: 'Steve',
    address: '0.0.0.0',
    timestamp: vote.castAt,
    challenge: CHALLENGE,
  });
});

test('VT-04: with a public key, a vote is sent as one block of 256 bytes that decrypts to the vote', async () => {
  const listener = await fakeListener(closing);
  const scene = await heardBy(listener, 'public-key');
  const vote = scene.vote();
  await scene.ended(1);
  expect(listener.received[0]).toHaveLength(256);
  expect(readBlock(listener.received[0]!)).toBe(`VOTE\n${SERVICE_NAME}\nSteve\n0.0.0.0\n${vote.castAt}\n`);
  expect(await rows(scene)).toMatchObject([{ outcome: 'sent', code: 'sent' }]);
});

test('VT-05: a new method takes effect at the next vote', async () => {
  const listener = await fakeListener((socket, chunk) =>
    chunk.length === 256 ? socket.end() : socket.end(OK),
  );
  const scene = await heardBy(listener);
  scene.vote();
  await scene.ended(1);
  await scene.save({ port: String(listener.port), method: 'public-key', credential: testKey.publicKeyPem });
  scene.vote();
  await scene.ended(2);
  expect(listener.received[0]!.toString('latin1', 0, 2)).toBe('s:');
  expect(readBlock(listener.received[1]!)).toMatch(/^VOTE\n/);
});

test('VT-06: the service name is the same on every vote and every listing', async () => {
  const listener = await fakeListener();
  const scene = await heardBy(listener);
  const other = addListing(scene.database, { name: 'Another name' });
  await scene.save({ port: String(listener.port) }, other);
  scene.vote();
  scene.vote({}, other);
  await scene.ended(2);
  expect(listener.received.map((bytes) => readFrame(bytes).vote.serviceName)).toEqual([
    SERVICE_NAME,
    SERVICE_NAME,
  ]);
});

test('VT-07: the name arrives as it was entered, including a Bedrock prefix', async () => {
  const listener = await fakeListener();
  const scene = await heardBy(listener);
  scene.vote({ player: '.Steve_1' });
  await scene.ended(1);
  expect(readFrame(listener.received[0]!).vote.username).toBe('.Steve_1');
});

test('VT-08, VT-09: the address is always 0.0.0.0, and the timestamp is the cast time in milliseconds, as a number', async () => {
  const listener = await fakeListener();
  const scene = await heardBy(listener);
  const vote = scene.vote();
  await scene.ended(1);
  const { address, timestamp } = readFrame(listener.received[0]!).vote;
  expect([address, timestamp]).toEqual(['0.0.0.0', vote.castAt]);
});

describe('VT-10: at most once', () => {
  const after = async (scene: SendsFixture) => {
    await scene.ended(1);
    scene.sends.voteCast();
    (await scene.restart()).voteCast();
    await settled();
    expect(await rows(scene)).toHaveLength(1);
  };

  test.each([
    ['accepted', answering(OK)],
    ['refused', answering('{"status":"error","cause":"x","error":"no"}\r\n')],
    ['answered with nonsense', answering('hello')],
    ['closed on', (socket: { destroy(): void }) => socket.destroy()],
  ])('VT-10: a vote that was %s is not sent again, not even by the next process', async (_case, script) => {
    const listener = await fakeListener(script);
    const scene = await heardBy(listener);
    scene.vote();
    await after(scene);
    expect(listener.connections).toBe(1);
  });

  test('VT-10, VT-11: a vote that was being sent when the process stopped is shown as interrupted, and is not sent again', async () => {
    const listener = await fakeListener(() => {});
    const scene = await heardBy(listener);
    scene.vote();
    while (listener.received.length === 0 || listener.received[0]!.length === 0) await turns(1);
    expect(await rows(scene)).toMatchObject([{ outcome: 'sending' }]);
    await scene.restart();
    expect(await rows(scene)).toMatchObject([{ outcome: 'failed', code: 'cut-off' }]);
    expect(scene.logged).toContain('listener-sends-cut-off');
    await settled();
    expect(listener.connections).toBe(1);
  });
});

test('VT-11, LG-03: a failure is shown with its reason', async () => {
  const scene = sendsFixture();
  const port = await freePort();
  await scene.save({ port: String(port) });
  const vote = scene.vote();
  await scene.ended(1);
  expect(await rows(scene)).toMatchObject([
    {
      voteId: vote.id,
      outcome: 'failed',
      code: 'port-refused',
      sentence: saidBy(failures['port-refused'].sentence, { where: `127.0.0.1:${port}` }),
    },
  ]);
  expect(scene.logged).toContain('port-refused');
});

test('VT-11: failures are listed in pages, newest first', async () => {
  const clock = new FakeClock();
  const scene = sendsFixture({}, clock);
  await scene.save({ port: String(await freePort()) });
  for (const player of ['a1', 'b2', 'c3']) {
    scene.vote({ player });
    clock.advance(1_000);
  }
  await scene.ended(3);
  const first = await scene.sends.page(scene.listing.id, { limit: 2 });
  expect(first.rows.map(({ player }) => player)).toEqual(['c3', 'b2']);
  const second = await scene.sends.page(scene.listing.id, { limit: 2, before: first.older });
  expect(second.rows.map(({ player }) => player)).toEqual(['a1']);
  expect(second.older).toBeNull();
});

test('VT-14: a vote that names no player is not sent', async () => {
  const listener = await fakeListener();
  const scene = await heardBy(listener);
  scene.vote({ player: null });
  await settled();
  expect(listener.connections).toBe(0);
  expect(await rows(scene)).toEqual([]);
});

test.each([null, ...GAMES.filter((game) => game !== 'minecraft')])(
  'VT-14: a vote on a %s listing is not sent, even if listener settings are stored for it',
  async (game) => {
    const listener = await fakeListener();
    const scene = sendsFixture({ game });
    await scene.save({ port: String(listener.port) });
    scene.vote();
    await settled();
    expect(listener.connections).toBe(0);
    expect(await scene.sends.testVote(scene.listing, 'Steve')).toMatchObject({ code: 'no-settings' });
  },
);

describe('Send test vote', () => {
  const tried = async (scene: SendsFixture) => scene.sends.testVote(scene.listing, 'Alex');

  test('VT-16, VT-17: sends a real vote for the named player, and shows that it was accepted', async () => {
    const listener = await fakeListener();
    const scene = await heardBy(listener);
    expect(await tried(scene)).toMatchObject({ kind: 'tried', outcome: 'accepted' });
    expect(readFrame(listener.received[0]!).vote).toMatchObject({ username: 'Alex', address: '0.0.0.0' });
    expect(await rows(scene)).toMatchObject([{ voteId: null, player: 'Alex', outcome: 'accepted' }]);
  });

  test('VT-16: two test votes for one player are both sent', async () => {
    const listener = await fakeListener();
    const scene = await heardBy(listener);
    await tried(scene);
    await tried(scene);
    expect(listener.connections).toBe(2);
  });

  test('VT-18: without settings, it is refused as no-settings', async () => {
    expect(await tried(sendsFixture())).toMatchObject({ kind: 'refused', code: 'no-settings' });
  });

  test.each([
    [
      'wrong-token',
      answering('{"status":"error","cause":"x","error":"Signature is not valid (invalid token?)"}'),
      undefined,
    ],
    ['v1-only', answering(''), 'VOTIFIER 1.9\n'],
    ['not-votifier', answering(''), 'HTTP/1.1 400 Bad Request\r\n'],
    ['error-reply', answering('{"status":"error","cause":"x","error":"go away"}'), undefined],
    ['unreadable-reply', answering('hello'), undefined],
    ['closed-without-answer', answering(''), undefined],
  ])('VT-18: reports %s', async (code, script, greeting) => {
    const listener = await fakeListener(script, greeting);
    const result = await tried(await heardBy(listener));
    expect(result).toMatchObject({ kind: 'tried', outcome: 'failed', code });
  });

  test('VT-18: a refused connection has its own reason', async () => {
    const scene = sendsFixture();
    await scene.save({ port: String(await freePort()) });
    expect(await tried(scene)).toMatchObject({ outcome: 'failed', code: 'port-refused' });
  });

  test('VT-18, NS-43: a missing greeting and a missing answer are each reported within 10 s', async () => {
    for (const [code, greeting] of [
      ['no-greeting', null],
      ['no-answer', `VOTIFIER 2 ${CHALLENGE}\n`],
    ] as const) {
      const listener = await fakeListener(() => {}, greeting);
      const clock = new FakeClock();
      const scene = sendsFixture({}, clock);
      await scene.save({ port: String(listener.port) });
      const result = tried(scene);
      while (listener.connections === 0 || (greeting !== null && listener.received[0]!.length === 0))
        await turns(1);
      await turns(5);
      clock.advance(10_000);
      expect(await result).toMatchObject({ outcome: 'failed', code });
    }
  });

  test('VT-18: each reason has a sentence of its own', async () => {
    const facts = { where: 'host:1', detail: 'd' };
    const sentences = Object.values(failures).map(({ sentence }) => sentence(facts));
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  test.each(['a\nb', 'a\r\nb', 'a b', '', 'a\u0000b', 'a\u2028b', 'x'.repeat(17)])(
    'VT-19: the name %j is refused before a connection is opened',
    async (player) => {
      const listener = await fakeListener();
      const scene = await heardBy(listener);
      expect(await scene.sends.testVote(scene.listing, player)).toMatchObject({
        kind: 'refused',
        code: 'player-not-allowed',
      });
      expect(listener.connections).toBe(0);
    },
  );

  test.each(['token', 'public-key'] as const)(
    'VT-19: a stored vote whose name has a line break is not sent by the method %s',
    async (method) => {
      const listener = await fakeListener();
      const scene = await heardBy(listener, method);
      scene.vote({ player: 'a\nb' });
      await scene.ended(1);
      expect(await rows(scene)).toMatchObject([{ outcome: 'failed', code: 'line-break' }]);
      expect(listener.connections).toBe(0);
    },
  );
});

describe('the address rule (NS-43)', () => {
  const aimedAt = async (host: string, wanted: SendsWanted) => {
    const listener = await fakeListener();
    const scene = sendsFixture(wanted);
    scene.database
      .prepare("INSERT INTO listener_settings VALUES (?, ?, ?, 'token', ?, 0)")
      .run(scene.listing.id, host, listener.port, TOKEN);
    scene.vote();
    await scene.ended(1);
    return { listener, row: (await rows(scene))[0]! };
  };

  test.each(['127.0.0.1', '::ffff:127.0.0.1'])('a vote is not sent to %s', async (host) => {
    const { listener, row } = await aimedAt(host, { allowTargets: [] });
    expect(row).toMatchObject({ outcome: 'failed', code: 'address-not-allowed' });
    expect(listener.connections).toBe(0);
  });

  test('a host that was rebound to a private address after it was saved gets no connection', async () => {
    const lookup = resolver({ 'rebind.example': ['127.0.0.1'] });
    const { listener, row } = await aimedAt('rebind.example', { allowTargets: [], lookup });
    expect(row).toMatchObject({
      code: 'address-not-allowed',
      sentence: naming(`rebind.example ${RESOLVES_INSIDE}`),
    });
    expect(listener.connections).toBe(0);
  });
});

test('a stalled listener delays only its own votes', async () => {
  const stalled = await fakeListener(() => {});
  const scene = await heardBy(stalled);
  const healthy = await fakeListener();
  const other = addListing(scene.database, { name: 'Other' });
  await scene.save({ port: String(healthy.port) }, other);
  for (let vote = 0; vote < 100; vote++) scene.vote();
  scene.vote({}, other);
  await scene.ended(1);
  await settled();
  expect([healthy.connections, stalled.connections]).toEqual([1, 8]);
});

test('an answer that arrives while another process locks the database is stored afterwards', async () => {
  const clock = new FakeClock();
  const scene = sendsFixture({}, clock);
  const answers: (() => void)[] = [];
  const listener = await fakeListener((socket) => answers.push(() => socket.end(OK)));
  await scene.save({ port: String(listener.port) });
  scene.vote();
  await expect.poll(() => answers).toHaveLength(1);
  const other = openDatabase(scene.database.name, listingSchema, 'write');
  onTestFinished(() => {
    other.close();
  });
  other.exec('BEGIN IMMEDIATE');
  answers[0]?.();
  while (!scene.logged.includes('listener-send-unrecorded')) {
    await turns(1);
    clock.advance(20);
  }
  expect(await rows(scene)).toMatchObject([{ outcome: 'sending' }]);
  other.exec('COMMIT');
  clock.advance(1_000);
  await scene.ended(1);
  expect(await rows(scene)).toMatchObject([{ outcome: 'accepted' }]);
});

test('VT-11: an answer that closing finds unstored is stored, if the database is released within the grace period', async () => {
  const clock = new FakeClock();
  const scene = sendsFixture({}, clock);
  const listener = await fakeListener();
  await scene.save({ port: String(listener.port) });
  const other = openDatabase(scene.database.name, listingSchema, 'write');
  onTestFinished(() => {
    other.close();
  });
  scene.vote();
  while (listener.connections === 0) await turns(1);
  other.exec('BEGIN IMMEDIATE');
  while (!scene.logged.includes('listener-send-unrecorded')) {
    await turns(1);
    clock.advance(100);
  }
  const closed = scene.sends.close();
  await turns(10);
  other.exec('COMMIT');
  clock.advance(1_000);
  await closed;
  expect(await rows(scene)).toMatchObject([{ outcome: 'accepted' }]);
});

test('a request that sends a test vote while the service closes its database ends no process', async () => {
  const answers: (() => void)[] = [];
  const listener = await fakeListener((socket) => answers.push(() => socket.end(OK)));
  const scene = await heardBy(listener);
  await scene.sends.close();
  void scene.sends.testVote(scene.listing, 'Steve');
  await expect.poll(() => answers).toHaveLength(1);
  scene.database.close();
  answers[0]?.();
  await settled();
});

test('closing waits for a test vote that is being marked, and for its outcome', async () => {
  const scene = await heardBy(await fakeListener(answering(OK)));
  const closed = scene.sends.close();
  const tried = scene.sends.testVote(scene.listing, 'Steve');
  await closed;
  expect(await rows(scene)).toMatchObject([{ outcome: 'accepted' }]);
  expect(await tried).toMatchObject({ kind: 'tried', outcome: 'accepted' });
});
