/** `online` waits until the player is on the game server; `always` is paid at once. */
export type When = 'online' | 'always';

/** One entry of `rewards`, as the config's loader has checked it. */
export interface Reward {
  readonly name: string;
  readonly if: {
    /** Entry keys of `sites` (or service names) for which this reward is paid; absent: all. */
    readonly sites?: readonly string[];
    /** From 0 to 1; absent: always. */
    readonly chance?: number;
  };
  readonly when: When;
  /** Names of game servers; one grant is made for each. */
  readonly servers: readonly string[];
  /** One-line templates, in order (see `template.ts`). */
  readonly commands: readonly string[];
  readonly safeToRunTwice: boolean;
}
