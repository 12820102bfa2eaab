import type { Reason } from '../../core/reason.ts';
import type { NetworkFault, Phase } from '../../platform/dial.ts';

/** Why an attempt has no HTTP status. */
export type DeliveryReason =
  | Reason<PlainCode>
  | {
      readonly code: DetailedCode;
      /** The name of the fault in the operating system, the parser or the address rule. */
      readonly facts: { readonly detail: string };
    }
  | { readonly code: 'timeout'; readonly facts: { readonly phase: Phase } };

export type PlainCode = keyof typeof plainSentences;
export type DetailedCode = keyof typeof detailedSentences;

const plainSentences = {
  'port-refused': 'The connection was refused: nothing listens at this host and port.',
  'not-recorded': 'Nothing was sent: the service could not write to its database.',
  'cut-off': 'The service stopped before an answer came; the event may have arrived.',
} as const satisfies Record<string, string>;

const detailedSentences = {
  'address-not-allowed': (detail) => `Nothing was sent: ${detail}.`,
  'host-unresolvable': (detail) => `The host name cannot be resolved (${detail}).`,
  unreachable: (detail) => `The host cannot be reached (${detail}).`,
  'out-of-sockets': (detail) => `The service has no socket left (${detail}).`,
  'tls-failed': (detail) => `The TLS handshake failed (${detail}).`,
  'connection-lost': (detail) => `The connection ended before the answer was complete (${detail}).`,
  'not-http': (detail) => `The answer is not valid HTTP (${detail}).`,
} as const satisfies Record<string, (detail: string) => string>;

const phases = {
  connecting: 'the connection was not established',
  securing: 'the TLS handshake did not finish',
  waiting: 'the answer did not begin',
  answering: 'the answer began but was never complete',
} as const satisfies Record<Phase, string>;

export function reasonSentence(reason: DeliveryReason): string {
  switch (reason.code) {
    case 'timeout':
      return `No complete answer came within 10 seconds: ${phases[reason.facts.phase]}.`;
    case 'port-refused':
    case 'not-recorded':
    case 'cut-off':
      return plainSentences[reason.code];
    default:
      return detailedSentences[reason.code](reason.facts.detail);
  }
}

/** `error` in JSON, and on pages. */
export const reasonSentenceOrNull = (reason: DeliveryReason | null): string | null =>
  reason === null ? null : reasonSentence(reason);

/** What went wrong, and whether the service itself had run out of sockets, which says nothing about the receiver. */
export interface Failure {
  readonly reason: DeliveryReason;
  readonly isOurFault: boolean;
}

/** @param fault of an exchange that nobody stopped. */
export const failureOf = (fault: NetworkFault): Failure => ({
  reason: reasonOf(fault),
  isOurFault: fault.code === 'no-sockets',
});

function reasonOf({ code, phase, detail, message }: NetworkFault): DeliveryReason {
  const detailed = (named: DetailedCode, facts = detail): DeliveryReason => ({
    code: named,
    facts: { detail: facts },
  });
  if (code === 'timeout') return { code, facts: { phase } };
  if (code === 'no-sockets') return detailed('out-of-sockets');
  if (phase === 'securing') return detailed('tls-failed');
  if (code === 'not-http') return detailed('not-http', message);
  if (phase !== 'connecting') return detailed('connection-lost');
  if (code === 'refused') return { code: 'port-refused' };
  if (code === 'not-allowed') return detailed('address-not-allowed');
  return detailed(code === 'unresolvable' ? 'host-unresolvable' : 'unreachable');
}
