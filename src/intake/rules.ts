import { type Config, practiceNames } from '../config/config.ts';
import type { Rules } from '../rewards/reward.ts';

/** What the config says about rewards, as `decide` needs it. */
export function rulesOf(config: Config): Rules {
  const labels = [...config.sites].flatMap(([key, { label }]) =>
    label === null ? [] : [[key, label] as const],
  );
  return {
    rewards: config.rewards,
    practiceServers: new Set(practiceNames(config)),
    labels: new Map(labels),
  };
}
