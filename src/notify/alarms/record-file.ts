import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import { withAbsence } from './absences.ts';
import { WINDOW_MS } from './kinds/site-silent.ts';
import { type AlarmRecord, NO_RECORD, readRecord, writeRecord } from './record.ts';

/** How often the record is written although nothing has changed, so that the next start knows how long no Teller ran. */
const ALIVE_MS = 5 * 60_000;

/** The record in memory and in its file, which only the process that delivers writes. */
export class RecordFile {
  private record: AlarmRecord | null = null;
  /** What was written last, without what may be a little out of date. */
  private written = '';
  /** In monotonic time. */
  private writtenAt = Number.NEGATIVE_INFINITY;
  private isTroubled = false;

  constructor(
    private readonly file: string,
    private readonly parts: { readonly clock: Clock; readonly log: Log },
  ) {}

  /** As it is now. The first call reads the file. */
  async current(): Promise<AlarmRecord> {
    this.record ??= await this.read();
    return this.record;
  }

  /** Keeps the record, and writes it if something has changed that a restart must not forget. */
  async keep(record: AlarmRecord): Promise<void> {
    this.record = record;
    const isDue = this.parts.clock.monotonic() - this.writtenAt >= ALIVE_MS;
    if (isDue || whatMatters(record) !== this.written) await this.write(record);
  }

  /**
   * Nothing is watched any more. What held may be over when it is watched again, and until then the record cannot say
   * whether a Teller ran.
   */
  async rest(): Promise<void> {
    const { lookedAt, sent, lastPost } = await this.current();
    if (lookedAt !== null) await this.keep({ ...NO_RECORD, sent, lastPost });
  }

  /** Writes what `keep` left out. */
  async close(): Promise<void> {
    if (this.record !== null) await this.write({ ...this.record, lookedAt: this.parts.clock.now() });
  }

  private async read(): Promise<AlarmRecord> {
    const { clock, log } = this.parts;
    const read = await readRecord(this.file);
    if (read === 'damaged') {
      const sentence = `${this.file} cannot be read, so you are notified again of every alarm that holds`;
      log.warn({ code: 'alarms-damaged' }, sentence);
    }
    if (read === null || read === 'damaged') return NO_RECORD;
    const now = clock.now();
    return { ...read, absences: withAbsence(read.absences, read.lookedAt, now, now - WINDOW_MS) };
  }

  /** The disk may be full, which is worth a message: so a failure is only logged. */
  private async write(record: AlarmRecord): Promise<void> {
    try {
      await writeRecord(this.file, record);
      this.written = whatMatters(record);
      this.writtenAt = this.parts.clock.monotonic();
      this.isTroubled = false;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!this.isTroubled) this.parts.log.error({ code: error.code }, error.message);
      this.isTroubled = true;
    }
  }
}

/** Facts change with every look, such as the free space. */
const whatMatters = ({ lookedAt, alarms, ...rest }: AlarmRecord): string =>
  JSON.stringify([rest, alarms.map(({ facts, ...alarm }) => alarm)]);
