import { placeText } from '../../core/pool.ts';
import type { GrantRow, StuckGroup } from '../../ledger/ledger.ts';
import { isShownFirst, OFFERED, type Offered, offeredFor } from '../../operator/grants/offered.ts';
import type { Shown } from '../../operator/trace-json.ts';
import { buttonWays, grantButtons } from '../../trace/grant-ways.ts';
import { payeeOf } from '../../trace/payee.ts';
import { stuckWords } from '../../trace/stuck-words.ts';
import {
  actions,
  ago,
  amount,
  badge,
  type Column,
  card,
  empty,
  facts,
  type Html,
  html,
  listForm,
  quoted,
  rowButton,
  table,
  tick,
  withTicked,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { type AskedFilter, filterQuery, ofGroup } from './filter.ts';
import { commandList, otherFacts, rewardText } from './grant-view.ts';
import { markOf } from './marks.ts';

export interface GroupAround {
  readonly asked: AskedFilter;
  readonly shown: Shown;
  readonly csrf: string;
  /** Where a change leads back to. */
  readonly next: string;
}

export const GRANTS = { one: 'grant', many: 'grants' };

/** What is stuck on one game server for one reason: why, what to do, and its latest grants. */
export function groupCard(group: StuckGroup, index: number, around: GroupAround): Html {
  const { title, todo } = stuckWords(group, buttonWays);
  const { server, state, count, changedAt, grants } = group;
  const { shown, csrf, next } = around;
  const place = quoted(placeText(server, grants[0]?.practice ?? false));
  return card({
    title,
    note: html`${badge(state, state === 'held' ? 'warn' : 'bad')} ${amount(count, GRANTS)} on ${place}, the last one ${ago(changedAt, shown.now)}`,
    body: [
      html`<p><strong>What to do:</strong> ${quoted(todo)}.</p>`,
      listForm({
        action: paths.grantChange,
        csrf,
        with: { next },
        label: `Grants: ${title}`,
        body: [
          table({
            caption: title,
            columns: columnsAt(shown.now),
            rows: grants,
            detail: (grant) => detailOf(grant, shown),
            key: ({ id }) => `grant-${id}`,
            empty: empty({ title: 'None on this page', advice: 'Go back to the newest ones.' }),
          }),
          withTicked({
            id: `with-${index}`,
            name: 'action',
            label: 'With the chosen ones:',
            choices: choicesFor(grants),
            submit: 'Continue',
            beside: allLink(group, around),
          }),
        ],
      }),
    ],
  });
}

const columnsAt = (now: number): readonly Column<GrantRow>[] => [
  {
    label: 'Choose',
    onPhone: 'corner',
    kind: 'brief',
    cell: (grant) => tick({ name: 'grant', value: markOf(grant), label: aboutOf(grant) }),
  },
  {
    label: 'Player',
    onPhone: 'title',
    cell: (grant) => html`<a href="${paths.grant(grant.id)}">${quoted(payeeOf(grant))}</a>`,
  },
  { label: 'Reward', cell: (grant) => quoted(rewardText(grant)) },
  { label: 'Since', kind: 'brief', cell: ({ changedAt }) => ago(changedAt, now) },
  { label: 'Do', kind: 'end', onPhone: 'block', cell: (grant) => actions(buttonsOf(grant)) },
];

const aboutOf = (grant: GrantRow): string => `grant ${grant.id} of ${payeeOf(grant)}`;

/** What is done at once. */
const buttonsOf = (grant: GrantRow): readonly Html[] =>
  offeredFor(grant)
    .filter((offered) => !isShownFirst(offered))
    .map((offered) =>
      rowButton({
        ...{ name: 'only', value: `${offered} ${markOf(grant)}` },
        ...{ label: grantButtons[offered], about: aboutOf(grant) },
      }),
    );

function detailOf(grant: GrantRow, shown: Shown): readonly Html[] {
  const others = otherFacts(grant, shown);
  return [commandList(grant), ...(others.length === 0 ? [] : [facts(others)])];
}

/** What can be done with at least one of them. */
export const choicesFor = (grants: readonly GrantRow[]): readonly (readonly [Offered, string])[] => {
  const possible = new Set(grants.flatMap(offeredFor));
  return OFFERED.filter((each) => possible.has(each)).map((each) => [each, grantButtons[each]]);
};

function allLink(group: StuckGroup, { asked }: GroupAround): Html {
  const query = filterQuery(ofGroup(asked, group), { all: '1' });
  return html`<a href="${paths.grantChange}${query}">${group.count === 1 ? 'This grant' : `All ${amount(group.count, GRANTS)}`} of this kind…</a>`;
}
