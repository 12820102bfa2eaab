import type { SiteConfig, SiteGame } from '../../config/config.ts';
import { type Finding, warning } from '../../core/finding.ts';
import { shownService } from '../../core/service-name.ts';
import { unnamedProxy } from '../public/unnamed-proxy.ts';
import { type Subject, takes } from './subject.ts';

const VOTES_LOOKED_AT = 50;

/** Whether anyone can forge votes, and whether a site sends votes for another game than the config says. */
export const checkChannels = async (subject: Subject): Promise<readonly Finding[]> => [
  ...v1Open(subject),
  ...proxiesOpen(subject),
  ...(await unnamedProxyFound(subject)),
  ...(await otherGameInWebhooks(subject)),
];

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
      `votes by protocol version 1 for ${names} are accepted from any address, and they prove only that the sender knows the public key: whoever has it can forge votes`,
      'if the listing can use a token (version 2), give it one and set protocols to ["v2"]; otherwise set sites.<name>.from to the addresses it sends from',
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

/** Seen by the running Teller. */
async function unnamedProxyFound(subject: Subject): Promise<readonly Finding[]> {
  const { config, controlFolder, isRunning, clock } = subject;
  const { console: pages } = config;
  if (pages.public === null || !isRunning) return [];
  const found = await unnamedProxy(controlFolder, clock.now());
  if (found === null) return [];
  const network = `${found.address}/${found.address.includes(':') ? 128 : 32}`;
  return [
    warning(
      'proxy-unnamed',
      `the public page gets many requests from ${found.address} with the header of a proxy, and limits them as those of one player`,
      `if that is a proxy of yours, add "${network}" to \`trustedProxies\` of \`console\` and restart Teller; otherwise there is nothing to do`,
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

export const doubtful = (site: string, game: SiteGame, seen: string): Finding =>
  warning(
    'game-doubtful',
    `${shownService(site, 64)} is a listing for ${game} according to the config, but ${seen}`,
    `correct sites.${JSON.stringify(site)}.game; missed votes for the wrong game are not paid`,
  );
