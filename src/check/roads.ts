import type { SiteApi } from '../config/config.ts';
import { printable } from '../core/printable.ts';
import { ListingClient } from '../listing-client/listing-client.ts';
import { clocksApart } from '../recovery/clocks.ts';
import { faultOf } from '../recovery/faults.ts';
import { SET_CLOCK } from './clock.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Subject } from './subject.ts';

/** How long a listing is asked for; it may be busy, and nothing is lost by not knowing. */
const PATIENCE_MS = 5_000;

/** The roads that votes come in by besides the port: what v1 leaves open, and whether each listing's API answers. */
export async function checkRoads(subject: Subject): Promise<readonly Finding[]> {
  const { config, isOffline } = subject;
  const asked = isOffline
    ? []
    : [...config.sites].flatMap(([site, { api }]) => (api === null ? [] : [checkApi(site, api, subject)]));
  return [...forgeable(subject), ...(await Promise.all(asked))];
}

/** Anybody who has seen the public key can forge v1 votes in any name, where nothing says whose they may be. */
function forgeable({ config }: Subject): readonly Finding[] {
  const takesV1 = (protocols: readonly string[] | null) =>
    (protocols ?? config.listener.protocols).includes('v1');
  const open = [...config.sites].filter(([, { protocols, isFrom }]) => takesV1(protocols) && isFrom === null);
  if (open.length === 0) return [];
  const names = open.map(([site]) => printable(site, 64)).join(', ');
  return [
    warning(
      'v1-open',
      `v1 votes for ${names} are taken from any address: whoever has seen the public key can forge them`,
      'say where they come from (sites.<name>.from), or set protocols to ["v2"] where the listing has a token',
    ),
  ];
}

async function checkApi(
  site: string,
  { baseUrl, token }: SiteApi,
  { clock, dice }: Subject,
): Promise<Finding> {
  const name = printable(site, 64);
  if (token.missing !== null)
    return warning('api-unknown', `the API of ${name} was not asked: ${token.missing}`);
  const client = new ListingClient({ baseUrl, token: token.reveal(), clock, dice, patienceMs: PATIENCE_MS });
  const answer = await client.votes({ limit: 1 });
  if (answer.kind === 'ok') {
    const apart = clocksApart(answer.serviceTime, clock.now());
    if (apart !== null) return warning('clock-wrong', `the API of ${name}: ${apart}`, SET_CLOCK);
    return ok('api', `the API of ${name} answers, so votes that are missed will be found`);
  }
  const { code, sentence } = faultOf(answer, site);
  return problem(
    'api',
    `the API of ${name} tells no votes, so what is missed stays missed: ${sentence} (${code})`,
  );
}
