import { type Config, forwardTargets, practiceNames, type SiteConfig } from '../../config/config.ts';
import { DEFAULT_SITE, serviceNameOf } from '../../core/service-name.ts';
import type { Recipient } from '../../core/vote.ts';
import type { Rules } from '../../rewards/reward.ts';

/** What the config says about rewards, in the form that `decide` needs. */
export function rulesOf(config: Config, zone: string): Rules {
  const targets = forwardTargets(config);
  return {
    rewards: config.rewards,
    parties: config.party,
    practiceServers: new Set(practiceNames(config)),
    labels: labelsOf(config),
    listed: listedOf(config),
    links: linksOf(config),
    zone,
    pay: config.pay,
    ...(targets.length === 0 ? {} : { targets }),
  };
}

type ListedSite = readonly [service: string, site: SiteConfig];

/** Something about the sites with an entry of their own, by the kind of recipient that their votes name. */
function byRecipient<Item>(
  { sites }: Config,
  of: (site: ListedSite) => readonly Item[],
): Readonly<Record<Recipient['kind'], readonly Item[]>> {
  const listed = [...sites].filter(([key]) => key !== DEFAULT_SITE);
  const forPlayers = ([, { game }]: ListedSite): boolean => game === 'minecraft';
  return {
    player: listed.filter(forPlayers).flatMap(of),
    user: listed.filter((site) => !forPlayers(site)).flatMap(of),
  };
}

const listedOf = (config: Config): Rules['listed'] => byRecipient(config, ([key]) => [serviceNameOf(key)]);

/** What `{voteLinks}` shows. What a command could read as a quote, a brace or a placeholder is percent-encoded. */
export const linksOf = (config: Config): Rules['links'] =>
  byRecipient(config, ([, { url }]) =>
    url === null
      ? []
      : [url.replaceAll(/[{}"'\\]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)],
  );

/** What `{site}` shows, by entry key. */
export const labelsOf = ({ sites }: Config): Rules['labels'] =>
  new Map([...sites].flatMap(([key, { label }]) => (label === null ? [] : [[key, label] as const])));
