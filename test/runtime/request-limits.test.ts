import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LIMITED_SERVER, RequestLimits } from '../../src/platform/request-limits.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { isSettled } from '../support/listening.ts';
import { PeerThread } from '../support/peer-thread.ts';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n';

const say =
  (word: string) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    request.resume().on('end', () => response.end(word));
  };

/** A server that says `done` and answers a slow request with `too slow`, and a peer that is connected to it. */
async function serving(handler = say('done'), keepAliveTimeout: number = LIMITED_SERVER.keepAliveTimeout) {
  const clock = new FakeClock();
  const server = createServer({ ...LIMITED_SERVER, keepAliveTimeout });
  const limits = new RequestLimits(server, clock);
  server.on('request', (request, response) => {
    limits.track(request, response);
    handler(request, response);
  });
  const codes: string[] = [];
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    codes.push(code);
    socket.end('too slow');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const peer = await PeerThread.connected((server.address() as AddressInfo).port);
  return { clock, codes, peer, server };
}

/** Resolves when everything in transit on loopback has been handled. */
const arrived = (): Promise<boolean> => isSettled(Promise.resolve());

describe('a request that takes too long to arrive is ended', () => {
  test.each([
    ['which sends nothing', ''],
    ['whose headers never end', 'GET / HTTP/1.1\r\nHost: a\r\n'],
    ['whose body never arrives completely', `${POST}ab`],
  ])('after 15 s: one %s', async (_, bytes) => {
    const { clock, codes, peer } = await serving();
    peer.sendWhileBlocked(bytes);
    await arrived();
    clock.advance(14_999);
    await arrived();
    expect(codes).toEqual([]);
    clock.advance(1);
    await peer.received('too slow');
    // The peer then ends in the middle of its request, which is another fault.
    expect(codes[0]).toBe('ERR_HTTP_REQUEST_TIMEOUT');
  });

  test('20 s after the response before it, however slowly it goes on', async () => {
    const { clock, codes, peer } = await serving();
    peer.sendWhileBlocked(GET);
    await peer.received('done');
    for (let second = 0; second < 20; second++) {
      expect(codes).toEqual([]);
      peer.sendWhileBlocked(GET.slice(second, second + 1));
      await arrived();
      clock.advance(1_000);
    }
    await peer.received('too slow');
    // The peer then ends in the middle of its request, which is another fault.
    expect(codes[0]).toBe('ERR_HTTP_REQUEST_TIMEOUT');
  });
});

describe('a request is not ended', () => {
  test('if it arrived just before the limit was reached', async () => {
    const { clock, codes, peer } = await serving();
    await arrived(); // it has been accepted
    peer.sendWhileBlocked(`${POST}abcde`);
    clock.advance(15_000);
    await peer.received('done');
    expect(codes).toEqual([]);
  });

  test('while it is being answered', async () => {
    const asked: ServerResponse[] = [];
    const { clock, codes, peer } = await serving((_, response) => void asked.push(response));
    peer.sendWhileBlocked(`${POST}abcde`);
    await expect.poll(() => asked.length).toBe(1);
    await arrived();
    clock.advance(3_600_000);
    await arrived();
    asked[0]?.end('done');
    await peer.received('done');
    expect(codes).toEqual([]);
  });

  test('if it arrives on an idle connection just before that is closed', async () => {
    const { peer } = await serving(say('done'), 100);
    peer.sendWhileBlocked(GET);
    await peer.received('done');
    peer.sendWhileBlocked(GET, 1_300); // Node waits a second longer than it announces
    await peer.received('done', 2);
  });
});

test('an idle connection is closed', async () => {
  const { clock, codes, peer, server } = await serving(say('done'), 100);
  peer.sendWhileBlocked(GET);
  await peer.received('done');
  const open = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  await expect.poll(open).toBe(0);
  clock.advance(3_600_000);
  expect(codes).toEqual([]);
});
