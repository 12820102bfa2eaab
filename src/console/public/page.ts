import { durationText, MINUTE_MS } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import { localTime, minuteText } from '../../core/local-time.ts';
import type { Per } from '../../core/period.ts';
import type { RunningTop } from '../../operator/public/running-tops.ts';
import type { SiteTime, VoteSite } from '../../operator/public/vote-sites.ts';
import type { PartyState } from '../../operator/together/party-progress.ts';
import {
  alert,
  amount,
  badge,
  type Column,
  type Content,
  card,
  count,
  empty,
  filters,
  type Html,
  html,
  inputField,
  linkButton,
  longDayText,
  type Page,
  progress,
  quoted,
  refreshed,
  stack,
  table,
  thirds,
} from '../../web/kit.ts';
import type { Board } from './board.ts';
import { HOME } from './paths.ts';
import type { Answer } from './question.ts';

export interface PublicView {
  /** The name of the game server or network; null if the config has none. */
  readonly name: string | null;
  readonly sites: readonly VoteSite[];
  /** null: the ledger cannot be read. */
  readonly board: Board | null;
  /** What was entered; empty if nothing was. */
  readonly entered: string;
  /** null: no name was entered. */
  readonly answer: Answer | null;
  /** Whether the limit of questions is that of all who come through a proxy. */
  readonly isOfAll: boolean;
  readonly now: number;
}

/** So often a page that stays open is fetched again; its times are in minutes. */
const REFRESH_SECONDS = 60;

export function publicPage(view: PublicView): Page {
  const { name, board } = view;
  const keptFresh = regionsOf(view);
  return {
    title: name === null ? 'Vote for this server' : `Vote for ${name}`,
    tabTitle: 'Vote',
    lead: view.sites.length > 0 && 'Every vote helps us to be found, and earns you rewards in the game.',
    notice: noticeOf(view),
    body: [voteCard(view, keptFresh), board !== null && keptFresh('board', boardOf(board))],
  };
}

type Region = (id: string, body: Content) => Content;

/** A page that was refused is not fetched again: it would be refused again. */
const regionsOf = ({ board, answer }: PublicView): Region =>
  board !== null && (answer === null || answer.kind === 'times')
    ? (id, body) => refreshed(id, REFRESH_SECONDS, body)
    : (_, body) => body;

function noticeOf({ board, answer, isOfAll }: PublicView): Content {
  if (board === null || answer?.kind === 'unreadable')
    return alert({
      tone: 'warn',
      title: 'Votes cannot be shown at the moment',
      body: 'You can vote as always. Open this page again in a few minutes.',
    });
  return (
    answer?.kind === 'too-many' &&
    alert({
      tone: 'warn',
      title: isOfAll ? 'Too many questions at the moment' : 'Too many questions from your network',
      body: `Try again in ${roundedUp(answer.waitMs)}. You can vote as always.`,
    })
  );
}

function voteCard(view: PublicView, keptFresh: Region): Html {
  const { sites, answer } = view;
  if (sites.length === 0)
    return empty({
      title: 'No vote links yet',
      advice: 'They appear here when this server is listed on a site.',
    });
  return card({
    title: 'Where to vote',
    body: [
      sites.some(({ isByPlayer }) => isByPlayer) && nameForm(view),
      keptFresh('sites', [
        answer?.kind === 'times' && summary(answer),
        answer?.kind === 'times' ? timesTable(view, answer) : linksTable(sites),
      ]),
    ],
  });
}

function nameForm({ entered, answer }: PublicView): Html {
  const faults = answer?.kind === 'no-name' ? { name: answer.sentence } : {};
  return filters({
    action: HOME,
    label: 'When you may vote again',
    fields: inputField(
      { entered: { name: [entered] }, faults },
      { name: 'name', label: 'Your player name', autocomplete: 'nickname' },
    ),
    submit: 'When may I vote?',
    clear: entered === '' ? null : HOME,
    compact: true,
  });
}

function summary({ name, sites }: Extract<Answer, { kind: 'times' }>): Html | false {
  const open = sites.filter(({ from }) => from === null).length;
  const where =
    open === 0 ? 'has voted on every site' : `may vote on ${open} of ${amount(sites.length, SITE)} now`;
  return sites.length > 1 && html`<p><strong>${quoted(name)}</strong> ${where}.</p>`;
}

const SITE = { one: 'site', many: 'sites' };

const siteColumn: Column<VoteSite> = {
  label: 'Site',
  onPhone: 'title',
  cell: ({ site }) => quoted(site),
};

const linkColumn = (isPrimary: (site: VoteSite) => boolean): Column<VoteSite> => ({
  label: 'Link',
  kind: 'end',
  onPhone: 'corner',
  cell: (site) => {
    if (site.url === null) return html`<span class="soft">No link</span>`;
    const label = html`Vote<span class="unseen"> on ${site.site}</span>`;
    return linkButton(label, site.url, isPrimary(site) ? 'primary' : 'quiet');
  },
});

const linksTable = (sites: readonly VoteSite[]): Html =>
  sitesTable(sites, [siteColumn, linkColumn(() => true)]);

function timesTable({ sites, board, now }: PublicView, answer: Extract<Answer, { kind: 'times' }>): Html {
  const times = new Map(answer.sites.map((site) => [site.service, site]));
  const mayVote = ({ service }: VoteSite): boolean => (times.get(service)?.from ?? null) === null;
  const time: Column<VoteSite> = {
    label: 'You',
    onPhone: 'block',
    cell: ({ service }) => timeText(times.get(service), board?.zone ?? 'UTC', now),
  };
  return sitesTable(sites, [siteColumn, time, linkColumn(mayVote)]);
}

const sitesTable = (sites: readonly VoteSite[], columns: readonly Column<VoteSite>[]): Html =>
  table({ caption: 'Sites', rows: sites, columns, empty: html`` });

function timeText(site: SiteTime | undefined, zone: string, now: number): Content {
  if (site === undefined) return html`<span class="soft">Votes there are not by player name</span>`;
  const { from } = site;
  if (from === null) return badge('You may vote now', 'good');
  return html`You may vote again in <time datetime="${isoTime(from)}">${roundedUp(from - now)}</time>
    <span class="soft">(${clockText(from, now, zone)})</span>`;
}

/** Whole minutes, so that a time that is shown has really come. */
const roundedUp = (ms: number): string => durationText(Math.ceil(ms / MINUTE_MS) * MINUTE_MS);

/** `at 18:40`, with the day if that is not today, in the time zone of the ledger. */
function clockText(at: number, now: number, zone: string): string {
  const { day, minute } = localTime(Math.ceil(at / MINUTE_MS) * MINUTE_MS, zone);
  const today = localTime(now, zone).day;
  const clock = `at ${minuteText(minute)} ${zone}`;
  if (day === today) return clock;
  return day === today + 1 ? `tomorrow ${clock}` : `${longDayText(day)} ${clock}`;
}

const boardOf = ({ tops, parties }: Board): Html =>
  stack(parties.length > 0 && partiesCard(parties), thirds(tops.map((top) => topCard(top, tops))));

const partiesCard = (parties: readonly PartyState[]): Html =>
  card({
    title: parties.length === 1 ? 'Vote party' : 'Vote parties',
    note: 'Everyone’s votes count together. The next party starts when there are enough.',
    body: parties.map(({ party, votes, every, left }) =>
      progress({
        label: `${parties.length === 1 ? '' : `${party}: `}${count(votes)} of ${count(every)} votes, ${count(left)} to go`,
        done: votes,
        total: every,
      }),
    ),
  });

const PERIODS: Readonly<Record<Per, string>> = { day: 'today', week: 'this week', month: 'this month' };

function topCard({ top, per, places }: RunningTop, all: readonly RunningTop[]): Html {
  const isOnly = all.filter((other) => other.per === per).length === 1;
  const title = `Most votes ${PERIODS[per]}${isOnly || top === null ? '' : `: ${top}`}`;
  return card({
    title,
    body: table({
      caption: title,
      rows: places,
      empty: html`<p class="soft">No votes yet. Be the first.</p>`,
      columns: [
        {
          label: 'Player',
          onPhone: 'title',
          cell: ({ place, player }) =>
            html`<span class="soft">${place}.</span> ${player === null ? html`<span class="soft">no name</span>` : quoted(player)}`,
        },
        { label: 'Votes', kind: 'number', onPhone: 'corner', cell: ({ votes }) => count(votes) },
      ],
    }),
  });
}
