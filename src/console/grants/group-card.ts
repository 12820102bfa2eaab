import { placeText } from '../../core/pool.ts';
import { kindByServer } from '../../config/config.ts';
import type { GrantRow, StuckGroup } from '../../ledger/ledger.ts';
import { isServed } from '../../operator/grants/actions.ts';
import { isShownFirst, OFFERED, type Offered, offeredFor } from '../../operator/grants/offered.ts';
import type { Shown } from '../../operator/trace-json.ts';
import { buttonWays, grantButtons } from '../../trace/grant-ways.ts';
import { payeeOf } from '../../trace/payee.ts';
import { type StuckWords, stuckWords } from '../../trace/stuck-words.ts';
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
  linkButton,
  listForm,
  quoted,
  rowButton,
  table,
  tick,
  withTicked,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { toldToDo } from '../told.ts';
import { type AskedFilter, filterQuery, isOneGroup, ofGroup } from './filter.ts';
import { commandList, otherFacts, rewardText } from './grant-view.ts';
import { markOf } from './marks.ts';

export interface GroupAround {
  readonly asked: AskedFilter;
  readonly shown: Shown;
  readonly csrf: string;
  /** How commands are typed on this machine. */
  readonly command: string;
  /** Where a change leads back to. */
  readonly next: string;
}

type Kinds = ReadonlyMap<string, string>;

export const GRANTS = { one: 'grant', many: 'grants' };

export const wordsOf = (group: StuckGroup, kinds: Kinds): StuckWords =>
  stuckWords(
    group,
    group.grants.some((grant) => isServed(grant, kinds)),
    buttonWays,
  );

/** What is stuck on one game server for one reason: why, what to do, and its latest grants. */
export function groupCard(group: StuckGroup, index: number, around: GroupAround): Html {
  const { server, state, count, changedAt, grants } = group;
  const { asked, shown, csrf, next, command } = around;
  const kinds = kindByServer(shown.config);
  const { title, todo } = wordsOf(group, kinds);
  const rest = count - grants.length;
  const place = placeText(server, grants[0]?.practice ?? false);
  return card({
    title,
    note: html`${badge(state, state === 'held' ? 'warn' : 'bad')} ${amount(count, GRANTS)} on ${quoted(place)}, the last one ${ago(changedAt, shown.now)}`,
    actions:
      !isOneGroup(asked) &&
      rest > 0 &&
      linkButton(`Show all ${count}`, `${paths.grants}${filterQuery(ofGroup(asked, group))}`),
    body: [
      html`<p><strong>What to do:</strong> ${toldToDo(todo, command)}.</p>`,
      listForm({
        action: paths.grantChange,
        csrf,
        with: { next },
        label: `Grants on ${place}: ${title}`,
        body: [
          table({
            caption: title,
            columns: columnsAt(shown.now, kinds),
            rows: grants,
            detail: (grant) => detailOf(grant, shown),
            key: ({ id }) => `grant-${id}`,
            empty: empty({ title: 'None on this page', advice: 'Go back to the newest ones.' }),
          }),
          withTicked({
            id: `with-${index}`,
            name: 'action',
            label: 'With the chosen ones:',
            choices: choicesFor(grants, kinds),
            submit: 'Continue',
            beside: allLink(group, around),
          }),
        ],
      }),
    ],
  });
}

const columnsAt = (now: number, kinds: Kinds): readonly Column<GrantRow>[] => [
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
  { label: 'Do', kind: 'end', onPhone: 'block', cell: (grant) => actions(buttonsOf(grant, kinds)) },
];

const aboutOf = (grant: GrantRow): string => `grant ${grant.id} of ${payeeOf(grant)}`;

/** What is done at once. */
const buttonsOf = (grant: GrantRow, kinds: Kinds): readonly Html[] =>
  offeredFor(grant, kinds)
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
export const choicesFor = (
  grants: readonly GrantRow[],
  kinds: Kinds,
): readonly (readonly [Offered, string])[] => {
  const possible = new Set(grants.flatMap((grant) => offeredFor(grant, kinds)));
  return OFFERED.filter((each) => possible.has(each)).map((each) => [each, grantButtons[each]]);
};

function allLink(group: StuckGroup, { asked }: GroupAround): Html | null {
  if (group.count === 1) return null;
  const query = filterQuery(ofGroup(asked, group), { all: '1' });
  return html`<a href="${paths.grantChange}${query}">Decide on all ${group.count}…</a>`;
}
