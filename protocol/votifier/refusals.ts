/** What may be wrong with a player name, on every channel: the end of a sentence, after "a vote". */
export const nameFaults = {
  'name-too-long': 'whose player name is longer than 16 characters',
  'name-not-allowed':
    'with an impossible player name (letters, digits and _ only, or a known Bedrock prefix)',
  'name-unknown-prefix':
    'whose player name begins with a prefix that players.bedrockPrefixes does not list: add it there if your cross-play bridge uses it',
} as const;

/**
 * Everything that the listener refuses, in one closed table. The operator reads `log` after the sender's address. A v2
 * sender gets `hears`: client libraries match its `message`, so the customary ones are kept to the letter [V2-15]. A v1
 * sender never gets an answer [V1-6]. `isNoise` marks what reaches any open port: the operator has nothing to do.
 * `isFixedByAVote` marks a cause that is gone once a later vote of the same service counts; not what is about one player's
 * name or one address.
 */
export const refusals = {
  empty: { log: 'connected and closed without sending anything', isNoise: true },
  incomplete: { log: 'closed the connection before a whole vote had arrived', isNoise: true },
  deadline: { log: 'did not send a whole vote before the deadline', isNoise: true },
  crowded: { log: 'was disconnected to make room: too many connections were open', isNoise: true },
  http: { log: 'sent an HTTP request: this port takes votes, not web pages', isNoise: true },
  tls: { log: 'sent a TLS hello: votes are sent without TLS', isNoise: true },
  ssh: { log: 'sent an SSH banner', isNoise: true },
  'proxy-header': {
    log: 'sent a PROXY protocol header: if your own proxy is in front, set listener.proxyProtocol to "required"',
  },
  'proxy-missing': {
    log: 'sent no PROXY protocol header although listener.proxyProtocol is "required"',
  },
  'proxy-malformed': { log: 'sent a broken PROXY protocol header' },
  'proxy-untrusted': {
    log: 'sent a PROXY protocol header but is not a trusted proxy: if it is yours, add its network to listener.trustedProxies',
  },
  'v1-off': { log: 'sent a v1 vote, but listener.protocols does not list "v1"' },
  'v1-bad-block': {
    log: 'sent a v1 block that is not a vote under this key: compare the public key at the listing with `teller keys`',
  },
  'v1-not-a-vote': {
    log: 'sent a v1 block that holds text whose first line is not VOTE: the key is right, ask the listing’s operator to fix its sender',
  },
  'v1-fields': {
    log: 'sent a v1 vote with fewer than five lines (each must end in LF or CRLF): the key is right, ask the listing’s operator to fix its sender',
    isFixedByAVote: true,
  },
  'v2-off': {
    log: 'sent a v2 vote, but listener.protocols does not list "v2"',
    hears: { cause: 'UnsupportedProtocol', message: 'Protocol version 2 is switched off here' },
  },
  'v2-oversized': {
    log: 'announced a v2 message larger than any vote',
    hears: { cause: 'OversizedMessage', message: 'Message too large' },
  },
  'v2-malformed': {
    log: 'sent a v2 message that is not a JSON object with payload and signature',
    hears: { cause: 'CorruptedFrame', message: 'Message is not a JSON object with payload and signature' },
  },
  'v2-payload': {
    log: 'sent a v2 payload that is not a JSON object: ask the listing’s operator to fix its sender',
    hears: { cause: 'InvalidPayload', message: 'Payload is not a JSON object' },
  },
  'v2-payload-service': {
    log: 'sent a v2 payload whose serviceName is missing or cannot be read as a string: ask the listing’s operator to fix its sender',
    hears: { cause: 'InvalidPayload', message: 'Payload field serviceName must be a string' },
  },
  'v2-payload-username': {
    log: 'sent a v2 payload whose username is missing or cannot be read as a string: ask the listing’s operator to fix its sender',
    hears: { cause: 'InvalidPayload', message: 'Payload field username must be a string' },
  },
  'v2-payload-challenge': {
    log: 'sent a v2 payload whose challenge is missing or cannot be read as a string: ask the listing’s operator to fix its sender',
    hears: { cause: 'InvalidPayload', message: 'Payload field challenge must be a string' },
  },
  'v2-challenge': {
    log: 'sent a v2 vote with a challenge that is not this connection’s',
    isFixedByAVote: true,
    hears: { cause: 'InvalidChallenge', message: 'Challenge is not valid' },
  },
  'v2-unknown-service': {
    log: 'sent a v2 vote for a service without a token: add it to sites, or give sites.default a token',
    isFixedByAVote: true,
    hears: { cause: 'UnknownService', message: 'Unknown service' },
  },
  'v2-signature': {
    log: 'sent a v2 vote with a wrong token: paste the token shown by `teller keys` at the listing',
    isFixedByAVote: true,
    hears: { cause: 'InvalidSignature', message: 'Signature is not valid (invalid token?)' },
  },
  'service-not-allowed': {
    log: 'sent a vote whose service name is longer than 128 characters',
    hears: { cause: 'InvalidService', message: 'Service name too long' },
  },
  'site-protocol': {
    log: 'sent a vote in a protocol version that sites.<name>.protocols does not list for this service',
    isFixedByAVote: true,
    hears: {
      cause: 'UnsupportedProtocol',
      message: 'This protocol version is switched off for this service',
    },
  },
  'site-address': {
    log: 'sent a vote from an address that sites.<name>.from does not list: add its network there if the vote is genuine',
    hears: { cause: 'AddressNotAllowed', message: 'Votes for this service are not taken from this address' },
  },
  'name-too-long': {
    log: `sent a vote ${nameFaults['name-too-long']}`,
    hears: { cause: 'InvalidUsername', message: 'Username too long' },
  },
  'name-not-allowed': {
    log: `sent a vote ${nameFaults['name-not-allowed']}`,
    hears: { cause: 'InvalidUsername', message: 'Username is not a valid player name' },
  },
  'name-unknown-prefix': {
    log: `sent a vote ${nameFaults['name-unknown-prefix']}`,
    hears: { cause: 'InvalidUsername', message: 'Username is not a valid player name' },
  },
  'ledger-unable': {
    log: 'sent a vote that could not be stored',
    isFixedByAVote: true,
    hears: { cause: 'StorageUnavailable', message: 'The vote could not be stored, send it again later' },
  },
} as const satisfies Record<string, Entry>;

export type RefusalCode = keyof typeof refusals;

/** What every channel says of a refusal. */
export interface RefusalNote {
  readonly log: string;
  readonly isNoise?: true;
  readonly isFixedByAVote?: true;
}

interface Entry extends RefusalNote {
  readonly hears?: { readonly cause: string; readonly message: string };
}

export const refusalEntry = (code: RefusalCode): Entry => refusals[code];

export interface Refusal {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** The service name as received, where it could be read. */
  readonly service?: string;
  /** With `v1-not-a-vote`: the first line of the text, as received. */
  readonly firstLine?: string;
}

export const refused = (code: RefusalCode, service?: string): Refusal =>
  service === undefined ? { kind: 'refused', code } : { kind: 'refused', code, service };
