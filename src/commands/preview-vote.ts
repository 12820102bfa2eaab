import { refusalEntry } from '../../protocol/votifier/refusals.ts';
import type { Config } from '../config/config.ts';
import type { RewardedVote } from '../core/cooldown.ts';
import { type Arrival, type Decision, decide, type Rules } from '../core/decide.ts';
import type { Dice } from '../core/dice.ts';
import { Problem } from '../core/problem.ts';
import { judgeArrival } from '../intake/arrival.ts';
import { DEFAULT_SITE } from '../intake/sites.ts';

/** What `teller send` says, too; in a preview it stands for every unlisted service. */
export const STAND_IN_SERVICE = 'Teller test';

/** What a vote would come to. */
export interface Preview {
  readonly arrival: Arrival;
  readonly decision: Decision;
  /** By reward, for those that the dice decide about; the decision has them all won. */
  readonly chances: ReadonlyMap<string, number>;
}

/** The service that is asked for, else every listed one. */
export function servicesToPreview({ sites }: Config, site: string | undefined): readonly string[] {
  if (site !== undefined) return [site];
  const listed = [...sites.keys()].filter((name) => name !== DEFAULT_SITE);
  return listed.length === 0 ? [STAND_IN_SERVICE] : listed;
}

/**
 * A vote that nobody cast, through the same door as every other.
 * @throws Problem `vote-refused`
 */
export function imaginedVote(name: string, service: string, at: number, config: Config): Arrival {
  const wire = { serviceName: service, username: name, address: '', timestamp: String(at) };
  const judged = judgeArrival(
    { wire, channel: 'listener-v2', address: '', receivedAt: at, blockDigest: null, text: '' },
    config.sites,
    config.players.bedrockPrefixes,
  );
  if (typeof judged !== 'string') return judged;
  const sentence = `whoever sends this ${refusalEntry(judged).log} (${judged}), so it would be refused`;
  throw new Problem('vote-refused', sentence);
}

/** Every roll wins, so that all is shown that can be paid. */
const ALWAYS_WON: Dice = { roll: () => 0, bytes: (count) => Buffer.alloc(count) };

export function previewVote(arrival: Arrival, rewarded: readonly RewardedVote[], rules: Rules): Preview {
  const decision = decide(arrival, rewarded, rules, ALWAYS_WON);
  const rolls = decision.kind === 'rewarded' ? decision.rolls : [];
  return { arrival, decision, chances: new Map(rolls.map(({ reward, chance }) => [reward, chance])) };
}
