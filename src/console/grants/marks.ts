import type { GrantRow } from '../../ledger/ledger.ts';
import type { PreparedGrant } from '../../operator/grants/prepared.ts';
import type { ShownGrant } from '../../operator/grants/selection.ts';

/** A grant as an operator has seen it. */
export interface Mark extends ShownGrant {
  /** Of what a change would run; null: that was not shown. */
  readonly digest: string | null;
}

/** The ID and the last change of a grant, such as `7.1769000000000`. What has changed since is left alone. */
export const markOf = ({ id, changedAt }: Pick<GrantRow, 'id' | 'changedAt'>): string => `${id}.${changedAt}`;

export const preparedMarkOf = ({ grant, digest }: PreparedGrant): string => `${markOf(grant)}.${digest}`;

/** Those that are none are left out. */
export const readMarks = (marks: readonly string[]): readonly Mark[] =>
  marks.flatMap((mark) => {
    const [, id, changedAt, digest] = /^(\d{1,15})\.(\d{1,15})(?:\.([\w-]{16}))?$/.exec(mark) ?? [];
    return id === undefined ? [] : [{ id: Number(id), changedAt: Number(changedAt), digest: digest ?? null }];
  });
