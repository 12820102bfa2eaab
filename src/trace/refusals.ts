import { addressGroup } from '../core/address.ts';
import { type CountedCode, NOISE, refusalCauses } from '../intake/refusal-codes.ts';
import type { RefusalCount } from '../ledger/ledger.ts';

/** Refusals of one kind under one service name, whoever sent them and in whichever hour. */
export interface RefusalFigure {
  /** As received; null where none was read. */
  readonly service: string | null;
  readonly code: string;
  readonly count: number;
  readonly lastAt: number;
  /** The latest first, one for each address, or /64 of IPv6. */
  readonly senders: readonly string[];
  /** What the sender did, and what to do about it: goes on after the sender's name. */
  readonly cause: string;
}

/** How far back refusals are told. */
export const REFUSALS_SHOWN_MS = 7 * 24 * 60 * 60 * 1000;

/** A figure while it is added up: filled in place, because a flood has tens of thousands of senders. */
interface Sum {
  readonly service: string | null;
  readonly code: string;
  count: number;
  lastAt: number;
  /** One address by its group. */
  readonly senders: Map<string, string>;
}

/** The latest first. What reaches any open port, and nobody has to do anything about, is left out. */
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

/**
 * Where any later vote of the same service shows that the cause is gone. It shows nothing about another player's name, or
 * about an address that a site may still send from.
 */
const FIXED_BY_A_VOTE: ReadonlySet<string> = new Set<CountedCode>([
  'v2-signature',
  'v2-unknown-service',
  'v2-challenge',
  'v1-fields',
  'site-protocol',
  'ledger-unable',
  'webhook-signature-missing',
  'webhook-signature-wrong',
  'webhook-other-listing',
  'webhook-unable',
]);

/** @param lastVoteAt when a vote of the same service was last counted; null: never. */
export const isProbablyFixed = ({ code, lastAt }: RefusalFigure, lastVoteAt: number | null): boolean =>
  FIXED_BY_A_VOTE.has(code) && (lastVoteAt ?? 0) > lastAt;

/** Connections that brought no whole vote and whose sender left nothing to go by. */
export interface NoiseFigure {
  readonly code: string;
  readonly count: number;
}

/** What reaches any open port, by code, the most first. Nobody has to do anything about it; a vote may be among it. */
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

/** The words of the one table; a code of an older Teller stands for itself. */
const causeOf = (code: string): string =>
  (refusalCauses as Readonly<Record<string, string>>)[code] ?? `was refused (${code})`;

/** `3 times, last 2026-…, from 192.0.2.1 and 2 others` */
export const refusalSenders = ({ senders }: RefusalFigure): string => {
  const [first = 'somebody', ...others] = senders;
  if (others.length === 0) return first;
  return `${first} and ${others.length} ${others.length === 1 ? 'other' : 'others'}`;
};
