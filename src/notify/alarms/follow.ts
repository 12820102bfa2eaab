import { type Alarm, keyOf, type Seen } from './alarm.ts';

/** What one kind saw. */
export interface KindLook {
  readonly code: string;
  readonly lastsMs: number;
  /** null: it could not look. */
  readonly seen: readonly Seen[] | null;
}

/** What holds, but not for long enough yet, by the key of its alarm. */
export type Brewing = ReadonlyMap<string, { readonly since: number; readonly monotonic: number }>;

export interface Followed {
  /** Those that hold, and those that are over and of which the operator was not notified yet. */
  readonly alarms: readonly Alarm[];
  readonly brewing: Brewing;
}

export interface Now {
  /** Wall time. */
  readonly at: number;
  readonly monotonic: number;
}

/** Alarms begin, go on and end by what was seen. Pure. */
export function follow(before: Followed, looks: readonly KindLook[], now: Now): Followed {
  const each = looks.map((look) => followKind(before, look, now));
  return {
    alarms: each.flatMap(({ alarms }) => alarms),
    brewing: new Map(each.flatMap(({ brewing }) => [...brewing])),
  };
}

function followKind(before: Followed, { code, lastsMs, seen }: KindLook, now: Now): Followed {
  const known = before.alarms.filter((alarm) => alarm.code === code);
  const brewing = [...before.brewing].filter(([key]) => codeOf(key) === code);
  if (seen === null) return { alarms: known, brewing: new Map(brewing) };
  const seenOf = new Map(seen.map((one) => [one.subject, one]));
  const kept = known.map((alarm) => goneOn(alarm, seenOf.get(alarm.subject), now));
  const others = seen.filter(({ subject }) => !known.some((alarm) => alarm.subject === subject));
  const found = others.map((one) => begun(one, code, lastsMs, before.brewing, now));
  return {
    alarms: [...kept, ...found.flatMap(({ alarm }) => alarm ?? [])],
    brewing: new Map(found.flatMap((one) => (one.brewing === null ? [] : [[one.key, one.brewing] as const]))),
  };
}

const codeOf = (key: string): unknown => (JSON.parse(key) as readonly unknown[])[0];

function goneOn(alarm: Alarm, seen: Seen | undefined, { at }: Now): Alarm {
  if (seen === undefined) return { ...alarm, end: alarm.end ?? { at, isGone: true } };
  switch (seen.state) {
    case 'unknown':
      return alarm;
    case 'holds':
      return { ...alarm, facts: seen.facts, end: null };
    case 'over':
      return alarm.end === null
        ? { ...alarm, facts: { ...alarm.facts, ...seen.facts }, end: { at, isGone: false } }
        : alarm;
  }
}

type Brewed = Brewing extends ReadonlyMap<string, infer One> ? One : never;

/** Something that holds becomes an alarm once it has lasted. Monotonic time, because nobody sets it. */
function begun(
  seen: Seen,
  code: string,
  lastsMs: number,
  brewing: Brewing,
  { at, monotonic }: Now,
): { readonly key: string; readonly alarm: Alarm | null; readonly brewing: Brewed | null } {
  const { subject } = seen;
  const key = keyOf({ code, subject });
  const earlier = brewing.get(key);
  if (seen.state === 'unknown') return { key, alarm: null, brewing: earlier ?? null };
  if (seen.state === 'over') return { key, alarm: null, brewing: null };
  const first = earlier ?? { since: seen.since ?? at, monotonic };
  if (monotonic - first.monotonic < lastsMs) return { key, alarm: null, brewing: first };
  const alarm = { code, subject, since: first.since, facts: seen.facts, notifiedAt: null, end: null };
  return { key, alarm, brewing: null };
}
