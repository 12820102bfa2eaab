/** Everything that checking a pasted delivery can find. */
export const findings = {
  matches: 'The signature matches these bytes and this secret.',
  'header-missing':
    'There is no X-Webhook-Signature header. Deliveries are signed only if the webhook has a secret. Set one on the Webhook page.',
  'header-name': 'This is the whole header. Compare only the value after the colon.',
  'header-spaces':
    'There is white space around the value, so a receiver refuses the signature. Remove the white space.',
  'header-no-prefix': 'The value does not begin with sha256=, which is part of the signature.',
  'header-upper-case': 'The value has upper-case letters. The signature is lower case.',
  'header-base64': 'The value is base64. The signature is in hex.',
  'header-shape': 'This is not a signature. A signature is sha256= and 64 hex digits.',
  'body-line-end':
    'The signature matches without the line break at the end, which the service did not send. Hash the raw bytes.',
  'body-crlf': 'The signature matches with \\n as line breaks. An editor or a form changed them to \\r\\n.',
  'body-reserialised':
    'The signature matches the same JSON without white space. Verify the raw bytes before parsing them.',
  'secret-spaces':
    'The signature matches without the white space around the secret. Remove that white space.',
  'secret-prefix':
    'The signature matches the secret without whsec_. The sender left that prefix out, but it is part of the secret.',
  'secret-base64':
    'The signature matches the secret decoded from base64. Use the text of the secret as the key, exactly as it was shown.',
  differs: 'The signature does not match: the body, the secret or both are not those of this delivery.',
  'body-not-json': 'The body is not JSON.',
  'body-not-payload': 'The body is JSON, but not a vote.created payload of version 1.',
  'body-test': 'This is a test delivery, which earns no reward.',
} as const satisfies Record<string, string>;

export type FindingCode = keyof typeof findings;
