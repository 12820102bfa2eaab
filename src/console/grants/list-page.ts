import type { ActedGrant, StuckGroup } from '../../ledger/ledger.ts';
import { actionText } from '../../trace/grant-actions.ts';
import {
  amount,
  badge,
  type Column,
  card,
  empty,
  type Html,
  html,
  linkButton,
  live,
  pagination,
  quoted,
  stateSentence,
  table,
  type Tone,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { filterQuery, isFiltered, ofGroup } from './filter.ts';
import { GRANTS, type GroupAround, groupCard } from './group-card.ts';

/** So many grants of each group are on the page with all groups. */
export const EACH = 5;
export const PAGE_SIZE = 25;

export interface ListPage extends GroupAround {
  readonly groups: readonly StuckGroup[];
  /** Whether there are more grants than were looked at. */
  readonly hasMore: boolean;
  readonly form: Html;
  readonly decided: readonly ActedGrant[];
  /** null: all groups are shown. */
  readonly paging: {
    readonly shown: string;
    readonly newest: string | null;
    readonly older: string | null;
  } | null;
}

export const listPage = (page: ListPage): Omit<Page, 'json'> => ({
  title: 'Needs you',
  body: [
    live('state', state(page)),
    page.form,
    live('groups', [
      page.groups.length === 0 ? nothing(page) : page.groups.map((group, index) => whole(group, index, page)),
      page.paging !== null && pagination(page.paging),
    ]),
    page.decided.length > 0 && live('decided', decidedCard(page.decided)),
  ],
});

function state({ groups, hasMore, asked }: ListPage): Html {
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const matches = isFiltered(asked)
    ? total === 1
      ? ' matches'
      : ' match'
    : total === 1
      ? ' needs you'
      : ' need you';
  if (total === 0)
    return stateSentence({
      tone: 'good',
      sentence: isFiltered(asked) ? 'No grant matches.' : 'Nothing needs you.',
    });
  return stateSentence({
    tone: 'warn',
    sentence: `${hasMore ? 'More than ' : ''}${amount(total, GRANTS)}${matches}.`,
    detail:
      'A grant is a reward that a player has earned. Teller never guesses whether a command ran, because a wrong guess pays twice or not at all: you decide.',
  });
}

function whole(group: StuckGroup, index: number, page: ListPage): Html {
  const rest = group.count - group.grants.length;
  const link = `${paths.grants}${filterQuery(ofGroup(page.asked, group))}`;
  return html`${groupCard(group, index, page)}${
    page.paging === null &&
    rest > 0 &&
    html`<p class="more">${linkButton(`Show all ${amount(group.count, GRANTS)}`, link)}</p>`
  }`;
}

const nothing = ({ asked, hasMore }: ListPage): Html => {
  if (hasMore)
    return empty({
      title: 'None among the newest',
      advice:
        'So many grants need you that only the newest were searched. Filter by player, or for one game server.',
    });
  return isFiltered(asked)
    ? empty({ title: 'No grant matches', advice: 'Clear the filter, or check how the name is spelled.' })
    : empty({
        title: 'Nothing to decide',
        advice:
          'When a game server refuses a command, or it is not known whether a command ran, you decide here what becomes of it.',
      });
};

const STATE_TONES: Readonly<Record<ActedGrant['state'], Tone>> = {
  pending: 'busy',
  waiting: 'busy',
  held: 'warn',
  refused: 'bad',
  delivered: 'good',
  cancelled: 'idle',
};

export const stateBadge = (grantState: ActedGrant['state']): Html =>
  badge(grantState, STATE_TONES[grantState]);

const decidedColumns: readonly Column<ActedGrant>[] = [
  {
    label: 'Grant',
    onPhone: 'title',
    cell: ({ grantId, player, reward, server }) =>
      html`<a href="${paths.grant(grantId)}">${quoted(`${reward}${player === null ? '' : ` for ${player}`} on ${server}`)}</a>`,
  },
  { label: 'What was done', onPhone: 'block', cell: (row) => quoted(actionText(row)) },
  { label: 'Now', kind: 'brief', onPhone: 'corner', cell: (row) => stateBadge(row.state) },
];

const decidedCard = (decided: readonly ActedGrant[]): Html =>
  card({
    title: 'Lately decided',
    body: table({
      caption: 'What operators did lately',
      columns: decidedColumns,
      rows: decided,
      key: ({ id }) => `decided-${id}`,
      empty: empty({ title: 'Nothing', advice: 'Nothing was decided yet.' }),
    }),
  });
