/** The served reference of the developer API, and that every answer to random requests is as it says. */
import { expect, test } from 'vitest';
import { apiErrors, apiScopes } from '../../../protocol/listing-api.ts';
import { listing, MINUTE } from '../../kit/listing.ts';
import { KINDS } from '../../kit/listing-people.ts';
import { type Asked, ROOT } from '../../kit/listing-program.ts';
import { resolver } from '../../support/network.ts';
import { Seeded } from '../../support/seeded.ts';
import { OPERATIONS } from '../operations.ts';

test('DC-01 NS-39: the reference is an OpenAPI 3.1 document without a token, of exactly seven operations with their scopes, all scopes and the nine codes', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any part of the document
  const { openapi, info, paths, components } = (await (await listing()).api.referenceDocument()) as any;
  expect(openapi).toMatch(/^3\.1\./);
  expect(info.title).not.toBe('');
  const listed = Object.entries<Record<string, { security: object }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => [`${method.toUpperCase()} ${path}`, security]),
  );
  const expected = OPERATIONS.map(({ name, grantedBy }) => [
    name.replace(' /', ` ${ROOT}/`).replace(':id', '{id}'),
    grantedBy.map((scope) => ({ token: [scope] })),
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected));
  expect(listed).toHaveLength(7);
  for (const name of [...Object.keys(apiScopes), ...Object.keys(apiErrors)])
    expect(info.description).toContain(`\`${name}\``);
  expect(components.schemas.Error.properties.code.enum).toEqual(Object.keys(apiErrors));
});

test('DC-01 NS-39: the reference states the bounds of the specification, without broken references or invalid patterns', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: the same
  const document = (await (await listing()).api.referenceDocument()) as any;
  const { BotStatsReport, VoteCheckBatch, VoteStats } = document.components.schemas;
  expect(BotStatsReport.properties).toMatchObject({
    serverCount: { minimum: 0, maximum: 10_000_000 },
    shardCount: { minimum: 0, maximum: 10_000 },
  });
  expect(VoteCheckBatch.anyOf[0].properties.userIds).toMatchObject({ minItems: 1, maxItems: 50 });
  expect(VoteStats.properties.dailyVotes).toMatchObject({ minItems: 30, maxItems: 30 });
  const { parameters } = document.paths[`${ROOT}/webhooks/votes`].get;
  const { schema } = parameters.find(({ name }: { name: string }) => name === 'limit');
  expect(schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 50 });

  const text = JSON.stringify(document);
  const targets = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(targets));
  const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, quoted]) =>
    JSON.parse(quoted ?? ''),
  );
  expect(patterns.length).toBeGreaterThan(3);
  for (const pattern of patterns) expect(new RegExp(pattern, 'u').source).toMatch(/^\^.*\$$/);
});

const VOTED = { voted: true, votedAt: '2026-06-01T12:00:00.000Z', nextVoteAt: '2026-06-02T12:00:00.000Z' };

test('DC-02: the check that all tests of the API use accepts a conforming response, and reports any other', async () => {
  const reference = await (await listing()).api.reference();
  for (const [method, path, status, body, isRight = false] of [
    ['GET', '/webhooks/votes/check', 200, VOTED, true],
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
  ] as const) {
    const fault = reference.faultOf(method, `${ROOT}${path}`, status, body);
    expect([path, body, fault === null]).toEqual([path, body, isRight]);
  }
});

const ROUNDS = 400;

interface InOrder {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Valid requests, from which invalid ones are made. */
const IN_ORDER: readonly InOrder[] = [
  { method: 'POST', path: '/bots/SELF/stats', body: { serverCount: 5, shardCount: 1 } },
  { method: 'GET', path: '/webhooks/votes/check', query: { userId: '1' } },
  { method: 'GET', path: '/webhooks/votes/check', query: { playerName: 'Steve' } },
  { method: 'POST', path: '/webhooks/votes/check', body: { userIds: ['1', '2'] } },
  { method: 'POST', path: '/webhooks/votes/check', body: { playerNames: ['__proto__', 'Steve'] } },
  { method: 'GET', path: '/webhooks/votes', query: { startDate: '2026-06-01', limit: '10' } },
  { method: 'GET', path: '/webhooks/stats' },
  { method: 'POST', path: '/webhooks/register', body: { webhookUrl: 'https://example.com/', secret: 's' } },
  { method: 'POST', path: '/webhooks/test', body: { webhookUrl: 'https://example.com/' } },
];

const OTHER_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'] as const;
const OTHER_PATHS = ['/bots/other/stats', '/bots/%ff%00/stats', '/bots/../stats', '/nowhere', '/%', '//'];

const KEYS = [
  ...['serverCount', 'shardCount', 'userId', 'playerName', 'userIds', 'playerNames', 'startDate', 'endDate'],
  ...['limit', 'webhookUrl', 'secret', 'events', 'isActive', '__proto__', 'constructor', 'toString', ''],
  ...['\ud800', 'a b'],
];

const TEXTS = [
  ...['', '1', 'Steve', '0', '100', '101', '-1', 'NaN', '__proto__', 'vote.created', 'true', 'null'],
  ...['2026-06-01', '2026-06-01T12:00:00Z', '9999-12-31', '0000-01-01', '-000001-01-01'],
  ...['2026-06-01T12:00:00+23:59', '\ud800', '\u0000', '\u202e', 'ß'.repeat(40), '💎', 'x'.repeat(3000)],
  ...['https://example.com/', 'http://127.1/', "'; DROP TABLE votes; --", '%00', '\r\nX: y'],
];

const TYPES = ['text/plain', 'application/json; charset=x', 'multipart/form-data', 'garbage'];

/** A random request, most of them nearly valid, so that every check is reached. */
function anyRequest(random: Seeded, tokens: readonly string[]) {
  const inOrder = random.pick(IN_ORDER);
  const method = random.chance(0.05) ? random.pick(OTHER_METHODS) : inOrder.method;
  const path = random.chance(0.05) ? random.pick(OTHER_PATHS) : inOrder.path;
  const asked: Asked = {
    ...(random.chance(0.95) ? { token: random.pick(tokens) } : {}),
    query: asTexts(spoilt(random, inOrder.query ?? {}, 1)),
    ...(random.chance(0.05)
      ? { headers: { 'Content-Type': random.pick(TYPES), 'X-Forwarded-For': '::1' } }
      : {}),
    ...(method === 'GET' ? {} : bodyLike(random, inOrder.body ?? {})),
  };
  return { method, path, asked };
}

const asTexts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));

function bodyLike(random: Seeded, inOrder: object): Pick<Asked, 'body' | 'text'> {
  if (random.chance(0.05)) return { text: random.bytes(random.below(200)) };
  if (random.chance(0.05)) return { text: JSON.stringify(inOrder).slice(0, random.below(20)) };
  return { body: random.chance(0.95) ? spoilt(random, inOrder, 2) : anyValue(random, 2) };
}

/** Leaves half of the requests unchanged; changes one or two fields of the others, mostly known ones. */
function spoilt(random: Seeded, inOrder: object, depth: number): Record<string, unknown> {
  const own = Object.keys(inOrder);
  const key = (): string => random.pick(own.length > 0 && random.chance(0.7) ? own : KEYS);
  const count = random.chance(0.5) ? 0 : 1 + random.below(2);
  const fields = Array.from({ length: count }, () => [key(), anyValue(random, depth - 1)]);
  return { ...inOrder, ...Object.fromEntries(fields) };
}

function anyValue(random: Seeded, depth: number): unknown {
  const kind = random.below(depth > 0 ? 7 : 5);
  if (kind === 0) return random.pick([0, -0, 1, -1, 1.5, 1e7, 1e308, 2 ** 53, Number.MIN_VALUE]);
  if (kind === 1) return random.pick([true, false, null]);
  if (kind <= 4) return random.pick(TEXTS);
  if (kind === 5) return Array.from({ length: random.below(60) }, () => anyValue(random, depth - 1));
  return spoilt(random, {}, depth);
}

test('ER-03, ER-12, SV-10: every response conforms to the reference and none is a 500', async () => {
  // No name resolves, so that tests of webhooks send nothing.
  const site = await listing({ allowTargets: [], lookup: resolver({}) });
  const owners = [];
  for (const kind of KINDS) owners.push(await site.owned(kind));
  const scopeless = (await site.owned('bot', 'stats:write')).token;
  const known = owners.map(({ token }) => token);
  const tokens = [...known, ...known, scopeless, 'vl_unknown', 'ä'];
  const random = new Seeded(20_260_601);
  const seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const { method, path: template, asked } = anyRequest(random, tokens);
    const path = template.replace('SELF', owners[0]!.listed.id);
    const request = `round ${round}: ${method} ${path} ${JSON.stringify(asked)}`;
    const { status, code } = await site.api.ask(method, path, asked).catch((cause: unknown) => {
      throw new Error(request, { cause });
    });
    expect(status, request).toBeLessThan(500);
    seen.set(code ?? 'done', (seen.get(code ?? 'done') ?? 0) + 1);
    if (round % 40 === 0) site.clock.advance(MINUTE);
  }
  // All codes but one occurred, and there were enough successes; otherwise this would test little.
  const codes = Object.keys(apiErrors).filter((code) => code !== 'INTERNAL_ERROR');
  expect([...seen.keys()].sort()).toEqual([...codes, 'done'].sort());
  expect(seen.get('done')).toBeGreaterThan(ROUNDS / 5);
});
