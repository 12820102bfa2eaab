import type { SiteApi, SiteConfig, SiteGame } from '../config/config.ts';
import { isLoopback } from '../core/address.ts';
import { shownService } from '../core/service-name.ts';
import { ListingClient } from '../listing-client/listing-client.ts';
import { clocksApart } from '../recovery/clocks.ts';
import { faultOf, faultOfVotes, type RecoveryFault } from '../recovery/faults.ts';
import { SET_CLOCK } from './clock.ts';
import { type Finding, ok, problem, warning } from '../core/finding.ts';
import { type Subject, takes } from './subject.ts';

/** How long to retry a listing that is busy. `check` does not need its answer. */
const RETRY_FOR_MS = 5_000;
const VOTES_LOOKED_AT = 50;
/** Fewer prove nothing: a voter may leave out the player name. */
const VOTES_TELLING = 10;

/** Whether anyone can forge v1 votes, and whether each listing's API answers. */
export async function checkChannels(subject: Subject): Promise<readonly Finding[]> {
  const { config, isOffline } = subject;
  const asked = isOffline
    ? []
    : [...config.sites].flatMap(([site, { api }]) => (api === null ? [] : [checkApi(site, api, subject)]));
  return [
    ...v1Open(subject),
    ...proxiesOpen(subject),
    ...(await otherGameInWebhooks(subject)),
    ...(await Promise.all(asked)).flat(),
  ];
}

/** These two addresses belong to no host: a network that contains one of them allows practically every address. */
const isAnyAddress = (isFrom: SiteConfig['isFrom']): boolean =>
  isFrom === null || isFrom('0.0.0.1') || isFrom('::2');

/** Anyone who has seen the public key can forge v1 votes for any player, unless the config restricts the addresses. */
function v1Open({ config }: Subject): readonly Finding[] {
  const open = [...config.sites].filter(([, site]) => takes('v1', site, config) && isAnyAddress(site.isFrom));
  if (open.length === 0) return [];
  const names = open.map(([site]) => shownService(site, 64)).join(', ');
  return [
    warning(
      'v1-open',
      `v1 votes for ${names} are accepted from any address, so anyone who has seen the public key can forge them`,
      'set sites.<name>.from to the networks of the listing, or protocols to ["v2"] if the listing has a token',
    ),
  ];
}

/** If senders can choose the address they appear to have, neither caps per address nor `from` have an effect. */
function proxiesOpen({ config: { listener } }: Subject): readonly Finding[] {
  if (listener.proxyProtocol === 'off' || listener.isTrustedProxy !== null) return [];
  return [
    warning(
      'proxies-open',
      'PROXY headers are accepted from any address, so senders can pretend to have any address',
      'list your proxies in listener.trustedProxies',
    ),
  ];
}

/** Webhook votes that were rewarded to user IDs, on sites whose game in the config has player names. */
async function otherGameInWebhooks({ config: { sites }, ledger }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const findings: Finding[] = [];
  for (const [site, { game, webhook }] of sites) {
    if (game !== 'minecraft' || webhook === null) continue;
    const votes = await ledger.votes({ site, limit: VOTES_LOOKED_AT });
    const users = votes.filter(
      ({ channel, player, decision }) => channel === 'webhook' && player === null && decision === 'rewarded',
    );
    if (users.length > 0) findings.push(doubtful(site, game, 'its webhook votes are for another game'));
  }
  return findings;
}

async function checkApi(
  site: string,
  { baseUrl, token }: SiteApi,
  { clock, random, config }: Subject,
): Promise<readonly Finding[]> {
  const name = shownService(site, 64);
  const plain = isPlain(new URL(baseUrl)) ? [plainFinding(name)] : [];
  if (token.missing !== null)
    return [warning('api-unknown', `the API of ${name} was not asked: ${token.missing}`), ...plain];
  const client = new ListingClient({
    baseUrl,
    token: token.reveal(),
    clock,
    random,
    retryForMs: RETRY_FOR_MS,
  });
  const answer = await client.votes({ limit: VOTES_LOOKED_AT });
  if (answer.kind !== 'ok') return [unusable(name, faultOf(answer, site)), ...plain];
  const fault = faultOfVotes(answer.value);
  if (fault !== null) return [unusable(name, fault), ...plain];
  const apart = clocksApart(answer.serviceTime, clock.now());
  return [
    ok('api', `the API of ${name} answers, so missed votes will be found`),
    ...(apart === null ? [] : [warning('clock-wrong', `the API of ${name}: ${apart}`, SET_CLOCK)]),
    ...otherGameInApi(site, config.sites.get(site)?.game ?? 'minecraft', answer.value.votes),
    ...plain,
  ];
}

const unusable = (name: string, { code, sentence }: RecoveryFault): Finding =>
  problem('api', `the API of ${name} does not work, so missed votes are not found: ${sentence} (${code})`);

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

const doubtful = (site: string, game: SiteGame, seen: string): Finding =>
  warning(
    'game-doubtful',
    `${shownService(site, 64)} is a listing for ${game} according to the config, but ${seen}`,
    `correct sites.${JSON.stringify(site)}.game; missed votes for the wrong game are not paid`,
  );
