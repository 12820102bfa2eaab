import { kindByServer } from '../../config/config.ts';
import { listText } from '../../core/list-text.ts';
import { placeText } from '../../core/pool.ts';
import type { GrantRow, StuckGroup, StuckState } from '../../ledger/ledger.ts';
import { isServed } from '../../operator/grants/actions.ts';
import { isShownFirst, OFFERED, type Offered, offeredFor } from '../../operator/grants/offered.ts';
import { buttonWays, grantButtons } from '../../operator/trace/grant-ways.ts';
import { payeeOf } from '../../operator/trace/payee.ts';
import { type StuckWords, stuckFacts, stuckWords } from '../../operator/trace/stuck-words.ts';
import type { Shown } from '../../operator/trace-json.ts';
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
import { type Typed, toldToDo } from '../told.ts';
import { type AskedFilter, filterQuery, isOneGroup, ofGroup } from './filter.ts';
import { commandList, otherFacts, rewardText } from './grant-view.ts';
import { markOf } from './marks.ts';

export interface GroupAround {
  readonly asked: AskedFilter;
  readonly shown: Shown;
  readonly csrf: string;
  /** How commands are typed on this machine. */
  readonly command: Typed;
  /** Where a change leads back to. */
  readonly next: string;
  /** All that are shown. */
  readonly groups: readonly StuckGroup[];
}

type Kinds = ReadonlyMap<string, string>;

/** Groups for which the same is to do. */
export type StuckGroups = readonly [StuckGroup, ...StuckGroup[]];

export const GRANTS = { one: 'grant', many: 'grants' };

const isServedIn = ({ grants }: StuckGroup, kinds: Kinds): boolean =>
  grants.some((grant) => isServed(grant, kinds));

export const wordsOf = (group: StuckGroup, kinds: Kinds): StuckWords =>
  stuckWords(group, isServedIn(group, kinds), buttonWays);

/** Groups by what is to do: those that differ only in their game server are together if the same is said of all. */
export function byReason(groups: readonly StuckGroup[], kinds: Kinds): readonly StuckGroups[] {
  const found = new Map<string, [StuckGroup, ...StuckGroup[]]>();
  for (const group of groups) {
    const key = JSON.stringify(stuckFacts(group, isServedIn(group, kinds)));
    const others = found.get(key);
    if (others === undefined) found.set(key, [group]);
    else others.push(group);
  }
  return [...found.values()];
}

/** What is stuck for one reason: why, what to do, and the latest grants of each game server. */
export function groupCard(groups: StuckGroups, index: number, around: GroupAround): Html {
  const [{ state }] = groups;
  const { shown, csrf, next, command } = around;
  const kinds = kindByServer(shown.config);
  const { title, todo } = wordsOf(groups[0], kinds);
  const count = groups.reduce((all, group) => all + group.count, 0);
  const changedAt = Math.max(...groups.map((group) => group.changedAt));
  const places = listText(groups.map(placeOf), 'and');
  const grants = groups.flatMap((group) => group.grants);
  return card({
    title,
    note: html`${badge(state, state === 'held' ? 'warn' : 'bad')} ${amount(count, GRANTS)} on ${quoted(places)}, the last one ${ago(changedAt, shown.now)}`,
    actions: restLinks(groups, around),
    body: [
      html`<p><strong>What to do:</strong> ${toldToDo(todo, command)}.</p>`,
      listForm({
        action: paths.grantChange,
        csrf,
        with: { next },
        label: `Grants on ${places}: ${title}`,
        body: [
          table({
            caption: title,
            columns: columnsAt(shown.now, kinds, groups.length > 1),
            rows: grants,
            detail: (grant) => detailOf(grant, shown),
            key: ({ id }) => `grant-${id}`,
            empty: empty({ title: 'None on this page', advice: 'Go back to the newest ones.' }),
          }),
          withTicked({
            id: `with-${index}`,
            name: 'action',
            label: 'With the chosen ones:',
            choices: advisedFirst(choicesFor(grants, kinds), state),
            submit: 'Continue',
            beside: allLinks(groups, count, around),
          }),
        ],
      }),
    ],
  });
}

const placeOf = ({ server, grants }: StuckGroup): string => placeText(server, grants[0]?.practice ?? false);

/** To the grants that are not on this page. */
const restLinks = (groups: StuckGroups, { asked }: GroupAround): Html[] =>
  isOneGroup(asked)
    ? []
    : groups
        .filter(({ count, grants }) => count > grants.length)
        .map((group) =>
          linkButton(
            groups.length === 1 ? `Show all ${group.count}` : `Show all ${group.count} on ${placeOf(group)}`,
            `${paths.grants}${filterQuery(ofGroup(asked, group))}`,
          ),
        );

/** @param isOnSeveral whether the grants are on several game servers */
const columnsAt = (now: number, kinds: Kinds, isOnSeveral: boolean): readonly Column<GrantRow>[] => [
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
  ...(isOnSeveral ? [SERVER_COLUMN] : []),
  { label: 'Since', kind: 'brief', cell: ({ changedAt }) => ago(changedAt, now) },
  { label: 'Do now', kind: 'end', onPhone: 'block', cell: (grant) => actions(buttonsOf(grant, kinds)) },
];

const SERVER_COLUMN: Column<GrantRow> = {
  label: 'Game server',
  cell: ({ pool, server, practice }) => quoted(placeText(pool ?? server, practice)),
};

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

/** What the advice says is offered first: a command that was refused would be refused again. */
const advisedFirst = (choices: ReturnType<typeof choicesFor>, state: StuckState): typeof choices =>
  state === 'refused' ? choices.toSorted(([a], [b]) => Number(b === 'anew') - Number(a === 'anew')) : choices;

/** To decide on all of them, also those that are not on this page. */
function allLinks(
  groups: StuckGroups,
  count: number,
  { asked, groups: shown }: GroupAround,
): readonly Html[] {
  const [first] = groups;
  const alike = shown.filter(({ state, reason }) => state === first.state && reason === first.reason);
  // Without the place, the filter would also match grants of another card.
  if (groups.length > 1 && alike.length === groups.length)
    return [allLink(`Decide on all ${count}…`, { ...ofGroup(asked, first), place: asked.place })];
  return groups.flatMap((group) => {
    const label = `Decide on all ${group.count}${groups.length === 1 ? '' : ` on ${placeOf(group)}`}…`;
    return group.count === 1 ? [] : [allLink(label, ofGroup(asked, group))];
  });
}

const allLink = (label: string, asked: AskedFilter): Html =>
  html`<a href="${paths.grantChange}${filterQuery(asked, { all: '1' })}">${label}</a>`;
