import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/platform/listen.ts';

const OPTIONS = { key: 'listener.port in the config, or --port', likelyHolder: 'another Votifier plugin' };

function newServer() {
  const server = createServer();
  onTestFinished(() => void server.close());
  return server;
}

test.each(['192.0.2.1', 'fe80::1', 'no-such-host.invalid'])(
  'listening on an impossible address (%s) fails with port-not-allowed and names the host key',
  async (host) => {
    const { code, message } = await listen(newServer(), { ...OPTIONS, host, port: 0 }).catch(
      (error) => error,
    );
    expect(code).toBe('port-not-allowed');
    expect(message).toContain('listener.host');
    expect(message).not.toContain('listener.port');
  },
);

test('listening on a port that is in use fails with port-in-use', async () => {
  const { port } = await listen(newServer(), { ...OPTIONS, host: '127.0.0.1', port: 0 });
  await expect(listen(newServer(), { ...OPTIONS, host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'port-in-use',
  });
});

test('connections that cannot be accepted do not crash the process', async () => {
  const server = newServer();
  await listen(server, { ...OPTIONS, host: '127.0.0.1', port: 0 });
  const tooManyFiles = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' });
  expect(server.emit('error', tooManyFiles)).toBe(true);
  expect(server.emit('error', tooManyFiles)).toBe(true);
});
