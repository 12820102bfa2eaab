import type { Log } from '../../src/core/log.ts';

export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A log that keeps the codes of lines at `info` and above, in order. */
export function keptLog(): { log: Log; codes: string[] } {
  const codes: string[] = [];
  const keep = (fields: object): void => {
    codes.push((fields as { code: string }).code);
  };
  return { log: { debug: () => {}, info: keep, warn: keep, error: keep }, codes };
}
