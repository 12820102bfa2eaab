import type { NotSentCode, UnknownCode } from '../../../core/game-server-codes.ts';

type OfHttp = `http-${string}`;

/** Those that came later than the others; the kind's name is their prefix. */
export const reasons = {
  notSent: {},
  neverSent: {},
  unknown: {
    'http.answer-unsigned':
      'the answer says how the command ended, but its signature is missing or wrong; sign the answer as docs/developers/http-game-server.md says',
  },
  cannotTell: {
    'http.players-unsigned':
      'the answer about who is online is not signed as docs/developers/http-game-server.md says',
    'http.players-unreadable':
      'the answer about who is online is not {"players": […]} with players who differ in name and UUID',
  },
} as const;

export type HttpNotSentReason = Extract<NotSentCode, OfHttp> | 'between-connections' | 'shut-down';
export type HttpUnknownReason =
  | Extract<UnknownCode, OfHttp>
  | keyof typeof reasons.unknown
  | 'timeout'
  | 'closed'
  | 'shut-down';
