import { TEST_EVENT_ID } from '../../../protocol/webhook/payload.ts';
import { SIGNATURE_HEADER } from '../../../protocol/webhook/signature.ts';
import { DAY_MS } from '../../core/duration.ts';
import { verbatim } from '../../web/html.ts';
import { RETENTION_MS } from '../webhooks/redelivery.ts';

const KEPT_DAYS = RETENTION_MS / DAY_MS;

/** For Node, without a dependency. The page shows this text, and a test runs it. */
export const sampleReceiver = verbatim`
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const SECRET = process.env.WEBHOOK_SECRET;
const BODY_MAX_BYTES = 64 * 1024;

/** Over the raw bytes, before anything parses them, and against the header exactly as it came. */
function isGenuine(header, body) {
  const expected = Buffer.from('sha256=' + createHmac('sha256', SECRET).update(body).digest('hex'));
  const received = Buffer.from(header ?? '');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

/** Yours: what a vote earns. Throw, and the delivery is answered with 500 and comes again. */
async function reward({ userId, playerName }) {}

/** Yours: a table that outlives a restart, keeps each event for ${KEPT_DAYS} days and is written together with the reward. */
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
  // A test carries the event id "${TEST_EVENT_ID}" each time, and earns nothing.
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
