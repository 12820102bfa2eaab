/**
 * What the pages call their parts, as a person or a screen reader finds them. Tests in a browser look for these names,
 * so a name that changes on a page changes here.
 */
export const FIELDS = {
  accountName: 'Name',
  password: 'Password',
  playerName: 'Player name',
  tokenName: 'Name',
  webhookUrl: 'URL',
  newSecret: 'Create new',
  listenerPlayer: 'Player',
  listenerCredential: 'Token or public key',
  listenerToken: 'Token',
  listenerKey: 'Public key',
  clockBy: 'Another duration',
  verifiedBody: 'Body',
  verifiedSignature: 'X-Webhook-Signature',
  verifiedSecret: 'Secret',
} as const;

export const BUTTONS = {
  signIn: 'Sign in',
  vote: 'Vote',
  save: 'Save',
  createToken: 'Create token',
  sendTestEvent: 'Send test event',
  sendTestVote: 'Send test vote',
  redeliver: 'Redeliver',
  removeListing: 'Remove the listing…',
  invite: 'Invite a manager',
  verify: 'Verify',
  moveADay: '+ 24h',
  moveClock: 'Move',
} as const;

export const LINKS = {
  dashboard: 'Dashboard',
  practiceClock: 'Practice clock',
} as const;

/** The pages of a listing. */
export const TABS = {
  webhook: 'Webhook',
  listener: 'Vote listener',
  tokens: 'API tokens',
} as const;

export const LANDMARKS = {
  pagesOfListing: 'Pages of this listing',
} as const;

export const TABLES = {
  deliveries: 'Deliveries, newest first',
  listenerSends: 'Votes sent to the listener, newest first',
} as const;

/** What a form says that was saved. */
export const SAVED = /\bsaved\b/i;
