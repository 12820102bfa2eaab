import { createHmac } from 'node:crypto';
import { readJson } from '../../core/json.ts';
import type { FindingCode } from './delivery-findings.ts';

/** The digest that a header's value most likely means, in lower-case hex; null if it is not recognizable. */
interface ReadHeader {
  readonly digest: string | null;
  /** What is wrong with the notation of the value. */
  readonly codes: readonly FindingCode[];
}

export function readHeader(header: string): ReadHeader {
  const [name = ''] = /^\s*X-Webhook-Signature\s*:\s*/i.exec(header) ?? [];
  const written = header.slice(name.length);
  const value = written.trim();
  if (value === '') return { digest: null, codes: ['header-missing'] };
  const codes: FindingCode[] = [];
  if (name !== '') codes.push('header-name');
  else if (value !== written) codes.push('header-spaces');
  const text = value.replace(/^sha256=/i, '');
  if (text === value) codes.push('header-no-prefix');
  const { digest, code } = readDigest(text);
  if (code !== null) codes.push(code);
  else if (value.startsWith('SHA')) codes.push('header-upper-case');
  return { digest, codes };
}

function readDigest(text: string): { readonly digest: string | null; readonly code: FindingCode | null } {
  if (/^[0-9a-f]{64}$/.test(text)) return { digest: text, code: null };
  if (/^[0-9a-f]{64}$/i.test(text)) return { digest: text.toLowerCase(), code: 'header-upper-case' };
  const bytes = Buffer.from(text, 'base64');
  if (/^[\w+/-]{43}=?$/.test(text)) return { digest: bytes.toString('hex'), code: 'header-base64' };
  return { digest: null, code: 'header-shape' };
}

interface Signed {
  readonly body: string;
  readonly key: Uint8Array | string;
}

/** Common mistakes, each with the correction that undoes it. */
const MISTAKES: readonly (readonly [FindingCode, (body: string, secret: string) => Signed])[] = [
  ['body-line-end', (body, key) => ({ body: body.replace(/\r?\n$/, ''), key })],
  ['body-crlf', (body, key) => ({ body: body.replaceAll('\r\n', '\n'), key })],
  ['body-reserialised', (body, key) => ({ body: compact(body), key })],
  ['secret-spaces', (body, secret) => ({ body, key: secret.trim() })],
  ['secret-prefix', (body, secret) => ({ body, key: secret.replace(/^whsec_/, '') })],
  ['secret-base64', (body, secret) => ({ body, key: Buffer.from(secret.replace(/^whsec_/, ''), 'base64') })],
];

/** Finds the common mistakes that explain a signature. */
export function mistakesIn(body: Uint8Array, secret: string, digest: string): readonly FindingCode[] {
  const text = Buffer.from(body).toString();
  return MISTAKES.filter(([, undo]) => {
    const signed = undo(text, secret);
    return createHmac('sha256', signed.key).update(signed.body).digest('hex') === digest;
  }).map(([code]) => code);
}

const compact = (text: string): string => JSON.stringify(readJson(text)) ?? text;
