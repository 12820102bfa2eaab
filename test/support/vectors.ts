import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type ReaderResult, VotifierReader } from '../../protocol/votifier/reader.ts';
import type { Refusal, RefusalCode } from '../../protocol/votifier/refusals.ts';
import { decodeV1Text, decryptV1Block } from '../../protocol/votifier/v1.ts';
import { decodeV2Body } from '../../protocol/votifier/v2.ts';
import type { ClaimedTime, WireVote } from '../../protocol/votifier/wire.ts';

const FOLDER = new URL('../../protocol/vectors/', import.meta.url);

export interface Vector {
  readonly name: string;
  /** The clauses that the vector tests, as cited in code. */
  readonly clause: string;
  readonly why: string;
  readonly madeBy: string;
}

/** The result for the bytes of one connection. `at` is how many bytes it takes to decide. */
type WireExpected =
  | { readonly kind: 'vote'; readonly vote: WireVote; readonly at: number }
  | {
      readonly kind: 'refused';
      readonly code: RefusalCode;
      readonly service?: string;
      readonly firstLine?: string;
      readonly at?: number;
      readonly junk?: string;
    }
  | { readonly kind: 'need-more'; readonly end: RefusalCode; readonly junk?: string };

export interface WireVector extends Vector {
  readonly bytes: string;
  readonly tokens?: Readonly<Record<string, string>>;
  readonly expected: WireExpected;
}

interface Given {
  readonly challenge: string;
  readonly tokens: Readonly<Record<string, string>>;
}

type TextVector<Expected> = Vector & { readonly text: string; readonly expected: Expected };
type ProxyExpected = { readonly kind: string; readonly address?: string | null; readonly bytes?: number };

interface VectorFile<V extends Vector> {
  readonly about: string;
  readonly vectors: readonly V[];
}

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as T;

export const v2File = read<VectorFile<WireVector> & { given: Given }>('v2.json');
export const v1File = read<VectorFile<WireVector>>('v1.json');
const junkFile = read<VectorFile<WireVector>>('junk.json');
export const greetingFile = read<VectorFile<TextVector<{ kind: string }>>>('greeting.json');
export const timestampsFile = read<VectorFile<TextVector<ClaimedTime | null>>>('timestamps.json');
export const proxyFile =
  read<VectorFile<Vector & { readonly bytes: string; readonly expected: ProxyExpected }>>('proxy.json');

/** Vectors with titles that begin with their clauses, for `it.each` and `%s`. */
export const titled = <V extends Vector>(vectors: readonly V[]): [string, V][] =>
  vectors.map((vector) => [`${vector.clause} ${vector.name}`, vector]);

/** All vectors for the listening port. */
export const wireVectors: readonly WireVector[] = [...v2File.vectors, ...v1File.vectors, ...junkFile.vectors];

/** All vector files of all protocols, by name. */
export const vectorFiles = (): [string, string][] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')]);

interface TestKey {
  readonly publicKey: string;
  readonly privateKey: string;
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
}

/** For tests only: the private key is published. */
export const testKey = read<TestKey>('test-key.json');

const der = (text: string) => Buffer.from(text, 'base64');

export const testPublicKey = createPublicKey({ key: der(testKey.publicKey), format: 'der', type: 'spki' });
export const testPrivateKey = createPrivateKey({
  key: der(testKey.privateKey),
  format: 'der',
  type: 'pkcs8',
});

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
