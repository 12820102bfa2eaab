/** What a token may do. The service, its reference and its clients all use this list. */
export const apiScopes = {
  'stats:write': 'Report a bot’s statistics; bot listings only.',
  'votes:read':
    'Check votes, and read votes and aggregates. On a token without any other scope (older tokens), it also allows registering webhooks.',
  'webhooks:write': 'Register and test the webhook.',
} as const;

export type ApiScope = keyof typeof apiScopes;

/** The scopes of a listing's token. A game server's player count is read from the server itself, so it has no scope. */
export const scopesOf = (listingType: 'bot' | 'game'): readonly ApiScope[] =>
  listingType === 'bot' ? ['stats:write', 'votes:read', 'webhooks:write'] : ['votes:read', 'webhooks:write'];
