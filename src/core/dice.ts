/** Where chance comes from. Tests bring loaded ones. */
export interface Dice {
  /** A number from 0 (included) to 1 (excluded), for rewards with a chance and for jitter. */
  roll(): number;
  /** Unguessable bytes, for challenges, tokens and passwords. */
  bytes(count: number): Buffer;
}
