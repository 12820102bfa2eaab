import type { Random } from '../../core/random.ts';

/** NS-36: the HMAC key is this text as it is shown, prefix included. */
export const newWebhookSecret = (random: Random): string => `whsec_${random.bytes(32).toString('base64url')}`;
