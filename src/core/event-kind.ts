/** What happens that other programs are told, in the order in which the docs list it. */
export const EVENT_KINDS = [
  'vote.rewarded',
  'vote.cooldown',
  'vote.refused',
  'grant.delivered',
  'grant.held',
  'party',
  'health',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];
