import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { EVENT_KINDS } from '../../core/event-kind.ts';
import { readJson } from '../../core/json.ts';
import type { NewEvent } from '../../ledger/ledger.ts';
import { OWNER_ONLY, writeWhole } from '../../platform/write-file.ts';
import { isPostFailure, type PostFailure } from '../webhook/post-result.ts';
import type { Absences } from './absences.ts';
import type { Alarm } from './alarm.ts';
import type { Notice } from './notice.ts';

/** What is kept across restarts, so that nothing is told twice or forgotten. */
export interface AlarmRecord {
  readonly version: 1;
  /** When the alarms were last looked at, in milliseconds since the Unix epoch; null: never. */
  readonly lookedAt: number | null;
  readonly absences: Absences;
  readonly alarms: readonly Alarm[];
  /** The message that is being sent, with the number of attempts that have failed; null: none. */
  readonly waiting: { readonly notice: Notice; readonly attempts: number } | null;
  /** The latest messages that arrived, the newest first. */
  readonly sent: readonly { readonly notice: Notice; readonly at: number }[];
  /** How the latest attempt ended; null: there was none. */
  readonly lastPost: LastPost | null;
  /** Those that are not stored in the ledger yet, the oldest first. */
  readonly events: readonly NewEvent[];
}

export interface LastPost {
  readonly at: number;
  readonly code: 'arrived' | PostFailure;
  /** null: no complete answer came. */
  readonly status: number | null;
  readonly detail: string | null;
}

const time = z.number();

const alarm = z.object({
  code: z.string(),
  subject: z.string().nullable(),
  since: time,
  facts: z.record(z.string(), z.json()),
  notifiedAt: time.nullable(),
  end: z.object({ at: time, isGone: z.boolean() }).nullable(),
});

const notice = z.object({ eventId: z.string(), at: time, began: z.array(alarm), ended: z.array(alarm) });

const lastPost = z.object({
  at: time,
  code: z.custom<LastPost['code']>((code) => code === 'arrived' || isPostFailure(code)),
  status: z.number().nullable(),
  detail: z.string().nullable(),
});

const event = z.object({
  kind: z.enum(EVENT_KINDS),
  at: time,
  facts: z.record(z.string(), z.json()),
  key: z.string(),
});

const schema = z.object({
  version: z.literal(1),
  lookedAt: time.nullable(),
  absences: z.array(z.object({ began: time, ended: time })),
  alarms: z.array(alarm),
  waiting: z.object({ notice, attempts: z.number() }).nullable(),
  sent: z.array(z.object({ notice, at: time })),
  lastPost: lastPost.nullable(),
  // Records of Teller before it had events lack them.
  events: z.array(event).default([]),
});

export const NO_RECORD: AlarmRecord = {
  version: 1,
  lookedAt: null,
  absences: [],
  alarms: [],
  waiting: null,
  sent: [],
  lastPost: null,
  events: [],
};

/** The file beside a ledger. The process that delivers writes it, and others only read it. */
export const recordFileOf = (ledgerFile: string): string => `${ledgerFile}.alarms`;

/** null: there is none yet. `damaged`: it cannot be read, or is not a record. */
export async function readRecord(file: string): Promise<AlarmRecord | null | 'damaged'> {
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' ? null : '',
  );
  if (text === null) return null;
  const { data } = schema.safeParse(readJson(text));
  return data ?? 'damaged';
}

/** Throws the Problem `data-unwritable`. */
export const writeRecord = (file: string, content: AlarmRecord): Promise<void> =>
  writeWhole(file, `${JSON.stringify(content)}\n`, OWNER_ONLY);
