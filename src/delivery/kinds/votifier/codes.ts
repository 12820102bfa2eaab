/** Why a vote was not forwarded, or may not have been. The prefix is the kind's name. */
export const reasons = {
  notSent: {
    'votifier.unreachable': 'cannot connect to its host and port; check that the other listener is running',
    'votifier.host-unknown': 'the name in `host` cannot be resolved; correct it, or use the IP address',
    'votifier.no-greeting':
      'its host and port accept connections, but no Votifier greeting came; check that this is the port for votes, and that it allows this address',
    'votifier.foreign-greeting':
      'what listens at its host and port is not a Votifier listener; check the port',
    'votifier.other-version':
      'it greets with a version other than 2; set `"protocol": "v1"` and its `publicKey` if it takes version 1',
    'votifier.closed-early': 'it closed the connection before the vote was written',
    'votifier.key-unusable':
      '`publicKey` is neither the path of a readable file with the listener’s public key nor that key; correct it',
    'votifier.wrong-token': 'it answered that the signature is wrong; compare `token` with its own',
    'votifier.unknown-service': 'it answered that it has no token for this service name; add one there',
    'votifier.error-answer': 'it answered with an error, so the vote does not count there',
  },
  neverSent: {
    'votifier.too-long': 'its fields are longer together than the protocol version allows',
    'votifier.line-break': 'a field contains a line break, which would begin the next field',
    'votifier.not-a-vote': 'it is a command, and this game server takes votes',
  },
  unknown: {
    'votifier.bad-answer': 'the answer is not a Votifier reply',
    'votifier.reset': 'the connection was reset after the vote was written',
    'votifier.not-closed':
      'the other listener did not close the connection in time after the vote was written',
  },
  cannotTell: {
    'votifier.shows-nobody': 'a game server of kind votifier takes votes and cannot report who is online',
  },
} as const;

export type VotifierNotSentReason = keyof typeof reasons.notSent | 'between-connections' | 'shut-down';
