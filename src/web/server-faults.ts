import { STATUS_CODES } from 'node:http';

/** The faults that a page server answers itself, because no handler can answer such a request. */
export const serverFaults = {
  'headers-too-large': {
    status: 431,
    sentence: 'The request line and headers are larger than 16 KiB. Send fewer or shorter headers.',
  },
  'too-slow': {
    status: 408,
    sentence: 'The request did not arrive within 15 seconds. Send it again without pauses.',
  },
  expectation: {
    status: 417,
    sentence: 'This Expect header is not supported. Send "Expect: 100-continue", or leave the header out.',
  },
  'not-http': {
    status: 400,
    sentence: 'This is not a valid HTTP request. Check its Host header and its address.',
  },
} as const satisfies Record<string, { readonly status: number; readonly sentence: string }>;

export type ServerFaultCode = keyof typeof serverFaults;

export interface ServerFault {
  readonly code: ServerFaultCode;
  readonly status: number;
  readonly sentence: string;
  /** The path as far as it was read; empty if it was not. */
  readonly path: string;
}

/** The JSON body of a fault. */
export type FaultBody = (fault: ServerFault) => unknown;

export const plainFaultBody: FaultBody = ({ code, sentence }) => ({ code, message: sentence });

/** The answer is not cached or sniffed, and the connection is closed. */
export const FAULT_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  Connection: 'close',
};

export const faultOf = (code: ServerFaultCode, path: string): ServerFault => ({
  code,
  ...serverFaults[code],
  path,
});

/** Maps an error code of Node's HTTP parser to a fault; null if nothing can be answered. */
export function faultCodeOf({ code = '' }: NodeJS.ErrnoException): ServerFaultCode | null {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'too-slow';
  return code.startsWith('HPE_') ? 'not-http' : null;
}

/** The bytes of a whole HTTP response, for a socket without a response object. */
export function faultBytes(fault: ServerFault, body: string): string {
  const headers = { ...FAULT_HEADERS, 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${fault.status} ${STATUS_CODES[fault.status]}`, ...lines, '', body].join('\r\n');
}

const REQUEST_LINE = /^[A-Z]{1,16} (\/[^\s?#]{0,2048})/;

/** The path from the start of a request that could not be parsed. */
export const pathIn = (bytes: Buffer | undefined): string =>
  REQUEST_LINE.exec(bytes?.toString('latin1', 0, 4096) ?? '')?.[1] ?? '';

export const pathOfUrl = (url: string): string => url.split(/[?#]/, 1)[0] ?? '';
