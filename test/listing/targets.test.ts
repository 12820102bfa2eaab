/** Which addresses may be called: the rule of the webhook's form, of the API, and of the vote listener's host. */
import { expect, test } from 'vitest';
import { listing, MINUTE, type SiteWanted } from '../kit/listing.ts';
import { hooked } from '../kit/listing-webhook.ts';
import { resolver } from '../support/network.ts';

const NAMES = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'private.example': ['10.0.0.5'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mixed-last.example': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::1'],
  'six.example': ['::1'],
  'nat64.example': ['64:ff9b::5db8:d70e'],
  'odd.example': ['not an address'],
  localhost: ['127.0.0.1'],
  'both.localhost': ['127.0.0.1', '::1'],
  intranet: ['93.184.215.14'],
};

const FORMER = 'https://public.example/former';

/** A listing with a webhook, whose next one is judged by the API and the form. */
async function judging(wanted: SiteWanted = {}) {
  const site = await listing({ allowTargets: [], lookup: resolver(NAMES), ...wanted });
  const { listed, owner, token } = await site.owned('minecraft', 'webhooks:write');
  const webhook = `${listed.dashboard}/webhook`;
  expect((await owner.saveWebhook(listed, FORMER)).tone).toBe('good');
  const stored = async () => (await owner.values(webhook)).webhook;
  /** What the API says: nothing, or a code. */
  const refusal = async (webhookUrl: string): Promise<string | undefined> => {
    site.clock.advance(MINUTE / 10 + 1);
    return (await site.api.post('/webhooks/register', { token, body: { webhookUrl } })).code;
  };
  const inForm = (url: string) => owner.answer(webhook, { url, secret: 'none', active: 'on' });
  const host = async (text: string) => {
    const port = '25565';
    const fields = { host: text, port, method: 'token', credential: 'a-token' };
    return owner.answer(`${listed.dashboard}/listener`, fields);
  };
  return { site, listed, owner, token, webhook, stored, refusal, inForm, host };
}

/** URLs that are no http(s) URLs. */
const INVALID = [
  ...['foo', '//x', '//public.example/hook', 'ftp://public.example', 'javascript:1', 'file:///etc/passwd'],
  ...['http:public.example', 'http:///public.example', 'http:\\\\public.example', 'http://ex ample.com'],
  ...['http://public.example/a b', 'http://public.example:99999/', 'http://public.example:0/'],
  ...['https://127.0.0.1:00/', 'http://public.example:port/', 'http://', 'http://?'],
  ...['http://public..example/', 'http://-.example/', 'http://1.2.3.4.5/', 'http://[::1', 'http://[zzz]/'],
  // They would not be sent.
  ...['http://user:password@public.example/', 'http://user@public.example/'],
];

const PRIVATE = [
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '127.0.0.1', '127.255.255.254'],
  ...['169.254.169.254', '0.0.0.0', '0.1.2.3', '100.64.0.1', '192.0.0.1', '192.0.2.1', '198.18.0.1'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '[::]', '[::1]'],
  ...['[fc00::1]', '[fd00::1]', '[fe80::1]', '[fec0::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]'],
  ...['[3fff::1]', '[5f00::1]', '[4000::1]', '10.0.0.1:8443', '[fd00::1]:8443'],
];

/** Other spellings of private addresses. */
const DISGUISED = [
  ...['2130706433', '0x7f000001', '0X7F.1', '0177.0.0.1', '017700000001', '127.1', '127.0.1', '127.0.0.1.'],
  ...['0', '0x0', '3232235521', '0xa9fea9fe', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...['[0:0:0:0:0:ffff:10.0.0.1]', '[::7f00:1]', '[::127.0.0.1]', '[::ffff:0:127.0.0.1]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::5db8:d70e]', '[2002:7f00:1::]'],
  ...['[2002:a00:1::1]', '[2001:0:5db8:d70e::1]', '①②⑦.0.0.1', '１２７.０.０.１', '127。0。0。1'],
  ...['%31%32%37.0.0.1', 'user@127.0.0.1', 'user:password@10.0.0.1', 'public.example@127.0.0.1'],
];

const INTERNAL = [
  ...['localhost', 'localhost.', 'LOCALHOST', 'ｌｏｃａｌｈｏｓｔ', 'localhost:8080', 'intranet'],
  ...['intranet.', 'x.local'],
  ...['X.Local.', 'x.internal', 'metadata.google.internal', 'x.localhost', 'deep.x.localhost'],
  ...['x.localdomain', 'x.lan', 'x.home.arpa', 'x.corp'],
];

const RESOLVING_INSIDE = ['private', 'mixed', 'mixed-last', 'six', 'odd'].map((name) => `${name}.example`);

const urlsOf = (hosts: readonly string[]): readonly string[] => hosts.map((host) => `http://${host}/`);

test.each([
  ['WR-09: are no http(s) URLs', 'WEBHOOK_URL_INVALID', INVALID],
  ['WR-11: are private addresses', 'WEBHOOK_URL_NOT_PUBLIC', urlsOf(PRIVATE)],
  ['WR-12: are private addresses in another spelling', 'WEBHOOK_URL_NOT_PUBLIC', urlsOf(DISGUISED)],
  ['WR-13: are names of internal hosts', 'WEBHOOK_URL_NOT_PUBLIC', urlsOf(INTERNAL)],
  ['WR-14: resolve to a private address', 'WEBHOOK_URL_NOT_PUBLIC', urlsOf(RESOLVING_INSIDE)],
])(
  'WF-04, WT-06, WR-15: the API and the form refuse webhook URLs that %s with %s, and keep the former one',
  async (_, code, urls) => {
    const { site, token, stored, refusal, inForm } = await judging();
    const before = await stored();
    for (const url of urls) {
      const { code: shown, faults } = await inForm(url);
      const { code: tested } = await site.api.post('/webhooks/test', { token, body: { webhookUrl: url } });
      const found = [await refusal(url), shown, tested, ...Object.keys(faults)];
      expect(found, url).toEqual([code, code, code, 'url']);
    }
    expect(await stored()).toEqual(before);
  },
);

test('WF-04, WR-09, WR-10, NS-51: a webhook’s URL that is public is accepted by both, and so is a name that does not resolve yet; white space around it and more than 2,048 characters are refused by the API', async () => {
  const { owner, listed, stored, refusal } = await judging();
  for (const url of [
    ...['http://public.example/hook', 'https://public.example/hook?a=b', 'https://public.example:8443/'],
    ...['HTTPS://PUBLIC.EXAMPLE:8443/hook', 'https://public.example./hook', 'http://93.184.215.14/'],
    ...['http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', 'http://[::ffff:93.184.215.14]/'],
    // A public host behind NAT64.
    ...['http://nat64.example/', 'https://tomorrow.example/hook'],
    'https://public.example/'.padEnd(2_048, 'x'),
  ])
    expect([url, await refusal(url)]).toEqual([url, undefined]);
  for (const url of [' http://public.example/', 'http://public.exa\nmple/', ''])
    expect([url, await refusal(url)]).toEqual([url, 'WEBHOOK_URL_INVALID']);
  expect(await refusal('https://public.example/'.padEnd(2_049, 'x'))).toBe('VALIDATION_FAILED');
  expect((await owner.saveWebhook(listed, 'https://tomorrow.example/hook')).tone).toBe('good');
  expect((await stored()).url).toBe('https://tomorrow.example/hook');
});

test('WF-04, WR-14: a webhook’s URL is required, and shown again when it is refused, with a reason that does not say what the name resolves to', async () => {
  const { owner, listed, webhook, stored } = await judging();
  for (const name of ['mixed.example', 'private.example', 'six.example']) {
    const answer = await owner.saveWebhook(listed, `http://${name}/`);
    expect(answer.form(webhook)!.fields.url).toEqual([`http://${name}/`]);
    expect(answer.faults.url).toContain('resolves to an address that is not public');
    expect(answer.html).not.toMatch(/10\.0\.0\.5|127\.0\.0\.1|::1/);
  }
  const { status, faults } = await owner.saveWebhook(listed, '');
  expect([status, Object.keys(faults), (await stored()).url]).toEqual([422, ['url'], FORMER]);
});

test('NS-46, WR-11: a webhook’s URL may be in the private networks that the operator opened, and in no other', async () => {
  const { refusal } = await judging({ allowTargets: ['127.0.0.0/8', 'fd00::/8'] });
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[fd12::1]', 'localhost', 'public.example'])
    expect([host, await refusal(`http://${host}:8080/`)]).toEqual([host, undefined]);
  const inside = ['10.0.0.1', '[::1]', 'both.localhost', 'intranet', 'x.internal', 'mixed-last.example'];
  for (const host of inside)
    expect([host, await refusal(`http://${host}/`)]).toEqual([host, 'WEBHOOK_URL_NOT_PUBLIC']);
});

test('NS-43: the host of a vote listener is read without its brackets and the dot at its end, and refused if it is no host or not public', async () => {
  const { owner, listed, host } = await judging();
  for (const text of [
    ...['', 'public.example:25565', 'http://public.example', 'user@public.example', 'a b'],
    ...['public.example/x', '127.0.0.1', '2130706433', '::1', '[::1]', '::ffff:127.0.0.1'],
    ...['localhost', 'private.example', 'mixed.example'],
  ])
    expect([text, Object.keys((await host(text)).faults)]).toEqual([text, ['host']]);
  expect((await owner.values(`${listed.dashboard}/listener`)).settings).toBeNull();
  for (const [text, read] of [
    ['public.example', 'public.example'],
    ['PUBLIC.example.', 'public.example'],
    ['93.184.215.14', '93.184.215.14'],
    ['[2606:2800:21f:cb07:6820:80da:af6b:8b2c]', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  ] as const)
    expect([text, (await host(text)).settings?.host]).toEqual([text, read]);
});

test('NS-50, WR-17: a channel’s webhook is an https URL of this form at one of the platform’s hosts', async () => {
  // No name resolves, so that nothing is sent; the log shows a channel’s URL without its token.
  const wanted = { allowTargets: [], channelHosts: ['discord.com'], lookup: resolver({}) };
  const scene = await hooked({ ...wanted, url: FORMER });
  const isChannel = async (url: string): Promise<boolean> => {
    expect((await scene.owner.saveWebhook(scene.listed, url)).tone).toBe('good');
    scene.site.clock.advance(1);
    await scene.votes(1);
    const [{ deliveryId }] = (await scene.attempts()) as [{ deliveryId: string }];
    return (await scene.owner.values(`${scene.deliveries}/${deliveryId}`)).delivery.url.endsWith('/…');
  };
  for (const [url, expected] of [
    ['https://discord.com/api/webhooks/123/abc-DEF_1', true],
    ['https://discord.com/api/v10/webhooks/123/abc', true],
    ['https://DISCORD.com:443/api/webhooks/123/abc', true],
    ['http://discord.com/api/webhooks/123/abc', false],
    ['https://discord.com.evil.example/api/webhooks/123/abc', false],
    ['https://evil.example/discord.com/api/webhooks/123/abc', false],
    ['https://discord.com/api/webhooks/123', false],
    ['https://discord.com/api/webhooks/abc/123/more', false],
    ['https://discord.com/api/other/webhooks/123/abc', false],
    ['https://discord.com/', false],
  ] as const)
    expect([url, await isChannel(url)]).toEqual([url, expected]);
});

test('NS-50: plain http is a channel’s only at an address that the operator opened', async () => {
  const scene = await hooked({ channelHosts: ['127.0.0.1'] });
  for (const [path, isChannel] of [
    ['/api/webhooks/123/abc/', true],
    ['/api/webhooks/123/abc?wait=true', true],
    ['/api/webhooks/123', false],
  ] as const) {
    await scene.owner.saveWebhook(scene.listed, `http://127.0.0.1:${scene.receiver.port}${path}`);
    await scene.votes(1);
    expect([path, 'embeds' in scene.receiver.requests.at(-1)!.json]).toEqual([path, isChannel]);
  }
});
