/** Votes on their way to a listing's vote listener. */
import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type Here, here } from '../../kit/here.ts';
import { answering, CHALLENGE, closing, fakeListener, OK, readBlock, readFrame } from '../../kit/listener.ts';
import { DAY, HOUR, listing, MINUTE, type SiteWanted, turns } from '../../kit/listing.ts';
import { hook } from '../../kit/listing-webhook.ts';
import { TOKEN as TELLERS_TOKEN } from '../../kit/vote.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { naming } from '../../support/naming.ts';
import { resolver } from '../../support/network.ts';
import { testKey } from '../../support/vectors.ts';

const TOKEN = 'token-of-the-listener';
const NOON = Date.parse('2026-06-01T12:00:00Z');

type Peer = Pick<Awaited<ReturnType<typeof fakeListener>>, 'port'>;

/** A Minecraft listing whose votes go to this port. */
async function sending({ port }: Peer, fields: object = {}, wanted: SiteWanted = {}) {
  const site = await listing(wanted);
  const { listed, owner } = await site.owned();
  const at = `${listed.dashboard}/listener`;
  await owner.saveListener(listed, { port: String(port), ...fields });
  return {
    ...{ site, listed, owner, at },
    vote: async (player: string | null = 'Steve') => {
      await site.cast(listed, player);
      await site.quiet();
    },
    /** Sends a test vote with the button. */
    testVote: (player = 'Steve') => owner.press(at, `${at}/test`, { player }),
    /** Sends one as a script. */
    tried: (player = 'Steve') => owner.answer(`${at}/test`, { player }),
    /** What the page shows beside each vote is the sentence that a script gets. */
    sends: async () => {
      const { sends } = await owner.values(at);
      const { rows } = await owner.open(at);
      for (const [index, { outcome, sentence }] of sends.entries())
        if (outcome === 'failed') expect(rows[index]!.detail).toBe(sentence);
      return sends;
    },
    total: async () => (await owner.values(listed.page)).votes,
  };
}

const BY_KEY = { method: 'public-key', credential: testKey.publicKey };
/** A port at which nothing listens. */
const CLOSED_PORT = { port: 1 };

test('VT-01, VT-03, VT-06, VT-07, VT-08, VT-09, VT-15: a vote that names a player makes one connection, with a version 2 frame that signs the challenge, with time and player of the webhook', async () => {
  const listener = await fakeListener();
  const { site, owner, listed, vote, sends } = await sending(listener);
  const { receiver } = await hook(site, owner, listed);
  await vote('.Steve_1');
  const bytes = listener.received[0]!;
  const frame = readFrame(bytes);
  expect([listener.connections, frame.magic, frame.announced]).toEqual([1, 0x733a, bytes.length - 4]);
  expect(frame.signature).toBe(createHmac('sha256', TOKEN).update(frame.payload).digest('base64'));
  expect(frame.vote).toEqual({
    serviceName: 'Teller listing',
    username: '.Steve_1',
    address: '0.0.0.0',
    timestamp: NOON,
    challenge: CHALLENGE,
  });
  expect(await sends()).toMatchObject([{ player: '.Steve_1', outcome: 'accepted' }]);
  const { data } = receiver.requests[0]!.json;
  expect([data.playerName, Date.parse(String(data.votedAt))]).toEqual(['.Steve_1', NOON]);
});

test('VT-06, VT-14: a vote that names a player has the same service name on every listing, and is the only one that is sent: a vote without a player is counted', async () => {
  const listener = await fakeListener();
  const { site, owner, vote, sends, total } = await sending(listener);
  await vote(null);
  expect([listener.connections, await total(), await sends()]).toEqual([0, 1, []]);
  const other = await owner.list('minecraft', { name: 'Another name' });
  await owner.saveListener(other, { port: String(listener.port) });
  await vote();
  await site.cast(other, 'Steve');
  await site.quiet();
  const names = listener.received.map((bytes) => readFrame(bytes).vote.serviceName);
  expect(names).toEqual(['Teller listing', 'Teller listing']);
});

test.each<[string, (socket: Socket) => void, string | null]>([
  ['accepted', (socket) => socket.end(OK), null],
  ['refused', (socket) => socket.end('{"status":"error","cause":"x","error":"no"}\r\n'), 'error-reply'],
  ['answered with nonsense', (socket) => socket.end('hello'), 'unreadable-reply'],
  ['left without an answer', (socket) => socket.end(), 'closed-without-answer'],
])(
  'VT-10, VT-11: a vote is sent at most once: one that was %s is not sent again, not a day later and not after a restart',
  async (_, script, code) => {
    const listener = await fakeListener(script);
    const { site, vote, sends, total } = await sending(listener);
    await vote();
    await site.pass(DAY);
    await site.restart();
    await site.pass(DAY);
    expect([listener.connections, await total()]).toEqual([1, 1]);
    const ending = code === null ? { outcome: 'accepted' } : { outcome: 'failed', code };
    expect(await sends()).toMatchObject([{ player: 'Steve', ...ending }]);
  },
);

test('VT-10: a vote is sent at most once: one that is being sent when the service stops is not sent again, and is shown as possibly counted', async () => {
  const listener = await fakeListener(() => {});
  const { site, listed, sends } = await sending(listener);
  await site.cast(listed, 'Steve');
  while ((listener.received[0]?.length ?? 0) === 0) await turns(1);
  expect(await sends()).toMatchObject([{ outcome: 'sending' }]);
  await site.restart();
  await site.pass(DAY);
  expect(listener.connections).toBe(1);
  expect(await sends()).toMatchObject([{ outcome: 'failed', code: 'cut-off', sentence: naming('may') }]);
});

test('VT-11, LG-03: votes whose connection is refused count, and are listed as failed in pages of 20, newest first', async () => {
  const { site, vote, owner, at, sends, total } = await sending(CLOSED_PORT);
  await vote('player_0');
  expect(await sends()).toMatchObject([
    {
      ...{ player: 'player_0', outcome: 'failed', code: 'port-refused', voteId: expect.any(String) },
      sentence: naming('127.0.0.1:1'),
    },
  ]);
  expect(site.log.map(({ code }) => code)).toContain('port-refused');
  for (let player = 1; player < 21; player++) {
    site.clock.advance(1_000);
    await vote(`player_${player}`);
  }
  expect(await total()).toBe(21);
  const first = await owner.values(at);
  const names = (listed: readonly { player: string }[]) => listed.map(({ player }) => player);
  expect(names(first.sends)).toEqual(Array.from({ length: 20 }, (_, index) => `player_${20 - index}`));
  const second = await owner.values(first.older);
  expect([names(second.sends), second.older]).toEqual([['player_0'], null]);
});

test('VT-16, VT-17: Send test vote sends a vote for the named player, each time, and shows that it was accepted, and an earlier one for them within 24 hours', async () => {
  const listener = await fakeListener();
  const { site, testVote, tried, sends, total } = await sending(listener);
  const shown = await testVote('Alex');
  expect(shown.alerts[0]).toMatchObject({ tone: 'good', role: 'status' });
  expect(readFrame(listener.received[0]!).vote).toMatchObject({ username: 'Alex', timestamp: NOON });
  expect(shown.rows).toMatchObject([{ Player: 'Alex' }]);
  expect(await sends()).toMatchObject([{ voteId: null, player: 'Alex', outcome: 'accepted' }]);
  site.clock.advance(HOUR);
  expect(await tried('aLEX')).toMatchObject({ outcome: 'accepted', earlierAt: '2026-06-01T12:00:00.000Z' });
  expect(await tried('Steve')).toMatchObject({ earlierAt: null });
  site.clock.advance(25 * HOUR);
  expect(await tried('Alex')).toMatchObject({ earlierAt: null });
  expect([listener.connections, await total()]).toEqual([4, 0]);
});

test('VT-04, VT-16, NS-44: Send test vote over version 1, as one block of 256 bytes, shows that it was sent and cannot be confirmed', async () => {
  const listener = await fakeListener(closing, 'VOTIFIER 1.9\n');
  const { testVote, owner, at, sends } = await sending(listener, BY_KEY);
  expect((await testVote()).alerts[0]).toMatchObject({
    ...{ tone: 'warn', role: 'status' },
    title: naming(`127.0.0.1:${listener.port}`, 'cannot confirm'),
  });
  expect((await owner.open(at)).html).toContain('<span class="badge warn">');
  expect(await sends()).toMatchObject([{ outcome: 'sent', code: 'sent' }]);
  expect(listener.received[0]).toHaveLength(256);
  expect(readBlock(listener.received[0]!)).toBe(`VOTE\nTeller listing\nSteve\n0.0.0.0\n${NOON}\n`);
});

const WRONG_TOKEN = '{"status":"error","cause":"x","error":"Signature is not valid (invalid token?)"}\r\n';
const GO_AWAY = '{"status":"error","cause":"x","error":"go away"}\r\n';

test('VT-18: Send test vote shows a different reason for each cause, at once and in the log', async () => {
  const { site, owner, listed, testVote, sends } = await sending(CLOSED_PORT);
  const reasons = new Set<string>();
  const causes: [code: string, peer: Peer][] = [
    ['port-refused', CLOSED_PORT],
    ['wrong-token', await fakeListener(answering(WRONG_TOKEN))],
    ['v1-only', await fakeListener(() => {}, 'VOTIFIER 1.9\n')],
    ['not-votifier', await fakeListener(answering(''), 'HTTP/1.1 400 Bad Request\r\n')],
    ['error-reply', await fakeListener(answering(GO_AWAY))],
    ['unreadable-reply', await fakeListener(answering('hello'))],
    ['closed-without-answer', await fakeListener(answering(''))],
  ];
  for (const [code, { port }] of causes) {
    await owner.saveListener(listed, { port: String(port) });
    const { alerts, rows } = await testVote();
    expect([code, alerts[0]!.role]).toEqual([code, 'alert']);
    expect(alerts[0]!.title).toContain(rows[0]!.detail);
    // Sentences that differ only in the port count as the same reason.
    reasons.add(rows[0]!.detail!.replaceAll(/\d+/g, '#'));
    site.clock.advance(1);
  }
  expect(reasons.size).toBe(causes.length);
  expect((await sends()).map(({ code }: { code: string }) => code)).toEqual(
    causes.map(([code]) => code).reverse(),
  );
});

test.each([
  ['no-greeting', null],
  ['no-answer', `VOTIFIER 2 ${CHALLENGE}\n`],
] as const)('VT-18, NS-43: Send test vote reports %s within 10 s', async (code, greeting) => {
  const listener = await fakeListener(() => {}, greeting);
  const { site, tried } = await sending(listener);
  const result = tried();
  while (listener.connections === 0 || (greeting !== null && listener.received[0]!.length === 0))
    await turns(1);
  await turns(5);
  site.clock.advance(10_000);
  expect(await result).toMatchObject({ outcome: 'failed', code });
});

test('NS-18, VT-18: Send test vote is limited to ten a minute per listing: the eleventh is not sent, and its player stays entered; without settings it is not there, and a forged POST is refused', async () => {
  const listener = await fakeListener();
  const { site, owner, at, testVote, tried } = await sending(listener);
  for (let time = 0; time < 10; time++) expect((await testVote('Alex')).tone).toBe('good');
  const shown = await testVote('Steve');
  expect(shown.alerts[0]).toMatchObject({ tone: 'warn', title: naming('60 s') });
  expect(shown.form(`${at}/test`)!.fields.player).toEqual(['Steve']);
  expect(await tried()).toMatchObject({ code: 'too-many-tests' });
  expect(listener.connections).toBe(10);
  site.clock.advance(MINUTE);
  await testVote();
  expect(listener.connections).toBe(11);
  await owner.press(at, `${at}/remove`);
  expect((await owner.open(at)).form(`${at}/test`)).toBeNull();
  expect(await tried()).toMatchObject({ code: 'no-settings' });
});

test('VT-19: a player’s name cannot become a field of the protocol: in both versions, neither a vote nor a test vote sends such a name', async () => {
  const listener = await fakeListener();
  for (const fields of [{}, BY_KEY]) {
    const { listed, site, tried, total, sends } = await sending(listener, fields);
    const voter = await site.person();
    for (const player of [
      ...['a\nb', 'Steve\r\n6.6.6.6', 'Steve\n6.6.6.6\n0', 'a\u0000b', 'a","username":"b', 'a\u2028b'],
      ...['a b', 'x'.repeat(17)],
    ]) {
      expect((await voter.tryVote(listed, player)).code, player).toBe('form-invalid');
      expect((await tried(player)).code, player).toMatch(/^(player-not-allowed|form-invalid)$/);
    }
    expect([listener.connections, await total(), await sends()]).toEqual([0, 0, []]);
  }
});

test('NS-43: neither a host that was rebound to a private address after it was saved, nor an address that may no longer be called, gets a connection', async () => {
  const listener = await fakeListener();
  const names: Record<string, string[]> = { 'rebind.example': ['93.184.215.14'] };
  const rebound = await sending(
    listener,
    { host: 'rebind.example' },
    { allowTargets: [], lookup: resolver(names) },
  );
  names['rebind.example'] = ['127.0.0.1'];
  await rebound.vote();
  expect(await rebound.sends()).toMatchObject([
    { code: 'address-not-allowed', sentence: naming('rebind.example', 'resolves') },
  ]);
  const open = ['127.0.0.0/8'];
  const closed = await sending(listener, {}, { allowTargets: open });
  open.length = 0;
  await closed.site.restart();
  await closed.vote();
  expect(await closed.sends()).toMatchObject([{ outcome: 'failed', code: 'address-not-allowed' }]);
  expect(listener.connections).toBe(0);
});

test('a stalled listener has eight connections, in the order of its votes, and delays only its own', async () => {
  const [stalled, healthy] = [await fakeListener(() => {}), await fakeListener()];
  const { site, owner, listed } = await sending(stalled);
  const other = await owner.list();
  await owner.saveListener(other, { port: String(healthy.port) });
  for (let vote = 0; vote < 12; vote++) {
    site.clock.advance(1);
    await site.cast(listed, `player_${vote}`);
  }
  await site.cast(other, 'Steve');
  await expect.poll(() => [healthy.connections, stalled.connections]).toEqual([1, 8]);
  await expect.poll(() => stalled.received.every((bytes) => bytes.length > 0)).toBe(true);
  const players = stalled.received.map((bytes) => readFrame(bytes).vote.username);
  expect(players.toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `player_${index}`));
});

test.each(['after the lock', 'when the service stops, if the lock ends in time'])(
  'VT-11: an answer that comes while another process locks the database is stored %s',
  async (when) => {
    const answers: (() => void)[] = [];
    const listener = await fakeListener((socket) => answers.push(() => socket.end(OK)));
    const { site, listed, sends } = await sending(listener);
    await site.cast(listed, 'Steve');
    await expect.poll(() => answers).toHaveLength(1);
    const release = site.lock();
    answers[0]!();
    await expect.poll(() => site.log.map(({ code }) => code)).toContain('listener-send-unrecorded');
    if (when === 'after the lock') {
      expect(await sends()).toMatchObject([{ outcome: 'sending' }]);
      release();
      await site.pass(1_000);
    } else {
      await site.stop(release);
      await site.start();
    }
    expect(await sends()).toMatchObject([{ outcome: 'accepted' }]);
  },
);

const SITES = { default: { token: TELLERS_TOKEN }, 'Teller listing': {} };
const decisionsOf = async ({ run }: Here): Promise<string[]> =>
  (await run('votes', '--json')).json.map(({ decision }: { decision: string }) => decision);

test('VT-12, VT-13, NS-42: in the loop with Tellers that know this service as a site, two votes for a player both arrive but only one is rewarded, until 24 h have passed; the same player is also rewarded on a server with another listing', async () => {
  const clock = new FakeClock();
  const [teller, second] = [await here({ sites: SITES }, clock), await here({ sites: SITES }, clock)];
  const { site, owner, vote, sends } = await sending(teller, { credential: TELLERS_TOKEN }, { clock });
  const other = await owner.list();
  await owner.saveListener(other, { port: String(second.port), credential: TELLERS_TOKEN });
  await vote();
  await site.cast(other, 'Steve');
  clock.advance(HOUR);
  await vote();
  expect(await sends()).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
  expect(await decisionsOf(teller)).toEqual(['cooldown', 'rewarded']);
  clock.advance(23 * HOUR);
  await vote();
  expect(await decisionsOf(teller)).toEqual(['rewarded', 'cooldown', 'rewarded']);
  await teller.untilGrants('delivered', 'delivered');
  expect(await decisionsOf(second)).toEqual(['rewarded']);
});
