import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { receiver } from '../kit/receiver.ts';
import { serve } from '../kit/serve.ts';
import { freePort } from '../sender/scripted-listener.ts';

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
  expect([exit, to.arrived.length]).toEqual([1, 1]);
  expect(out + err).toContain('code 10015');
  for (const word of [...words, host]) expect(out + err).not.toContain(word);
});

test('`webhook send` says when a vote can be cast again, names players only on Minecraft, and has new IDs each time [WH-8]', async () => {
  const to = await receiver();
  const teller = await here();
  for (const game of ['minecraft', 'bot', 'roblox'])
    expect((await teller.run('webhook', 'send', '--url', to.url, '--game', game)).exit).toBe(0);
  const hoursOf = ({ votedAt, nextVoteAt }: Record<string, string>) =>
    (Date.parse(nextVoteAt ?? '') - Date.parse(votedAt ?? '')) / 3_600_000;
  const data = to.arrived.map(({ json }) => json.data);
  expect(data.map(hoursOf)).toEqual([24, 12, 24]);
  expect(data[1]).not.toHaveProperty('game');
  expect(data[1]).not.toHaveProperty('playerName');
  expect(data[2]).toMatchObject({ listingType: 'game', game: 'roblox', playerName: null });
  expect(new Set(to.arrived.map(({ json }) => json.eventId)).size).toBe(3);
  expect(new Set(to.arrived.map(({ headers }) => headers['x-service-delivery'])).size).toBe(3);
});
