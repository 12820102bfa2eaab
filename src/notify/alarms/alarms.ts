import type { AlarmsConfig } from '../../config/config.ts';
import type { ConfigNews } from '../../core/config-news.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import type { Random } from '../../core/random.ts';
import { Repeating } from '../../core/repeating.ts';
import { uuid7 } from '../../core/uuid.ts';
import type { Ledger, NewEvent } from '../../ledger/ledger.ts';
import { postAnywhere } from '../webhook/post.ts';
import type { PostResult } from '../webhook/post-result.ts';
import type { Alarm } from './alarm.ts';
import { messageOf } from './body.ts';
import { type Brewing, follow, type KindLook } from './follow.ts';
import type { AlarmKind, Around, KindParts, Look, Watched } from './kind.ts';
import { alarmKinds } from './kinds.ts';
import {
  afterNotice,
  composeNotice,
  type Notice,
  nameOf,
  toldAlarm,
  toldNotice,
  withoutNotice,
} from './notice.ts';
import { type AlarmRecord, recordFileOf } from './record.ts';
import { RecordFile } from './record-file.ts';
import { isGivenUp, Sending } from './sending.ts';

export interface AlarmSettings {
  /** null: the operator is not notified. */
  readonly target: AlarmsConfig | null;
  /** The IANA name of the time zone in which messages tell times. */
  readonly zone: string;
  readonly watched: Watched;
}

export interface AlarmsParts extends KindParts {
  readonly ledger: KindParts['ledger'] & Pick<Ledger, 'storeEvents' | 'isEventWanted'>;
  readonly ledgerFile: string;
  readonly random: Random;
  readonly log: Log;
}

/** How often is looked. */
export const LOOK_MS = 15_000;
/** How many messages that have arrived the record keeps. */
const SENT_KEPT = 20;
/** While the ledger stores nothing, this many events wait in the record, and older ones are dropped. */
const EVENTS_KEPT = 200;

/**
 * Notifies the operator of what needs them, once when it begins and once when it is over, and stores that for the receivers
 * of events. It works only after `start`, in the one process that delivers (rule 6). A message is sent at least once: a kill
 * between its arrival and the note of that repeats it, with the same event ID. An event is stored once.
 */
export class Alarms {
  private readonly repeating: Repeating;
  private readonly sending: Sending;
  private readonly looks: readonly { readonly kind: AlarmKind; readonly look: Look }[];
  private readonly records: RecordFile;
  private brewing: Brewing = new Map();
  private configNews: Around['configNews'] = null;
  /** Nothing is watched if nobody wants to know. */
  private isWatching = false;

  constructor(
    private readonly parts: AlarmsParts,
    private settings: AlarmSettings,
  ) {
    this.records = new RecordFile(recordFileOf(parts.ledgerFile), parts);
    this.sending = new Sending({ ...parts, post: postAnywhere(parts.clock) });
    this.looks = alarmKinds.map((kind) => ({ kind, look: kind.watch(parts) }));
    this.repeating = new Repeating(parts, LOOK_MS, () => this.work());
  }

  /** Call this when this process has become the one that delivers. */
  start(): void {
    this.repeating.start();
  }

  /** The settings of another config, from the next look on. */
  apply(settings: AlarmSettings): void {
    this.settings = settings;
    this.sending.startOver();
  }

  /** Call this when the config file differs from what runs, and with null when it does not any more. */
  noteConfig(news: ConfigNews | null): void {
    const since = this.configNews?.since ?? this.parts.clock.now();
    this.configNews = news === null ? null : { since, news };
  }

  /** Call this when wall time was moved. */
  lookNow(): void {
    this.repeating.now();
  }

  async close(): Promise<void> {
    this.sending.close();
    await this.repeating.close();
    if (this.isWatching) await this.records.close();
  }

  private async work(): Promise<void> {
    const { target, zone } = this.settings;
    const isWanted = target !== null || (await this.parts.ledger.isEventWanted('health').catch(unableToLook));
    if (isWanted === false) {
      this.isWatching = false;
      this.brewing = new Map();
      await this.records.rest();
      return;
    }
    this.isWatching ||= isWanted === true;
    if (!this.isWatching) return;
    const before = await this.records.current();
    const looks = await this.lookAround(before);
    const { clock } = this.parts;
    const now = { at: clock.now(), monotonic: clock.monotonic() };
    const followed = follow({ alarms: before.alarms, brewing: this.brewing }, looks, now);
    this.brewing = followed.brewing;
    const events = [...before.events, ...healthEvents(before.alarms, followed.alarms, now.at, zone)];
    const record = await this.storeEvents({
      ...before,
      lookedAt: now.at,
      alarms: followed.alarms,
      events: events.slice(-EVENTS_KEPT),
    });
    await this.records.keep(target === null ? withoutMessage(record) : await this.sendNews(record, target));
  }

  /** @returns the record without the events that were stored. */
  private async storeEvents(record: AlarmRecord): Promise<AlarmRecord> {
    if (record.events.length === 0) return record;
    // Before they are stored, so that they have the same keys after a kill.
    await this.records.keep(record);
    const isStored = await this.parts.ledger.storeEvents(record.events).then(() => true, unableToStore);
    return isStored ? { ...record, events: [] } : record;
  }

  private lookAround({ absences }: AlarmRecord): Promise<readonly KindLook[]> {
    const around = { watched: this.settings.watched, absences, configNews: this.configNews };
    return Promise.all(
      this.looks.map(async ({ kind: { code, lastsMs }, look }) => ({
        code,
        lastsMs,
        seen: await look(around).catch(unableToLook),
      })),
    );
  }

  /** @returns the record with what became of the news. */
  private async sendNews(record: AlarmRecord, target: AlarmsConfig): Promise<AlarmRecord> {
    const { clock, random, log } = this.parts;
    const now = clock.now();
    const notice = record.waiting?.notice ?? composeNotice(record.alarms, now, () => uuid7(now, random));
    if (notice === null) return record;
    const attempts = record.waiting?.attempts ?? 0;
    if (isGivenUp(notice.at, now, attempts)) {
      log.error(
        { code: 'alarms-given-up' },
        'a message about alarms was given up after a day; see `teller alarms`',
      );
      return { ...record, waiting: null, alarms: withoutNotice(record.alarms) };
    }
    const waiting = { ...record, waiting: { notice, attempts } };
    if (!this.sending.isDue) return waiting;
    // Before it is sent, so that it has the same event ID after a kill.
    await this.records.keep(waiting);
    const message = messageOf(toldNotice(notice, this.settings.zone), target.name);
    const result = await this.sending.send(message, target, attempts);
    return afterPost(waiting, notice, attempts, result, clock.now());
  }
}

/** Without a target, no message is sent, and what is over is forgotten. */
const withoutMessage = (record: AlarmRecord): AlarmRecord => ({
  ...record,
  waiting: null,
  alarms: withoutNotice(record.alarms),
});

/** The disk may be full, which is worth a message: so events wait for the next look, and messages do not wait for them. */
function unableToStore(error: unknown): false {
  if (error instanceof Problem) return false;
  throw error;
}

/** The ledger could not be read, which is logged where votes are stored. */
function unableToLook(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}

function afterPost(
  record: AlarmRecord,
  notice: Notice,
  attempts: number,
  result: PostResult,
  at: number,
): AlarmRecord {
  if (result.kind === 'arrived') {
    const sent = [{ notice, at }, ...record.sent].slice(0, SENT_KEPT);
    const lastPost = { at, code: 'arrived', status: result.status, detail: null } as const;
    return { ...record, alarms: afterNotice(record.alarms, notice, at), waiting: null, sent, lastPost };
  }
  const { code, status, detail } = result;
  if (code === 'cut-off') return record;
  return { ...record, waiting: { notice, attempts: attempts + 1 }, lastPost: { at, code, status, detail } };
}

/**
 * What other programs are told of the alarms after a look: each one that began, and each one that ended. An alarm that was
 * over and holds again before the operator was notified has begun again. Pure.
 *
 * @param at the time of the look.
 * @param zone the time zone in which the sentences tell times, an IANA name.
 */
function healthEvents(
  before: readonly Alarm[],
  after: readonly Alarm[],
  at: number,
  zone: string,
): readonly NewEvent[] {
  const held = new Set(before.filter(isHolding).map(nameOf));
  const news = after.filter((alarm) => isHolding(alarm) !== held.has(nameOf(alarm)));
  return news.map((alarm) => eventOf(alarm, at, zone));
}

const isHolding = ({ end }: Alarm): boolean => end === null;

function eventOf(alarm: Alarm, at: number, zone: string): NewEvent {
  const { code, subject, since, end } = alarm;
  const { sentence, toDo } = toldAlarm(alarm, at, zone);
  const state = end === null ? 'began' : 'over';
  const until = end?.at ?? null;
  return {
    kind: 'health',
    at,
    facts: { state, alarm: code, subject, since, until, sentence, toDo },
    key: JSON.stringify(['health', code, subject, since, state, at]),
  };
}
