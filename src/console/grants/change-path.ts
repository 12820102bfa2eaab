import { paths } from '../paths.ts';
import type { AskedChange } from './asked-change.ts';
import { markOf } from './marks.ts';

/** The page that shows a change before it is made. */
export function changePath({
  offered,
  marks,
  next,
}: Pick<AskedChange, 'offered' | 'next'> & {
  readonly marks: readonly Parameters<typeof markOf>[0][];
}): string {
  const query = new URLSearchParams({ action: offered ?? '' });
  for (const mark of marks) query.append('grant', markOf(mark));
  query.set('next', next);
  return `${paths.grantChange}?${query}`;
}
