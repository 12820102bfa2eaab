import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { OWNER_ONLY } from '../write-file.ts';
import { realName } from './system-error.ts';

/**
 * A number in a file next to a database. At the next start it shows whether the database has lost its newest part,
 * because the -wal was deleted or the file was replaced by an old copy. It is written after the commit it stands for,
 * so it is never ahead of the database. It is not flushed: after a power failure it can miss the last few commits.
 */
export interface Mark {
  /** Never throws: if the mark cannot be written, it stays behind until the next number. */
  set(value: number): void;
  close(): void;
}

/** The mark file of a database, with links resolved. */
export const markFileOf = (databaseFile: string): string => `${realName(databaseFile)}.mark`;

const DIGITS = 16;
/** The number is written twice, so that a slot torn by a crash is recognized. */
const SLOT = /^(\d{16}) \1\n$/;
const SLOT_BYTES = 2 * DIGITS + 2;

/** The number in a mark; null if there is none or it cannot be read. */
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

/** Writes to two slots in turn, so that an incomplete write leaves the previous number. */
export function openMark(file: string): Mark {
  let descriptor: number | null = null;
  return {
    set: (value) => {
      try {
        descriptor ??= openForWriting(file);
        writeSync(descriptor, slotOf(value), (value % 2) * SLOT_BYTES);
      } catch {
        // A mark that is behind is harmless, and the claimed command must not fail because of it.
      }
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** For a new database: an existing mark belongs to an earlier one. */
export function resetMark(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openForWriting(file);
  try {
    writeSync(descriptor, slotOf(0) + slotOf(0), 0);
  } finally {
    closeSync(descriptor);
  }
}

const openForWriting = (file: string): number => openSync(file, existsSync(file) ? 'r+' : 'w+', OWNER_ONLY);

function slotOf(value: number): string {
  const digits = String(value).padStart(DIGITS, '0');
  return `${digits} ${digits}\n`;
}
