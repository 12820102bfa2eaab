import { lookup } from 'node:dns';
import { once } from 'node:events';
import { connect, type LookupFunction } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodePacket } from '../../protocol/rcon/packet.ts';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';
import { exchange as httpExchange } from '../../src/delivery/kinds/http/exchange.ts';
import { PacketStream } from '../../src/delivery/kinds/rcon/packet-stream.ts';
import { postWith } from '../../src/notify/webhook/post.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { exchange as listingExchange } from '../../src/votes/listing-client/exchange.ts';
import { REQUEST_LIMIT_MS } from '../../src/votes/webhook/webhook-in.ts';
import { here } from '../kit/here.ts';
import { hooked, payload, signature } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { isSettled, listening } from '../support/listening.ts';
import { PeerThread } from '../support/peer-thread.ts';
import { TOKEN, WIRE_VOTE } from '../support/votifier-client.ts';

const LIMIT_MS = 10_000;
const NEVER = new AbortController().signal;
/** More than one read of a socket takes. */
const LONG_BODY = 'x'.repeat(60_000);
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Length: ${LONG_BODY.length}\r\n\r\n${LONG_BODY}`;

/** A peer that has its greeting, and its vote as a frame. */
async function greetedPeer(port: number) {
  const peer = await PeerThread.connected(port);
  const greeting = await peer.received('\n');
  const challenge = greeting.trim().split(' ')[2] ?? '';
  return { peer, frame: encodeV2Frame({ ...WIRE_VOTE, challenge }, TOKEN) };
}

// In each test the bytes arrive while the event loop is blocked, and the limit is over before it turns again.
describe('what arrived before the limit was reached is read first:', () => {
  test('a vote, at the deadline of its connection', async () => {
    const { port, clock, votes, refusals } = await listening();
    const { peer, frame } = await greetedPeer(port);
    peer.sendWhileBlocked(frame);
    clock.advance(5_000);
    await peer.received('{"status":"ok"}');
    expect(votes).toHaveLength(1);
    expect(refusals).toEqual([]);
  });

  test('a vote, when the listener closes', async () => {
    const { port, clock, votes, listener } = await listening();
    const { peer, frame } = await greetedPeer(port);
    const closed = listener.close();
    peer.sendWhileBlocked(frame);
    clock.advance(1_000);
    await peer.received('{"status":"ok"}');
    expect(votes).toHaveLength(1);
    clock.advance(1_000);
    await closed;
  });

  test('a packet of a game server', async () => {
    const peer = await PeerThread.listening();
    const clock = new FakeClock();
    const stream = new PacketStream(await connected(peer), clock, NEVER);
    stream.expect(() => true);
    stream.write(Buffer.from('a command'));
    await peer.received('a command');
    const arrival = stream.next(LIMIT_MS);
    peer.sendWhileBlocked(encodePacket({ id: 7, type: 0, body: 'said' }));
    clock.advance(LIMIT_MS);
    expect(await arrival).toMatchObject({ kind: 'packet', packet: { id: 7 } });
  });

  test('the answer of an HTTP game server', async () => {
    const peer = await PeerThread.listening();
    const clock = new FakeClock();
    const target = { url: new URL(`http://127.0.0.1:${peer.port}/`), commandTimeoutMs: LIMIT_MS, clock };
    const command = { headers: {}, body: Buffer.from('a command') };
    const exchanged = httpExchange(await connected(peer), target, command, NEVER);
    await peer.received('a command');
    peer.sendWhileBlocked(ANSWER);
    clock.advance(LIMIT_MS);
    expect(await exchanged).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('a webhook that a listing posts', async () => {
    const place = await here(
      { sites: { default: {}, 'List.example': hooked() }, webhook: { host: '127.0.0.1', port: 0 } },
      new FakeClock('2026-06-01T12:00:00Z'),
    );
    const peer = await PeerThread.connected(place.webhookPort);
    await isSettled(new Promise(() => {})); // it has been accepted
    const body = payload();
    const head = `POST /hooks/list HTTP/1.1\r\nHost: localhost\r\nX-Webhook-Signature: ${signature(body)}`;
    peer.sendWhileBlocked(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    place.clock.advance(REQUEST_LIMIT_MS);
    await peer.received('HTTP/1.1 200 OK');
    expect((await place.run('votes', '--json')).json).toHaveLength(1);
  });

  test('the answer to a webhook that the listing service posts', async () => {
    const peer = await PeerThread.listening();
    const clock = new FakeClock();
    const url = new URL(`http://127.0.0.1:${peer.port}/`);
    const post = postWith(lookup as LookupFunction, clock);
    const answer = post({ url, headers: {}, body: Buffer.from('a webhook') }, NEVER);
    await peer.received('a webhook');
    peer.sendWhileBlocked(ANSWER);
    clock.advance(10_000);
    expect(await answer).toMatchObject({ kind: 'answered', status: 200 });
  });

  test('the answer to a vote that we send', async () => {
    const peer = await PeerThread.listening();
    const clock = new FakeClock();
    const target = { host: '127.0.0.1', port: peer.port, auth: { version: 'v2', token: TOKEN } } as const;
    const result = sendVote(WIRE_VOTE, target, { clock });
    await peer.connected();
    peer.sendWhileBlocked('VOTIFIER 2 c0ffee\n');
    await peer.received('"signature"');
    peer.sendWhileBlocked('{"status":"ok"}\r\n');
    clock.advance(10_000);
    expect(await result).toMatchObject({ kind: 'accepted' });
  });

  test('the answer of a listing’s API', async () => {
    const peer = await PeerThread.listening();
    const clock = new FakeClock();
    const request = { url: `http://127.0.0.1:${peer.port}/votes`, headers: {} };
    const limits = { wholeMs: LIMIT_MS, bodyMaxBytes: LONG_BODY.length };
    const exchanged = listingExchange(request, { clock, fetch, limits, signal: undefined });
    await peer.received('\r\n\r\n');
    peer.sendWhileBlocked(ANSWER);
    clock.advance(LIMIT_MS);
    expect(await exchanged).toMatchObject({ kind: 'answered', status: 200 });
  });
});

/** Our connection to a listening peer. */
async function connected({ port }: PeerThread) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}
