import type { KeyObject } from 'node:crypto';
import { type ReaderResult, VotifierReader } from '../../protocol/votifier/reader.ts';
import type { Refusal } from '../../protocol/votifier/refusals.ts';
import { decodeV1Text, decryptV1Block } from '../../protocol/votifier/v1.ts';
import { decodeV2Body } from '../../protocol/votifier/v2.ts';
import type { WireVote } from '../../protocol/votifier/vote.ts';
import type { Given } from './vectors.ts';

/** One connection without a socket, whose bytes arrive in these pieces. */
export function receive(pieces: readonly Buffer[]): { reader: VotifierReader; result: ReaderResult } {
  const reader = new VotifierReader();
  let result: ReaderResult = { kind: 'need-more' };
  for (const piece of pieces) result = reader.push(piece);
  return { reader, result };
}

export const splitAt = (bytes: Buffer, cut: number): Buffer[] => [
  bytes.subarray(0, cut),
  bytes.subarray(cut),
];

export const oneByOne = (bytes: Buffer): Buffer[] => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

/** @returns after how many bytes, fed one by one, the reader decides; null if it does not. */
export function decidedAt(bytes: Buffer): number | null {
  const reader = new VotifierReader();
  const index = oneByOne(bytes).findIndex((byte) => reader.push(byte).kind !== 'need-more');
  return index < 0 ? null : index + 1;
}

/** A result as one string, so that thousands can be compared fast. */
export function written(result: ReaderResult): string {
  if (result.kind === 'v1-block') return `v1 ${result.block.toString('hex')}`;
  if (result.kind === 'v2-body') return `v2 ${result.body}`;
  return JSON.stringify(result);
}

export type Judged = { kind: 'need-more' } | { kind: 'vote'; vote: WireVote } | Refusal;

/** How the codec decodes a whole message. */
export function judge(result: ReaderResult, given: Given, key: KeyObject): Judged {
  if (result.kind === 'v1-block') return decodeV1Text(decryptV1Block(key, result.block));
  if (result.kind !== 'v2-body') return result;
  const judged = decodeV2Body(result.body, given.challenge, tokenIn(given.tokens));
  return judged.kind === 'vote' ? { kind: 'vote', vote: judged.vote } : judged;
}

/** The exact service, otherwise `default`, otherwise none [V2-11]. */
const tokenIn =
  (tokens: Readonly<Record<string, string>>) =>
  (service: string): string | null =>
    (Object.hasOwn(tokens, service) ? tokens[service] : tokens.default) ?? null;
