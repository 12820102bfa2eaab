import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { servePages } from '../../src/web/server.ts';

test.each([
  [
    'whose body never arrives completely',
    'POST /here?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab',
    '/here',
  ],
  ['whose headers never end', 'GET /here HTTP/1.1\r\nHost: a\r\n', ''],
])('a request %s is answered 408 after 15 to 20 seconds', { timeout: 30_000 }, async (_, bytes, path) => {
  const server = await servePages(async (request) => new Response(await request.text()), {
    ...{ host: '127.0.0.1', port: 0, key: 'listing.port', likelyHolder: 'another one', hasPassword: false },
    clock: systemClock,
    faultBody: (fault) => fault,
  });
  onTestFinished(() => server.close());
  const socket = connect(server.address.port, '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(body)).toMatchObject({ code: 'too-slow', status: 408, path });
});
