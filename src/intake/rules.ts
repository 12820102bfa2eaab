import { type Config, practiceNames } from '../config/config.ts';
import { DEFAULT_SITE, serviceNameOf } from '../core/service-name.ts';
import type { Rules } from '../rewards/reward.ts';

/** What the config says about rewards, in the form that `decide` needs. */
export const rulesOf = (config: Config, zone: string): Rules => ({
  rewards: config.rewards,
  practiceServers: new Set(practiceNames(config)),
  labels: labelsOf(config),
  listed: listedOf(config),
  zone,
});

const listedOf = ({ sites }: Config): Rules['listed'] => {
  const listed = [...sites].filter(([key]) => key !== DEFAULT_SITE);
  const of = (isForPlayers: boolean) =>
    listed
      .filter(([, { game }]) => (game === 'minecraft') === isForPlayers)
      .map(([key]) => serviceNameOf(key));
  return { player: of(true), user: of(false) };
};

/** What `{site}` shows, by entry key. */
export const labelsOf = ({ sites }: Config): Rules['labels'] =>
  new Map([...sites].flatMap(([key, { label }]) => (label === null ? [] : [[key, label] as const])));
