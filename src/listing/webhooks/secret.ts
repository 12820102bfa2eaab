import type { Dice } from '../../core/dice.ts';

/** NS-36: the HMAC key is this text as it is shown, prefix included. */
export const newWebhookSecret = (dice: Dice): string => `whsec_${dice.bytes(32).toString('base64url')}`;
