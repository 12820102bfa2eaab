import { shownService } from '../../core/service-name.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import type { SiteNow, SitesNow } from '../../operator/now/sites.ts';
import { noiseText, type RefusalFigure, refusalSenders } from '../../operator/trace/refusals.ts';
import {
  ago,
  badge,
  type Content,
  card,
  count,
  empty,
  type Html,
  html,
  linkButton,
  quoted,
  table,
  tag,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { type Typed, told } from '../told.ts';

/** Each site with its last vote, the votes of today, and what was refused today and why. */
export const sitesView = (facts: SitesNow, now: number, command: Typed): Html =>
  card({
    title: 'Sites',
    note: 'Days begin at midnight UTC.',
    actions: linkButton('Add a site', paths.site),
    body: [siteTable(facts.sites, now, command), rest(facts, command)],
  });

const siteTable = (sites: readonly SiteNow[], now: number, command: Typed): Html =>
  table<SiteNow>({
    caption: 'Sites',
    columns: [
      { label: 'Site', cell: nameOf, onPhone: 'title' },
      {
        label: 'Last vote',
        kind: 'brief',
        cell: ({ lastVoteAt }) => (lastVoteAt === null ? 'never' : ago(lastVoteAt, now)),
      },
      { label: 'Votes today', kind: 'number', cell: ({ today }) => count(today) },
      { label: 'Refused today', kind: 'number', cell: (site) => count(refusedOf(site)) },
      { label: 'State', kind: 'end', cell: stateOf, onPhone: 'corner' },
    ],
    rows: sites,
    detail: ({ refusals }) =>
      refusals.length === 0 ? null : refusals.map((figure) => refusalLine(figure, 'Refused', command)),
    empty: empty({
      title: 'No site has sent a vote yet',
      advice: 'A site appears here with its first vote, or when you add it.',
    }),
  });

/** With a link to the page where players vote. */
function nameOf({ service, url }: SiteNow): Html {
  const name = quoted(shownService(service, 64));
  return url === null ? name : html`<a href="${url}" rel="noreferrer">${name}</a>`;
}

const refusedOf = ({ refusals }: SiteNow): number =>
  refusals.reduce((sum, { count: times }) => sum + times, 0);

function stateOf({ service, isListed, lastVoteAt, refusals }: SiteNow): Html {
  if (service === STAND_IN_SERVICE) return badge('Test votes');
  if (lastVoteAt === null && refusals.length > 0) return badge('Only refused', 'bad');
  if (!isListed) return badge('Unlisted', 'warn');
  return lastVoteAt === null ? badge('Silent', 'warn') : badge('Listed', 'good');
}

const refusalLine = (figure: RefusalFigure, what: string, command: Typed): Html =>
  html`<p>${what} ${times(figure.count)}: ${told(`${refusalSenders(figure)} ${figure.cause}`, command)} ${tag(figure.code)}</p>`;

const times = (number: number): string => (number === 1 ? 'once' : `${count(number)} times`);

const rest = ({ leftOut, nameless, noise }: SitesNow, command: Typed): Content => [
  leftOut > 0 &&
    html`<p class="hint">${count(leftOut)} more names without an entry sent votes or were refused.</p>`,
  nameless.map((figure) => refusalLine(figure, 'Without a service name, refused today', command)),
  noise.length > 0 &&
    html`<p class="hint">Today ${noiseText(noise)}. Every open port gets such connections.</p>`,
];
