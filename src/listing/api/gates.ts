import { bodyLimit } from 'hono/body-limit';
import type { ApiScope } from '../../../protocol/listing-api/scopes.ts';
import { isUseToBeNoted } from '../store/tokens.ts';
import type { ApiParts, Gate } from './api-env.ts';
import { ApiFault, listingRemoved } from './fault.ts';

/** Who may use an operation. */
export interface Access {
  /** Any one of them is enough. */
  readonly scopes: readonly ApiScope[];
  /** Only for the bot that the path names. */
  readonly isOwnBotOnly?: boolean;
}

const BODY_MAX_BYTES = 64 * 1024;

/**
 * NS-15: what a request passes before its parameters and its body are read, in this order. The address's limit stands
 * before all of them; after them come the operation's schemas, then the listing's limits, then the work. It is the
 * only order in which a token of the wrong kind is told so, and an invalid request costs nothing.
 */
export const gates = (parts: ApiParts, access: Access): Gate[] => [
  knownToken(parts),
  listingStillThere,
  ...(access.isOwnBotOnly ? [botOnly] : []),
  scoped(access.scopes),
  ...(access.isOwnBotOnly ? [ownBotOnly] : []),
  declaredSize,
  countedSize,
];

function knownToken({ store, clock }: ApiParts): Gate {
  return async (c, next) => {
    const token = bearerToken(c.req.header('Authorization'));
    if (token === null) throw new ApiFault('INVALID_TOKEN', NO_TOKEN);
    const caller = store.tokens.bearer(token);
    if (caller === null) throw new ApiFault('INVALID_TOKEN', UNKNOWN_TOKEN);
    const now = clock.now();
    if (isUseToBeNoted(caller, now)) await store.write(() => store.tokens.noteUse(caller.tokenId, now));
    c.set('caller', caller);
    await next();
  };
}

const NO_TOKEN = 'Send a token of your listing as “Authorization: Bearer <token>”.';
const UNKNOWN_TOKEN =
  'This token is not valid: it was rotated or revoked, or it is incomplete. Copy the current one, or create a new one in the dashboard.';

/** The token of a header, null where there is none. The scheme's case does not matter (RFC 9110 §11.1), the token's does. */
const bearerToken = (header: string | undefined): string | null =>
  /^bearer +([^\s]{1,256})$/i.exec(header ?? '')?.[1] ?? null;

const listingStillThere: Gate = async (c, next) => {
  if (c.var.caller.isListingRemoved) throw listingRemoved();
  await next();
};

const botOnly: Gate = async (c, next) => {
  if (c.var.caller.listing.type !== 'bot') {
    throw new ApiFault('FORBIDDEN', 'Only bots report statistics, and this token is a game server’s.');
  }
  await next();
};

const scoped =
  (scopes: readonly ApiScope[]): Gate =>
  async (c, next) => {
    if (!scopes.some((scope) => c.var.caller.scopes.includes(scope))) {
      throw new ApiFault('MISSING_SCOPE', `This token lacks the scope ${scopes[0]}.`);
    }
    await next();
  };

const ownBotOnly: Gate = async (c, next) => {
  if (c.req.param('id') !== c.var.caller.listing.id) {
    throw new ApiFault('FORBIDDEN', 'This token is another bot’s.');
  }
  await next();
};

function tooLarge(): never {
  throw new ApiFault('VALIDATION_FAILED', `A body has at most ${BODY_MAX_BYTES / 1024} KiB.`);
}

/** By its header alone: a body that nobody touched is drained by the server, and the connection can be used again. */
const declaredSize: Gate = async (c, next) => {
  if (Number(c.req.header('Content-Length') ?? 0) > BODY_MAX_BYTES) tooLarge();
  await next();
};

/** For those that come in chunks and declare nothing. */
const countedSize: Gate = bodyLimit({ maxSize: BODY_MAX_BYTES, onError: tooLarge });
