import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodeVotePayload } from '../../protocol/webhook/payload.ts';
import { verifyDelivery } from '../../src/listing/webhooks/verify-delivery.ts';

const SECRET = 'whsec_c2VjcmV0LW9mLXRoaXMtdGVzdA';
const facts = {
  eventId: '01972f3e-0000-7000-8000-000000000001',
  listingId: 'listing',
  userId: '80351110224678912',
  votedAt: 0,
  nextVoteAt: 1,
  weight: 1,
  game: null,
  playerName: null,
};
const BODY = encodeVotePayload(facts, 0);

const hex = (body: Uint8Array | string, key: string | Buffer = SECRET): string =>
  createHmac('sha256', key).update(body).digest('hex');
const HEADER = `sha256=${hex(BODY)}`;

const codesOf = (pasted: Partial<Parameters<typeof verifyDelivery>[0]>): string[] =>
  verifyDelivery({ body: BODY, header: HEADER, secret: SECRET, ...pasted }).findings.map(({ code }) => code);

test('a real delivery is valid and has no other finding', () => {
  expect(verifyDelivery({ body: BODY, header: HEADER, secret: SECRET })).toMatchObject({
    isValid: true,
    expected: HEADER,
    findings: [{ code: 'matches' }],
  });
});

describe('an invalid delivery is reported with the reason', () => {
  test.each([
    ['no header', '', ['header-missing']],
    ['the whole header line', `X-Webhook-Signature: ${HEADER}`, ['header-name']],
    ['white space around it', ` ${HEADER}\n`, ['header-spaces']],
    ['no sha256=', hex(BODY), ['header-no-prefix']],
    ['upper-case digits', `sha256=${hex(BODY).toUpperCase()}`, ['header-upper-case']],
    ['an upper-case prefix', `SHA256=${hex(BODY)}`, ['header-upper-case']],
    ['base64', `sha256=${Buffer.from(hex(BODY), 'hex').toString('base64')}`, ['header-base64']],
    ['a short value', 'sha256=abc', ['header-shape']],
    [
      'one flipped bit',
      `sha256=${hex(BODY).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))}`,
      ['differs'],
    ],
  ])('%s', (_case, header, codes) => {
    expect(verifyDelivery({ body: BODY, header, secret: SECRET }).isValid).toBe(false);
    expect(codesOf({ header })).toEqual(codes);
  });
});

describe('common mistakes are recognized', () => {
  const text = BODY.toString();
  test.each([
    ['a line break after the body', { body: Buffer.from(`${text}\n`) }, ['body-line-end']],
    [
      'a formatted body',
      { body: Buffer.from(JSON.stringify(JSON.parse(text), null, 2)) },
      ['body-reserialised'],
    ],
    ['a space after the secret', { secret: `${SECRET} ` }, ['secret-spaces']],
    ['a key without whsec_', { header: `sha256=${hex(BODY, SECRET.slice(6))}` }, ['secret-prefix']],
    [
      'a key decoded from base64',
      { header: `sha256=${hex(BODY, Buffer.from(SECRET.slice(6), 'base64'))}` },
      ['secret-base64'],
    ],
    ['another secret', { secret: 'another' }, ['differs']],
    ['two mistakes at once', { header: hex(BODY).toUpperCase() }, ['header-no-prefix', 'header-upper-case']],
  ])('%s', (_case, pasted, codes) => {
    expect(codesOf(pasted)).toEqual(expect.arrayContaining(codes));
    expect(codesOf(pasted)).not.toContain('matches');
  });

  test('line breaks converted by a form', () => {
    const body = Buffer.from('{"a":\n1}');
    const header = `sha256=${hex(body)}`;
    expect(codesOf({ body: Buffer.from('{"a":\r\n1}'), header })).toEqual(['body-crlf', 'body-not-payload']);
  });
});

describe('a body that is not a payload is reported', () => {
  test.each([
    ['no JSON', 'hello', 'body-not-json'],
    ['nothing', '', 'body-not-json'],
    ['another JSON', '{"embeds":[]}', 'body-not-payload'],
    ['a test', encodeVotePayload({ ...facts, eventId: null }, 0).toString(), 'body-test'],
  ])('%s', (_case, text, code) => {
    const body = Buffer.from(text);
    expect(codesOf({ body, header: `sha256=${hex(body)}` })).toEqual(['matches', code]);
  });
});
