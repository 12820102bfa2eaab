import { type RefusalCode, refusals } from '../../../protocol/votifier/refusals.ts';
import {
  type WebhookClosingCode,
  type WebhookRefusalCode,
  webhookClosings,
  webhookRefusals,
} from '../../../protocol/webhook/refusals.ts';
import type { ReportRefusal } from './vote-report.ts';

/** Rule 7: every refusal, on any channel, is counted under one of these. */
export type CountedCode =
  | RefusalCode
  | `webhook-${WebhookRefusalCode | WebhookClosingCode}`
  | `api-${ApiRefusal}`;

type ApiRefusal = ReportRefusal | 'not-a-vote';

/** Votes that a listing's API reported and that cannot be recorded. */
const apiRefusals = {
  'not-a-vote': 'sent an entry that is not a valid vote: report it to the listing’s operator',
  'user-not-allowed': 'reported a vote whose userId is not valid',
  'name-too-long': 'reported a vote whose player name is longer than 16 characters',
  'name-not-allowed':
    'reported a vote with an impossible player name (letters, digits and _ only, or a known Bedrock prefix)',
  'name-unknown-prefix':
    'reported a vote whose player name begins with a prefix that players.bedrockPrefixes does not list: add it there if your cross-play bridge uses it',
} as const satisfies Record<ApiRefusal, string>;

interface Refusal {
  readonly log: string;
  readonly isNoise?: true;
  readonly isFixedByAVote?: true;
}

const counted: readonly (readonly [string, Refusal])[] = [
  ...Object.entries(refusals),
  ...Object.entries({ ...webhookRefusals, ...webhookClosings }).map(
    ([code, refusal]) => [`webhook-${code}`, refusal] as const,
  ),
  ...Object.entries(apiRefusals).map(([code, log]) => [`api-${code}`, { log }] as const),
];

/** What the sender did, and what to do about it: the end of a sentence that starts with its address. */
export const refusalCauses = Object.fromEntries(counted.map(([code, { log }]) => [code, log])) as Readonly<
  Record<CountedCode, string>
>;

/** Noise that reaches any open port: the operator has nothing to do. */
export const NOISE: ReadonlySet<string> = new Set(
  counted.filter(([, { isNoise }]) => isNoise).map(([code]) => code),
);

/** Refusals whose cause is gone once a later vote of the same service is recorded. */
export const FIXED_BY_A_VOTE: ReadonlySet<string> = new Set(
  counted.filter(([, { isFixedByAVote }]) => isFixedByAVote).map(([code]) => code),
);

/** Accepts refusals, which are logged and stored as bounded statistics. */
export interface RefusalCounter {
  /**
   * @param service as received, or the entry of `sites` that it is for; null if neither is known.
   * @param sender an address, or the name of a site whose API reported it; empty if neither is known.
   * @param detail printable; logged beside the cause, and not stored.
   */
  count(code: CountedCode, service: string | null, sender: string, detail?: string): void;
}
