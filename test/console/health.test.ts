import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { raw, visitor } from '../kit/page.ts';
import { freePort } from '../sender/scripted-listener.ts';

const TOKEN = 'token-of-the-metrics-page';
const WITH_TOKEN = { console: { port: 0, metricsToken: TOKEN } };
const PATHS = ['/healthz', '/readyz', '/metrics'];

const asked = async (teller: Here, path: string, token?: string) =>
  (await visitor(teller)).get(path, token === undefined ? {} : { authorization: `Bearer ${token}` });

test('without a session, a program learns that Teller is alive and ready, and nothing else', async () => {
  const teller = await here();
  for (const [path, said] of [
    ['/healthz', 'ok\n'],
    ['/readyz', 'ready\n'],
  ] as const) {
    const { status, html, headers } = await asked(teller, path);
    expect([status, html, headers.get('set-cookie')]).toEqual([200, said, null]);
  }
});

test('metrics are off until the config lets somebody read them', async () => {
  const { status, html } = await asked(await here(), '/metrics');
  expect([status, html.includes('[metrics-off]')]).toEqual([404, true]);
});

test('metrics need their own token, also on loopback', async () => {
  const teller = await here(WITH_TOKEN);
  for (const token of [undefined, 'another-token', '']) {
    const { status, html } = await asked(teller, '/metrics', token);
    expect([status, html.includes('[metrics-token-wrong]')]).toEqual([401, true]);
  }
  expect((await asked(teller, '/metrics', TOKEN)).status).toBe(200);
});

test.each([
  ['another name, such as one that resolves to this machine', 'evil.example:8193', {}, 421],
  ['another name beside the configured one', 'evil.example', { publicUrl: 'https://teller.example' }, 421],
  ['a health check inside the container', '127.0.0.1:8193', {}, 200],
  ['localhost', 'localhost:8193', {}, 200],
  ['IPv6', '[::1]:8193', {}, 200],
  ['the name in publicUrl', 'teller:8193', { publicUrl: 'http://teller:8193' }, 200],
  ['the address in publicUrl', '192.0.2.7:8193', { publicUrl: 'http://192.0.2.7:8193' }, 200],
])(
  'rule 12: programs are answered under %s (%s), with the headers of pages',
  async (_, host, settings, status) => {
    const port = await freePort(); // the URL of the console may be that of a proxy
    await here({ console: { port, metrics: 'open', ...settings } });
    for (const path of PATHS) {
      const answer = await raw(port, `GET ${path} HTTP/1.1`, `Host: ${host}`);
      expect([answer.slice(9, 12), answer.includes('[host-not-listed]')]).toEqual([
        `${status}`,
        status === 421,
      ]);
      for (const header of [
        ...["content-security-policy: default-src 'none'", 'cross-origin-resource-policy: same-origin'],
        ...['x-content-type-options: nosniff', 'x-frame-options: DENY', 'cache-control: no-store'],
      ])
        expect(answer.toLowerCase()).toContain(header.toLowerCase());
    }
  },
);

test('a vote, a refusal and a paid reward are counted', async () => {
  const teller = await here(WITH_TOKEN);
  await teller.vote({ player: 'Steve' });
  await teller.vote({ player: 'Steve', token: 'a-token-that-nobody-has-here-0000' });
  await teller.untilGrants('delivered');
  const lines = (await asked(teller, '/metrics', TOKEN)).html.split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'teller_commands_total{server="main",outcome="delivered"} 1',
      'teller_votes_total{site="List",channel="listener-v2",version="2",decision="rewarded"} 1',
      'teller_refusals_total{code="v2-signature"} 1',
      'teller_vote_to_ok_seconds_count 1',
      'teller_vote_to_reward_seconds_count 1',
      'teller_ready 1',
    ]),
  );
});
