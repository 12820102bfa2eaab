import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { sendVote } from '../../../src/sender/send-vote.ts';
import { freePort } from '../../sender/scripted-listener.ts';
import { TOKEN } from '../../support/config-folder.ts';
import { runningConsole } from '../../support/running-console.ts';
import { WIRE_VOTE } from '../../support/votifier-client.ts';

const METRICS_TOKEN = 'token-of-the-metrics-page';
const withToken = { console: { port: 0, metricsToken: METRICS_TOKEN } };

const asked = async (url: string, path: string, token?: string) => {
  const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await fetch(url + path, { headers });
  return { status: answer.status, text: await answer.text(), cookie: answer.headers.get('set-cookie') };
};

test('without a session, a program learns that Teller is alive and ready, and nothing else', async () => {
  const { console } = await runningConsole(systemClock);
  expect(await asked(console.url, '/healthz')).toEqual({ status: 200, text: 'ok\n', cookie: null });
  expect(await asked(console.url, '/readyz')).toEqual({ status: 200, text: 'ready\n', cookie: null });
});

test('metrics are off until the config lets somebody read them', async () => {
  const { console } = await runningConsole(systemClock);
  const { status, text } = await asked(console.url, '/metrics');
  expect([status, text.includes('[metrics-off]')]).toEqual([404, true]);
});

test('metrics need their own token, also on loopback', async () => {
  const { console } = await runningConsole(systemClock, withToken);
  for (const token of [undefined, 'another-token', '']) {
    const { status, text } = await asked(console.url, '/metrics', token);
    expect([status, text.includes('[metrics-token-wrong]')]).toEqual([401, true]);
  }
  expect((await asked(console.url, '/metrics', METRICS_TOKEN)).status).toBe(200);
});

test('with "open", everyone who reaches the port reads them', async () => {
  const { console } = await runningConsole(systemClock, { console: { port: 0, metrics: 'open' } });
  expect((await asked(console.url, '/metrics')).status).toBe(200);
});

describe('rule 12: under which host names programs are answered', () => {
  const PATHS = ['/healthz', '/readyz', '/metrics'];

  /** What is answered at each path under this host name. */
  async function askedAs(host: string, settings: object = {}) {
    const port = await freePort(); // the URL of the console may be that of a proxy
    await runningConsole(systemClock, { console: { port, metrics: 'open', ...settings } });
    const asking = PATHS.map(async (path) => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { host } }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
    });
    return Promise.all(asking);
  }

  test.each([
    ['another name, such as one that resolves to this machine', 'evil.example:8193', {}, 421],
    ['another name beside the configured one', 'evil.example', { publicUrl: 'https://teller.example' }, 421],
    ['a health check inside the container', '127.0.0.1:8193', {}, 200],
    ['localhost', 'localhost:8193', {}, 200],
    ['IPv6', '[::1]:8193', {}, 200],
    ['the name in publicUrl', 'teller:8193', { publicUrl: 'http://teller:8193' }, 200],
    ['the address in publicUrl', '192.0.2.7:8193', { publicUrl: 'http://192.0.2.7:8193' }, 200],
  ])('%s (%j)', async (_, host, settings, status) => {
    const answers = await askedAs(host, settings);
    expect(answers.map((answer) => answer.status)).toEqual(PATHS.map(() => status));
    for (const answer of answers) expect(answer.text.includes('[host-not-listed]')).toBe(status === 421);
  });

  test.each([['127.0.0.1'], ['evil.example']])('%s: the answer has the headers of pages', async (host) => {
    for (const { headers } of await askedAs(host))
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
      });
  });
});

test('a vote, a refusal and a paid reward are counted', async () => {
  const { console, app } = await runningConsole(systemClock, withToken);
  const send = (token: string) =>
    sendVote(WIRE_VOTE, { ...app.listener, auth: { version: 'v2', token } }, { clock: systemClock });
  await send(TOKEN);
  await send('a-token-that-nobody-has-here-0000');
  const lines = async () => (await asked(console.url, '/metrics', METRICS_TOKEN)).text.split('\n');
  await expect.poll(lines).toContain('teller_commands_total{server="main",outcome="delivered"} 2');
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'teller_votes_total{site="default",channel="listener-v2",version="2",decision="rewarded"} 1',
      'teller_refusals_total{code="v2-signature"} 1',
      'teller_vote_to_ok_seconds_count 1',
      'teller_vote_to_reward_seconds_count 2',
      'teller_ready 1',
    ]),
  );
});
