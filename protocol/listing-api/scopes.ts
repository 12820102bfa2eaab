/** What a token may do. The one list of scopes, for the service, its reference and its clients. */
export const apiScopes = {
  'stats:write': 'Report a bot’s statistics; bot listings only.',
  'votes:read':
    'Check votes, read votes and aggregates; alone, as on older tokens, it registers webhooks too.',
  'webhooks:write': 'Register and test the webhook.',
} as const;

export type ApiScope = keyof typeof apiScopes;

/** What the token of a listing may carry: a game’s player counts are read from the server itself. */
export const scopesOf = (listingType: 'bot' | 'game'): readonly ApiScope[] =>
  listingType === 'bot' ? ['stats:write', 'votes:read', 'webhooks:write'] : ['votes:read', 'webhooks:write'];
