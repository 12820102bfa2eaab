import type { Facts } from '../../core/reason.ts';

/** Something that needs the operator. They are notified once when it begins and once when it is over. */
export interface Alarm {
  /** The code of its kind. */
  readonly code: string;
  /** What it is about, such as the name of a game server; null if there is only one of its kind. */
  readonly subject: string | null;
  /** Since when it holds, in milliseconds since the Unix epoch, like all times here. */
  readonly since: number;
  /** What its sentences need. */
  readonly facts: Facts;
  /** When the operator was notified that it began; null: not yet. */
  readonly notifiedAt: number | null;
  /** null: it holds. */
  readonly end: AlarmEnd | null;
}

export interface AlarmEnd {
  readonly at: number;
  /** Whether its subject is gone from the config, so that nothing else is known. */
  readonly isGone: boolean;
}

/** What a kind saw in one look, for each of its subjects. A subject that is left out is gone from the config. */
export type Seen<F extends Facts = Facts> =
  | {
      readonly subject: string | null;
      readonly state: 'holds';
      /** null: since this look. */
      readonly since: number | null;
      readonly facts: F;
    }
  /** `facts`: what the sentence about the end needs besides. */
  | { readonly subject: string | null; readonly state: 'over'; readonly facts: Facts }
  /** It cannot be said now, so everything stays as it was. */
  | { readonly subject: string | null; readonly state: 'unknown' };

export const keyOf = ({ code, subject }: Pick<Alarm, 'code' | 'subject'>): string =>
  JSON.stringify([code, subject]);
