import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { DURATION, parseDuration } from '../core/duration.ts';
import { parseInstant } from '../core/instant.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { SERVICE_NAME_MAX, serviceNameOf } from '../core/service-name.ts';

/**
 * The kinds of value that a config is made of. `title` is what the operator calls the kind (`config explain`); each
 * refuses with one sentence that begins after "listener.port: …".
 */

/** For keys whose value is read only when the process starts: `teller reload` names them and leaves them. */
export const RESTART = { reload: 'restart' } as const;

/** An object that knows all its keys: any other is refused, with the one that was probably meant. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  const unknownKey = z.custom(() => false, {
    error: ({ path }) => unknownKeySentence(String(path?.at(-1)), known),
    params: { code: 'config-unknown-key' },
  });
  // Typed as what it is for whoever reads the result: zod's catchall type would let every key be anything.
  return z.object(shape).catchall(unknownKey) as unknown as z.ZodObject<Shape, z.core.$strict>;
}

export const NO_SUCH_KEY = 'there is no such key';

const unknownKeySentence = (key: string, known: readonly string[]): string => {
  const meant = nearestWord(key, known);
  return meant === null
    ? `${NO_SUCH_KEY}; there are ${known.join(', ')}`
    : `${NO_SUCH_KEY}; perhaps you meant '${meant}'`;
};

/** The one sentence of a kind of value. */
export const refusal = (sentence: string) => ({
  error: ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? `is missing; it ${sentence}` : sentence,
});

export function wholeNumber(min: number, max: number, title = 'number') {
  const said = refusal(`must be a whole number from ${min} to ${max}, without quotes`);
  return z.int(said).min(min, said).max(max, said).meta({ title });
}

/** 0 lets the system choose. */
export const listeningPort = wholeNumber(0, 65_535, 'port');

export const connectingPort = wholeNumber(1, 65_535, 'port');

export function duration(min: string, max: string) {
  const said = refusal(
    `must be a duration from "${min}" to "${max}", in quotes and with its unit (ms, s, m, h, d)`,
  );
  const milliseconds = (text: string): number => parseDuration(text) ?? Number.NaN;
  const isWithin = (ms: number): boolean => ms >= milliseconds(min) && ms <= milliseconds(max);
  return z
    .string(said)
    .regex(DURATION, said)
    .meta({ title: 'duration' })
    .transform(milliseconds)
    .refine(isWithin, said);
}

/** Text of one line that is to be shown or compared. */
export function line(max: number, title = 'text') {
  const said = refusal(`must be a text of 1 to ${max} characters on one line`);
  return z
    .string(said)
    .max(max, said)
    .regex(/^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u, said)
    .meta({ title });
}

const noServiceName = refusal(`must be a service name of up to ${SERVICE_NAME_MAX} characters`);

/** As a sender may send it: with any characters, and empty too. White space around it is no part of it. */
export const serviceName = z
  .string(noServiceName)
  .refine((text) => serviceNameOf(text).length <= SERVICE_NAME_MAX, noServiceName)
  .meta({ title: 'service name' });

const noOrigin = refusal(
  'must be an http or https address without a path, such as "https://votes.example.com"',
);

/** Scheme, host and port, as browsers send them in `Origin`. */
export const origin = z
  .string(noOrigin)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), noOrigin)
  .refine(
    (text) => !URL.canParse(text) || new URL(text).origin === text.replace(/\/$/, '').toLowerCase(),
    noOrigin,
  )
  .meta({ title: 'web address' })
  .transform((text) => new URL(text).origin);

const noUrl = refusal(
  'must be an http or https address without user and password, such as "https://votes.example.com/api/v1"',
);

/** An address that is asked or posted to. */
export const httpUrl = z
  .string(noUrl)
  .max(2048, noUrl)
  .refine((text) => URL.canParse(text) && isPlainUrl(new URL(text)), noUrl)
  .meta({ title: 'web address' });

/** A user or a password in it would not be sent, and would stand in logs. */
const isPlainUrl = ({ protocol, username, password }: URL): boolean =>
  /^https?:$/.test(protocol) && username === '' && password === '';

const noInstant = refusal('must be a date or an instant, such as "2026-06-01" or "2026-06-01T12:00Z"');

/** Milliseconds since the Unix epoch. */
export const instant = z
  .string(noInstant)
  .meta({ title: 'instant' })
  .transform((text) => parseInstant(text) ?? Number.NaN)
  .refine((ms) => !Number.isNaN(ms), noInstant);

const noHost = refusal('must be an address or a host name, without scheme or port');

/** A name or an IPv4 address, which have no colon: what stands behind one would be a port. Or an IPv6 address, with its zone. */
const HOST = /^(?:[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]*(?::[0-9A-Fa-f.]*){2,8}(?:%[A-Za-z0-9._-]{1,32})?)$/;

export const host = z.string(noHost).regex(HOST, noHost).meta({ title: 'address' });

export const file = line(4096, 'file');

export const folder = line(4096, 'folder');

const noSecret = refusal('must be a text in quotes: the secret itself, "env:NAME" or "file:PATH"');

/** What stands in the config; `secret.ts` fetches what it stands for. Never part of a sentence (rule 10). */
export const secretReference = z.string(noSecret).meta({ title: 'secret' });

const noNetwork = refusal(
  'must be a network in CIDR form, such as "127.0.0.0/8"; a single address ends in /32, or of IPv6 in /128',
);

/** In full: shortened, 10/8 could be 10.0.0.0/8 or, as `ipaddr.js` and inet_aton read it, 0.0.0.10/8. */
const isNetwork = (text: string): boolean =>
  isIP(text.split('/', 1)[0] as string) !== 0 && ipaddr.isValidCIDR(text);

export const network = z.string(noNetwork).refine(isNetwork, noNetwork).meta({ title: 'network' });

/** A pattern that is looked for in a game server's reply, whatever its case. */
export const replyPattern = line(500, 'pattern').transform((source, context) => {
  try {
    return new RegExp(source, 'i');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.addIssue({ code: 'custom', message: `is not a regular expression: ${reason}` });
    return z.NEVER;
  }
});

export function list<Item extends z.ZodType>(item: Item, min: number, max: number) {
  const said = refusal(`must be a list of ${min} to ${max}, in brackets`);
  return z.array(item, said).min(min, said).max(max, said);
}

/** A list in which nothing is twice. */
export const distinct = <Item extends z.ZodType>(item: Item, min: number, max: number) =>
  list(item, min, max).refine((items) => new Set(items.map(String)).size === items.length, {
    error: 'has an entry twice',
  });
