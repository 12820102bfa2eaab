import type { EventName } from '../../protocol/webhook/events.ts';

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
