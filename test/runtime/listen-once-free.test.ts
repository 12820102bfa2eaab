import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listen, whoListens } from '../../src/platform/listen.ts';
import { listenOnceFree } from '../../src/platform/listen-once-free.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { keptLog } from '../support/log.ts';

/** A port of this process that is in use until it is freed. */
async function taken() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const free = () => new Promise((resolve) => server.close(resolve));
  return { port, free };
}

function waiting(port: number, server: Server) {
  const clock = new FakeClock(0);
  const stop = new AbortController();
  const kept = keptLog();
  onTestFinished(() => void server.close());
  const options = { host: '127.0.0.1', port, key: 'port', likelyHolder: 'another' };
  const begin = () => listen(server, options);
  const sentences: string[] = [];
  const warn = (fields: object, sentence: string): void => {
    kept.log.warn(fields, sentence);
    sentences.push(sentence);
  };
  const listening = listenOnceFree(begin, { clock, log: { ...kept.log, warn }, port, signal: stop.signal });
  return { clock, stop, listening, sentences, ...kept };
}

describe('waiting for a port', () => {
  test('ends when it is free, and says so; until then it says once that it waits', async () => {
    const { port, free } = await taken();
    const { clock, listening, codes, sentences } = waiting(port, createServer());
    await expect.poll(() => codes).toEqual(['port-wait']);
    expect(sentences[0]).toContain(
      `waiting for port ${port}, on which another program listens (\`${whoListens(port)}\` shows which)`,
    );
    await free();
    const pass = () => {
      clock.advance(200);
      return codes;
    };
    await expect.poll(pass).toEqual(['port-wait', 'port-free']);
    expect(await listening).toMatchObject({ port });
  });

  test('leaves nothing behind at the server for each time that the port was tried', async () => {
    const { port } = await taken();
    const server = createServer();
    const { clock, stop, listening } = waiting(port, server);
    for (let tried = 0; tried < 30; tried++) {
      clock.advance(200);
      await new Promise(setImmediate);
    }
    expect(server.listenerCount('listening')).toBeLessThan(2);
    stop.abort();
    await expect(listening).rejects.toMatchObject({ code: 'port-in-use' });
  });

  test('ends when it is stopped, with the reason why it was not listened on', async () => {
    const { port } = await taken();
    const { stop, listening } = waiting(port, createServer());
    stop.abort();
    await expect(listening).rejects.toMatchObject({ code: 'port-in-use' });
  });

  test('says nothing where the port is free', async () => {
    const { port, free } = await taken();
    await free();
    const { listening, codes } = waiting(port, createServer());
    await listening;
    expect(codes).toEqual([]);
  });

  test('is not done for what does not pass, such as an address of another machine', async () => {
    const stop = new AbortController();
    const options = { host: '192.0.2.1', port: 0, key: 'port', likelyHolder: 'another' };
    const wait = { clock: new FakeClock(0), log: keptLog().log, port: 0, signal: stop.signal };
    await expect(listenOnceFree(() => listen(createServer(), options), wait)).rejects.toMatchObject({
      code: 'port-not-allowed',
    });
  });
});

test.each([
  ['linux', "ss -ltnp 'sport = :8192'"],
  ['win32', 'netstat -ano'],
  ['darwin', 'lsof -nP -iTCP:8192 -sTCP:LISTEN'],
  ['freebsd', 'lsof -nP -iTCP:8192 -sTCP:LISTEN'],
] as const)('on %s, the command that shows which program has a port is %s', (platform, command) => {
  expect(whoListens(8192, platform)).toBe(command);
});

test('a port that is in use is refused with that command', async () => {
  const { port } = await taken();
  const options = { host: '127.0.0.1', port, key: 'listener.port in the config', likelyHolder: 'NuVotifier' };
  await expect(listen(createServer(), options)).rejects.toMatchObject({
    code: 'port-in-use',
    message: `127.0.0.1:${port} is already in use (NuVotifier?); \`${whoListens(port)}\` shows by which program: stop it, or change listener.port in the config.`,
  });
});
