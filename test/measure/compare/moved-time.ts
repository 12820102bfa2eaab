/**
 * Loaded into every thread of a compared build before its own code: its time is what a file says. Wall time stands still at the
 * file's first number, and so does monotonic time at the second. Both are in milliseconds. When the second grows, timers that are
 * due by then fire, and they fire at no other time. So two builds see the same times, to the millisecond, and the same timers, however
 * busy the machine is, without knowing that they are compared, and days take no longer than seconds. Each thread writes
 * into a second file when its next timer is due, so that time can go from one timer to the next.
 *
 * What they draw is always the same too: how long they wait before another try is in part drawn, and it would decide before or after
 * which step the try comes.
 */
import crypto from 'node:crypto';
import { openSync, readSync, watch, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import timers from 'node:timers';
import { threadId } from 'node:worker_threads';

const timeFile = process.env.TELLER_COMPARED_TIME ?? '';
const file = openSync(timeFile, 'r');
const dues = openSync(`${timeFile}-dues`, 'r+');
const times = new Float64Array(2);
const wall = (): number => {
  readSync(file, times, 0, 16, 0);
  return times[0] ?? 0;
};
const aheadMs = (): number => {
  wall();
  return times[1] ?? 0;
};

const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(wall()).toString(),
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [wall()] : given, made),
  get: (target, key, receiver) => (key === 'now' ? wall : Reflect.get(target, key, receiver)),
});

performance.now = aheadMs;
process.hrtime.bigint = () => BigInt(Math.round(aheadMs() * 1e6));

const upMs = os.uptime() * 1_000;
os.uptime = () => (upMs + aheadMs()) / 1_000;

const DRAWN = 0.5;
const randomInt = crypto.randomInt as (...given: unknown[]) => unknown;
Object.assign(crypto, {
  randomInt: (...given: unknown[]) =>
    given.length === 1 ? Math.floor((given[0] as number) * DRAWN) : randomInt(...given),
});

/** Longer than any process. */
const NEVER_MS = 2 ** 31 - 1;

type Callback = (...given: unknown[]) => void;

interface Pending {
  due: number;
  readonly everyMs: number | null;
  readonly run: () => void;
}

const real = { ...timers };
const pending = new Map<NodeJS.Timeout, Pending>();

/** Each program has so many places in that file, one for each thread. */
const PLACES = 256;
const place = PLACES * Number(process.env.TELLER_COMPARED_PART ?? 0) + (threadId % PLACES);

/** Writes when the next timer is due. Repeated timers are left out, because all they do is watch for a stall. */
function noteNextDue(): void {
  const next = [...pending.values()].map(({ due, everyMs }) => (everyMs === null ? due : Infinity));
  writeSync(dues, new Float64Array([Math.min(...next)]), 0, 8, place * 8);
}

function started(
  callback: Callback,
  ms: number | undefined,
  isRepeated: boolean,
  given: unknown[],
): NodeJS.Timeout {
  const delayMs = Math.max(1, Number(ms) || 1);
  const run = (): void => {
    if (!isRepeated) pending.delete(timer);
    else if (entry.everyMs !== null) entry.due = aheadMs() + entry.everyMs;
    noteNextDue();
    callback(...given);
  };
  const timer = isRepeated ? real.setInterval(run, NEVER_MS) : real.setTimeout(run, NEVER_MS);
  const entry: Pending = { due: aheadMs() + delayMs, everyMs: isRepeated ? delayMs : null, run };
  pending.set(timer, entry);
  noteNextDue();
  const refresh = timer.refresh.bind(timer);
  timer.refresh = () => {
    entry.due = aheadMs() + delayMs;
    pending.set(timer, entry);
    noteNextDue();
    return refresh();
  };
  return timer;
}

const stopped = (clear: (timer: NodeJS.Timeout) => void) => (timer: unknown) => {
  const found = [...pending.keys()].find((each) => each === timer || Number(each) === Number(timer));
  if (found !== undefined && pending.delete(found)) noteNextDue();
  clear(timer as NodeJS.Timeout);
};

const moved = {
  setTimeout: (callback: Callback, ms?: number, ...given: unknown[]) => started(callback, ms, false, given),
  setInterval: (callback: Callback, ms?: number, ...given: unknown[]) => started(callback, ms, true, given),
  clearTimeout: stopped(real.clearTimeout),
  clearInterval: stopped(real.clearInterval),
};
Object.assign(timers, moved);
Object.assign(globalThis, moved);
syncBuiltinESMExports();

let before = aheadMs();
watch(timeFile, { persistent: false }, () => {
  const now = aheadMs();
  if (now === before) return;
  before = now;
  const due = [...pending].filter(([, { due: at }]) => at <= aheadMs());
  for (const [timer, entry] of due.sort(([, a], [, b]) => a.due - b.due)) {
    if (entry.everyMs === null) real.clearTimeout(timer);
    // In a turn of its own, and only if what ran before it has not stopped it.
    setImmediate(() => {
      if (pending.get(timer) === entry) entry.run();
    });
  }
});
