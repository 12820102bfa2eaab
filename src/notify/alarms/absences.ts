/** A time in which no Teller ran, so no site could send a vote. Milliseconds since the Unix epoch. */
export interface Absence {
  readonly began: number;
  readonly ended: number;
}

export type Absences = readonly Absence[];

/** How long no Teller ran between two times. */
export const absentMs = (absences: Absences, start: number, end: number): number =>
  absences.reduce(
    (sum, { began, ended }) => sum + Math.max(0, Math.min(ended, end) - Math.max(began, start)),
    0,
  );

/** Shorter ones do not matter, and each restart would be one. */
const SHORTEST_MS = 10 * 60_000;

/**
 * With the time since a Teller last ran. Those that ended before `since` are left out.
 *
 * @param lastRan null: none has ever run.
 */
export function withAbsence(
  absences: Absences,
  lastRan: number | null,
  now: number,
  since: number,
): Absences {
  const kept = absences.filter(({ ended }) => ended > since);
  return lastRan === null || now - lastRan < SHORTEST_MS ? kept : [...kept, { began: lastRan, ended: now }];
}
