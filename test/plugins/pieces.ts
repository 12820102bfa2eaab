/** The text in pieces that end at these places, as a file is read. */
export async function* cutAt(text: string, places: readonly number[]): AsyncGenerator<string> {
  const ends = [...places, text.length];
  for (const [index, end] of ends.entries()) yield text.slice(ends[index - 1] ?? 0, end);
}

/** Where to cut a text into pieces of this many characters. */
export const pieces = (text: string, size: number): readonly number[] =>
  Array.from({ length: Math.ceil(text.length / size) - 1 }, (_, index) => (index + 1) * size);

export async function collected<T>(found: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const each of found) all.push(each);
  return all;
}
