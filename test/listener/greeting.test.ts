import { describe, expect, test } from 'vitest';
import { listening } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

describe('the greeting', () => {
  test('[G-1] [G-2] is one write of 38 bytes: VOTIFIER 2, 26 of [0-9a-v], one line end', async () => {
    const { port } = await listening();
    for (let i = 0; i < 20; i++) {
      const client = await VotifierClient.greeted(port);
      expect(client.reads).toHaveLength(1);
      expect(client.text).toMatch(/^VOTIFIER 2 [0-9a-v]{26}\n$/);
    }
  });

  test('[G-2] has a different challenge on each of 100 connections', async () => {
    const { port } = await listening();
    const clients = await Promise.all(Array.from({ length: 100 }, () => VotifierClient.open(port)));
    const challenges = await Promise.all(clients.map((client) => client.challenge()));
    expect(new Set(challenges).size).toBe(100);
  });

  test('[G-3] reaches a v1 sender that reads only after writing its block', async () => {
    const { port, votes } = await listening();
    for (let i = 0; i < 20; i++) {
      const client = await VotifierClient.open(port);
      client.write(voteBlock());
      await client.untilClosed();
      expect(client.text).toMatch(/^VOTIFIER 2 [0-9a-v]{26}\n$/);
    }
    expect(votes).toHaveLength(20);
  });

  test('[G-3] reaches a sender that sends something else first', async () => {
    const { port } = await listening();
    const client = await VotifierClient.open(port);
    client.write(`GET / HTTP/1.1\r\n${'x'.repeat(256)}`);
    await client.untilClosed();
    expect(client.text).toMatch(/^VOTIFIER 2 [0-9a-v]{26}\n$/);
  });
});
