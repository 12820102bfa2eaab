import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { runningConsole } from '../support/running-console.ts';

/** A chat channel's webhook that answers with this status. */
async function receiver(status: number) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/a-secret-path`, bodies };
}

async function opened(overrides: object) {
  const running = await runningConsole(systemClock, overrides);
  const browser = await running.operator();
  await browser.get('/alarms');
  const post = () => browser.post('/alarms/test', {}, { accept: 'application/json' });
  return { ...running, browser, post };
}

test('without alarms in the config, the page says how to set them up, and a test is refused', async () => {
  const { browser, post } = await opened({});
  expect((await browser.get('/alarms')).text).toContain('Nobody is notified yet');
  const answer = await post();
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([409, 'alarms-none']);
});

test('the button sends a message to the URL, which no page shows', async () => {
  const { url, bodies } = await receiver(204);
  const { browser, post } = await opened({ alarms: { url, format: 'chat' } });
  expect((await post()).status).toBe(200);
  expect(bodies).toHaveLength(1);
  const { text } = await browser.get('/alarms');
  expect(text).toContain('Send a test message');
  expect(text).not.toContain('a-secret-path');
});

test('a message that does not arrive is answered with its code', async () => {
  const { url } = await receiver(404);
  const { post } = await opened({ alarms: { url, format: 'chat' } });
  const answer = await post();
  expect(answer.status).toBe(409);
  expect(JSON.parse(answer.text).code).not.toBe('alarms-none');
});
