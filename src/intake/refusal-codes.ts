import { type RefusalCode, refusalEntry, refusals } from '../../protocol/votifier/refusals.ts';
import {
  type WebhookClosingCode,
  type WebhookRefusalCode,
  webhookClosings,
  webhookRefusals,
} from '../../protocol/webhook/refusals.ts';
import type { ListedRefusal } from './listed-vote.ts';

/** Rule 7: whatever is refused, on whichever road, is counted under one of these. */
export type CountedCode =
  | RefusalCode
  | `webhook-${WebhookRefusalCode | WebhookClosingCode}`
  | `api-${ApiRefusal}`;

type ApiRefusal = ListedRefusal | 'not-a-vote';

/** What a listing's API told and cannot be recorded. */
const apiRefusals = {
  'not-a-vote': 'told something that cannot be read as a vote: ask the listing',
  'user-not-allowed': 'told a vote whose userId is not one',
  'name-too-long': 'told a vote whose player name is longer than 16 characters',
  'name-not-allowed':
    'told a vote whose player name no player can have (letters, digits and _ only, or a known Bedrock prefix)',
  'name-unknown-prefix':
    'told a vote whose player name begins with a prefix that players.bedrockPrefixes does not list: add it there if your cross-play bridge uses it',
} as const satisfies Record<ApiRefusal, string>;

/** Nobody has to do anything about these: they are what reaches any open port. */
export const NOISE: ReadonlySet<string> = new Set<CountedCode>([
  'empty',
  'incomplete',
  'deadline',
  'crowded',
  'http',
  'tls',
  'ssh',
  'webhook-not-found',
  'webhook-not-post',
  'webhook-not-http',
  'webhook-headers-too-large',
  'webhook-incomplete',
  'webhook-too-slow',
]);

/** What the sender did, and what to do about it: goes on after its address. */
export const refusalCauses: Readonly<Record<CountedCode, string>> = Object.fromEntries([
  ...(Object.keys(refusals) as RefusalCode[]).map((code) => [code, refusalEntry(code).log]),
  ...Object.entries(webhookRefusals).map(([code, { log }]) => [`webhook-${code}`, log]),
  ...Object.entries(webhookClosings).map(([code, log]) => [`webhook-${code}`, log]),
  ...Object.entries(apiRefusals).map(([code, log]) => [`api-${code}`, log]),
]);

/** Takes what is refused; it is told and stored as bounded figures. */
export interface RefusalCounter {
  /**
   * @param service as received, or the entry of `sites` that it is for; null where neither is known.
   * @param sender an address, or what stands for one; empty where it is not known.
   * @param detail printable; told beside the cause, and not stored.
   */
  count(code: CountedCode, service: string | null, sender: string, detail?: string): void;
}
