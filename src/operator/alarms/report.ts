import { type Config, zoneOf } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { type Form, formOf } from '../../core/receiver-form.ts';
import { type ToldAlarm, type ToldNotice, toldAlarm, toldNotice } from '../../notify/alarms/notice.ts';
import {
  type AlarmRecord,
  type LastPost,
  NO_RECORD,
  readRecord,
  recordFileOf,
} from '../../notify/alarms/record.ts';
import { failureText, type PostFailure, postFailures } from '../../notify/webhook/post-result.ts';

/** What the operator can be notified of, and was. Times are milliseconds since the Unix epoch. */
export interface AlarmsReport {
  /** Whether the config has `alarms`. */
  readonly isConfigured: boolean;
  /** What is posted; null if it is not known, because nothing is configured or the URL is not available here. */
  readonly form: Form | null;
  /** When the running Teller wrote this, at most some minutes ago; null: none has run with `alarms`. */
  readonly writtenAt: number | null;
  /** What holds, and what is over without anyone having been notified of that. */
  readonly alarms: readonly ToldAlarm[];
  /** A message that has not arrived yet, and how often it was tried. */
  readonly waiting: { readonly since: number; readonly attempts: number } | null;
  readonly lastPost: PostReport | null;
  /** The latest messages that arrived, the newest first. */
  readonly sent: readonly { readonly at: number; readonly notice: ToldNotice }[];
}

export interface PostReport extends LastPost {
  /** Why it did not arrive and what to do; null: it arrived. */
  readonly failure: { readonly code: PostFailure; readonly sentence: string; readonly toDo: string } | null;
}

/** Reads the record that the running Teller keeps beside its ledger. */
export async function alarmsReport(config: Config, clock: Clock): Promise<AlarmsReport> {
  const read = await readRecord(recordFileOf(config.ledger));
  const record: AlarmRecord = read === null || read === 'damaged' ? NO_RECORD : read;
  const zone = zoneOf(config, clock);
  const { waiting, lastPost } = record;
  return {
    isConfigured: config.alarms !== null,
    form: formIn(config),
    writtenAt: record.lookedAt,
    alarms: record.alarms.map((alarm) => toldAlarm(alarm, clock.now(), zone)),
    waiting: waiting && { since: waiting.notice.at, attempts: waiting.attempts },
    lastPost: lastPost && { ...lastPost, failure: failureOf(lastPost) },
    sent: record.sent.map(({ at, notice }) => ({ at, notice: toldNotice(notice, zone) })),
  };
}

function formIn({ alarms }: Config): Form | null {
  if (alarms === null || alarms.url.missing !== null) return null;
  return formOf(new URL(alarms.url.reveal()), alarms.format);
}

function failureOf({ code, status, detail }: LastPost): PostReport['failure'] {
  if (code === 'arrived') return null;
  return { code, sentence: failureText({ code, status, detail }), toDo: postFailures[code].toDo('alarms') };
}
