import { expect } from 'vitest';
import type { ErrorBody } from '../../protocol/listing-api/errors.ts';
import type { Clock } from '../../src/core/clock.ts';
import { type Reference, ReferenceCheck } from './reference-check.ts';

export const ROOT = '/api/v1';

export interface Asked {
  readonly token?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly text?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The peer's address. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  /** The code of a failure; otherwise undefined. */
  readonly code: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of all shapes
  readonly body: any;
  readonly headers: Headers;
}

interface ApiUnderTest {
  request(path: string, init: RequestInit, env: object): Response | Promise<Response>;
}

/** The first reference that was served; it is the same for all services. */
let check: ReferenceCheck | null = null;

/**
 * The only way in which tests ask the API: every answer is JSON and as the served reference states it (DC-02), and
 * every failure is the envelope (ER-01 to ER-07), so no test can forget.
 */
export class ApiClient {
  constructor(
    private readonly api: ApiUnderTest,
    private readonly clock: Clock,
  ) {}

  get = (path: string, asked: Asked = {}): Promise<Answer> => this.ask('GET', path, asked);
  post = (path: string, asked: Asked = {}): Promise<Answer> => this.ask('POST', path, asked);

  async ask(method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const query = new URLSearchParams(asked.query).toString();
    const url = `${ROOT}${path}${query === '' ? '' : `?${query}`}`;
    const response = await this.send(method, url, asked);
    return judged(await this.reference(), this.clock, method, url, response);
  }

  async reference(): Promise<ReferenceCheck> {
    check ??= new ReferenceCheck(await this.referenceDocument());
    return check;
  }

  async referenceDocument(): Promise<Reference> {
    const response = await this.send('GET', `${ROOT}/openapi.json`, { from: '198.51.100.255' });
    expect(response.status).toBe(200);
    return (await response.json()) as Reference;
  }

  private async send(method: string, url: string, asked: Asked): Promise<Response> {
    const body = asked.text ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
    const headers = {
      ...(asked.token === undefined ? {} : { Authorization: `Bearer ${asked.token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...asked.headers,
    };
    const env = { clientAddress: asked.from ?? '192.0.2.1' };
    return this.api.request(url, { method, headers, ...(body === undefined ? {} : { body }) }, env);
  }
}

/** Checks what is true of all responses, and returns this one. */
export async function judged(
  reference: ReferenceCheck,
  clock: Clock,
  method: string,
  url: string,
  response: Response,
): Promise<Answer> {
  const path = new URL(url, 'http://localhost').pathname;
  expect(response.headers.get('Content-Type')).toMatch(/^application\/json\b/);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
  const body = JSON.parse(await response.text());
  expect(reference.faultOf(method, path, response.status, body)).toBeNull();
  if (response.status !== 200) expectEnvelope(body, path, response, clock);
  return { status: response.status, code: body.code, body, headers: response.headers };
}

function expectEnvelope(body: ErrorBody, path: string, response: Response, clock: Clock): void {
  expect(body).toMatchObject({ statusCode: response.status, path });
  expect(Math.abs(Date.parse(body.timestamp) - clock.now())).toBeLessThan(60_000);
  const waits = [body.retryAfterSeconds, response.headers.get('Retry-After')];
  if (response.status !== 429) expect(waits).toEqual([undefined, null]);
  else expect([String(waits[0]), Number(waits[0]) >= 1]).toEqual([waits[1], true]);
}
