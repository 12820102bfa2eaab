import type { DecisionKind } from '../core/decide.ts';

/** The statistics of one service name under one site entry. */
export interface TallyRow {
  readonly service: string;
  readonly site: string;
  readonly lastAt: number;
  readonly today: number;
  readonly decisions: Partial<Record<DecisionKind, number>>;
}

/** Votes since a time that found the window taken by another service of their entry. */
export interface SharedWindow {
  readonly service: string;
  readonly votes: number;
  readonly lastVote: number;
  /** Those that are paid when the service gets an entry. */
  readonly waiting: number;
}
