import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { isSettled, listening, slowIntake } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

test('closing finishes a v2 vote that is being stored: it is answered ok, then the listener is closed', async () => {
  const intake = slowIntake();
  const { port, listener, voted } = await listening({ accept: intake.accept });
  const client = await VotifierClient.greeted(port);
  client.write(await client.frame());
  await voted(1);
  const closed = listener.close();
  expect(await isSettled(closed)).toBe(false);
  intake.release();
  expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
  await closed;
});

test('closing waits for a v1 vote that is being stored, even if its sender has reset the connection', async () => {
  const intake = slowIntake();
  const { port, listener, voted } = await listening({ accept: intake.accept });
  const client = await VotifierClient.greeted(port);
  client.write(voteBlock());
  await voted(1);
  client.socket.resetAndDestroy();
  const closed = listener.close();
  expect(await isSettled(closed)).toBe(false);
  intake.release();
  await closed;
});

test('closing gives connections that have not sent a vote one second', async () => {
  const { port, listener, clock, refusals } = await listening();
  const [voter, silent] = [await VotifierClient.greeted(port), await VotifierClient.greeted(port)];
  const closed = listener.close();
  clock.advance(999);
  voter.write(await voter.frame());
  expect(await voter.untilClosed()).toBe('{"status":"ok"}\r\n');
  expect(await isSettled(closed)).toBe(false);
  clock.advance(1);
  await silent.untilClosed();
  await closed;
  expect(refusals).toEqual(['deadline 127.0.0.1']);
});

test('closing accepts no new connections', async () => {
  const { port, listener } = await listening();
  await listener.close();
  const socket = connect({ host: '127.0.0.1', port });
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
  expect(error.code).toBe('ECONNREFUSED');
});

test('a listener without connections closes at once', async () => {
  const { listener } = await listening();
  await listener.close();
});

test('fails with port-in-use, naming the port’s key, if the port is taken', async () => {
  const { port } = await listening();
  await expect(listening({ port })).rejects.toMatchObject({
    code: 'port-in-use',
    message: expect.stringContaining('listener.port'),
  });
});
