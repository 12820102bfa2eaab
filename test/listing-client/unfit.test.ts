import { expect, test } from 'vitest';
import { whyUnfit } from '../../protocol/listing-api/reported-votes.ts';
import { naming } from '../support/naming.ts';
import { json, scriptedApi } from './scripted-api.ts';

const VOTE = {
  id: '8f3c1b52-6a77-4c1e-9d5e-0b7a2f4c6d10',
  userId: '1',
  votedAt: '2026-06-01T12:00:00.000Z',
  metadata: {},
};

test('a success with an unexpected body is unfit, and is not retried', async () => {
  const { client, clock, server } = await scriptedApi(json(200, { votes: [] }));
  expect(await client.votes()).toEqual({
    kind: 'unfit',
    sentence: naming('expected array'),
    detail: expect.stringContaining('expected array'),
  });
  expect([server.requests.length, clock.pending]).toEqual([1, 0]);
});

test.each([
  ['no vote with its time', [{ ...VOTE, votedAt: undefined }, {}], '0.votedAt: '],
  ['a user ID that is a number', [{ ...VOTE, userId: 80351110224678912 }], '0.userId: '],
])('an answer without a usable vote is reported with the reason: %s', async (_what, body, field) => {
  const { client } = await scriptedApi(json(200, body));
  const answer = await client.votes();
  expect(answer).toMatchObject({ kind: 'ok', value: { votes: [] } });
  expect(answer.kind === 'ok' && whyUnfit(answer.value)).toContain(field);
});

test('votes are read one by one, with any form of ID, time and missing metadata', async () => {
  const votes = [
    VOTE,
    { ...VOTE, id: 'vote_1', votedAt: '2026-06-01T12:00:00Z', metadata: { playerName: null } },
    { ...VOTE, id: 12_345, votedAt: '2026-06-01T14:00:00+02:00', metadata: null },
    { ...VOTE, id: '665f1f77bcf86cd799439011', metadata: undefined },
    { ...VOTE, votedAt: 'yesterday' },
    null,
  ];
  const { client } = await scriptedApi(json(200, votes));
  const read = { userId: '1', votedAt: Date.parse('2026-06-01T12:00:00Z'), metadata: {} };
  expect(await client.votes()).toMatchObject({
    kind: 'ok',
    value: {
      votes: [VOTE.id, 'vote_1', '12345', '665f1f77bcf86cd799439011'].map((id) => ({ ...read, id })),
      unread: [
        { text: JSON.stringify(votes[4]), why: '4.votedAt: Invalid ISO datetime', votedAt: null },
        { text: 'null', why: expect.stringMatching(/^5: .*expected object/) },
      ],
    },
  });
});

test('the time of an answer is its Date header, or null if it came from a cache', async () => {
  const fresh = { Date: 'Mon, 01 Jun 2026 12:00:00 GMT' };
  const { client } = await scriptedApi(json(200, [], fresh), json(200, [], { ...fresh, Age: '86400' }));
  expect(await client.votes()).toMatchObject({ serviceTime: 1_780_315_200_000 });
  expect(await client.votes()).toMatchObject({ serviceTime: null });
});
