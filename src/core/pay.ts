import { isFoundLate, type Vote } from './vote.ts';

/** Which votes this Teller pays. The others are paid by the listener that it runs beside. */
export interface PayRules {
  /** `shadow`: everything is decided and stored, and nothing is paid. */
  readonly mode: 'real' | 'shadow';
  /** In ms since the Unix epoch: the other side pays votes received earlier; null: it pays none. */
  readonly from: number | null;
}

export const PAYS_ALL: PayRules = { mode: 'real', from: null };

/** When this Teller decides who pays a vote. */
type Received = Pick<Vote, 'channel' | 'receivedAt' | 'castAt'>;

/**
 * An imported vote was cast before Teller ran, so it is not paid here. A vote that is found late may have reached the other
 * side first, so it must also have been cast from then on.
 *
 * @param vote its receipt as it is believed while the clock is doubted.
 */
export const isPaidHere = ({ channel, receivedAt, castAt }: Received, pay: PayRules): boolean =>
  channel !== 'import' &&
  pay.mode === 'real' &&
  (pay.from === null || (receivedAt >= pay.from && (!isFoundLate(channel) || castAt >= pay.from)));

/** What is earned in a period is paid by who pays votes at its end. @param endedAt in ms since the Unix epoch. */
export const isPeriodPaidHere = (endedAt: number, { mode, from }: PayRules): boolean =>
  mode === 'real' && (from === null || endedAt >= from);
