import { describe, expect, test } from 'vitest';
import { isChannelWebhook } from '../../src/listing/targets/channel.ts';
import { RESOLVES_INSIDE } from '../../src/listing/targets/checking-lookup.ts';
import { type TargetRuleParts, targetRule } from '../../src/listing/targets/target-rule.ts';
import { AddressNotAllowed } from '../../src/sender/connection.ts';
import { resolver } from '../support/names.ts';

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

const rule = (parts: Partial<TargetRuleParts> = {}) =>
  targetRule({ lookup: resolver(NAMES), allowTargets: [], channelHosts: ['discord.com'], ...parts });

const kindOf = async (url: string, parts: Partial<TargetRuleParts> = {}) =>
  (await rule(parts).judge(url)).kind;

test.each([
  'foo',
  '',
  '//x',
  '//public.example/hook',
  'ftp://public.example',
  'javascript:1',
  'file:///etc/passwd',
  'http:public.example',
  'http:///public.example',
  'http:\\\\public.example',
  'http://ex ample.com',
  'http://public.example/a b',
  ' http://public.example/',
  'http://public.exa\nmple/',
  'http://public.example:99999/',
  'http://public.example:0/',
  'https://127.0.0.1:00/',
  'http://public.example:port/',
  'http://',
  'http://?',
  'http://public..example/',
  'http://-.example/',
  'http://1.2.3.4.5/',
  'http://[::1',
  'http://[zzz]/',
  `http://public.example/${'a'.repeat(2048)}`,
])('WR-09: %j is not a valid http(s) URL', async (url) => {
  expect(await kindOf(url)).toBe('WEBHOOK_URL_INVALID');
});

test.each([
  'http://public.example/hook',
  'https://public.example/hook?a=b',
  'HTTPS://PUBLIC.EXAMPLE:8443/hook',
  'https://public.example./hook',
  'http://93.184.215.14/',
  'http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  'http://[::ffff:93.184.215.14]/',
])('WR-10: %s is accepted', async (url) => {
  expect(await kindOf(url)).toBe('allowed');
});

test.each([
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '0.0.0.0',
  '0.1.2.3',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[fc00::1]',
  '[fd00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
])('WR-11: %s is not public', async (host) => {
  expect(await kindOf(`http://${host}/`)).toBe('WEBHOOK_URL_NOT_PUBLIC');
  expect(await kindOf(`https://${host}:8443/hook`)).toBe('WEBHOOK_URL_NOT_PUBLIC');
});

test.each([
  '2130706433',
  '0x7f000001',
  '0X7F.1',
  '0177.0.0.1',
  '017700000001',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '0',
  '0x0',
  '3232235521',
  '0xa9fea9fe',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:10.0.0.1]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::5db8:d70e]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001:0:5db8:d70e::1]',
  '①②⑦.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  'user@127.0.0.1',
  'user:password@10.0.0.1',
  'public.example@127.0.0.1',
])('WR-12: %s is not public, in any spelling', async (host) => {
  expect(await kindOf(`http://${host}/`)).toBe('WEBHOOK_URL_NOT_PUBLIC');
});

test.each([
  'localhost',
  'localhost.',
  'LOCALHOST',
  'ｌｏｃａｌｈｏｓｔ',
  'localhost:8080',
  'intranet',
  'intranet.',
  'x.local',
  'X.Local.',
  'x.internal',
  'metadata.google.internal',
  'x.localhost',
  'deep.x.localhost',
  'x.localdomain',
  'x.lan',
  'x.home.arpa',
  'x.corp',
])('WR-13: %s is the name of an internal host', async (host) => {
  expect(await kindOf(`http://${host}/`)).toBe('WEBHOOK_URL_NOT_PUBLIC');
});

describe('names', () => {
  test.each(['private.example', 'mixed.example', 'mixed-last.example', 'six.example', 'odd.example'])(
    'WR-14: %s is refused, because one of its addresses is not public',
    async (name) => {
      expect(await kindOf(`https://${name}/`)).toBe('WEBHOOK_URL_NOT_PUBLIC');
    },
  );

  test('WR-14: the reason for a refusal does not reveal what a private name resolves to', async () => {
    const reasons = await Promise.all(
      ['mixed.example', 'private.example', 'six.example'].map((name) => rule().judge(`http://${name}/`)),
    );
    expect(new Set(reasons.map((reason) => ('why' in reason ? reason.why : '')))).toEqual(
      new Set([RESOLVES_INSIDE]),
    );
    expect(RESOLVES_INSIDE).not.toMatch(/\d/);
  });

  test('NS-51: a name that does not resolve is accepted, because it may exist later', async () => {
    expect(await kindOf('http://not-yet.example/')).toBe('allowed');
  });

  test('WR-10: a public host behind NAT64 is accepted', async () => {
    expect(await kindOf('http://nat64.example/')).toBe('allowed');
  });

  test('WR-09: a URL with a user name or password is refused, because they would not be sent', async () => {
    expect(await kindOf('http://user:password@public.example/')).toBe('WEBHOOK_URL_INVALID');
  });
});

describe('allowTargets opens private networks for local use (NS-46)', () => {
  const local = { allowTargets: ['127.0.0.0/8', 'fd00::/8'] };

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '[fd12::1]', 'localhost', 'public.example'])(
    'lets requests through to %s',
    async (host) => {
      expect(await kindOf(`http://${host}:8080/`, local)).toBe('allowed');
    },
  );

  test.each(['10.0.0.1', '[::1]', 'both.localhost', 'intranet', 'x.internal', 'mixed-last.example'])(
    'WR-11: does not let requests through to %s',
    async (host) => {
      expect(await kindOf(`http://${host}/`, local)).toBe('WEBHOOK_URL_NOT_PUBLIC');
    },
  );
});

describe('bare hosts, for vote listeners', () => {
  test.each([
    ['public.example', 'public.example'],
    ['PUBLIC.example.', 'public.example'],
    ['93.184.215.14', '93.184.215.14'],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
    ['[2606:2800:21f:cb07:6820:80da:af6b:8b2c]', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  ])('NS-43: %s is read as %s', async (written, host) => {
    expect(await rule().judgeHost(written)).toEqual({ kind: 'allowed', host });
  });

  test.each([
    '',
    'public.example:25565',
    'http://public.example',
    'user@public.example',
    'a b',
    'public.example/x',
  ])('NS-43: %j is not a host', async (written) => {
    expect((await rule().judgeHost(written)).kind).toBe('invalid');
  });

  test.each(['127.0.0.1', '2130706433', '::1', '[::1]', '::ffff:127.0.0.1', 'localhost', 'private.example'])(
    'NS-43: %s is refused, because it is not public',
    async (written) => {
      expect((await rule().judgeHost(written)).kind).toBe('not-public');
    },
  );
});

describe('the lookup that runs when a connection is opened', () => {
  const look = (name: string, all: boolean, parts: Partial<TargetRuleParts> = {}) =>
    new Promise((resolve) => {
      rule(parts).lookup(name, { all }, (error, address, family) => {
        resolve(error ?? (all ? address : { address, family }));
      });
    });

  test('DO-21: returns the addresses that it checked', async () => {
    expect(await look('nat64.example', true)).toEqual([{ address: '64:ff9b::5db8:d70e', family: 6 }]);
    expect(await look('public.example', false)).toEqual({ address: '93.184.215.14', family: 4 });
  });

  test.each(['private.example', 'mixed.example', 'six.example', '127.0.0.1', '::1', 'odd.example'])(
    'DO-21: returns no address for %s',
    async (name) => {
      expect(await look(name, true)).toBeInstanceOf(AddressNotAllowed);
      expect(await look(name, false)).toBeInstanceOf(AddressNotAllowed);
    },
  );

  test('DO-06: reports a name that does not resolve', async () => {
    expect(await look('gone.example', true)).toMatchObject({ code: 'ENOTFOUND' });
  });
});

describe('channel webhooks (NS-50)', () => {
  const isChannel = (url: string, parts: Partial<TargetRuleParts> = {}) =>
    isChannelWebhook(new URL(url), rule(parts).channels);

  test.each([
    'https://discord.com/api/webhooks/123/abc-DEF_1',
    'https://discord.com/api/v10/webhooks/123/abc?wait=true',
    'https://DISCORD.com:443/api/webhooks/123/abc/',
  ])('%s is a channel webhook', (url) => {
    expect(isChannel(url)).toBe(true);
  });

  test.each([
    'http://discord.com/api/webhooks/123/abc',
    'https://discord.com.evil.example/api/webhooks/123/abc',
    'https://evil.example/discord.com/api/webhooks/123/abc',
    'https://discord.com/api/webhooks/123',
    'https://discord.com/api/webhooks/abc/123/more',
    'https://discord.com/api/other/webhooks/123/abc',
    'https://discord.com/',
  ])('%s is not a channel webhook', (url) => {
    expect(isChannel(url)).toBe(false);
  });

  test('a channel webhook may use plain http at an address that the operator opened', () => {
    const url = 'http://127.0.0.1:9000/api/webhooks/123/abc';
    expect(isChannel(url, { channelHosts: ['127.0.0.1'] })).toBe(false);
    expect(isChannel(url, { channelHosts: ['127.0.0.1'], allowTargets: ['127.0.0.0/8'] })).toBe(true);
  });
});
