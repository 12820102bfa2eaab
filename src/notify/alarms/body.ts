import { ALARMS_EVENT, type AlarmsPayload } from '../../../protocol/events.ts';
import { TEST_EVENT_ID } from '../../../protocol/webhook.ts';
import type { AlarmsConfig } from '../../config/config.ts';
import { isoTime } from '../../core/instant.ts';
import { formOf } from '../../core/receiver-form.ts';
import { type Attempt, chatPosting, jsonPosting } from '../webhook/message.ts';
import type { Posting } from '../webhook/post.ts';
import { paragraphsOf, type ToldAlarm, type ToldNotice } from './notice.ts';

/** A message that is ready to be posted. */
export interface Message {
  readonly eventId: string;
  readonly at: number;
  readonly isTest: boolean;
  readonly began: readonly ToldAlarm[];
  readonly ended: readonly ToldAlarm[];
  readonly paragraphs: readonly string[];
}

const USER_AGENT = 'Teller-Alarms/1';

export const messageOf = (notice: ToldNotice, name: string | null): Message => ({
  ...notice,
  isTest: false,
  paragraphs: paragraphsOf(notice).map((paragraph) => named(paragraph, name)),
});

export const testMessage = (at: number, name: string | null): Message => ({
  eventId: TEST_EVENT_ID,
  at,
  isTest: true,
  began: [],
  ended: [],
  paragraphs: [named('✅ This is a test. Teller’s alarms arrive here.', name)],
});

/** In front, because a phone shows only the beginning. */
const named = (paragraph: string, name: string | null): string =>
  name === null ? paragraph : `${name}: ${paragraph}`;

/** Throws the Problem `secret-missing`. */
export function postingOf(message: Message, config: AlarmsConfig, attempt: Attempt): Posting {
  const url = new URL(config.url.reveal());
  const form = formOf(url, config.format);
  const route = { url, agent: USER_AGENT };
  if (form !== 'json') return chatPosting(message.paragraphs, form, 'teller alarms', route);
  const body = Buffer.from(JSON.stringify(payloadOf(message, config.name)));
  const secret = config.secret?.reveal() ?? null;
  return jsonPosting({ event: ALARMS_EVENT, eventId: message.eventId, body, secret }, route, attempt);
}

const payloadOf = (message: Message, name: string | null): AlarmsPayload => ({
  event: ALARMS_EVENT,
  version: 1,
  eventId: message.eventId,
  timestamp: isoTime(message.at),
  test: message.isTest,
  data: {
    name,
    text: message.paragraphs.join('\n\n'),
    began: message.began.map(({ toDo, ...told }) => ({ ...alarmOf(told), toDo })),
    ended: message.ended.map((told) => ({
      ...alarmOf(told),
      until: isoTime(told.alarm.end?.at ?? message.at),
    })),
  },
});

const alarmOf = ({ alarm, sentence }: Pick<ToldAlarm, 'alarm' | 'sentence'>) => ({
  alarm: alarm.code,
  subject: alarm.subject,
  since: isoTime(alarm.since),
  sentence,
});
