import { describe, expect, test } from 'vitest';
import { apiErrors } from '../../../protocol/listing-api/errors.ts';
import { apiScopes } from '../../../protocol/listing-api/scopes.ts';
import { listing } from '../../kit/listing.ts';
import { ROOT } from '../../kit/listing-program.ts';
import { OPERATIONS } from '../operations.ts';

/** The document as JSON, without a token. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any part of the document
const fetched = async (): Promise<any> => (await listing()).api.referenceDocument();

describe('DC-01 NS-39: the reference', () => {
  test('is an OpenAPI 3.1 document that anyone can read without a token', async () => {
    const document = await fetched();
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.title).not.toBe('');
  });

  test('lists exactly seven operations, each with its scopes', async () => {
    const { paths } = await fetched();
    const listed = Object.entries<Record<string, { security: object }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => [`${method.toUpperCase()} ${path}`, security]),
    );
    const expected = OPERATIONS.map(({ name, grantedBy }) => [
      name.replace(' /', ` ${ROOT}/`).replace(':id', '{id}'),
      grantedBy.map((scope) => ({ token: [scope] })),
    ]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected));
    expect(listed).toHaveLength(7);
  });

  test('explains the scopes and the nine codes', async () => {
    const { info, components } = await fetched();
    for (const name of [...Object.keys(apiScopes), ...Object.keys(apiErrors)]) {
      expect(info.description).toContain(`\`${name}\``);
    }
    expect(components.schemas.Error.properties.code.enum).toEqual(Object.keys(apiErrors));
  });

  test('has no broken references and no invalid patterns', async () => {
    const document = await fetched();
    const text = JSON.stringify(document);
    const targets = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(targets));
    const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, quoted]) =>
      JSON.parse(quoted ?? ''),
    );
    expect(patterns.length).toBeGreaterThan(3);
    for (const pattern of patterns) expect(new RegExp(pattern, 'u').source).toMatch(/^\^.*\$$/);
  });

  test('states the bounds of the specification', async () => {
    const { components, paths } = await fetched();
    const { BotStatsReport, VoteCheckBatch, VoteStats } = components.schemas;
    expect(BotStatsReport.properties).toMatchObject({
      serverCount: { minimum: 0, maximum: 10_000_000 },
      shardCount: { minimum: 0, maximum: 10_000 },
    });
    expect(VoteCheckBatch.anyOf[0].properties.userIds).toMatchObject({ minItems: 1, maxItems: 50 });
    expect(VoteStats.properties.dailyVotes).toMatchObject({ minItems: 30, maxItems: 30 });
    const limit = paths[`${ROOT}/webhooks/votes`].get.parameters.find(
      ({ name }: { name: string }) => name === 'limit',
    );
    expect(limit.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 50 });
  });
});

describe('DC-02: the check that all tests of the API use', () => {
  const check = async (method: string, path: string, status: number, body: unknown) =>
    (await (await listing()).api.reference()).faultOf(method, `${ROOT}${path}`, status, body);
  const VOTED = { voted: true, votedAt: '2026-06-01T12:00:00.000Z', nextVoteAt: '2026-06-02T12:00:00.000Z' };

  test('accepts a conforming response', async () => {
    expect(await check('GET', '/webhooks/votes/check', 200, VOTED)).toBeNull();
  });

  test('reports one that does not conform', async () => {
    for (const [method, path, status, body] of [
      ['GET', '/webhooks/votes/check', 200, { ...VOTED, voted: 'yes' }],
      ['GET', '/webhooks/votes/check', 200, { ...VOTED, votedAt: 'noon' }],
      ['GET', '/webhooks/votes/check', 200, { voted: true }],
      ['GET', '/webhooks/votes/check', 201, VOTED],
      ['GET', '/webhooks/votes/check', 400, VOTED],
      ['POST', '/webhooks/votes/check', 200, { votes: { Steve: { voted: true } } }],
      ['GET', '/webhooks/votes', 200, { votes: [] }],
      ['GET', '/webhooks/stats', 200, {}],
      ['POST', '/bots/1/stats', 200, { serverCount: -1, updatedAt: VOTED.votedAt }],
      ['GET', '/nowhere', 404, { error: 'Not Found' }],
    ] as const)
      expect([path, await check(method, path, status, body)]).not.toEqual([path, null]);
  });
});
