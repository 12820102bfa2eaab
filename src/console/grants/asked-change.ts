import { OFFERED, type Offered } from '../../operator/grants/offered.ts';
import type { Entered } from '../../web/fields.ts';
import { localPath } from '../../web/local-path.ts';
import type { PageContext } from '../../web/site.ts';
import type { Operator } from '../access/operator.ts';
import type { ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { askedFilter, filterOf, filterQuery } from './filter.ts';
import { type Mark, markOf, readMarks } from './marks.ts';

/** So many grants are changed at once at most; their commands are all shown. */
export const CHANGE_MAX = 500;

/** A change that an operator asks for. */
export interface AskedChange {
  /** null: nothing was chosen, or something that does not exist. */
  readonly offered: Offered | null;
  readonly marks: readonly Mark[];
  /** Whether more grants match than are changed at once. */
  readonly hasMore: boolean;
  /** Whom to pay instead, as typed. */
  readonly player: string;
  /** The page to go back to. */
  readonly next: string;
}

const offeredIn = (text: string | undefined): Offered | null => OFFERED.find((each) => each === text) ?? null;

/** Grants by their marks, or all that match a filter: those that are owed longest. */
export async function askedByLink(
  c: PageContext<Operator>,
  { teller }: Pick<ConsoleParts, 'teller'>,
  lookAt: number,
): Promise<AskedChange> {
  const query = (name: string) => c.req.query(name);
  const asked = askedFilter((name) => (name === 'player' ? query('of') : query(name)));
  const around = {
    offered: offeredIn(query('action')),
    player: query('player')?.trim() ?? '',
    next: localPath(query('next'), `${paths.grants}${filterQuery(asked)}`),
  };
  if (query('all') === undefined)
    return { ...around, marks: readMarks(c.req.queries('grant') ?? []), hasMore: false };
  const filter = filterOf(asked, await teller.ledger.timeZone());
  const wanted = { limit: CHANGE_MAX, lookAt, isOldestFirst: true };
  const { grants, next } = await teller.ledger.stuckGrants(filter, wanted);
  return { ...around, marks: readMarks(grants.map(markOf)), hasMore: next !== null };
}

/** By the button of one grant, or for all that are ticked. */
export function askedByForm(entered: Entered): AskedChange {
  const [only] = entered.only ?? [];
  const [action, mark] = only?.split(' ') ?? [entered.action?.[0]];
  return {
    offered: offeredIn(action),
    marks: readMarks(mark === undefined ? (entered.grant ?? []) : [mark]),
    hasMore: false,
    player: entered.player?.[0]?.trim() ?? '',
    next: localPath(entered.next?.[0], paths.grants),
  };
}
