/**
 * What Teller posts to programs of the operator when something happens: one event of each thing, and messages about alarms.
 * Headers, signature and retries are those of the signed webhook. Within a version fields are only added, so unknown ones are
 * accepted.
 */
import * as z from 'zod';
import { PAYLOAD_VERSION } from './webhook.ts';

const instant = z.iso.datetime();

const recipient = {
  /** null if the vote names a user ID. */
  player: z.string().nullable(),
  /** null if the vote names a player. */
  userId: z.string().nullable(),
};

const vote = z.object({
  /** Its number in the ledger. */
  id: z.number(),
  /** The service name that it came under. */
  site: z.string(),
  ...recipient,
  channel: z.string(),
  votedAt: instant,
  receivedAt: instant,
});

const decided = z.object({
  vote,
  /** When a vote of this player on this site is rewarded again. */
  nextVoteAt: instant.nullable(),
  /** The names of the rewards that it earned. */
  rewards: z.array(z.string()),
  /** Another listener pays it, beside which this one runs. */
  paidElsewhere: z.boolean(),
});

const granted = z.object({
  grant: z.object({
    id: z.number(),
    reward: z.string(),
    /** What it was granted for, such as `total 25`; empty if the reward depends on no earlier votes. */
    occasion: z.string(),
    server: z.string(),
    practice: z.boolean(),
    ...recipient,
    /** As it was then. */
    state: z.enum(['delivered', 'held', 'refused']),
    /** A code of docs/reference/outcomes.md; null if the state says it all. */
    reason: z.string().nullable(),
    commands: z.array(z.string()),
  }),
  /** null: it was not made for a vote. */
  vote: vote.nullable(),
});

const party = z.object({
  party: z.string(),
  /** 1 for the first time that it was reached. */
  number: z.number(),
  votes: z.number(),
  /** The vote that reached it. */
  vote: vote.nullable(),
});

const refused = z.object({
  from: instant,
  until: instant,
  total: z.number(),
  /** The most frequent causes first. `site`: as the vote named it; null: it could not be read. */
  refusals: z.array(z.object({ code: z.string(), site: z.string().nullable(), count: z.number() })),
  /** How many had other causes. */
  others: z.number(),
});

const alarm = {
  /** The kind, such as `disk-low`. */
  alarm: z.string(),
  /** What it is about, such as the name of a game server; null if there is only one of its kind. */
  subject: z.string().nullable(),
  since: instant,
  /** For people. */
  sentence: z.string(),
};

const health = z.object({
  state: z.enum(['began', 'over']),
  ...alarm,
  /** null: it holds. */
  until: instant.nullable(),
  /** Empty when it is over. */
  toDo: z.string(),
});

/** The content of each kind of event. */
export const eventData = {
  'vote.rewarded': decided,
  'vote.cooldown': decided,
  'vote.refused': refused,
  'grant.delivered': granted,
  'grant.held': granted,
  party,
  health,
} as const;

export type EventName = keyof typeof eventData;
export type EventData<Name extends EventName> = z.infer<(typeof eventData)[Name]>;
export type VoteData = z.infer<typeof vote>;

const envelope = z.object({
  version: z.literal(PAYLOAD_VERSION),
  /** The same on all attempts. */
  eventId: z.string().min(1).max(128),
  /** When it happened. */
  timestamp: instant,
  test: z.boolean(),
});

/** The body of one event. */
export type EventPayload = {
  [Name in EventName]: { event: Name; data: EventData<Name> } & z.infer<typeof envelope>;
}[EventName];

export const EventPayload = z.union(
  Object.entries(eventData).map(([event, data]) => envelope.extend({ event: z.literal(event), data })),
) as unknown as z.ZodType<EventPayload>;

/** [WH-3] The event of a test post: it has the form of an event and is none. */
export const TEST_EVENT = 'test';

export const TestPayload = envelope.extend({
  event: z.literal(TEST_EVENT),
  test: z.literal(true),
  /** `text`: for people. */
  data: z.object({ text: z.string() }),
});
export type TestPayload = z.infer<typeof TestPayload>;

/** Alarms have begun or are over. */
export const ALARMS_EVENT = 'alarms.changed';

export const AlarmsPayload = envelope.extend({
  event: z.literal(ALARMS_EVENT),
  data: z.object({
    /** `alarms.name` of the config; null if it has none. */
    name: z.string().nullable(),
    /** The whole message, for people. */
    text: z.string(),
    began: z.array(z.object({ ...alarm, toDo: z.string() })),
    ended: z.array(z.object({ ...alarm, until: instant })),
  }),
});
export type AlarmsPayload = z.infer<typeof AlarmsPayload>;
