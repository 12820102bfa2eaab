import type { SiteApi, SiteConfig, SiteGame } from '../config/config.ts';
import { isLoopback } from '../core/address.ts';
import { shownService } from '../core/service-name.ts';
import { ListingClient } from '../listing-client/listing-client.ts';
import { clocksApart } from '../recovery/clocks.ts';
import { faultOf, faultOfVotes, type RecoveryFault } from '../recovery/faults.ts';
import { SET_CLOCK } from './clock.ts';
import { type Finding, ok, problem, warning } from '../core/finding.ts';
import { type Subject, takes } from './subject.ts';

/** How long a listing is asked for; it may be busy, and nothing is lost by not knowing. */
const RETRY_FOR_MS = 5_000;
const VOTES_LOOKED_AT = 50;
/** Fewer say nothing: a voter may name no player. */
const VOTES_TELLING = 10;

/** The channels that votes come in by: what v1 leaves open, and whether each listing's API answers. */
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

/** These two addresses belong to no host: a network that contains one of them is as good as all addresses. */
const isAnyAddress = (isFrom: SiteConfig['isFrom']): boolean =>
  isFrom === null || isFrom('0.0.0.1') || isFrom('::2');

/** Anyone who has seen the public key can forge v1 votes in any name, unless the config says where they come from. */
function v1Open({ config }: Subject): readonly Finding[] {
  const open = [...config.sites].filter(([, site]) => takes('v1', site, config) && isAnyAddress(site.isFrom));
  if (open.length === 0) return [];
  const names = open.map(([site]) => shownService(site, 64)).join(', ');
  return [
    warning(
      'v1-open',
      `v1 votes for ${names} are accepted from any address, so anyone who has seen the public key can forge them`,
      'say where they come from (sites.<name>.from), or set protocols to ["v2"] where the listing has a token',
    ),
  ];
}

/** Where a sender can name its own address, neither caps by address nor `from` have an effect. */
function proxiesOpen({ config: { listener } }: Subject): readonly Finding[] {
  if (listener.proxyProtocol === 'off' || listener.isTrustedProxy !== null) return [];
  return [
    warning(
      'proxies-open',
      'PROXY headers are believed from any address, so a sender can name any address as its own',
      'name your proxies in listener.trustedProxies',
    ),
  ];
}

/** A listing's signed word against the config: votes by webhook paid user IDs, and the config says that it names players. */
async function otherGameInWebhooks({ config: { sites }, ledger }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const findings: Finding[] = [];
  for (const [site, { game, webhook }] of sites) {
    if (game !== 'minecraft' || webhook === null) continue;
    const votes = await ledger.votes({ site, limit: VOTES_LOOKED_AT });
    const users = votes.filter(
      ({ channel, player, decision }) => channel === 'webhook' && player === null && decision === 'rewarded',
    );
    if (users.length > 0) findings.push(doubtful(site, game, 'its webhook says that it is for another'));
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
    ok('api', `the API of ${name} answers, so votes that are missed will be found`),
    ...(apart === null ? [] : [warning('clock-wrong', `the API of ${name}: ${apart}`, SET_CLOCK)]),
    ...otherGameInApi(site, config.sites.get(site)?.game ?? 'minecraft', answer.value.votes),
    ...plain,
  ];
}

const unusable = (name: string, { code, sentence }: RecoveryFault): Finding =>
  problem('api', `the API of ${name} reports no votes, so missed votes are not found: ${sentence} (${code})`);

const isPlain = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && !isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));

const plainFinding = (name: string): Finding =>
  warning(
    'api-plain',
    `the API of ${name} is asked without TLS, so anyone on the network path can read the token and invent votes`,
    'put its https address into baseUrl',
  );

/** Players are named on Minecraft listings only, and there nearly always: no channel but the webhook says which game it is. */
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
    `${shownService(site, 64)} is a listing for ${game} by the config, and ${seen}`,
    `say what it is in sites.${JSON.stringify(site)}.game; missed votes for the wrong game are not paid`,
  );
