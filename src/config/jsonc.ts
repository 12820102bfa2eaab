import type { Node, ParseError } from 'jsonc-parser';
import { commonJs } from '../core/common-js.ts';

const parser = commonJs('jsonc-parser') as typeof import('jsonc-parser');

export type { Node };

/** Comments and a comma after the last entry are allowed. */
const OPTIONS = { disallowComments: false, allowTrailingComma: true, allowEmptyContent: false };

export interface Parsed {
  /** undefined if the text is empty or too deeply nested; incomplete if there are errors. */
  readonly root: Node | undefined;
  readonly errors: readonly { readonly name: string; readonly offset: number }[];
}

/** Parses JSON with comments. The text must not begin with a byte order mark. */
export function parseJsonc(text: string): Parsed {
  const errors: ParseError[] = [];
  try {
    const root = parser.parseTree(text, errors, OPTIONS);
    return {
      root,
      errors: errors.map(({ error, offset }) => ({ name: parser.printParseErrorCode(error), offset })),
    };
  } catch (error) {
    // The parser is recursive, so thousands of open brackets overflow its stack.
    if (!(error instanceof RangeError)) throw error;
    return { root: undefined, errors: [{ name: 'NestedTooDeeply', offset: 0 }] };
  }
}

/** The value at a path; undefined if there is none. */
export const nodeAt = (root: Node | undefined, path: readonly (string | number)[]): Node | undefined =>
  root === undefined ? undefined : parser.findNodeAtLocation(root, [...path]);

/** One piece of a text between two values. */
export interface Piece {
  readonly kind: 'comma' | 'space' | 'line-break' | 'line-comment' | 'block-comment';
  readonly offset: number;
  readonly end: number;
}

const KINDS: Readonly<Record<number, Piece['kind']>> = {
  5: 'comma',
  12: 'line-comment',
  13: 'block-comment',
  14: 'line-break',
  15: 'space',
};

/** The commas, comments and white space from an offset up to the next value or bracket. */
export function piecesFrom(text: string, offset: number): readonly Piece[] {
  const scanner = parser.createScanner(text, false);
  scanner.setPosition(offset);
  const pieces: Piece[] = [];
  for (let kind = KINDS[scanner.scan()]; kind !== undefined; kind = KINDS[scanner.scan()]) {
    const at = scanner.getTokenOffset();
    pieces.push({ kind, offset: at, end: at + scanner.getTokenLength() });
  }
  return pieces;
}
