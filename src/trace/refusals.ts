import { type RefusalCode, refusalEntry, refusals } from '../../protocol/votifier/refusals.ts';
import { NOISE } from '../intake/refusal-figures.ts';
import type { RefusalCount } from '../ledger/ledger.ts';

/** Refusals of one kind under one service name, whoever sent them and in whichever hour. */
export interface RefusalFigure {
  /** As received, escaped and shortened; empty where none was read. */
  readonly service: string;
  readonly code: string;
  readonly count: number;
  readonly lastAt: number;
  /** The latest first. */
  readonly senders: readonly string[];
  /** What the sender did, and what to do about it: goes on after the sender's name. */
  readonly cause: string;
}

/** How far back refusals are told. */
export const REFUSALS_SHOWN_MS = 7 * 24 * 60 * 60 * 1000;

/** The latest first. What reaches any open port, and nobody has to do anything about, is left out. */
export function refusalFigures(counts: readonly RefusalCount[]): readonly RefusalFigure[] {
  const figures = new Map<string, RefusalFigure>();
  for (const { service, code, count, lastAt, sender } of counts) {
    if (NOISE.has(code)) continue;
    const key = JSON.stringify([service, code]);
    const sum = figures.get(key) ?? { service, code, count: 0, lastAt: 0, senders: [], cause: causeOf(code) };
    figures.set(key, {
      ...sum,
      count: sum.count + count,
      lastAt: Math.max(sum.lastAt, lastAt),
      senders: sum.senders.includes(sender) ? sum.senders : [...sum.senders, sender],
    });
  }
  return [...figures.values()].sort((a, b) => b.lastAt - a.lastAt);
}

/** The words of the one table; a code of an older Teller stands for itself. */
const causeOf = (code: string): string =>
  code in refusals ? refusalEntry(code as RefusalCode).log : `was refused (${code})`;

/** `3 times, last 2026-…, from 192.0.2.1 and 2 others` */
export const refusalSenders = ({ senders }: RefusalFigure): string => {
  const [first = 'somebody', ...others] = senders;
  if (others.length === 0) return first;
  return `${first} and ${others.length} ${others.length === 1 ? 'other' : 'others'}`;
};
