import { describe, expect, test } from 'vitest';
import { listingService, MINUTE } from '../listing-service.ts';
import { publicTargets } from '../public-targets.ts';

const URL_1 = 'https://example.com/votes';
const URL_2 = 'https://example.org/votes';
const REGISTER = '/webhooks/register';
const TEST = '/webhooks/test';

/** A listing with functions that register and test, under the real public-address rule. */
async function ownedListing() {
  const service = listingService({ targets: publicTargets() });
  const { listing, token } = await service.owner('minecraft', 'webhooks:write');
  return {
    service,
    listing,
    register: (body: unknown) => service.client.post(REGISTER, { token, body }),
    test: (body: unknown) => service.client.post(TEST, { token, body }),
    stored: () => service.store.webhooks.find(listing.id),
  };
}

describe('POST /webhooks/register', () => {
  test('WR-01 NS-19 NS-20: creates the webhook with its defaults, and returns what is stored', async () => {
    const { service, listing, register, stored } = await ownedListing();
    const { status, body } = await register({ webhookUrl: URL_1 });
    expect([status, body]).toEqual([
      200,
      {
        webhookUrl: URL_1,
        events: ['vote.created'],
        isActive: true,
        hasSecret: false,
        updatedAt: new Date(service.clock.now()).toISOString(),
      },
    ]);
    expect(stored()).toMatchObject({
      url: URL_1,
      secret: null,
      isActive: true,
      failures: 0,
      disabledAt: null,
    });
    const { id } = await service.cast(listing, '1');
    expect(service.events()).toMatchObject([{ eventId: id }]);
  });

  test('WR-02: replaces an existing webhook', async () => {
    const { service, register, stored } = await ownedListing();
    await register({ webhookUrl: URL_1 });
    await register({ webhookUrl: URL_2 });
    expect(stored()?.url).toBe(URL_2);
    expect(service.database.prepare('SELECT count(*) FROM webhooks').pluck().get()).toBe(1);
  });

  test('WR-03 WR-04: stores the secret if one is sent', async () => {
    const { register, stored } = await ownedListing();
    expect((await register({ webhookUrl: URL_1, secret: 'open sesame' })).body.hasSecret).toBe(true);
    expect(stored()?.secret).toBe('open sesame');
    expect((await register({ webhookUrl: URL_1 })).body.hasSecret).toBe(false);
    expect(stored()?.secret).toBeNull();
  });

  test('WR-06: lets votes create no events if isActive is false', async () => {
    const { service, listing, register } = await ownedListing();
    expect((await register({ webhookUrl: URL_1, isActive: false })).body.isActive).toBe(false);
    await service.cast(listing, '1');
    expect(service.events()).toEqual([]);
  });

  test('WR-10: accepts http and https', async () => {
    const { register } = await ownedListing();
    for (const webhookUrl of ['http://example.com/', 'https://example.com/']) {
      expect((await register({ webhookUrl })).body.webhookUrl).toBe(webhookUrl);
    }
  });

  test('WR-16: re-enables a webhook that was disabled after failures, and resets the failure count', async () => {
    const { service, listing, register, stored } = await ownedListing();
    await register({ webhookUrl: URL_1 });
    service.database.exec('UPDATE webhooks SET failures = 20, disabled_at = 1');
    expect(stored()).toMatchObject({ failures: 20, disabledAt: 1 });
    await register({ webhookUrl: URL_1 });
    expect(stored()).toMatchObject({ failures: 0, disabledAt: null });
    await service.cast(listing, '1');
    expect(service.events()).toHaveLength(1);
  });

  test('WR-17: accepts the URL of a channel webhook', async () => {
    const { register } = await ownedListing();
    expect((await register({ webhookUrl: 'https://discord.com/api/webhooks/123/abc' })).status).toBe(200);
  });

  test('WR-19: never returns the secret', async () => {
    const service = listingService({ targets: publicTargets() });
    const { token } = await service.owner('bot');
    const secret = 'whsec_not-to-be-seen';
    const answers = [
      await service.client.post(REGISTER, { token, body: { webhookUrl: URL_1, secret } }),
      await service.client.get('/webhooks/votes', { token }),
      await service.client.get('/webhooks/stats', { token }),
      await service.client.get(REGISTER, { token }),
      await service.client.get('/webhooks', { token }),
    ];
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toContain(secret);
  });

  test('NS-51: accepts a name that does not resolve yet', async () => {
    const { register } = await ownedListing();
    expect((await register({ webhookUrl: 'https://tomorrow.example/' })).status).toBe(200);
  });

  test('NS-34: accepts unknown fields', async () => {
    const { register } = await ownedListing();
    expect((await register({ webhookUrl: URL_1, retries: 7 })).status).toBe(200);
  });
});

/** URLs that are refused, by code. */
const BAD_URLS = [
  ...[
    'foo',
    '',
    '//x',
    'ftp://x',
    'javascript:1',
    'file:///etc/passwd',
    'http://ex ample.com',
    'http://x:99999',
    'http://x:0',
  ].map((url) => ['WR-09', 'WEBHOOK_URL_INVALID', url] as const),
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '127.0.0.1', '169.254.169.254', '0.0.0.0', '100.64.0.1'].map(
    (host) => ['WR-11', 'WEBHOOK_URL_NOT_PUBLIC', `http://${host}/`] as const,
  ),
  ...['[::1]', '[fd00::1]', '[fe80::1]'].map(
    (host) => ['WR-11', 'WEBHOOK_URL_NOT_PUBLIC', `http://${host}:8080/x`] as const,
  ),
  ...[
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
    '[::7f00:1]',
  ].map((host) => ['WR-12', 'WEBHOOK_URL_NOT_PUBLIC', `https://${host}/`] as const),
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '①②⑦.0.0.1', 'user@127.0.0.1'].map(
    (host) => ['WR-12', 'WEBHOOK_URL_NOT_PUBLIC', `https://${host}/`] as const,
  ),
  ...['localhost', 'localhost.', 'LOCALHOST', 'intranet', 'x.local', 'x.internal', 'x.localhost'].map(
    (host) => ['WR-13', 'WEBHOOK_URL_NOT_PUBLIC', `http://${host}/`] as const,
  ),
  ...['inside.example', 'mixed.example', 'loop6.example'].map(
    (host) => ['WR-14', 'WEBHOOK_URL_NOT_PUBLIC', `http://${host}/`] as const,
  ),
];

test.each(BAD_URLS)(
  '%s WR-15 WT-06: answers %s for %j when registering and testing, and changes nothing',
  async (_, expected, url) => {
    const owned = await ownedListing();
    await owned.register({ webhookUrl: URL_1, secret: 'kept' });
    const before = owned.stored();
    for (const ask of [owned.register, owned.test]) {
      const { status, code } = await ask({ webhookUrl: url, secret: 'other' });
      expect([status, code]).toEqual([400, expected]);
    }
    expect(owned.stored()).toEqual(before);
    expect(owned.service.deliveries.tested).toEqual([]);
  },
);

test.each([
  ['WR-05', { webhookUrl: URL_2, events: ['x'] }],
  ['WR-05', { webhookUrl: URL_2, events: ['vote.created', 'x'] }],
  ['WR-05', { webhookUrl: URL_2, events: 'vote.created' }],
  ['WR-05', { webhookUrl: URL_2, events: null }],
  ['NS-19', { webhookUrl: URL_2, events: [] }],
  ['WR-07', { webhookUrl: URL_2, isActive: 'true' }],
  ['WR-07', { webhookUrl: URL_2, isActive: 1 }],
  ['WR-08', {}],
  ['WR-08', { webhookUrl: null }],
  ['WR-08', { webhookUrl: 5 }],
  ['WR-08', { webhookUrl: [URL_2] }],
  ['WR-08', { webhookUrl: `https://example.com/${'x'.repeat(2048)}` }],
  ['NS-37', { webhookUrl: URL_2, secret: '' }],
  ['NS-37', { webhookUrl: URL_2, secret: null }],
  ['NS-37', { webhookUrl: URL_2, secret: 'a\nb' }],
  ['NS-37', { webhookUrl: URL_2, secret: 'x'.repeat(257) }],
])('%s WR-15: the registration %j is refused, and nothing changes', async (_, body) => {
  const { register, stored } = await ownedListing();
  await register({ webhookUrl: URL_1, secret: 'kept' });
  const before = stored();
  const { status, code } = await register(body);
  expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(stored()).toEqual(before);
});

test('WR-05: a registration may subscribe to vote.created by name', async () => {
  const { register } = await ownedListing();
  const { body } = await register({ webhookUrl: URL_1, events: ['vote.created'] });
  expect(body.events).toEqual(['vote.created']);
});

describe('POST /webhooks/test', () => {
  test('WT-01 WT-04 WT-08 NS-21: sends one delivery to the URL, reports its result and registers nothing', async () => {
    const { service, listing, register, test: sendTest, stored } = await ownedListing();
    await register({ webhookUrl: URL_1, secret: 'kept' });
    const before = stored();
    const { status, body } = await sendTest({ webhookUrl: URL_2 });
    expect([status, body]).toEqual([200, service.deliveries.result]);
    expect(service.deliveries.tested.map((asked) => [asked.listing, asked.url.href])).toEqual([
      [listing, URL_2],
    ]);
    expect(stored()).toEqual(before);
    expect(service.events()).toEqual([]);
  });

  test.each([
    { delivered: false, httpStatus: 500, error: null },
    { delivered: false, httpStatus: 302, error: null },
    { delivered: false, httpStatus: null, error: 'refused' },
    { delivered: false, httpStatus: null, error: 'no answer within 10 s' },
  ])('WT-04 WT-05: answers 200 with the result %j', async (result) => {
    const { service, test: sendTest } = await ownedListing();
    service.deliveries.result = { ...service.deliveries.result, ...result };
    const { status, body } = await sendTest({ webhookUrl: URL_1 });
    expect([status, body]).toMatchObject([200, result]);
  });

  test.each([{}, { webhookUrl: null }, { webhookUrl: 5 }])('WT-06 WR-08: %j is refused', async (body) => {
    const { service, test: sendTest } = await ownedListing();
    expect((await sendTest(body)).code).toBe('VALIDATION_FAILED');
    expect(service.deliveries.tested).toEqual([]);
  });

  test('NS-23: sends even if the webhook is paused, disabled or missing', async () => {
    const { service, register, test: sendTest } = await ownedListing();
    await sendTest({ webhookUrl: URL_1 });
    await register({ webhookUrl: URL_1, isActive: false });
    await sendTest({ webhookUrl: URL_1 });
    service.database.exec('UPDATE webhooks SET failures = 20, disabled_at = 1');
    await sendTest({ webhookUrl: URL_1 });
    expect(service.deliveries.tested).toHaveLength(3);
  });
});

describe('NS-18: the limits', () => {
  test('allow 10 registrations and 5 tests a minute, counted separately; refused requests are not counted', async () => {
    const { service, register, test: sendTest } = await ownedListing();
    for (let asked = 0; asked < 3; asked++) await register({ webhookUrl: 'foo' });
    for (let asked = 0; asked < 10; asked++) expect((await register({ webhookUrl: URL_1 })).status).toBe(200);
    expect((await register({ webhookUrl: URL_2 })).code).toBe('RATE_LIMITED');
    for (let asked = 0; asked < 5; asked++) expect((await sendTest({ webhookUrl: URL_1 })).status).toBe(200);
    expect((await sendTest({ webhookUrl: URL_1 })).code).toBe('RATE_LIMITED');
    expect(service.deliveries.tested).toHaveLength(5);
    service.clock.advance(MINUTE);
    expect((await register({ webhookUrl: URL_2 })).status).toBe(200);
  });
});
