import type { DecisionKind } from '../../core/decide.ts';
import type { GrantState } from '../../core/settlement.ts';
import type { Channel } from '../../core/vote.ts';
import type { Payment } from '../../operator/vote-list.ts';
import { badge, type Html, type Tone } from '../../web/kit.ts';

/** Each decision and each payment in a word or two, as a badge. */

type Word = readonly [label: string, tone: Tone];

const DECISION_WORDS: Readonly<Record<DecisionKind, Word>> = {
  rewarded: ['counted', 'good'],
  cooldown: ['too early', 'idle'],
  unlisted: ['unlisted site', 'warn'],
  'too-old': ['too old', 'idle'],
  'before-start': ['before Teller', 'idle'],
  'no-player': ['no player', 'warn'],
  practice: ['practice', 'idle'],
};

const PAYMENT_WORDS: Readonly<Record<Payment, Word>> = {
  'needs-operator': ['needs you', 'bad'],
  waiting: ['waiting', 'busy'],
  pending: ['paying', 'busy'],
  paid: ['paid', 'good'],
  elsewhere: ['other side pays', 'idle'],
  cancelled: ['cancelled', 'idle'],
  nothing: ['nothing to pay', 'idle'],
};

const STATE_TONES: Readonly<Record<GrantState, Tone>> = {
  pending: 'busy',
  waiting: 'busy',
  held: 'warn',
  refused: 'bad',
  delivered: 'good',
  cancelled: 'idle',
};

const CHANNEL_WORDS: Readonly<Record<Channel, string>> = {
  'listener-v1': 'Votifier v1',
  'listener-v2': 'Votifier v2',
  webhook: 'webhook',
  api: 'listing’s API',
  operator: 'added by you',
  import: 'imported',
};

export const decisionBadge = (kind: DecisionKind): Html => badge(...DECISION_WORDS[kind]);
export const paymentBadge = (payment: Payment): Html => badge(...PAYMENT_WORDS[payment]);
export const grantBadge = (state: GrantState): Html => badge(state, STATE_TONES[state]);
export const decisionWord = (kind: DecisionKind): string => DECISION_WORDS[kind][0];
export const channelWord = (channel: Channel): string => CHANNEL_WORDS[channel];
