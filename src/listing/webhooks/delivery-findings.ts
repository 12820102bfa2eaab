/** Everything that is said of a delivery that somebody pasted. */
export const findings = {
  matches: 'The signature is exactly that of these bytes under this secret.',
  'header-missing': 'There is no X-Webhook-Signature: without a secret in the dashboard nothing is signed.',
  'header-name': 'This is the whole header; a receiver compares its value alone, what follows the colon.',
  'header-spaces': 'There is white space around the value; as it stands a receiver refuses it.',
  'header-no-prefix': 'The value does not begin with sha256=, which is a part of it.',
  'header-upper-case': 'The value has upper-case letters; the exact one is in lower case.',
  'header-base64': 'The value is base64; the signature is written in hex.',
  'header-shape': 'This is no signature: that is sha256= and 64 hex digits.',
  'body-line-end': 'It matches without the line break at the end, which is not in the bytes that were sent.',
  'body-crlf': 'It matches with \\n as line ends: an editor or a form has made them \\r\\n.',
  'body-reserialised':
    'It matches the same JSON without white space: verify the raw bytes, before parsing them.',
  'secret-spaces': 'It matches without the white space around the secret.',
  'secret-prefix': 'It matches without the secret’s whsec_: whoever signed this left out a part of it.',
  'secret-base64': 'It matches with the secret decoded from base64: the key is the text as it was shown.',
  differs: 'The signature is another one: the body, the secret or both are not those of this delivery.',
  'body-not-json': 'The body is not JSON.',
  'body-not-payload': 'The body is JSON, and no vote.created payload of version 1.',
  'body-test': 'It is a test delivery, which earns no reward.',
} as const satisfies Record<string, string>;

export type FindingCode = keyof typeof findings;
