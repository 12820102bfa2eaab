import * as z from 'zod';
import { PAYLOAD_VERSION } from './payload.ts';

/** Alarms have begun or are over. Headers, signature and retries are those of a vote's event. */
export const ALARMS_EVENT = 'alarms.changed';

const instant = z.iso.datetime();

const alarm = {
  /** The kind, such as `disk-low`. */
  alarm: z.string(),
  /** What it is about, such as the name of a game server; null if there is only one of its kind. */
  subject: z.string().nullable(),
  since: instant,
  /** For people. */
  sentence: z.string(),
};

/** Within a version fields are only added, so unknown ones are accepted. */
export const AlarmsPayload = z.looseObject({
  event: z.literal(ALARMS_EVENT),
  version: z.literal(PAYLOAD_VERSION),
  /** The same on all attempts. */
  eventId: z.string().min(1).max(128),
  timestamp: instant,
  test: z.boolean(),
  data: z.looseObject({
    /** `alarms.name` of the config; null if it has none. */
    name: z.string().nullable(),
    /** The whole message, for people. */
    text: z.string(),
    began: z.array(z.looseObject({ ...alarm, toDo: z.string() })),
    ended: z.array(z.looseObject({ ...alarm, until: instant })),
  }),
});
export type AlarmsPayload = z.infer<typeof AlarmsPayload>;

/** Built once for all attempts. */
export const encodeAlarmsPayload = (payload: AlarmsPayload): Buffer => Buffer.from(JSON.stringify(payload));
