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
} as const;

export const BUTTONS = {
  signIn: 'Sign in',
  vote: 'Vote',
  save: 'Save',
  createToken: 'Create token',
  sendTestEvent: 'Send test event',
  redeliver: 'Redeliver',
  removeListing: 'Remove listing…',
  invite: 'Invite manager',
} as const;

export const LINKS = {
  dashboard: 'Dashboard',
} as const;

/** The tabs of a listing's pages. */
export const TABS = {
  webhook: 'Webhook',
} as const;

export const TABLES = {
  deliveries: 'Deliveries, newest first',
} as const;

/** The message after a form was saved. */
export const SAVED = /\bsaved\b/i;
