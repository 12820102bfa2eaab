import { whyUnfit } from '../../../protocol/listing-api.ts';
import type { SiteApi, SiteGame } from '../../config/config.ts';
import { isLoopback } from '../../core/address.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { shownService } from '../../core/service-name.ts';
import { askForVotesAgain, clocksApart, type ListingFault, unfitFault } from '../../votes/listing-client.ts';
import { doubtful } from './channels.ts';
import { SET_CLOCK } from './clock.ts';
import type { Subject } from './subject.ts';

/** How long to retry a listing that is busy. `check` does not need its answer. */
const RETRY_FOR_MS = 5_000;
const VOTES_LOOKED_AT = 50;
/** Fewer prove nothing: a voter may leave out the player name. */
const VOTES_TELLING = 10;

/** Whether each listing's API answers. */
export async function checkApis(subject: Subject): Promise<readonly Finding[]> {
  if (subject.isOffline) return [];
  const asked = apisIn(subject).map(async ([site, api]) => [
    ...(await askApi(site, api, subject)),
    ...checkTls(site, api),
  ]);
  return (await Promise.all(asked)).flat();
}

export const apisIn = ({ config }: Pick<Subject, 'config'>): readonly (readonly [string, SiteApi])[] =>
  [...config.sites].flatMap(([site, { api }]) => (api === null ? [] : [[site, api] as const]));

async function askApi(
  site: string,
  api: SiteApi,
  { clock, random, config }: Subject,
): Promise<readonly Finding[]> {
  const name = shownService(site, 64);
  const { missing } = api.token;
  if (missing !== null) return [warning('api-unknown', `the API of ${name} was not asked: ${missing}`)];
  const answer = await askForVotesAgain(site, api, { limit: VOTES_LOOKED_AT }, RETRY_FOR_MS, clock, random);
  if (answer.kind !== 'ok') return [unusable(name, answer)];
  const why = whyUnfit(answer.votes);
  if (why !== null) return [unusable(name, unfitFault(why))];
  const apart = clocksApart(answer.serviceTime, clock.now());
  return [
    answers(name),
    ...(apart === null ? [] : [warning('clock-wrong', `the API of ${name}: ${apart}`, SET_CLOCK)]),
    ...otherGameInApi(site, config.sites.get(site)?.game ?? 'minecraft', answer.votes.votes),
  ];
}

export const answers = (name: string): Finding =>
  ok('api', `the API of ${name} answers, so missed votes will be found`);

export const unusable = (
  name: string,
  { code, sentence }: Pick<ListingFault<string>, 'code' | 'sentence'>,
): Finding =>
  problem('api', `the API of ${name} does not work, so missed votes are not found: ${sentence} (${code})`);

/** Whether the token can be read on the way. */
export const checkTls = (site: string, { baseUrl }: SiteApi): readonly Finding[] =>
  isPlain(new URL(baseUrl)) ? [plainFinding(shownService(site, 64))] : [];

const isPlain = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));

const plainFinding = (name: string): Finding =>
  warning(
    'api-plain',
    `the API of ${name} is called without TLS, so anyone on the network path can read the token and invent votes`,
    'set baseUrl to its https address',
  );

/** Only votes on Minecraft listings name players, and nearly all of them do. Only the webhook says which game it is. */
function otherGameInApi(
  site: string,
  game: SiteGame,
  votes: readonly { readonly metadata: { readonly playerName?: string | undefined } }[],
): readonly Finding[] {
  const naming = votes.filter(({ metadata }) => metadata.playerName !== undefined).length;
  const isDoubtful = game === 'minecraft' ? naming === 0 && votes.length >= VOTES_TELLING : naming > 0;
  if (!isDoubtful) return [];
  const seen =
    game === 'minecraft' ? `none of its last ${votes.length} votes names a player` : 'its votes name players';
  return [doubtful(site, game, seen)];
}
