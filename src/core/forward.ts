import { isoTime } from './instant.ts';
import { NO_SERVICE_NAME } from './service-name.ts';

/**
 * A forward: a grant that owes a vote to another listener instead of commands to a game server. Its one command is the
 * vote as JSON.
 */

/** What a forward has in place of a reward's name. The config refuses a reward with this name. */
export const FORWARD = '(forward)';

/** A vote as it is forwarded. */
export interface ForwardedVote {
  readonly service: string;
  /** As recorded. */
  readonly player: string;
  /** The voter's, as the site stated it; empty if it did not. */
  readonly address: string;
  /** The claimed time if it identifies the vote (rule 2), else the time of receipt; in ms since the Unix epoch. */
  readonly at: number;
}

/** What the config says about the forwards to a game server. */
export interface ForwardTerms {
  /** A forward that could not be sent for so long is cancelled. */
  readonly maxAgeMs: number;
  /** It pays for the votes that it gets, so it gets only those that are not paid here (`core/pay.ts`). */
  readonly pays: boolean;
}

/** A game server of a kind that takes votes. */
export interface ForwardTarget extends ForwardTerms {
  readonly server: string;
}

/** Braces in values are escaped, so that nothing in them is a placeholder, which `closeCommand` would fill in. */
export const forwardText = ({ service, player, address, at }: ForwardedVote): string =>
  `{${JSON.stringify({ service, player, address, at }).slice(1, -1).replaceAll(/[{}]/g, unicodeEscape)}}`;

const unicodeEscape = (brace: string): string => (brace === '{' ? '\\u007b' : '\\u007d');

/** null: the text is a command. */
export function readForward(text: string): ForwardedVote | null {
  const { service, player, address, at } = parsed(text);
  const isVote = typeof service === 'string' && typeof player === 'string' && typeof at === 'number';
  return isVote ? { service, player, address: typeof address === 'string' ? address : '', at } : null;
}

/** For people: which vote it is. The service name still has to be made printable. */
export const forwardedVoteText = ({ service, player, at }: ForwardedVote): string =>
  `vote of ${player} on ${service || NO_SERVICE_NAME} from ${isoTime(at)}`;

function parsed(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{"service":')) return {};
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
