/** What `teller check` finds. */
import type { Desk } from './place.ts';

export interface Finding {
  readonly mark: string;
  readonly code: string;
  readonly sentence: string;
  readonly toDo: string | null;
}

/** @param words flags of it. */
export async function check({ run }: Pick<Desk, 'run'>, ...words: readonly string[]) {
  const { json, exit } = await run('check', '--json', ...words);
  const found: readonly Finding[] = json;
  return {
    ...{ exit, found },
    of: (code: string) => found.filter((finding) => finding.code === code),
    /** `ok port`, of the codes that match. */
    marks: (codes: RegExp) =>
      found.filter(({ code }) => codes.test(code)).map(({ mark, code }) => `${mark} ${code}`),
  };
}
