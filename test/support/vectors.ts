import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import type { ClaimedTime, WireVote } from '../../protocol/votifier/vote.ts';

const FOLDER = new URL('../../protocol/vectors/', import.meta.url);

export interface Vector {
  readonly name: string;
  /** The clauses that the vector tests, as cited in code. */
  readonly clause: string;
  readonly why: string;
  readonly madeBy: string;
}

/** The result for the bytes of one connection. `at` is how many bytes it takes to decide. */
export type WireExpected =
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

export interface Given {
  readonly challenge: string;
  readonly tokens: Readonly<Record<string, string>>;
}

export interface GreetingVector extends Vector {
  readonly text: string;
  readonly expected: { readonly kind: string };
}

export interface TimestampVector extends Vector {
  readonly text: string;
  readonly expected: ClaimedTime | null;
}

export interface ProxyVector extends Vector {
  readonly bytes: string;
  readonly expected: { readonly kind: string; readonly address?: string | null; readonly bytes?: number };
}

interface VectorFile<V extends Vector> {
  readonly about: string;
  readonly vectors: readonly V[];
}

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as T;

export const v2File = read<VectorFile<WireVector> & { given: Given }>('v2.json');
export const v1File = read<VectorFile<WireVector>>('v1.json');
const junkFile = read<VectorFile<WireVector>>('junk.json');
export const greetingFile = read<VectorFile<GreetingVector>>('greeting.json');
export const timestampsFile = read<VectorFile<TimestampVector>>('timestamps.json');
export const proxyFile = read<VectorFile<ProxyVector>>('proxy.json');

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
