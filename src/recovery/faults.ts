import type { ApiErrorCode } from '../../protocol/listing-api/errors.ts';
import { type ReportedVotes, whyUnfit } from '../../protocol/listing-api/reported-votes.ts';
import { DAY_MS } from '../core/duration.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
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
  /** What happened, and what the operator can do. */
  readonly sentence: string;
  /** Whether it may pass by itself, so that it is worth trying again soon. */
  readonly mayPass: boolean;
  /** How long the service asked for patience. */
  readonly retryAfterMs: number;
}

/** Nobody waits longer than this for an answer to have changed, whatever a service asks for. */
const RETRY_AFTER_MAX_MS = DAY_MS;

/** Where the operator of a listener can do more than `advice` of the client says. */
const remedies: Partial<Record<ApiErrorCode, (site: string) => string>> = {
  INVALID_TOKEN: (site) =>
    `Put the present API token of this listing where sites.${JSON.stringify(site)}.api.token is read from, and run \`teller reload\`.`,
  MISSING_SCOPE: (site) =>
    `The token lacks the scope votes:read: create one that has it in the listing’s dashboard, put it where sites.${JSON.stringify(site)}.api.token is read from, and run \`teller reload\`.`,
  NOT_FOUND: (site) => `Look at sites.${JSON.stringify(site)}.api.baseUrl.`,
};

/** What a call that told no votes means. */
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
  'The listing’s API answers with 100 votes that are newer than was asked for, so older ones cannot be reached; it has to keep to startDate and endDate.',
  false,
  null,
);

/** null for what is of use. */
export function faultOfVotes(told: ReportedVotes): RecoveryFault | null {
  const why = whyUnfit(told);
  return why === null ? null : unfitFault(why);
}

/** What was told is a list, and no record of it a vote. */
export const unfitFault = (why: string): RecoveryFault =>
  fault(
    'unfit',
    `The listing’s API tells what is not what it states (${printable(why)}), so it is not used: is this Teller too old for the service, or is it another service?`,
    false,
    null,
  );

export const CLOCK_UNSET = fault(
  'clock-unset',
  'This machine’s clock shows a year before 2026, so nobody can tell which votes were missed: set it; until then none is looked for.',
  true,
  null,
);

/** The intake has logged the reason. */
export const VOTE_NOT_STORED = fault(
  'vote-not-stored',
  'A missed vote was found and could not be stored, for the reason that the log tells just before; it is tried again, and the votes after it wait.',
  true,
  null,
);

/** null for what is no Problem, but a bug. */
export const faultOfLedger = (error: unknown): RecoveryFault | null =>
  error instanceof Problem ? fault(error.code, error.message, true, null) : null;

export const bugFault = (error: Error): RecoveryFault =>
  fault('bug', `A bug in Teller: ${error.message}`, false, null);
