import {
  deliveryHeaders,
  encodeVotePayload,
  type Game,
  SIGNATURE_HEADER,
  signBody,
  TEST_EVENT_ID,
} from '../../../protocol/webhook.ts';
import type { Clock } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/duration.ts';
import type { Random } from '../../core/random.ts';
import { uuid4, uuid7 } from '../../core/uuid.ts';

/** The content of a delivery. */
export interface Wanted {
  /** null for a new event. All tests share one event ID [WH-3]. */
  readonly eventId: string | null;
  readonly isTest: boolean;
  readonly attempt: number;
  readonly listingId: string;
  readonly userId: string;
  /** null for a bot listing. */
  readonly game: Game | null;
  /** null if the voter named none. */
  readonly playerName: string | null;
  /** null: not signed. */
  readonly secret: string | null;
}

/** One delivery as the listing service would send it. */
export interface Composed {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ComposeParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
}

/** Composes the delivery of a vote that is cast now. */
export function compose(wanted: Wanted, { clock, random, userAgent }: ComposeParts): Composed {
  const { isTest, attempt, listingId, userId, game, playerName, secret } = wanted;
  const votedAt = clock.now();
  const nextVoteAt = votedAt + (game === null ? 12 : 24) * HOUR_MS;
  const eventId = isTest ? null : (wanted.eventId ?? uuid7(votedAt, random));
  const facts = { eventId, listingId, userId, votedAt, nextVoteAt, weight: 1, game, playerName };
  const body = encodeVotePayload(facts, votedAt);
  const shownId = eventId ?? TEST_EVENT_ID;
  const deliveryId = uuid4(random);
  const headers = {
    ...deliveryHeaders(shownId, deliveryId, attempt),
    'User-Agent': userAgent,
    ...(secret === null ? {} : { [SIGNATURE_HEADER]: signBody(body, secret) }),
  };
  return { eventId: shownId, deliveryId, attempt, headers, body };
}
