import { kindByServer } from '../../config/config.ts';
import type { ActedGrant, StuckGroup } from '../../ledger/ledger.ts';
import { actionText } from '../../operator/trace/grant-actions.ts';
import {
  amount,
  type Column,
  card,
  empty,
  type Html,
  html,
  live,
  pagination,
  quoted,
  stateSentence,
  table,
  withTimes,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { grantBadge } from '../votes/words.ts';
import { isFiltered } from './filter.ts';
import { byReason, GRANTS, type GroupAround, groupCard } from './group-card.ts';

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

export const listPage = (page: ListPage): Page => ({
  title: 'Needs you',
  body: [
    live('how-many', state(page)),
    live('filter', (page.groups.length > 0 || page.hasMore || isFiltered(page.asked)) && page.form),
    live('stuck', [
      page.groups.length === 0
        ? nothingFound(page)
        : byReason(page.groups, kindByServer(page.shown.config)).map((groups, index) =>
            groupCard(groups, index, page),
          ),
      page.paging !== null && pagination(page.paging),
    ]),
    live('decided', page.decided.length > 0 && decidedCard(page.decided)),
  ],
});

function state({ groups, hasMore, asked }: ListPage): Html {
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  if (total === 0 && isFiltered(asked)) return stateSentence({ tone: 'good', sentence: 'No grant matches.' });
  if (total === 0)
    return stateSentence({
      tone: 'good',
      sentence: 'Nothing needs you.',
      detail:
        'When a game server refuses a command, or it is not known whether a command ran, you decide here what becomes of the reward.',
    });
  const one = isFiltered(asked) ? 'matches' : 'needs you';
  const many = isFiltered(asked) ? 'match' : 'need you';
  return stateSentence({
    tone: 'warn',
    sentence: `${hasMore ? 'More than ' : ''}${amount(total, GRANTS)} ${total === 1 ? one : many}.`,
    detail:
      'A grant is a reward that a player has earned. Teller never guesses whether a command ran, because a wrong guess pays twice or not at all: you decide.',
  });
}

function nothingFound({ asked, hasMore }: ListPage): Html | null {
  if (hasMore)
    return empty({
      title: 'None among the newest',
      advice:
        'So many grants need you that only the newest were searched. Filter by player, or for one game server.',
    });
  return isFiltered(asked)
    ? empty({ title: 'No grant matches', advice: 'Clear the filter, or check how the name is spelled.' })
    : null;
}

const decidedColumns: readonly Column<ActedGrant>[] = [
  {
    label: 'Grant',
    onPhone: 'title',
    cell: ({ grantId, player, reward, server }) =>
      html`<a href="${paths.grant(grantId)}">${quoted(`${reward}${player === null ? '' : ` for ${player}`} on ${server}`)}</a>`,
  },
  { label: 'What was done', onPhone: 'block', cell: (row) => withTimes(actionText(row)) },
  { label: 'Now', kind: 'brief', onPhone: 'corner', cell: (row) => grantBadge(row.state) },
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
