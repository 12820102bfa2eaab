/**
 * The names of fields, buttons and links, as a person or a screen reader finds them. Browser tests look for these
 * names: when a name changes on a page, change it here.
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
} as const;

export const BUTTONS = {
  signIn: 'Sign in',
  vote: 'Vote',
  save: 'Save',
  createToken: 'Create token',
  sendTestEvent: 'Send test event',
  sendTestVote: 'Send test vote',
  redeliver: 'Redeliver',
  removeListing: 'Remove listing…',
  invite: 'Invite manager',
  moveADay: '+ 24h',
  moveClock: 'Move',
} as const;

export const LINKS = {
  dashboard: 'Dashboard',
  practiceClock: 'Practice clock',
} as const;

/** The tabs of a listing's pages. */
export const TABS = {
  webhook: 'Webhook',
  listener: 'Vote listener',
  tokens: 'API tokens',
} as const;

export const LANDMARKS = {
  pagesOfListing: 'Listing pages',
} as const;

export const TABLES = {
  deliveries: 'Deliveries, newest first',
  listenerSends: 'Votes sent to the listener, newest first',
} as const;

/** The message after a form was saved. */
export const SAVED = /\bsaved\b/i;
