import { bodyLimit } from 'hono/body-limit';
import type { ApiScope } from '../../../protocol/listing-api.ts';
import { shouldRecordUse } from '../store/tokens.ts';
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
 * NS-15: the checks before the parameters and the body are read, in this order. The address's limit is checked before
 * all of them; the operation's schemas, the listing's limits and the work follow. Only in this order does a token of the
 * wrong kind get its own error, while an invalid request costs nothing.
 */
export const gates = (parts: ApiParts, access: Access): Gate[] => [
  knownToken(parts),
  listingExists,
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
    if (shouldRecordUse(caller, now)) await store.changes.recordTokenUse(caller.tokenId, now);
    c.set('caller', caller);
    await next();
  };
}

const NO_TOKEN =
  'The request has no API token. Send one of your listing’s as “Authorization: Bearer <token>”.';
const UNKNOWN_TOKEN =
  'This token is not valid: it is incomplete, or it was rotated or revoked. Use the token that replaced it, or create a new one in the dashboard.';

/** The token in a header; null if there is none. Only the scheme ignores case (RFC 9110 §11.1). */
const bearerToken = (header: string | undefined): string | null =>
  /^bearer +([^\s]{1,256})$/i.exec(header ?? '')?.[1] ?? null;

const listingExists: Gate = async (c, next) => {
  if (c.var.caller.isListingRemoved) throw listingRemoved();
  await next();
};

const botOnly: Gate = async (c, next) => {
  if (c.var.caller.listing.type !== 'bot') {
    throw new ApiFault(
      'FORBIDDEN',
      'This token belongs to a game server’s listing, and only bots report statistics. Use the token of a bot’s listing.',
    );
  }
  await next();
};

const scoped =
  (scopes: readonly ApiScope[]): Gate =>
  async (c, next) => {
    if (!scopes.some((scope) => c.var.caller.scopes.includes(scope))) {
      throw new ApiFault(
        'MISSING_SCOPE',
        `This token does not have the scope ${scopes[0]}. Create a token that has it in the dashboard.`,
      );
    }
    await next();
  };

const ownBotOnly: Gate = async (c, next) => {
  if (c.req.param('id') !== c.var.caller.listing.id) {
    throw new ApiFault(
      'FORBIDDEN',
      'This token belongs to another bot. Use the ID of the token’s own bot in the path.',
    );
  }
  await next();
};

function tooLarge(): never {
  throw new ApiFault(
    'VALIDATION_FAILED',
    `The body is larger than ${BODY_MAX_BYTES / 1024} KiB. Split it into smaller requests.`,
  );
}

/** The content types whose bodies the framework reads. */
const JSON_TYPE = /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i;

/** A body that is not read would look like one that lacks every field. */
export const jsonOnly: Gate = async (c, next) => {
  if (!JSON_TYPE.test(c.req.header('Content-Type') ?? '')) {
    throw new ApiFault(
      'VALIDATION_FAILED',
      'The request has no JSON body. Send one, with the header “Content-Type: application/json”.',
    );
  }
  await next();
};

/** Checks the header only: the server drains a body that was not read, and the connection can be used again. */
const declaredSize: Gate = async (c, next) => {
  if (Number(c.req.header('Content-Length') ?? 0) > BODY_MAX_BYTES) tooLarge();
  await next();
};

/** For chunked bodies, which have no Content-Length. */
const countedSize: Gate = bodyLimit({ maxSize: BODY_MAX_BYTES, onError: tooLarge });
