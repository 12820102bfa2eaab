import { SIGNATURE_HEADER, TEST_EVENT_ID } from '../../../protocol/webhook.ts';
import { DAY_MS } from '../../core/duration.ts';
import { verbatim } from '../../web/html.ts';
import { RETENTION_MS } from '../webhooks/redelivery.ts';

const KEPT_DAYS = RETENTION_MS / DAY_MS;

/** For Node, without dependencies. The page shows this text, and a test runs it. */
export const sampleReceiver = verbatim`
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const SECRET = process.env.WEBHOOK_SECRET;
const BODY_MAX_BYTES = 64 * 1024;

/** Compares the signature of the raw bytes, before parsing, with the header exactly as received. */
function isGenuine(header, body) {
  const expected = Buffer.from('sha256=' + createHmac('sha256', SECRET).update(body).digest('hex'));
  const received = Buffer.from(header ?? '');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/** Put your reward here. If it throws, the delivery is answered with 500 and is sent again. */
async function reward({ userId, playerName }) {}

/** Replace this with a table that survives restarts, keeps events for ${KEPT_DAYS} days, and is written together with the reward. */
const rewarded = new Map();

async function rewardOnce(eventId, vote) {
  if (!rewarded.has(eventId)) rewarded.set(eventId, reward(vote));
  try {
    await rewarded.get(eventId);
  } catch (fault) {
    rewarded.delete(eventId);
    throw fault;
  }
}

async function statusFor(request) {
  const body = await bytesOf(request);
  if (body === null) return 413;
  if (!isGenuine(request.headers['${SIGNATURE_HEADER.toLowerCase()}'], body)) return 401;
  const { eventId, test, data } = JSON.parse(body);
  // All test events have the event ID "${TEST_EVENT_ID}" and earn nothing.
  if (!test) await rewardOnce(eventId, data);
  return 200;
}

async function bytesOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= BODY_MAX_BYTES) chunks.push(chunk);
  }
  return size <= BODY_MAX_BYTES ? Buffer.concat(chunks) : null;
}

export const server = createServer(async (request, response) => {
  const status = await statusFor(request).catch(() => 500);
  response.writeHead(status).end();
});

server.listen(process.env.PORT ?? 8080);
`.trimStart();
