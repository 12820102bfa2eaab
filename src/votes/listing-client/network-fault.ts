import type { Fault } from './wording.ts';

/** The parts of an error of fetch or Node that are used. Messages are not: some quote the header that holds the token. */
interface Clue {
  readonly code: string;
  readonly syscall: string;
}

const CERTIFICATE_OR_TLS = /^(?:ERR_TLS|ERR_SSL|EPROTO)|CERT|SIGNATURE/;
/** Something answered, but not in HTTP, or not in the encoding that it named. */
const NOT_HTTP = /^(?:HPE_|UND_ERR_HEADERS|Z_|ERR_BROTLI|ERR__ERROR_FORMAT)/;

/** Why an exchange failed. */
export function networkFault(error: unknown): Fault {
  if (isBadPort(error)) return { code: 'address-unusable' };
  const clues = cluesOf(error);
  // A name with several addresses fails with one error for each: the most specific one is reported.
  const clue = clues.find(({ code }) => code === 'ECONNREFUSED') ?? clues[0];
  return clue === undefined ? { code: 'connection-lost', detail: 'unknown fault' } : faultOf(clue);
}

function faultOf({ code, syscall }: Clue): Fault {
  if (code === 'ECONNREFUSED') return { code: 'port-refused', detail: code };
  if (syscall === 'getaddrinfo') return { code: 'host-unresolvable', detail: code };
  if (syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return { code: 'no-connection', detail: code };
  if (CERTIFICATE_OR_TLS.test(code)) return { code: 'tls-failed', detail: code };
  if (NOT_HTTP.test(code)) return { code: 'not-the-api', detail: code };
  return { code: 'connection-lost', detail: code };
}

/** fetch only says "fetch failed"; the reason is in its cause. */
function cluesOf(error: unknown): readonly Clue[] {
  if (error instanceof AggregateError) return error.errors.flatMap(cluesOf);
  if (!(error instanceof Error)) return [];
  const { syscall, cause } = error as { syscall?: unknown; cause?: unknown };
  const code = codeOf(error);
  const own = typeof code === 'string' ? [{ code, syscall: typeof syscall === 'string' ? syscall : '' }] : [];
  return [...own, ...cluesOf(cause)];
}

/** The HTTP parser of fetch leaves out its code if its table has none. */
const codeOf = (error: Error): unknown =>
  (error as { code?: unknown }).code ?? (error.name === 'HTTPParserError' ? 'HPE_OTHER' : undefined);

/** Whether fetch refuses the port because it belongs to another protocol, such as 6667; it gives no code for this. */
const isBadPort = (error: unknown): boolean =>
  error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'bad port';
