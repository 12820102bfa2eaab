import { expect, test } from 'vitest';
import { isSettled, listening, slowIntake } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

test('a silent connection is closed at the deadline of 5 s', async () => {
  const { port, clock, refusals } = await listening();
  const client = await VotifierClient.greeted(port);
  clock.advance(5_000);
  expect(await client.untilClosed()).toBe('');
  expect(refusals).toEqual(['deadline 127.0.0.1']);
});

test('a vote that is complete after 4,999 ms counts', async () => {
  const { port, clock, votes } = await listening();
  const client = await VotifierClient.greeted(port);
  clock.advance(4_999);
  client.write(await client.frame());
  expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
  expect(votes).toHaveLength(1);
});

test('a connection that sends one byte a second is closed at the same deadline', async () => {
  const { port, clock, refusals, votes } = await listening();
  const dripping = await VotifierClient.greeted(port);
  const block = voteBlock();
  for (let second = 0; second < 5; second++) {
    dripping.write(block.subarray(second, second + 1));
    // A complete exchange of another sender, so that the byte has been read by then.
    const other = await VotifierClient.greeted(port);
    other.write(voteBlock('Alex'));
    await other.untilClosed();
    clock.advance(1_000);
  }
  expect(await dripping.untilClosed()).toBe('');
  expect(refusals).toEqual(['deadline 127.0.0.1']);
  expect(votes).toHaveLength(5);
});

test('the deadline runs from the start of the connection, not from the PROXY header', async () => {
  const { port, clock, refusals } = await listening({ proxyProtocol: 'required' });
  const client = await VotifierClient.greeted(port);
  clock.advance(4_000);
  client.write('PROXY TCP4 198.51.100.7 203.0.113.5 56324 8192\r\n');
  const other = await VotifierClient.greeted(port);
  other.write('no header');
  await other.untilClosed();
  clock.advance(1_000);
  await client.untilClosed();
  expect(refusals).toEqual(['proxy-missing 127.0.0.1', 'deadline 198.51.100.7']);
});

test.each([
  ['GET / HTTP/1.1\r\n', 'http'],
  ['SSH-2.0-OpenSSH_9.6\r\n', 'ssh'],
  ['\u0016\u0003\u0001\u0002\u0000', 'tls'],
  ['PROXY TCP4 198.51.100.7 203.0.113.5 1 2\r\n', 'proxy-header'],
  ['s', 'deadline'],
])('[R-6] a connection that began with %j is classified at the deadline as %s', async (junk, code) => {
  const { port, clock, refusals } = await listening();
  const client = await VotifierClient.greeted(port);
  client.write(Buffer.from(junk, 'latin1'));
  const other = await VotifierClient.greeted(port);
  other.write(voteBlock());
  await other.untilClosed();
  clock.advance(5_000);
  await client.untilClosed();
  expect(refusals).toEqual([`${code} 127.0.0.1`]);
});

test('a vote that takes longer than the deadline to store is answered when it is stored', async () => {
  const intake = slowIntake();
  const { port, clock, voted, refusals } = await listening({ accept: intake.accept });
  const client = await VotifierClient.greeted(port);
  client.write(await client.frame());
  await voted(1);
  clock.advance(60_000);
  intake.release();
  expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
  expect(refusals).toEqual([]);
});

test('an answered connection is destroyed after one second if its sender does not close it', async () => {
  const { port, clock, listener } = await listening();
  const client = await VotifierClient.greeted(port);
  client.write(await client.frame());
  while (client.answer === '') await new Promise((resolve) => client.socket.once('data', resolve));
  const closed = listener.close();
  clock.advance(999);
  expect(await isSettled(closed)).toBe(false);
  clock.advance(1);
  await closed;
  expect(client.answer).toBe('{"status":"ok"}\r\n');
});
