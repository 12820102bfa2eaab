/** Everything that checking a pasted delivery can find. */
export const findings = {
  matches: 'The signature matches these bytes and this secret.',
  'header-missing':
    'There is no X-Webhook-Signature. Deliveries are signed only if the dashboard has a secret.',
  'header-name': 'This is the whole header. Compare only the value after the colon.',
  'header-spaces': 'There is white space around the value, so a receiver refuses it. Remove it.',
  'header-no-prefix': 'The value does not begin with sha256=, which is part of the signature.',
  'header-upper-case': 'The value has upper-case letters. The signature is lower case.',
  'header-base64': 'The value is base64. The signature is in hex.',
  'header-shape': 'This is not a signature. A signature is sha256= and 64 hex digits.',
  'body-line-end': 'It matches without the line break at the end. The sent bytes do not have one.',
  'body-crlf': 'It matches with \\n as line ends. An editor or a form changed them to \\r\\n.',
  'body-reserialised':
    'It matches the same JSON without white space. Verify the raw bytes before parsing them.',
  'secret-spaces': 'It matches without the white space around the secret. Remove it.',
  'secret-prefix':
    'It matches without the secret’s whsec_. The signer left it out, but it is part of the secret.',
  'secret-base64':
    'It matches with the secret decoded from base64. Use the secret’s text as the key, as it was shown.',
  differs: 'The signature does not match: the body, the secret or both are not those of this delivery.',
  'body-not-json': 'The body is not JSON.',
  'body-not-payload': 'The body is JSON, but not a vote.created payload of version 1.',
  'body-test': 'This is a test delivery, which earns no reward.',
} as const satisfies Record<string, string>;

export type FindingCode = keyof typeof findings;
