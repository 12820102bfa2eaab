import type { Reason } from '../../core/reason.ts';
import { connectFault } from '../../platform/connecting.ts';

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

/** How far an exchange had come when it failed. */
export type Phase = keyof typeof phases;

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
} as const satisfies Record<string, string>;

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

export function failureOf(error: unknown, phase: Phase): Failure {
  const code = faultCode(error);
  if (OUT_OF_SOCKETS.has(code)) return { reason: detailed('out-of-sockets', code), isOurFault: true };
  return { reason: reasonOf(error, phase), isOurFault: false };
}

function reasonOf(error: unknown, phase: Phase): DeliveryReason {
  if (phase === 'connecting') return connectReason(error);
  if (phase === 'securing') return detailed('tls-failed', faultCode(error));
  if (isNotHttp(error)) return detailed('not-http', error.message);
  return detailed('connection-lost', faultCode(error));
}

const detailed = (code: DetailedCode, detail: string): DeliveryReason => ({ code, facts: { detail } });

const OUT_OF_SOCKETS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

const isNotHttp = (error: unknown): error is Error =>
  error instanceof Error && faultCode(error).startsWith('HPE_');

function connectReason(error: unknown): DeliveryReason {
  const { code, detail } = connectFault(error);
  if (code === 'port-refused') return { code };
  return detailed(
    code === 'address-not-allowed' || code === 'host-unresolvable' ? code : 'unreachable',
    detail,
  );
}

const faultCode = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown fault';
};
