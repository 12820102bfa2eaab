import type { SiteConfig } from '../../config/config.ts';
import { shownService } from '../../core/service-name.ts';
import { DOWNTIMES_SHOWN_MAX, downtimeTexts, toAddMissed } from '../../operator/downtimes.ts';
import type { Explanation } from '../../operator/explain.ts';
import {
  noiseText,
  REFUSALS_LISTED_MAX,
  type RefusalFigure,
  refusalSenders,
} from '../../operator/trace/refusals.ts';
import type { Shown } from '../../operator/trace-json.ts';
import {
  ago,
  card,
  code,
  count,
  type Html,
  html,
  linkButton,
  nameList,
  quoted,
  table,
  tag,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { type Typed, told, toldToDo } from '../told.ts';

/** Where a vote may be that did not arrive: under another name, among the refused ones, or sent while no Teller ran, or never. */
export function missingVote(
  explanation: Explanation,
  { config, now }: Pick<Shown, 'config' | 'now'>,
  command: Typed,
): readonly Html[] {
  const { traces, otherNames, refusals, noise } = explanation;
  const others = otherNames.length === 0 ? [] : [otherNamesCard(otherNames)];
  const refused = refusals.length === 0 ? [] : [refusedCard(refusals, traces.length > 0, now, command)];
  if (traces.length > 0) return [...others, ...refused];
  const notSent = refusals.length > 0 ? [] : [notSentCard(noise)];
  return [...others, ...refused, ...notSent, ...downtimesCard(explanation, config.sites, command)];
}

function downtimesCard(
  explanation: Explanation,
  sites: ReadonlyMap<string, SiteConfig>,
  command: Typed,
): readonly Html[] {
  const times = downtimeTexts(explanation).slice(-DOWNTIMES_SHOWN_MAX);
  if (times.length === 0) return [];
  return [
    card({
      title: 'While no Teller was running',
      note: 'In the last 30 days, votes could not arrive in these times.',
      body: [nameList(times), html`<p>${toldToDo(toAddMissed(sites), command)}</p>`],
    }),
  ];
}

const otherNamesCard = (names: readonly string[]): Html =>
  card({
    title: 'Similar names that did vote',
    body: nameList(names.map((name) => html`<a href="${paths.player(name)}">${quoted(name)}</a>`)),
  });

function refusedCard(
  refusals: readonly RefusalFigure[],
  hasVoted: boolean,
  now: number,
  command: Typed,
): Html {
  const left = refusals.length - REFUSALS_LISTED_MAX;
  return card({
    title: hasVoted ? 'Refused since the last vote' : 'Refused in the last 7 days',
    note: 'Refusals keep no player names, so the missing vote may be one of these.',
    actions: linkButton('Compare the keys', paths.keys),
    body: [
      table<RefusalFigure>({
        caption: 'Refused votes',
        rows: refusals.slice(0, REFUSALS_LISTED_MAX),
        empty: html``,
        columns: [
          { label: 'Site', onPhone: 'title', cell: siteOf },
          { label: 'Last', kind: 'brief', cell: ({ lastAt }) => ago(lastAt, now) },
          { label: 'Times', kind: 'number', cell: (figure) => count(figure.count) },
          { label: 'Code', kind: 'end', onPhone: 'corner', cell: (figure) => tag(figure.code) },
        ],
        detail: (figure) => told(`${refusalSenders(figure)} ${figure.cause}`, command),
      }),
      left > 0 &&
        html`<p class="hint">${code(command('sites'))} lists ${count(left)} other kinds of refusals.</p>`,
    ],
  });
}

const siteOf = ({ service }: RefusalFigure): Html =>
  service === null ? html`<span class="soft">not named</span>` : quoted(shownService(service, 64));

const notSentCard = (noise: Explanation['noise']): Html =>
  card({
    title: 'Nothing was refused in the last 7 days',
    actions: linkButton('Compare the keys', paths.keys),
    body: html`<p>${noise.length > 0 && `But ${noiseText(noise)}. If it was none of these, `}${noise.length > 0 ? 'the' : 'The'} site has not sent the vote to this port: compare the address, the port and the key at the site with those here.</p>`,
  });
