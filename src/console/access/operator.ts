/** Someone who has signed in to the console. */
export interface Operator {
  /** How they signed in, which is stored with what they do, such as `console from 192.0.2.7 by link`. */
  readonly id: string;
  /** When they signed in. */
  readonly since: number;
}
