import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { hostOf, isListedHost } from '../../src/votes/webhook/hosts.ts';
import { naming } from '../support/naming.ts';
import { payload, signature, type WebhookScene, webhookIn } from './receiving.ts';

const VOTE = payload();

/** fetch sets the Host header itself. */
const postAs = ({ port }: WebhookScene, host: string) =>
  new Promise<number>((resolve, reject) => {
    const headers = { Host: host, 'X-Webhook-Signature': signature(VOTE) };
    request({ host: '127.0.0.1', port, path: '/hooks/list', method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end(VOTE);
  });

describe('rule 12: the webhook port', () => {
  test('answers 421 to a host name that is not listed, stores nothing and names the key to change', async () => {
    const place = await webhookIn();
    expect(await postAs(place, 'rebound.example:8191')).toBe(421);
    expect(place.votes()).toEqual([]);
    expect(place.lines).toMatchObject([
      {
        level: 'warn',
        code: 'webhook-host-not-listed',
        sentence: naming('webhook.hosts', 'rebound.example'),
      },
    ]);
  });

  test('refuses a request without a host name, which HTTP/1.0 allows', async () => {
    const place = await webhookIn();
    const socket = connect({ host: '127.0.0.1', port: place.port });
    socket.write('OPTIONS / HTTP/1.0\r\n\r\n');
    const [answer] = await once(socket.setEncoding('utf8'), 'data');
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 421 /);
    expect(place.lines).toMatchObject([
      { code: 'webhook-host-not-listed', sentence: naming('webhook.hosts') },
    ]);
  });

  test.each([
    'votes.example.com',
    'Votes.Example.com:8191',
    'votes.example.com.',
    'votes.example.com.:8191',
    'votes.example.com:',
    '127.0.0.1',
    '203.0.113.9:8191',
    '[2001:db8::1]:80',
    'localhost:1',
  ])('accepts deliveries to %s, which is listed or an address', async (host) => {
    const place = await webhookIn();
    expect(await postAs(place, host)).toBe(200);
  });
});

test.each([
  ['a.example', 'a.example'],
  ['A.Example:80', 'a.example'],
  ['[::1]:8191', '::1'],
  ['[::1]', '::1'],
  ['[::1]:', '::1'],
  ['a.example.:80', 'a.example'],
  [undefined, ''],
])('reads the header %s as the host %s', (header, host) => {
  expect(hostOf(header)).toBe(host);
});

test.each(['', undefined, 'localhost.example', '127.0.0.1.nip.example', '[::1', 'x@127.0.0.1', '0x7f.1'])(
  '%s is not a listed host',
  (header) => {
    expect(isListedHost(header, ['votes.example.com'])).toBe(false);
  },
);
