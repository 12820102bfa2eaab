import { addressGroup } from '../../core/address.ts';
import type { RefusalCount } from '../../ledger/ledger.ts';
import { FIXED_BY_A_VOTE, NOISE, refusalCauses } from '../../votes/refusals.ts';

/** Refusals with the same code and service name, from all senders and hours. */
export interface RefusalFigure {
  /** As received; null if none was read. */
  readonly service: string | null;
  readonly code: string;
  readonly count: number;
  readonly lastAt: number;
  /** Newest first, one per IPv4 address or IPv6 /64 network. */
  readonly senders: readonly string[];
  /** What the sender did and what to do about it, as the end of a sentence that starts with the sender. */
  readonly cause: string;
}

/** How far back refusals are shown. */
export const REFUSALS_SHOWN_MS = 7 * 24 * 60 * 60 * 1000;

/** At most this many are listed for a vote that did not arrive, newest first. */
export const REFUSALS_LISTED_MAX = 8;

/** A figure while it is being summed. Mutable, because a flood has tens of thousands of senders. */
interface Sum {
  readonly service: string | null;
  readonly code: string;
  count: number;
  lastAt: number;
  /** One address by its group. */
  readonly senders: Map<string, string>;
}

/** Newest first, without the noise that reaches any open port. */
export function refusalFigures(counts: readonly RefusalCount[]): readonly RefusalFigure[] {
  const figures = new Map<string, Sum>();
  for (const { service, code, count, lastAt, sender } of counts) {
    if (NOISE.has(code)) continue;
    const key = JSON.stringify([service, code]);
    const sum = figures.get(key) ?? { service, code, count: 0, lastAt: 0, senders: new Map() };
    figures.set(key, sum);
    sum.count += count;
    sum.lastAt = Math.max(sum.lastAt, lastAt);
    const group = addressGroup(sender);
    if (!sum.senders.has(group)) sum.senders.set(group, sender);
  }
  return [...figures.values()]
    .sort((a, b) => b.lastAt - a.lastAt)
    .map((sum) => ({ ...sum, senders: [...sum.senders.values()], cause: causeOf(sum.code) }));
}

/** @param lastVoteAt when a vote of the same service was last counted; null: never */
export const isProbablyFixed = ({ code, lastAt }: RefusalFigure, lastVoteAt: number | null): boolean =>
  FIXED_BY_A_VOTE.has(code) && (lastVoteAt ?? 0) > lastAt;

/** Connections without a whole vote that say nothing about their sender. */
export interface NoiseFigure {
  readonly code: string;
  readonly count: number;
}

/** The noise that reaches any open port, by code, most frequent first. Usually harmless, but a vote may be among it. */
export function noiseFigures(counts: readonly RefusalCount[]): readonly NoiseFigure[] {
  const sums = new Map<string, number>();
  for (const { code, count } of counts) {
    if (NOISE.has(code)) sums.set(code, (sums.get(code) ?? 0) + count);
  }
  return [...sums].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);
}

/** `3 connections brought no whole vote: 2 http, 1 tls` */
export function noiseText(figures: readonly NoiseFigure[]): string {
  const all = figures.reduce((sum, { count }) => sum + count, 0);
  const parts = figures.map(({ code, count }) => `${count} ${code}`).join(', ');
  return `${all} ${all === 1 ? 'connection' : 'connections'} brought no whole vote: ${parts}`;
}

/** A code that this version does not know is shown as it is. */
const causeOf = (code: string): string =>
  (refusalCauses as Readonly<Record<string, string>>)[code] ?? `was refused (${code})`;

/** What the sender did, and what to do about it; null: nothing that is known. */
export function causeParts({ cause }: Pick<RefusalFigure, 'cause'>): { did: string; toDo: string | null } {
  const [did = cause, ...rest] = cause.split(': ');
  return { did, toDo: rest.length === 0 ? null : rest.join(': ') };
}

/** `192.0.2.1 and 2 others` */
export const refusalSenders = ({ senders }: RefusalFigure): string => {
  const [first = 'an unknown sender', ...others] = senders;
  if (others.length === 0) return first;
  return `${first} and ${others.length} ${others.length === 1 ? 'other' : 'others'}`;
};
