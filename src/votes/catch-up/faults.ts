import type { ApiErrorCode } from '../../../protocol/listing-api/errors.ts';
import { type ReportedVotes, whyUnfit } from '../../../protocol/listing-api/reported-votes.ts';
import { DAY_MS } from '../../core/duration.ts';
import { printable } from '../../core/printable.ts';
import { Problem } from '../../core/problem.ts';
import { type Failure, type FaultCode, faults } from '../listing-client/result.ts';

/** Why the catch-up of a site waits. The codes are the API's, the client's and the ledger's, and these. */
export type RecoveryFaultCode =
  | ApiErrorCode
  | FaultCode
  | Problem['code']
  | 'unfit'
  | 'dates-ignored'
  | 'vote-not-stored'
  | 'clock-unset'
  | 'bug';

export interface RecoveryFault {
  readonly code: RecoveryFaultCode;
  /** What happened, and what the operator can do about it. */
  readonly sentence: string;
  /** Whether the fault may go away without a fix, so that it is worth retrying soon. */
  readonly mayPass: boolean;
  /** How long the service asked to wait. */
  readonly retryAfterMs: number;
}

/** The longest wait, whatever a service asks for. */
const RETRY_AFTER_MAX_MS = DAY_MS;

/** What the operator of a listener can do beyond the `advice` of the client. */
const remedies: Partial<Record<ApiErrorCode, (site: string) => string>> = {
  INVALID_TOKEN: (site) =>
    `Put this listing’s current API token where sites.${JSON.stringify(site)}.api.token is read from, and run \`teller reload\`.`,
  MISSING_SCOPE: (site) =>
    `The token lacks the scope votes:read: create one that has it in the listing’s dashboard, put it where sites.${JSON.stringify(site)}.api.token is read from, and run \`teller reload\`.`,
  NOT_FOUND: (site) => `Check sites.${JSON.stringify(site)}.api.baseUrl.`,
};

/** The fault that a failed call means for recovery. */
export function faultOf(failure: Failure, site: string): RecoveryFault {
  switch (failure.kind) {
    case 'refused': {
      const { code, sentence, retryAfterSeconds } = failure;
      const mayPass = code === 'RATE_LIMITED' || code === 'INTERNAL_ERROR';
      return fault(code, `${sentence} ${remedies[code]?.(site) ?? ''}`.trim(), mayPass, retryAfterSeconds);
    }
    case 'unreachable': {
      const { code, sentence, retryAfterSeconds } = failure;
      return fault(code, sentence, faults[code].mayPass, retryAfterSeconds);
    }
    case 'unfit':
      return fault('unfit', failure.sentence, false, null);
    case 'aborted':
      return fault('connection-lost', failure.sentence, true, null);
  }
}

const fault = (
  code: RecoveryFaultCode,
  sentence: string,
  mayPass: boolean,
  seconds: number | null,
): RecoveryFault => ({
  code,
  sentence,
  mayPass,
  retryAfterMs: Math.min((seconds ?? 0) * 1000, RETRY_AFTER_MAX_MS),
});

export const DATES_IGNORED = fault(
  'dates-ignored',
  'The listing’s API answers with 100 votes that are newer than the requested endDate, so older ones cannot be reached; it has to respect startDate and endDate.',
  false,
  null,
);

/** null if the votes can be used. */
export function faultOfVotes(reported: ReportedVotes): RecoveryFault | null {
  const why = whyUnfit(reported);
  return why === null ? null : unfitFault(why);
}

/** The answer is a list, but no record in it is a vote. */
export const unfitFault = (why: string): RecoveryFault =>
  fault(
    'unfit',
    `The listing’s API sent records that do not match its specification (${printable(why)}), so they are ignored: is this Teller too old for the service, or is it another service?`,
    false,
    null,
  );

export const CLOCK_UNSET = fault(
  'clock-unset',
  'This machine’s clock shows a year before 2026, so Teller cannot tell which votes were missed. Set it; until then Teller does not look for missed votes.',
  true,
  null,
);

/** The intake has logged the reason. */
export const VOTE_NOT_STORED = fault(
  'vote-not-stored',
  'A missed vote was found but could not be stored; the previous log line gives the reason. It is retried, and later votes wait.',
  true,
  null,
);

/** null for a bug, which is not a Problem. */
export const faultOfLedger = (error: unknown): RecoveryFault | null =>
  error instanceof Problem ? fault(error.code, error.message, true, null) : null;

export const bugFault = (error: Error): RecoveryFault =>
  fault('bug', `A bug in Teller: ${error.message}`, false, null);
