import type { KindCode, NotSentCode, UnknownCode } from '../../../core/game-server-codes.ts';

type OfOtherKinds = `http-${string}` | KindCode;

export type NotSentReason = Exclude<NotSentCode, OfOtherKinds>;
export type UnknownReason = Exclude<UnknownCode, OfOtherKinds>;
