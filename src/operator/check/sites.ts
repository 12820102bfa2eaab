import { type Finding, ok, warning } from '../../core/finding.ts';
import { isoTime } from '../../core/instant.ts';
import { shownService } from '../../core/service-name.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import { figuresOfSites, type SiteFigures } from '../sites/figures.ts';
import { causeParts, noiseText, type RefusalFigure, refusalSenders } from '../trace/refusals.ts';
import type { Subject } from './subject.ts';

/** Anyone can invent service names. */
const UNLISTED_MAX = 20;

/** Each service's last vote, its refusals with their causes, and whether it lacks an entry in `sites`. */
export async function checkSites({ ledger, config, clock }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const { services, nameless, noise } = await figuresOfSites(ledger, config.sites, clock.now());
  const listed = services.filter(({ isListed }) => isListed);
  const unlisted = services.filter(({ isListed }) => !isListed).slice(0, UNLISTED_MAX);
  return [
    ...[...listed, ...unlisted].flatMap(checkSite),
    ...nameless.map((figure) => refusalFinding(figure, false)),
    ...(noise.length === 0 ? [] : [ok('refusals', `in the last 7 days ${noiseText(noise)}`)]),
  ];
}

const checkSite = (site: SiteFigures): readonly Finding[] => [
  ...voteFindings(site),
  ...site.refusals.map((figure) => refusalFinding(figure, figure.isProbablyFixed)),
];

function voteFindings({ service, isListed, lastVoteAt, today, toAdd, nearly }: SiteFigures): Finding[] {
  const name = shownService(service, 64);
  if (lastVoteAt === null) {
    if (!isListed) return [];
    const toDo = 'compare the service name, the address and the key at the site with `teller keys`';
    return [warning('site-silent', `${name} is in sites but has sent no vote yet`, toDo)];
  }
  const last = `${name}: last vote ${isoTime(lastVoteAt)}, ${today} today`;
  if (isListed || service === STAND_IN_SERVICE) return [ok('site', last)];
  const misspelt =
    nearly === null ? '' : `; or, if it is the same site as "${nearly}", change that name to this one`;
  return [
    warning(
      'site-unlisted',
      `${last}; it shares the window of unlisted sites`,
      toAdd === null ? null : `add ${toAdd} to sites (\`teller sites add\`)${misspelt}`,
      toAdd === null ? null : { kind: 'add-site', service },
    ),
  ];
}

function refusalFinding(figure: RefusalFigure, isProbablyFixed: boolean): Finding {
  const { service, code, count, lastAt } = figure;
  const { did, toDo } = causeParts(figure);
  const whose = service === null ? 'without a service name' : shownService(service, 64);
  const times = count === 1 ? 'once' : `${count} times`;
  const sentence = `${whose}: refused ${times}, last ${isoTime(lastAt)}: ${refusalSenders(figure)} ${did} (${code})`;
  return isProbablyFixed
    ? ok('refusals', `${sentence}; a vote was recorded since, so this is probably fixed`)
    : warning('refusals', sentence, toDo ?? 'if it is a listing of yours, ask its operator');
}
