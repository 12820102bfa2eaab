import type { Expected } from './examples-file.ts';

/** One line of a comparison. */
export interface Row<Item> {
  /** `missing`: expected, but not there. `extra`: there, but not expected. */
  readonly kind: 'same' | 'missing' | 'extra';
  readonly text: string;
  /** What is there; null if it is missing. */
  readonly item: Item | null;
}

interface Shown {
  readonly command: string;
}

/** Compares commands with what was expected, in order or, for an object, in any order. */
export const compare = <Item extends Shown>(
  expected: Expected,
  actual: readonly Item[],
): readonly Row<Item>[] =>
  Array.isArray(expected)
    ? inOrder(expected, actual)
    : counted(expected as Readonly<Record<string, number>>, actual);

export const isSame = (rows: readonly Row<unknown>[]): boolean => rows.every(({ kind }) => kind === 'same');

const missing = (text: string) => ({ kind: 'missing', text, item: null }) as const;

function counted<Item extends Shown>(
  expected: Readonly<Record<string, number>>,
  actual: readonly Item[],
): readonly Row<Item>[] {
  const commands = new Set([...Object.keys(expected), ...actual.map(({ command }) => command)]);
  return [...commands].flatMap((command): readonly Row<Item>[] => {
    const found = actual.filter((each) => each.command === command);
    const [item = null] = found;
    const times = expected[command] ?? 0;
    const text = `${found.length} × ${command}`;
    if (found.length === times) return [{ kind: 'same', text, item }];
    const wanted = times === 0 ? [] : [missing(`${times} × ${command}`)];
    return [...wanted, ...(item === null ? [] : [{ kind: 'extra' as const, text, item }])];
  });
}

/** Above this, commands between the first and the last difference are not matched with each other: it takes seconds. */
const CELLS_MAX = 4_000_000;

/** The fewest missing and extra lines that explain the difference. */
function inOrder<Item extends Shown>(
  expected: readonly string[],
  actual: readonly Item[],
): readonly Row<Item>[] {
  const shorter = Math.min(expected.length, actual.length);
  const isEqual = (a: number, b: number): boolean => expected[a] === actual[b]?.command;
  let before = 0;
  while (before < shorter && isEqual(before, before)) before++;
  let after = 0;
  while (after < shorter - before && isEqual(expected.length - 1 - after, actual.length - 1 - after)) {
    after++;
  }
  const same = (item: Item): Row<Item> => ({ kind: 'same', text: item.command, item });
  return [
    ...actual.slice(0, before).map(same),
    ...between(expected.slice(before, expected.length - after), actual.slice(before, actual.length - after)),
    ...actual.slice(actual.length - after).map(same),
  ];
}

function between<Item extends Shown>(
  expected: readonly string[],
  actual: readonly Item[],
): readonly Row<Item>[] {
  const lengths =
    expected.length * actual.length > CELLS_MAX
      ? null
      : commonLengths(
          expected,
          actual.map(({ command }) => command),
        );
  const rows: Row<Item>[] = [];
  let [a, b] = [0, 0];
  while (a < expected.length || b < actual.length) {
    const [text, item] = [expected[a], actual[b]];
    if (lengths !== null && text !== undefined && text === item?.command) {
      rows.push({ kind: 'same', text, item });
      a++;
      b++;
    } else if (text !== undefined && (item === undefined || isMissingFirst(lengths, a, b))) {
      rows.push(missing(text));
      a++;
    } else if (item !== undefined) {
      rows.push({ kind: 'extra', text: item.command, item });
      b++;
    }
  }
  return rows;
}

const isMissingFirst = (lengths: readonly Uint32Array[] | null, a: number, b: number): boolean =>
  (lengths?.[a + 1]?.[b] ?? 0) >= (lengths?.[a]?.[b + 1] ?? 0);

/** For each pair of places, how long the longest common subsequence of the rests is. */
function commonLengths(first: readonly string[], second: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: first.length + 1 }, () => new Uint32Array(second.length + 1));
  for (let a = first.length - 1; a >= 0; a--) {
    const [row, next] = [lengths[a] as Uint32Array, lengths[a + 1] as Uint32Array];
    for (let b = second.length - 1; b >= 0; b--) {
      row[b] = first[a] === second[b] ? (next[b + 1] ?? 0) + 1 : Math.max(next[b] ?? 0, row[b + 1] ?? 0);
    }
  }
  return lengths;
}
