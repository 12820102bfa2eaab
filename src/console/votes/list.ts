import { shownService } from '../../core/service-name.ts';
import type { ListedVote, VoteList } from '../../operator/vote-list.ts';
import {
  ago,
  amount,
  type Column,
  empty,
  type Html,
  html,
  live,
  pagination,
  quoted,
  table,
  VOTES,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { type AskedFilter, filteredPath, isFiltered } from './filter.ts';
import { channelWord, decisionBadge, paymentBadge } from './words.ts';

export interface ListPage {
  readonly list: VoteList;
  readonly asked: AskedFilter;
  /** Whether this is not the first page. */
  readonly isOlder: boolean;
  readonly form: Html;
  readonly now: number;
}

export const listPage = ({ list, asked, isOlder, form, now }: ListPage): Page => ({
  title: 'Votes',
  lead: 'Every vote that reached Teller, newest first, with its decision and what became of its rewards.',
  body: [
    live('filter', form),
    live('votes', [
      table({
        caption: 'Votes',
        columns: columnsAt(now),
        rows: list.votes,
        empty: nothing(list, asked),
      }),
      (list.votes.length > 0 || list.searchedTo !== null || isOlder) &&
        pagination({
          shown: shownText(list),
          newest: isOlder ? filteredPath(asked) : null,
          older: list.searchedTo === null ? null : filteredPath(asked, { before: String(list.searchedTo) }),
        }),
    ]),
  ],
});

const columnsAt = (now: number): readonly Column<ListedVote>[] => [
  {
    label: 'Player',
    onPhone: 'title',
    cell: ({ vote }) => html`<a href="${paths.vote(vote.id)}">${quoted(vote.player ?? vote.recipient)}</a>`,
  },
  { label: 'Received', kind: 'brief', cell: ({ vote }) => ago(vote.receivedAt, now) },
  { label: 'Site', cell: ({ vote }) => quoted(shownService(vote.service, 60)) },
  { label: 'Decision', kind: 'brief', cell: ({ vote }) => decisionBadge(vote.decision) },
  {
    label: 'Rewards',
    kind: 'brief',
    onPhone: 'corner',
    cell: ({ payment }) => paymentBadge(payment),
  },
  { label: 'Came by', kind: 'brief', cell: ({ vote }) => channelWord(vote.channel) },
];

function shownText({ votes, lookedAt, searchedTo }: VoteList): string {
  const shown = amount(votes.length, VOTES);
  if (searchedTo === null) return `${shown}, down to the first one`;
  return lookedAt > votes.length ? `${shown} among ${amount(lookedAt, VOTES)} that were searched` : shown;
}

function nothing({ searchedTo, lookedAt }: VoteList, asked: AskedFilter): Html {
  if (searchedTo !== null) {
    return empty({
      title: `None among ${amount(lookedAt, VOTES)}`,
      advice: 'There are more to search: go on with “Older”.',
    });
  }
  if (isFiltered(asked)) {
    return empty({ title: 'No vote matches', advice: 'Clear the filter, or check how the name is spelled.' });
  }
  return empty({
    title: 'No votes yet',
    advice: html`The page <a href="${paths.now}">Now</a> shows how to send the first one.`,
  });
}
