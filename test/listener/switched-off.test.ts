import { expect, test } from 'vitest';
import { listening } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

test('with protocols v1 only, the answer to a v2 vote says that version 2 is switched off', async () => {
  const { port, votes, refusals } = await listening({ protocols: ['v1'] });
  const client = await VotifierClient.greeted(port);
  client.write(await client.frame());
  expect(JSON.parse(await client.untilClosed())).toMatchObject({
    status: 'error',
    cause: 'UnsupportedProtocol',
  });
  expect(votes).toEqual([]);
  expect(refusals).toEqual(['v2-off 127.0.0.1']);
});

test('with protocols v1 only, a v1 vote counts', async () => {
  const { port, votes } = await listening({ protocols: ['v1'] });
  const client = await VotifierClient.greeted(port);
  client.write(voteBlock());
  await client.untilClosed();
  expect(votes).toHaveLength(1);
});

test('with protocols v2 only, a v1 block gets no answer and is counted as v1-off', async () => {
  const { port, votes, refusals } = await listening({ protocols: ['v2'] });
  const client = await VotifierClient.greeted(port);
  client.write(voteBlock());
  expect(await client.untilClosed()).toBe('');
  expect(votes).toEqual([]);
  expect(refusals).toEqual(['v1-off 127.0.0.1']);
});

test('with protocols v2 only, a v2 vote counts', async () => {
  const { port, votes } = await listening({ protocols: ['v2'] });
  const client = await VotifierClient.greeted(port);
  client.write(await client.frame());
  expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
  expect(votes).toHaveLength(1);
});

test('[R-6] a long HTTP request is classified as http, with v1 on or off', async () => {
  for (const protocols of [['v1', 'v2'], ['v2']] as const) {
    const { port, refusals } = await listening({ protocols });
    const client = await VotifierClient.greeted(port);
    client.write(`GET /${'a'.repeat(300)} HTTP/1.1\r\n\r\n`);
    expect(await client.untilClosed()).toBe('');
    expect(refusals).toEqual(['http 127.0.0.1']);
  }
});
