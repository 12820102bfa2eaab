import type { Random } from '../../core/random.ts';

/** NS-36: the HMAC key is the whole string as it is shown, including the prefix. */
export const newWebhookSecret = (random: Random): string => `whsec_${random.bytes(32).toString('base64url')}`;
