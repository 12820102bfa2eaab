/** What is logged. */
import type { Log } from '../../src/core/log.ts';

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly code: string;
  readonly fields: object;
  readonly sentence: string;
}

/** A log that keeps its lines. */
export function loggedLines(): { log: Log; lines: readonly Line[] } {
  const lines: Line[] = [];
  const keep =
    (level: Line['level']) =>
    (fields: object, sentence: string): void => {
      lines.push({ level, code: String((fields as { code?: unknown }).code), fields, sentence });
    };
  const log = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
  return { log, lines };
}
