import type { NotSentCode, UnknownCode } from '../../core/game-server-codes.ts';

type OfHttp = `http-${string}`;

export type HttpNotSentReason = Extract<NotSentCode, OfHttp> | 'between-connections' | 'shut-down';
export type HttpUnknownReason = Extract<UnknownCode, OfHttp> | 'timeout' | 'closed' | 'shut-down';
