import { describe, expect, test } from 'vitest';
import { RESOLVES_INSIDE } from '../../../src/listing/targets/checking-lookup.ts';
import { eventStates } from '../../../src/listing/webhooks/event-state.ts';
import { reasonSentence } from '../../../src/notify/webhook/reasons.ts';
import { resolver } from '../../support/names.ts';
import { wholeSite } from '../../support/whole-site.ts';

const NAMES = {
  'example.com': ['203.0.114.10'],
  'example.org': ['203.0.114.11', '2606:4700::11'],
  'inside.example': ['10.0.0.5'],
  'mixed.example': ['203.0.114.12', '127.0.0.1'],
  'loop6.example': ['::1'],
  localhost: ['127.0.0.1'],
};
const FORMER = 'https://example.com/former';

const INVALID = [
  ...['foo', '//x', 'ftp://example.com/', 'javascript:1', 'file:///etc/passwd', 'http://ex ample.com/'],
  ...['http://example.com:99999/', 'http://', 'http:///hook', 'http://example.com\\@inside.example/'],
  'http://user@example.com/',
];
const NOT_PUBLIC = [
  // WR-11
  ...['10.0.0.1', '172.16.0.1', '192.168.0.1', '127.0.0.1', '169.254.169.254', '0.0.0.0', '100.64.0.1'],
  ...['[::1]', '[fd00::1]', '[fe80::1]'],
  // WR-12
  ...['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '127.0.0.1.', '[::ffff:127.0.0.1]', '[::7f00:1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '①②⑦.0.0.1', 'user@127.0.0.1'],
  // WR-13
  ...['localhost', 'localhost.', 'LOCALHOST', 'intranet', 'x.local', 'x.internal', 'x.localhost'],
  // WR-14
  ...['inside.example', 'mixed.example', 'loop6.example'],
].map((host) => `http://${host}/hook`);

/** A site without open networks, and with a webhook that was saved earlier. */
async function strictSite() {
  const site = await wholeSite({ allowTargets: [], lookup: resolver(NAMES) });
  const owner = await site.person();
  const listing = await owner.list();
  const webhook = `${listing.dashboard}/webhook`;
  expect((await owner.saveWebhook(listing, FORMER)).tone).toBe('good');
  const token = await owner.token(listing, 'webhooks:write');
  return { site, owner, listing, webhook, token };
}

type Strict = Awaited<ReturnType<typeof strictSite>>;

/** What the form answers to people and to scripts about a URL, and what the API answers. */
async function verdicts({ site, owner, webhook, token }: Strict, url: string) {
  const fields = { url, secret: 'none', active: 'on' };
  const page = await owner.post(webhook, fields);
  const script = await owner.visitor.post(webhook, fields, { accept: 'application/json' });
  const registered = await site.api.post('/webhooks/register', { token, body: { webhookUrl: url } });
  return [page.status, 'url' in page.faults, JSON.parse(script.text).code, registered.code];
}

describe('the URL rule of the webhook’s form', () => {
  test.each([
    ['WEBHOOK_URL_INVALID', 'WR-09', INVALID],
    ['WEBHOOK_URL_NOT_PUBLIC', 'WR-11, WR-12, WR-13, WR-14', NOT_PUBLIC],
  ])(
    'refuses the same URLs as the API with %s, and keeps the former webhook (WF-04, %s)',
    async (code, _ids, urls) => {
      const strict = await strictSite();
      for (const url of urls)
        expect([url, ...(await verdicts(strict, url))]).toEqual([url, 422, true, code, code]);
      expect((await strict.owner.values(strict.webhook)).webhook.url).toBe(FORMER);
    },
  );

  test('refuses an empty URL (WF-04, WR-09)', async () => {
    const { owner, listing, webhook } = await strictSite();
    const answer = await owner.saveWebhook(listing, '');
    expect([answer.status, 'url' in answer.faults]).toEqual([422, true]);
    expect((await owner.values(webhook)).webhook.url).toBe(FORMER);
  });

  test('accepts http and https, an IP address, a port and a name that does not resolve yet (WF-04, WR-10)', async () => {
    const { owner, listing, webhook } = await strictSite();
    for (const url of [
      'http://example.com/hook',
      'https://example.org/hook?a=1',
      'https://example.com:8443/',
      'http://203.0.114.10/hook',
      'https://[2606:4700::11]/hook',
      'https://tomorrow.example/hook',
    ]) {
      expect([url, (await owner.saveWebhook(listing, url)).status]).toEqual([url, 200]);
      expect((await owner.values(webhook)).webhook.url).toBe(url);
    }
  });

  test('keeps what was entered in the form that it refuses, with the reason (WF-04)', async () => {
    const { owner, listing, webhook } = await strictSite();
    const answer = await owner.saveWebhook(listing, 'http://inside.example/');
    expect(answer.form(webhook)!.fields.url).toEqual(['http://inside.example/']);
    expect(answer.faults.url).toContain(RESOLVES_INSIDE);
    expect(answer.html).not.toContain('10.0.0.5');
  });

  test('also applies to the vote listener’s host (NS-43)', async () => {
    const { owner, listing } = await strictSite();
    for (const host of ['127.0.0.1', '2130706433', '[::1]', 'localhost', 'inside.example', 'mixed.example']) {
      const answer = await owner.saveListener(listing, { host });
      expect([host, answer.status, Object.keys(answer.faults)]).toEqual([host, 422, ['host']]);
    }
    expect((await owner.values(`${listing.dashboard}/listener`)).settings).toBeNull();
    expect((await owner.saveListener(listing, { host: 'example.com' })).tone).toBe('good');
  });

  test('is applied again when a vote is sent, so a name that was rebound to a private address gets nothing (DO-21)', async () => {
    const names: Record<string, string[]> = { 'turning.example': ['203.0.114.10'] };
    const site = await wholeSite({ allowTargets: [], lookup: resolver(names) });
    const owner = await site.person();
    const listing = await owner.list();
    expect((await owner.saveWebhook(listing, 'http://turning.example/hook')).tone).toBe('good');
    names['turning.example'] = ['10.0.0.5'];
    await site.vote(listing);
    await site.quiet();
    const [row] = (await owner.open(`${listing.dashboard}/deliveries`)).rows;
    expect(row).toMatchObject({ State: eventStates.retrying.label, HTTP: 'none' });
    expect(row!.detail).toContain(
      reasonSentence({
        code: 'address-not-allowed',
        facts: { detail: `turning.example ${RESOLVES_INSIDE}` },
      }),
    );
  });
});
