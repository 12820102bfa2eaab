import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { realName } from './system-error.ts';

/**
 * A number kept beside a database, which shows at the next start whether the database has lost its newest part: its
 * -wal was deleted, or an old copy was put in its place. It is written after the commit that it tells of, so it is never
 * ahead of what was committed. It is not flushed: a power failure may leave it behind, which hides nothing but the last
 * few steps.
 */
export interface Mark {
  /** Never throws: a mark that cannot be written stays behind, and is tried again at the next number. */
  set(value: number): void;
  close(): void;
}

/** The same one whatever links the database is named by. */
export const markFileOf = (databaseFile: string): string => `${realName(databaseFile)}.mark`;

const DIGITS = 16;
/** The number is written twice: a slot that was torn by a crash does not agree with itself. */
const SLOT = /^(\d{16}) \1\n$/;
const SLOT_BYTES = 2 * DIGITS + 2;

/** The number in a mark; null where there is none, or none that can be read: it then says nothing. */
export function readMark(file: string): number | null {
  const text = contentOf(file);
  const slots = [text.slice(0, SLOT_BYTES), text.slice(SLOT_BYTES, 2 * SLOT_BYTES)];
  const values = slots.flatMap((slot) => SLOT.exec(slot)?.[1] ?? []).map(Number);
  return values.length === 0 ? null : Math.max(...values);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Two slots take turns, so that a write that is cut short leaves the number before it. */
export function openMark(file: string): Mark {
  let descriptor: number | null = null;
  return {
    set: (value) => {
      try {
        descriptor ??= openForWriting(file);
        writeSync(descriptor, slotOf(value), (value % 2) * SLOT_BYTES);
      } catch {
        // A mark that is behind is harmless; a command that has been claimed must go on.
      }
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** For a database that has just been made: whatever was marked before was another one's. */
export function resetMark(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openForWriting(file);
  try {
    writeSync(descriptor, slotOf(0) + slotOf(0), 0);
  } finally {
    closeSync(descriptor);
  }
}

const openForWriting = (file: string): number => openSync(file, existsSync(file) ? 'r+' : 'w+');

function slotOf(value: number): string {
  const digits = String(value).padStart(DIGITS, '0');
  return `${digits} ${digits}\n`;
}
