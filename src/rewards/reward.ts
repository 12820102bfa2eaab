import type { When } from '../core/reward.ts';
import type { If } from './conditions.ts';

/** One entry of `rewards`, as the config's loader has checked it. */
export interface Reward {
  readonly name: string;
  /** All of them must hold. */
  readonly if: If;
  readonly when: When;
  /** Names of game servers; one grant is made for each. */
  readonly servers: readonly string[];
  /** One-line templates, in order (see `core/template.ts`). */
  readonly commands: readonly string[];
  readonly safeToRunTwice: boolean;
}

/** What the config says about rewards, in the form that a decision needs. */
export interface Rules {
  readonly rewards: readonly Reward[];
  readonly practiceServers: ReadonlySet<string>;
  /** What `{site}` shows, by entry key; an entry without a label shows the cleaned service name. */
  readonly labels: ReadonlyMap<string, string>;
  /** The IANA name of the time zone that days begin in. */
  readonly zone: string;
}
