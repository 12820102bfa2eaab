import type { Outcome } from '../core/outcome.ts';
import { needs } from '../core/placeholders.ts';
import { type ReplyMeaning, replySources } from './known-replies.ts';
import { doubtAbout } from './reply-doubt.ts';
import { bare, escapeRegExp, isEcho, linesOf, plain, withoutPrefixes } from './reply-text.ts';

/** What a complete reply says about the command (rule 5). */
export type Verdict = 'delivered' | 'refused' | 'player-offline';

export interface ReplyPatterns {
  readonly refusedReplies: readonly RegExp[];
  readonly offlineReplies: readonly RegExp[];
  /** Replies that look like a failure but are not. */
  readonly deliveredReplies: readonly RegExp[];
}

/** What was sent. */
export interface Asked {
  readonly command: string;
  /** Whether the command's template holds the player, by name or UUID. */
  readonly namesPlayer: boolean;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** The dispatcher itself did not know the command, so it certainly has not run. */
  readonly isUnknownCommand: boolean;
  /** For a reply that looks like a failure and is not known: the entry for `refusedReplies` that would refuse it. */
  readonly doubt: string | null;
}

export const asked = (command: string, template?: string): Asked => ({
  command,
  namesPlayer: template === undefined || needs(template, 'player') || needs(template, 'uuid'),
});

/** The outcome of a command that got this reply. */
export const outcomeOf = (reply: string, { verdict, doubt }: Judgement): Outcome =>
  doubt === null ? { kind: verdict, reply } : { kind: 'delivered', reply, doubt };

/**
 * The operator's patterns come first and may match anywhere. Offline comes before refused, because such a grant is
 * paid without the operator once the player is online.
 */
export function judgeReply(reply: string, own: ReplyPatterns, asked: Asked): Judgement {
  const texts = [plain(reply), bare(reply)];
  const isIn = (patterns: readonly RegExp[]): boolean =>
    patterns.some((pattern) => texts.some((text) => text.search(pattern) >= 0));
  if (isIn(own.deliveredReplies)) return judged('delivered');
  if (isIn(own.offlineReplies)) return absent(asked);
  if (isIn(own.refusedReplies)) return judged('refused');
  return judgeByKnown(reply, asked);
}

function judgeByKnown(reply: string, asked: Asked): Judgement {
  const meaning = knownMeaning(reply, asked.command);
  switch (meaning) {
    case 'nobody-matched':
    case 'player-offline':
      return absent(asked);
    case 'unknown-command':
    case 'refused':
      return { ...judged('refused'), isUnknownCommand: meaning === 'unknown-command' };
    case null:
      return { ...judged('delivered'), doubt: doubtAbout(reply, asked.command) };
  }
}

const judged = (verdict: Verdict): Judgement => ({ verdict, isUnknownCommand: false, doubt: null });

const SELECTOR = /(?:^|[\s=])@[aenprs](?:\[|\s|$)/;

/** A command for all players who are online has nothing left to do if there are none: its grant need not wait. */
const absent = ({ command, namesPlayer }: Asked): Judgement =>
  judged(!namesPlayer && SELECTOR.test(command) ? 'delivered' : 'player-offline');

/** What a reply is known to mean; null if it is not known, or only repeats the command. */
function knownMeaning(reply: string, command: string): ReplyMeaning | null {
  const [whole = '', ...unprefixed] = withoutPrefixes(bare(reply));
  const own = meaningOf(whole);
  if (own !== null) return own;
  for (const text of unprefixed) {
    const meaning = isEcho(text, command) ? null : meaningOf(text);
    // A dispatcher's reply has no prefix. With a prefix, the command ran and its plugin did not understand the rest.
    if (meaning !== null) return meaning === 'unknown-command' ? 'refused' : meaning;
  }
  // EssentialsX prints this after the line that lists what was given.
  return linesOf(reply).some((line) => LOST_ITEMS.test(line)) ? 'refused' : null;
}

/** Whether a reply is known to say that a player is offline or that a selector matched no player. */
export function saysAbsent(reply: string, command: string): boolean {
  const meaning = knownMeaning(reply, command);
  return meaning === 'nobody-matched' || meaning === 'player-offline';
}

const LOST_ITEMS = /^Not enough space, [\d.,]+ .+ was lost[.!]?$/i;
/** In every language, vanilla marks the place of an error in a command with this. */
const POINTER = /<--\[HERE\]$/;

/** A reply can be a megabyte long, but the known replies are short. */
const JUDGED_CHARACTERS_MAX = 2_000;

function meaningOf(text: string): ReplyMeaning | null {
  const judgedText = text.slice(0, JUDGED_CHARACTERS_MAX);
  const match = known.find(({ pattern }) => pattern.test(judgedText));
  return match?.means ?? (POINTER.test(text) ? 'refused' : null);
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '{player}': '[\'"“]?\\S{1,40}?[\'"”]?',
  '{number}': '-?[\\d.,]+',
  '{text}': '.+?',
};

/** Matches the whole first line of a reply, in any case. Vanilla's own replies go on with the place in the command. */
function patternOf(reply: string): RegExp {
  const parts = reply.replace(/[.!]$/, '').split(/(\{(?:player|number|text)\})/);
  const source = parts.map((part) => PLACEHOLDERS[part] ?? escapeRegExp(part)).join('');
  return new RegExp(`^${source}[.!]?(?:\\s*$|\\s*\\n|.*<--\\[HERE\\]$)`, 'i');
}

const MEANINGS: readonly ReplyMeaning[] = ['nobody-matched', 'player-offline', 'unknown-command', 'refused'];

const known = MEANINGS.flatMap((means) =>
  replySources.flatMap(({ replies }) =>
    (replies[means] ?? []).map((reply) => ({ means, pattern: patternOf(reply) })),
  ),
);
