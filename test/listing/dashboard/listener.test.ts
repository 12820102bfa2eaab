import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { sendReasonSentence } from '../../../src/listing/listener-sends/send-reasons.ts';
import { CUT_OFF } from '../../../src/listing/listener-sends/sending.ts';
import { failures, successes } from '../../../src/sender/result.ts';
import {
  answering,
  CHALLENGE,
  closing,
  type FakeListener,
  fakeListener,
  type ListenerScript,
  OK,
  readBlock,
  readFrame,
} from '../../support/fake-listener.ts';
import { resolver } from '../../support/names.ts';
import { naming } from '../../support/naming.ts';
import { holding, saidBy } from '../../support/sentences.ts';
import { sink } from '../../support/sink.ts';
import { testKey } from '../../support/vectors.ts';
import { DAY_MS, turns } from '../../support/webhook-fixture.ts';
import { wholeSite } from '../../support/whole-site.ts';

const TOKEN = 'token-of-the-listener';

/** A site with a Minecraft listing whose votes go to this listener. */
async function listenerSite(
  listener: Pick<FakeListener, 'port'>,
  fields: Readonly<Record<string, string>> = {},
) {
  const site = await wholeSite();
  const owner = await site.person();
  const listing = await owner.list('minecraft');
  const at = `${listing.dashboard}/listener`;
  await owner.saveListener(listing, { port: String(listener.port), ...fields });
  const vote = async (player?: string) => {
    const shown = await site.vote(listing, player);
    await site.quiet();
    return shown;
  };
  const testVote = (player: string) => owner.press(at, `${at}/test`, { player });
  const rows = async () => (await owner.open(at)).rows;
  const total = async () => (await owner.values(listing.page)).votes;
  return { site, owner, listing, at, vote, testVote, rows, total };
}

interface Sent {
  readonly player: string;
  readonly outcome: string;
}

/** A port at which nothing listens. */
const CLOSED_PORT = { port: 1 };

/** Answers version 2, and accepts version 1 without an answer. */
const either: ListenerScript = (socket, chunk) =>
  chunk.readUInt16BE(0) === 0x733a ? answering(OK)(socket, chunk) : closing(socket, chunk);

describe('settings', () => {
  test('default to port 8192 (VT-02)', async () => {
    const site = await wholeSite({ lookup: resolver({}) });
    const owner = await site.person();
    const listing = await owner.list('minecraft');
    const at = `${listing.dashboard}/listener`;
    expect((await owner.open(at)).form(at)!.fields.port).toEqual(['8192']);
    await owner.saveListener(listing, { host: 'nowhere.example', port: '' });
    expect((await owner.values(at)).settings.port).toBe(8192);
    expect((await owner.press(at, `${at}/test`, { player: 'Steve' })).said).toContain('nowhere.example:8192');
  });

  test('determine the protocol: version 2 with a token, version 1 with a key (VT-05)', async () => {
    const listener = await fakeListener(either);
    const { owner, at, listing, vote, rows } = await listenerSite(listener);
    await vote('Steve');
    await owner.saveListener(listing, { method: 'public-key', credential: testKey.publicKey });
    await vote('Alex');
    await owner.saveListener(listing, { method: 'token', credential: TOKEN });
    await vote('Herobrine');
    expect(readFrame(listener.received[0]!).vote.username).toBe('Steve');
    expect(listener.received[1]).toHaveLength(256);
    expect(readBlock(listener.received[1]!).split('\n').slice(0, 4)).toEqual([
      'VOTE',
      'Teller listing',
      'Alex',
      '0.0.0.0',
    ]);
    expect(readFrame(listener.received[2]!).vote.username).toBe('Herobrine');
    expect(await rows()).toHaveLength(3);
    const { sends } = await owner.values(at);
    const outcomes = sends.map((send: Sent) => `${send.player} ${send.outcome}`).sort();
    expect(outcomes).toEqual(['Alex sent', 'Herobrine accepted', 'Steve accepted']);
  });

  test('never show the token, and keep it if its field is left empty (rule 10)', async () => {
    const listener = await fakeListener();
    const { owner, at, vote, listing } = await listenerSite(listener);
    expect((await owner.open(at)).html).not.toContain(TOKEN);
    expect(JSON.stringify(await owner.values(at))).not.toContain(TOKEN);
    await owner.saveListener(listing, { credential: '' });
    await vote('Steve');
    const { payload, signature } = readFrame(listener.received[0]!);
    expect(signature).toBe(createHmac('sha256', TOKEN).update(payload).digest('base64'));
  });

  test('can be removed with a button; the listener then gets no more votes, but votes still count (VT-01)', async () => {
    const listener = await fakeListener();
    const { owner, at, vote, total } = await listenerSite(listener);
    await owner.press(at, `${at}/remove`);
    await vote('Steve');
    expect([listener.connections, await total()]).toEqual([0, 1]);
  });
});

describe('a vote', () => {
  test('reaches the webhook and the listener with the same time and player (VT-15)', async () => {
    const [listener, receiver] = [await fakeListener(), await sink()];
    const { owner, listing, vote } = await listenerSite(listener);
    await owner.saveWebhook(listing, receiver.url);
    await vote('.Steve_1');
    const { vote: heard } = readFrame(listener.received[0]!);
    const { data } = receiver.requests[0]!.json;
    expect([listener.connections, receiver.requests.length]).toEqual([1, 1]);
    expect(heard).toMatchObject({ username: '.Steve_1', address: '0.0.0.0', challenge: CHALLENGE });
    expect(data.playerName).toBe('.Steve_1');
    expect(heard.timestamp).toBe(Date.parse(String(data.votedAt)));
    expect(heard.timestamp).toBe(Date.parse('2026-06-01T12:00:00Z'));
  });

  test('that names no player is counted but not sent (VT-14)', async () => {
    const listener = await fakeListener();
    const { vote, rows, total } = await listenerSite(listener);
    await vote();
    await vote('');
    expect([listener.connections, await total(), await rows()]).toEqual([0, 2, []]);
    await vote('Steve');
    expect(listener.connections).toBe(1);
  });

  test.each<readonly [string, string, 'error-reply' | 'closed-without-answer']>([
    ['is refused', '{"status":"error","cause":"X","error":"No"}\r\n', 'error-reply'],
    ['gets no answer', '', 'closed-without-answer'],
  ])(
    'that %s is shown as failed and never sent again, not a day later and not after a restart (VT-10, VT-11)',
    async (_what, answer, code) => {
      const listener = await fakeListener(answering(answer));
      const { site, owner, at, vote, rows, total } = await listenerSite(listener);
      await vote('Steve');
      await site.pass(DAY_MS);
      await site.restart();
      await site.pass(DAY_MS);
      expect([listener.connections, await total()]).toEqual([1, 1]);
      expect((await owner.values(at)).sends).toMatchObject([{ player: 'Steve', outcome: 'failed', code }]);
      expect(await rows()).toMatchObject([
        { Player: 'Steve', detail: saidBy<{ where: string; detail: string }>(failures[code].sentence) },
      ]);
    },
  );

  test('whose listener refuses the connection is shown to the owner as failed (LG-03, VT-11)', async () => {
    const { vote, rows, total } = await listenerSite(CLOSED_PORT);
    expect((await vote('Steve')).tone).toBe('good');
    const [row] = await rows();
    expect(row).toMatchObject({
      Player: 'Steve',
      detail: saidBy(failures['port-refused'].sentence, { where: '127.0.0.1:1' }),
    });
    expect(await total()).toBe(1);
  });

  test('that is being sent when the service stops is not sent again, and is shown as possibly counted (VT-10)', async () => {
    const listener = await fakeListener(() => {});
    const { site, listing, rows } = await listenerSite(listener);
    await site.vote(listing, 'Steve');
    while ((listener.received[0]?.length ?? 0) === 0) await turns(1);
    await site.restart();
    await site.pass(DAY_MS);
    expect(listener.connections).toBe(1);
    expect(await rows()).toMatchObject([{ detail: sendReasonSentence(CUT_OFF) }]);
  });
});

describe('Send test vote', () => {
  test('sends a well-formed vote for the named player and shows that it was accepted (VT-16, VT-17)', async () => {
    const listener = await fakeListener();
    const { owner, at, testVote, rows, total } = await listenerSite(listener);
    const shown = await testVote('Steve');
    const { magic, announced, payload, signature, vote } = readFrame(listener.received[0]!);
    expect([magic, announced]).toEqual([0x733a, listener.received[0]!.length - 4]);
    expect(signature).toBe(createHmac('sha256', TOKEN).update(payload).digest('base64'));
    expect(vote).toEqual({
      serviceName: 'Teller listing',
      username: 'Steve',
      address: '0.0.0.0',
      timestamp: Date.parse('2026-06-01T12:00:00Z'),
      challenge: CHALLENGE,
    });
    expect(shown.alerts[0]).toMatchObject({ tone: 'good', role: 'status' });
    expect(await rows()).toMatchObject([{ Player: 'Steve' }]);
    const { sends } = await owner.values(at);
    expect(sends).toMatchObject([{ voteId: null, player: 'Steve', outcome: 'accepted' }]);
    expect(await total()).toBe(0);
  });

  test('shows the time of an earlier vote for the same player within 24 hours', async () => {
    const { site, owner, at } = await listenerSite(await fakeListener());
    const sent = async (player: string) =>
      (await owner.visitor.post(`${at}/test`, { player }, { accept: 'application/json' })).text;
    const first = JSON.parse(await sent('Steve'));
    expect(first).toMatchObject({ outcome: 'accepted', earlierAt: null });
    site.clock.advance(3_600_000);
    expect(JSON.parse(await sent('sTEVE'))).toMatchObject({
      outcome: 'accepted',
      earlierAt: '2026-06-01T12:00:00.000Z',
    });
    expect(JSON.parse(await sent('Alex'))).toMatchObject({ earlierAt: null });
    site.clock.advance(25 * 3_600_000);
    expect(JSON.parse(await sent('Steve'))).toMatchObject({ earlierAt: null });
  });

  test('over version 1 shows that it was sent and cannot be confirmed (VT-16, NS-44)', async () => {
    const listener = await fakeListener(closing, 'VOTIFIER 1.9\n');
    const { testVote, owner, at } = await listenerSite(listener, {
      ...{ method: 'public-key', credential: testKey.publicKey },
    });
    const shown = await testVote('Steve');
    expect(shown.alerts[0]).toMatchObject({
      ...{ tone: 'warn', role: 'status' },
      title: holding<{ where: string; detail: string }>(successes.sent.sentence, { detail: '' }),
    });
    expect((await owner.open(at)).html).toContain('<span class="badge warn">');
    expect((await owner.values(at)).sends).toMatchObject([{ outcome: 'sent' }]);
    expect(readBlock(listener.received[0]!)).toMatch(/^VOTE\nTeller listing\nSteve\n0\.0\.0\.0\n/);
  });
});

describe('a player’s name cannot become a field of the protocol', () => {
  const HOSTILE = [
    'a\nb',
    'Steve\r\n6.6.6.6',
    'Steve\n6.6.6.6\n0',
    'a\u0000b',
    'a","username":"b',
    'a\u2028b',
  ];

  test.each(['token', 'public-key'])(
    'with a %s, the vote form refuses such a name, counts nothing and sends nothing (VT-19)',
    async (method) => {
      const listener = await fakeListener(either);
      const credential = method === 'token' ? TOKEN : testKey.publicKey;
      const { vote, total } = await listenerSite(listener, { method, credential });
      for (const player of HOSTILE) {
        const shown = await vote(player);
        expect([player, shown.status, Object.keys(shown.faults)]).toEqual([player, 422, ['player']]);
      }
      expect([listener.connections, await total()]).toEqual([0, 0]);
      await vote('Steve');
      expect(listener.connections).toBe(1);
    },
  );

  test('the test vote form refuses such a name and sends nothing (VT-19)', async () => {
    const listener = await fakeListener();
    const { testVote, rows } = await listenerSite(listener);
    for (const player of [
      'a\nb',
      'Steve\r\n6.6.6.6',
      'a\u0000b',
      'two words',
      'a\u2028b',
      '',
      'seventeen_letters',
    ])
      expect([player, (await testVote(player)).tone]).not.toEqual([player, 'good']);
    expect([listener.connections, await rows()]).toEqual([0, []]);
    await testVote('Steve');
    expect(listener.connections).toBe(1);
  });
});

describe('test votes', () => {
  test('are limited to ten a minute per listing; the eleventh is not sent (NS-18)', async () => {
    const listener = await fakeListener();
    const { owner, at, testVote, site } = await listenerSite(listener);
    for (let time = 0; time < 10; time++) expect((await testVote('Steve')).tone).toBe('good');
    expect((await testVote('Steve')).alerts[0]).toMatchObject({ tone: 'warn', title: naming('60 s') });
    expect(await owner.answer(`${at}/test`, { player: 'Steve' })).toMatchObject({ code: 'too-many-tests' });
    expect(listener.connections).toBe(10);
    site.clock.advance(60_000);
    await testVote('Steve');
    expect(listener.connections).toBe(11);
  });

  test('never show the token, not even in a refused form', async () => {
    const { owner, at } = await listenerSite(await fakeListener());
    const fields = { host: 'foo bar', port: '1', method: 'token', credential: 'a-token-that-nobody-sees' };
    const refused = await owner.post(at, fields);
    expect(refused.status).toBe(422);
    expect(refused.html).not.toContain('a-token-that-nobody-sees');
  });
});
