/**
 * How sending a vote ended: a code of a closed list, whether the vote arrived, and a sentence for a person that says what happened and
 * what to check.
 */

/** The facts in a sentence. */
export interface SendFacts {
  /** The listener as a person writes it, `host:port`. */
  readonly where: string;
  /** The other side's message, what it looks like, or the operating system's name of the error; may be empty. */
  readonly detail: string;
}

type Sentences = Readonly<Record<string, (facts: SendFacts) => string>>;

/** Detail of a v1 vote to a listener whose greeting offers version 2. */
export const TAKES_TOKENS = 'takes tokens';

/** Version 1 can never say more than `sent` [V1-6]. */
const successes = {
  accepted: ({ where }) => `Accepted: ${where} answered ok.`,
  sent: ({ where, detail }) =>
    detail === TAKES_TOKENS
      ? `Sent to ${where} (protocol version 1 cannot confirm that it arrived). This listener also accepts tokens, and confirms votes that are sent with one (version 2).`
      : `Sent to ${where} (protocol version 1 cannot confirm that it arrived).`,
  'sent-ungreeted': ({ where }) =>
    `Sent to ${where}, which sent no greeting: it may not be a Votifier (and protocol version 1 cannot confirm that the vote arrived).`,
} as const satisfies Sentences;

/** The vote does not count there, because it was never written or because the listener said so; in the order of an exchange. */
const notCounted = {
  'line-break': () =>
    'A field of the vote contains a line break, which would start the next field. The vote was not sent.',
  'key-unusable': () =>
    'The public key is not an RSA key of 2048 bits, the only kind that protocol version 1 allows.',
  'vote-too-long': ({ detail }) =>
    `The fields of the vote are too long together: ${detail}. The vote was not sent.`,
  'host-unresolvable': ({ where, detail }) =>
    `The host name of ${where} cannot be resolved (${detail}): check its spelling and its DNS record.`,
  'address-not-allowed': ({ where, detail }) =>
    `${where} is not an address that votes may be sent to: ${detail}.`,
  'port-refused': ({ where }) =>
    `Nothing listens at ${where} (connection refused): is the listener running, and is this its port?`,
  unreachable: ({ where, detail }) =>
    `${where} cannot be reached (${detail}): check the address and firewalls.`,
  'connection-reset': ({ where }) =>
    `${where} reset the connection at once: is this the listener’s port, and does it allow this address?`,
  'out-of-sockets': ({ detail }) => `This machine has no free sockets (${detail}): send fewer votes at once.`,
  'connect-timeout': ({ where }) =>
    `${where} did not accept the connection in time: check the address, and whether a firewall drops packets.`,
  'closed-without-greeting': ({ where }) =>
    `${where} closed the connection without a Votifier greeting: is this the listener’s port, and does it allow this address?`,
  'no-greeting': ({ where }) =>
    `${where} sent no Votifier greeting in time: is this the listener’s port, and not the game’s?`,
  'not-votifier': ({ where, detail }) => `${where} is not a Votifier listener: it looks like ${detail}.`,
  'v1-only': ({ where, detail }) =>
    `${where} supports only protocol version 1 (its greeting says version ${detail}), which does not use tokens: use its public key.`,
  'version-unknown': ({ where, detail }) =>
    `The greeting of ${where} says protocol version ${detail}, but this sender supports versions 1 and 2: use --public-key if the listener still accepts version 1, or update Teller.`,
  'closed-before-vote': ({ where }) => `${where} closed the connection before the vote could be written.`,
  'wrong-token': ({ where, detail }) =>
    `The token is not the one that ${where} expects. It answered: ${detail}`,
  'unknown-service': ({ where, detail }) =>
    `${where} has no token for this service name. It answered: ${detail}`,
  'challenge-refused': ({ where, detail }) =>
    `${where} did not accept its own challenge: something in between may be changing it. It answered: ${detail}`,
  'name-too-long': ({ where, detail }) =>
    `${where} takes no player name of this length. It answered: ${detail}`,
  'error-reply': ({ where, detail }) => `${where} refused the vote. It answered: ${detail}`,
} as const satisfies Sentences;

/** The vote was written but no usable answer came, so it may count. */
const unanswered = {
  'unreadable-reply': ({ where, detail }) =>
    `The answer of ${where} is not a Votifier reply (${detail}): the vote may or may not have been recorded.`,
  'closed-without-answer': ({ where }) =>
    `${where} closed the connection without an answer: the vote may or may not have been recorded. Some listeners do this if the token is wrong: compare the token, and check the listener’s log.`,
  'no-answer': ({ where }) => `${where} did not answer in time: the vote may or may not have been recorded.`,
} as const satisfies Sentences;

/** By code, everything that sending can come to. */
export const sendSentences = { ...successes, ...notCounted, ...unanswered };

export type FailureCode = keyof typeof notCounted | keyof typeof unanswered;

/** How sending ended, before it becomes a sentence. */
export interface Ending {
  readonly code: keyof typeof sendSentences;
  readonly detail?: string;
  /** What ended an exchange that the conversation itself did not end. */
  readonly over?: Over | undefined;
}

type Over = 'closed' | 'reset' | 'time-limit' | 'stopped';

export type SendResult = SendFacts & {
  /** Whether the vote arrived. If it may have, sending it again may have it recorded twice. */
  readonly reached: 'yes' | 'no' | 'unknown';
  readonly sentence: string;
  /** undefined if the conversation was complete, or never began. */
  readonly over?: Over | undefined;
} & (
    | { readonly kind: 'accepted'; readonly code: 'accepted' }
    | { readonly kind: 'sent'; readonly code: 'sent' | 'sent-ungreeted' }
    | { readonly kind: 'failed'; readonly code: FailureCode }
  );

export function resultOf({ code, detail = '', over }: Ending, where: string): SendResult {
  const facts = { where, detail };
  const told = { ...facts, reached: reachedBy(code), sentence: sendSentences[code](facts), over };
  if (code === 'accepted') return { kind: code, code, ...told };
  if (code === 'sent' || code === 'sent-ungreeted') return { kind: 'sent', code, ...told };
  return { kind: 'failed', code, ...told };
}

export function reachedBy(code: Ending['code']): SendResult['reached'] {
  if (code === 'accepted') return 'yes';
  return code in notCounted ? 'no' : 'unknown';
}
