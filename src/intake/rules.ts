import { type Config, practiceNames } from '../config/config.ts';
import type { Rules } from '../rewards/reward.ts';

/** What the config says about rewards, in the form that `decide` needs. */
export const rulesOf = (config: Config, zone: string): Rules => ({
  rewards: config.rewards,
  practiceServers: new Set(practiceNames(config)),
  labels: labelsOf(config),
  zone,
});

/** What `{site}` shows, by entry key. */
export const labelsOf = ({ sites }: Config): Rules['labels'] =>
  new Map([...sites].flatMap(([key, { label }]) => (label === null ? [] : [[key, label] as const])));
