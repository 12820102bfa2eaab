import type { EventName } from '../../protocol/events.ts';
import { type Around, service } from '../kit/service.ts';
import { EVENT_ID } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';

export const DELIVERY_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
export const NOW = '2026-06-01T12:00:01.000Z';

/** Runs `teller webhook sink` with these flags in this process. */
export async function sinking(flags: readonly string[] = [], around: Around = { clock: new FakeClock(NOW) }) {
  const running = await service(['webhook', 'sink', ...flags], around);
  const { url } = running.ready.sink as { url: string };
  const texts = async (count: number) => (await running.printed(count + 1)).slice(1);
  return {
    ...{ ...running, url, texts, port: Number(new URL(url).port) },
    /** What it printed of so many requests, as lines and as values. */
    lines: async (count: number) => (await texts(count)).map((text) => text.split('\n')),
    rows: async (count: number) => (await texts(count)).map((text) => JSON.parse(text)),
    post: async (body: string | Uint8Array<ArrayBuffer>, signed?: string, more: object = {}) => {
      const headers = {
        ...{ 'Content-Type': 'application/json', 'X-Service-Event': 'vote.created' },
        ...{ 'X-Service-Event-Id': EVENT_ID, 'X-Service-Delivery': DELIVERY_ID, 'X-Service-Attempt': '2' },
        ...(signed === undefined ? {} : { 'X-Webhook-Signature': signed }),
      };
      const response = await fetch(url, { method: 'POST', headers, body, ...more });
      return { status: response.status, text: await response.text() };
    },
  };
}

const AT = '2026-06-01T12:00:00.000Z';
const LATER = '2026-06-01T13:00:00.000Z';

const vote = {
  ...{ id: 31, site: 'My-List.com', player: 'Alex', userId: null, channel: 'listener-v2' },
  ...{ votedAt: AT, receivedAt: AT },
};
const decided = { vote, nextVoteAt: LATER, rewards: ['daily', 'crate'], paidElsewhere: false };
const grant = {
  ...{ id: 7, reward: 'daily', occasion: 'total 25', server: 'city', practice: false },
  ...{ player: 'Alex', userId: null, reason: null, commands: ['give Alex diamond 1'] },
};
const alarm = { alarm: 'disk-low', subject: null, since: AT, sentence: 'The disk is almost full.' };

/** The data of an event of each kind, written from the specification by hand. */
export const EVENT_DATA: Readonly<Record<EventName, object>> = {
  'vote.rewarded': decided,
  'vote.cooldown': { ...decided, rewards: [] },
  'vote.refused': {
    ...{ from: AT, until: LATER, total: 3, others: 1 },
    refusals: [{ code: 'token-wrong', site: 'My-List.com', count: 2 }],
  },
  'grant.delivered': { grant: { ...grant, state: 'delivered' }, vote },
  'grant.held': { grant: { ...grant, state: 'held', reason: 'timeout' }, vote: null },
  party: { party: 'rain', number: 2, votes: 100, vote },
  health: { ...alarm, state: 'began', until: null, toDo: 'Make room.' },
};

export const ALARMS_DATA = {
  name: 'survival',
  text: 'survival: ⚠️ The disk is almost full. Make room.\n\nsurvival: ✅ city answers again.',
  began: [{ ...alarm, toDo: 'Make room.' }],
  ended: [
    { alarm: 'game-server-away', subject: 'city', since: AT, sentence: 'city answers again.', until: LATER },
  ],
};

/** What Teller posts to programs: the events of each kind, and alarms. */
export const TELLER_EVENTS: readonly (readonly [string, object])[] = [
  ...Object.entries(EVENT_DATA),
  ['alarms.changed', ALARMS_DATA],
];

export const eventBody = (event: string, data: object, change: object = {}): string =>
  JSON.stringify({ event, version: 1, eventId: 'e-1', timestamp: AT, test: false, data, ...change });

export const TEST_BODY = eventBody('test', { text: 'This is a test.' }, { eventId: 'test', test: true });
