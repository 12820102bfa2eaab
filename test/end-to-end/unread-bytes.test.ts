/** Bytes that arrived while the event loop was blocked, and whose time limit was over before it turned again, are read first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { encodePacket, packetType, RconReader } from '../../protocol/rcon.ts';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';
import { ABOUT, arrived, connected } from '../kit/connected.ts';
import { here } from '../kit/here.ts';
import { desk } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { hooked, payload, signature } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { PeerThread } from '../support/peer-thread.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

const NOON = '2026-06-01T12:00:00Z';
const SECOND = 1_000;
/** More than one read of a socket takes. */
const LONG = ' '.repeat(60_000);
const answerWith = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** A peer that has its greeting, and its vote as a frame. */
async function greetedPeer(port: number) {
  const peer = await PeerThread.connected(port);
  const [, , challenge = ''] = (await peer.received('\n')).trim().split(' ');
  return { peer, frame: encodeV2Frame({ ...WIRE_VOTE, challenge }, TOKEN) };
}

test('a vote, at the deadline of its connection', async () => {
  const teller = await here({ listener: { host: '127.0.0.1', port: 0, deadline: '5s' } });
  const { peer, frame } = await greetedPeer(teller.port);
  peer.sendWhileBlocked(frame);
  teller.clock.advance(5 * SECOND);
  await peer.received('{"status":"ok"}');
  expect((await teller.run('votes', '--json')).json).toHaveLength(1);
});

test('a vote, when Teller stops', async () => {
  const teller = await here();
  const { peer, frame } = await greetedPeer(teller.port);
  const stopping = teller.stop();
  peer.sendWhileBlocked(frame);
  teller.clock.advance(SECOND);
  await peer.received('{"status":"ok"}');
  await stopping;
  expect((await teller.run('votes', '--json')).json).toHaveLength(1);
});

test('a webhook that a listing posts', async () => {
  const sites = { default: { token: TOKEN }, List: hooked() };
  const teller = await here({ sites, webhook: { host: '127.0.0.1', port: 0 } }, new FakeClock(NOON));
  const peer = await PeerThread.connected(teller.webhookPort);
  await sleep(20); // it has been accepted
  const body = payload();
  const head = `POST /hooks/list HTTP/1.1\r\nHost: localhost\r\nX-Webhook-Signature: ${signature(body)}`;
  peer.sendWhileBlocked(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  teller.clock.advance(10 * SECOND);
  await peer.received('HTTP/1.1 200 OK');
  expect((await teller.run('votes', '--json')).json).toHaveLength(1);
});

test('the reply of a game server to a command', async () => {
  const peer = await PeerThread.listening();
  const password = 'password-of-this-test';
  const { server, clock } = await connected({
    ...{ kind: 'rcon', host: '127.0.0.1', port: peer.port, password },
    ...{ commandTimeout: '10s', commandPause: '0ms' },
  });
  const running = server.run('say hi', 'say hi', ABOUT);
  const send = (id: number, type: number, body: string): void =>
    peer.sendWhileBlocked(encodePacket({ id, type, body }));
  // Answers what comes before the command, such as the login.
  let [answered, command] = [0, 0];
  while (command === 0) {
    const { packets } = new RconReader().push(Buffer.from(await peer.received(password), 'latin1'));
    for (const { id, type, body } of packets.slice(answered)) {
      if (String(body) === 'say hi') command = id;
      else if (type === packetType.login) send(id, packetType.loginReply, '');
      else if (type === packetType.command)
        send(id, packetType.reply, 'There are 0 of a max of 20 players online: ');
      else send(id, packetType.reply, `Unknown request ${type.toString(16)}`);
    }
    answered = packets.length;
    clock.advance(20);
    await arrived();
  }
  send(command, packetType.reply, 'said');
  clock.advance(10 * SECOND);
  expect(await running).toMatchObject({ kind: 'delivered', reply: 'said' });
});

test('the answer of an HTTP game server', async () => {
  const peer = await PeerThread.listening();
  const url = `http://127.0.0.1:${peer.port}/`;
  const entry = { kind: 'http', url, secret: 'whsec_of-the-game-server', commandTimeout: '10s' };
  const { server, clock } = await connected(entry);
  const running = server.run('say hi', 'say hi', ABOUT);
  await peer.received('say hi');
  peer.sendWhileBlocked(answerWith(LONG));
  clock.advance(10 * SECOND);
  expect(await running).toMatchObject({ kind: 'delivered' });
});

test('the answer to an event that Teller posts', async () => {
  const peer = await PeerThread.listening();
  const url = `http://127.0.0.1:${peer.port}/`;
  const events = [{ url, on: ['vote.rewarded'], secret: 'the-secret-of-the-receiver' }];
  const teller = await here({ events });
  await teller.vote({ player: 'Steve' });
  await teller.pass(2 * SECOND);
  await peer.received('vote.rewarded');
  peer.sendWhileBlocked(answerWith(LONG));
  teller.clock.advance(10 * SECOND);
  await arrived();
  const receiverOf = async () => (await teller.run('events', '--json')).json[0].receivers[0];
  await teller.until(async () => (await receiverOf()).waiting === 0, 50);
  expect(await receiverOf()).toMatchObject({ delivered: 1, undelivered: 0 });
});

test('the answer to a vote that Teller sends', async () => {
  const peer = await PeerThread.listening();
  const one = desk({}, {}, new FakeClock(NOON));
  const words = `send --host 127.0.0.1 --port ${peer.port} --token ${TOKEN} --json`;
  const sent = one.run(...words.split(' '));
  await peer.connected();
  peer.sendWhileBlocked('VOTIFIER 2 c0ffee\n');
  await peer.received('"signature"');
  peer.sendWhileBlocked('{"status":"ok"}\r\n');
  one.clock.advance(10 * SECOND);
  expect((await sent).json).toMatchObject([{ code: 'accepted' }]);
});

test('the answer of a listing’s API', async () => {
  const peer = await PeerThread.listening();
  const api = { baseUrl: `http://127.0.0.1:${peer.port}/api/v1`, token: 'tok' };
  const teller = await here({ sites: { default: { token: TOKEN }, List: { api } } });
  const asking = peer.received('\r\n\r\n');
  await teller.during(asking);
  peer.sendWhileBlocked(answerWith(`[${LONG}]`));
  teller.clock.advance(10 * SECOND);
  await arrived();
  await teller.pass(SECOND);
  const ofTheSite = teller.log.filter(({ level, fields }) => level !== 'debug' && 'site' in fields);
  expect(ofTheSite.filter(({ level }) => level !== 'info')).toEqual([]);
});
