import { VotePayload } from '../../../protocol/webhook/payload.ts';
import { signBody, verifySignature } from '../../../protocol/webhook/signature.ts';
import { mistakesIn, readHeader } from './signature-mistakes.ts';

/** A delivery as somebody pasted it. */
export interface PastedDelivery {
  readonly body: Uint8Array;
  /** The value of `X-Webhook-Signature`; empty where there was none. */
  readonly header: string;
  readonly secret: string;
}

/** Everything that is said of one. */
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

export interface Verification {
  /** Whether a receiver is to trust it [WH-7]. */
  readonly isValid: boolean;
  /** What the header would have to be for these bytes and this secret. */
  readonly expected: string;
  /** What matches and what does not, the decisive first. */
  readonly findings: readonly { readonly code: FindingCode; readonly sentence: string }[];
}

/** Says of a delivery what a receiver would, and where it does not match, which common mistake explains it. */
export function verifyDelivery(pasted: PastedDelivery): Verification {
  const { body, header, secret } = pasted;
  const isValid = verifySignature(header, body, secret);
  const signature: readonly FindingCode[] = isValid ? ['matches'] : whyNot(pasted);
  return {
    isValid,
    expected: signBody(body, secret),
    findings: [...signature, ...ofBody(body)].map((code) => ({ code, sentence: findings[code] })),
  };
}

function whyNot({ body, header, secret }: PastedDelivery): readonly FindingCode[] {
  const { digest, codes } = readHeader(header);
  if (digest === null || signBody(body, secret) === `sha256=${digest}`) return codes;
  const mistakes = mistakesIn(body, secret, digest);
  return [...codes, ...(mistakes.length > 0 ? mistakes : (['differs'] as const))];
}

function ofBody(body: Uint8Array): readonly FindingCode[] {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(body).toString());
  } catch {
    return ['body-not-json'];
  }
  const payload = VotePayload.safeParse(json);
  if (!payload.success) return ['body-not-payload'];
  return payload.data.test ? ['body-test'] : [];
}
