import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { receiver } from '../kit/receiver.ts';
import { freePort, serve } from '../kit/serve.ts';

const SECRET = 'the-secret-of-the-plugin';

/** What `teller events test` says of receivers at these URLs: the code of the failure, or `arrived`. */
async function codesOf(urls: readonly string[]) {
  const events = urls.map((url, index) => ({ url, secret: SECRET, name: `r${index}`, on: ['party'] }));
  const teller = await here({ events });
  const { json, err } = await teller.run('events', 'test', '--json');
  await teller.stop();
  const codes = json.map(({ kind, code }: { kind: string; code?: string }) => code ?? kind);
  return { codes, err, json };
}

test('the status of an answer says whether a message arrived, and why it did not', async () => {
  const cases = [
    [200, 'arrived'],
    [204, 'arrived'],
    [301, 'redirected'],
    [400, 'message-refused'],
    [401, 'not-let-in'],
    [403, 'not-let-in'],
    [404, 'url-not-found'],
    [408, 'ask-later'],
    [410, 'url-not-found'],
    [415, 'message-refused'],
    [425, 'ask-later'],
    [429, 'ask-later'],
    [500, 'receiver-failed'],
    [503, 'receiver-failed'],
  ] as const;
  const urls = await Promise.all(cases.map(async ([status]) => (await receiver(status)).url));
  const { codes, json } = await codesOf(urls);
  expect(codes).toEqual(cases.map(([, code]) => code));
  expect(json[6]).toMatchObject({ status: 404 });
});

test('without an answer, the code says how far the message came', async () => {
  const [hangsUp, garbage] = [
    await serve(createServer((socket) => socket.destroy())),
    await serve(createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n')))),
  ];
  const plain = new URL((await receiver()).url);
  const { codes } = await codesOf([
    `http://127.0.0.1:${await freePort()}/`,
    'http://receiver.invalid/',
    `https://127.0.0.1:${plain.port}/`,
    `http://127.0.0.1:${hangsUp}/`,
    `http://127.0.0.1:${garbage}/`,
  ]);
  expect(codes).toEqual(['port-refused', 'host-unresolvable', 'tls-failed', 'connection-lost', 'not-http']);
});

test('what an answer repeats of the URL is hidden, in whichever form', async () => {
  const words = ['123456', 'a token-of-it', 'a%20token-of-it', 'query-secret'];
  const to = await receiver();
  const { origin, host } = new URL(to.url);
  const url = `${origin}/api/webhooks/123456/a%20token-of-it?key=query-secret`;
  to.answers = [
    (response) =>
      response
        .writeHead(400)
        .end(
          `no hook ${url}, /api/webhooks/123456/a%20token-of-it, "a token-of-it", query-secret, ${host}, code 10015`,
        ),
  ];
  const teller = await here({ alarms: { url, secret: SECRET } });
  const { exit, out, err } = await teller.run('alarms', 'test');
  expect([exit, to.requests.length]).toEqual([1, 1]);
  expect(out + err).toContain('code 10015');
  for (const word of [...words, host]) expect(out + err).not.toContain(word);
});

test('a chat gets only the keys that it knows, names as they are, and nobody is mentioned', async () => {
  const to = await receiver();
  const { origin } = new URL(to.url);
  const paths = ['/api/webhooks/1/content', '/api/webhooks/1/text/slack', '/both'];
  const events = paths.map((path) => ({ url: origin + path, format: 'chat', on: ['vote.rewarded'] }));
  const teller = await here({ events, rewards: [] });
  await teller.vote({ player: 'Alex', site: 'My_*List* <!channel> @everyone' });
  await teller.until(() => to.requests.length === 3);
  const sent = Object.fromEntries(to.requests.map(({ path, json }) => [path.split('/').at(-1), json]));
  const content = expect.stringContaining(String.raw`voted on My\_\*List\* \<!channel> @everyone`);
  const text = expect.stringContaining('voted on My_*List* &lt;!channel&gt; @\u200beveryone');
  const allowed_mentions = { parse: [] };
  expect(sent).toEqual({
    content: { content, allowed_mentions },
    slack: { text },
    both: { content, text, allowed_mentions },
  });
});

test('a message for a chat has at most 1,900 characters, and ends with how many events are left out', async () => {
  const to = await receiver();
  const teller = await here({
    events: [{ url: to.url, format: 'chat', on: ['vote.rewarded'] }],
    rewards: [],
  });
  for (let n = 0; n < 40; n++) await teller.vote({ player: `Player${n}`, site: 'x'.repeat(128) });
  await teller.until(() => to.requests.some(({ json }) => json.content.includes('more')));
  const { content } = to.requests.find(({ json }) => json.content.includes('more'))?.json ?? {};
  expect(content.length).toBeLessThanOrEqual(1_900);
  expect(content).toMatch(/\n\nAnd \d+ more: see `teller events`\.$/);
});
