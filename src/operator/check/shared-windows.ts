import { DAY_MS } from '../../core/duration.ts';
import { type Finding, problem } from '../../core/finding.ts';
import { shownService } from '../../core/service-name.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import type { SharedWindow } from '../../ledger/ledger.ts';
import { canBeListed, DEFAULT_SITE, matchSite } from '../../votes/intake/sites.ts';
import type { Subject } from './subject.ts';

const LOOKED_AT_MS = 7 * DAY_MS;
const SERVICES_MAX = 10;

/** Rewards that players missed because services without an entry share a window. Skips services listed since then. */
export async function checkSharedWindows({ ledger, config, clock }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const shared = await ledger.sharedWindows(DEFAULT_SITE, clock.now() - LOOKED_AT_MS, SERVICES_MAX);
  const unlisted = shared.filter(
    ({ service }) => !matchSite(config.sites, service).isListed && service !== STAND_IN_SERVICE,
  );
  return unlisted.map(findingOf);
}

function findingOf({ service, votes, lastVote, waiting }: SharedWindow): Finding {
  const name = shownService(service, 64);
  const counted = votes === 1 ? '1 vote' : `${votes} votes`;
  return problem(
    'window-shared',
    `${counted} on ${name} got no reward in the last 7 days, because services without an entry share one window and a vote on another one had taken it`,
    waiting === votes
      ? `\`teller sites add\` gives ${name} its own window and pays ${votes === 1 ? 'this vote' : 'these votes'}`
      : `\`teller sites add\` gives ${name} its own window; \`teller votes reward ${lastVote}\` rewards the latest of these votes`,
    canBeListed(service) ? { kind: 'add-site', service } : null,
  );
}
