/** A program that asks the listing's developer API, and judges every answer by the served reference. */
import { expect } from 'vitest';
import { z } from 'zod';
import type { ErrorBody } from '../../protocol/listing-api.ts';
import type { Clock } from '../../src/core/clock.ts';

export const ROOT = '/api/v1';

export interface Asked {
  readonly token?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly text?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The peer's address; without it, none that is over its limit. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  /** The code of a failure; otherwise undefined. */
  readonly code: string | undefined;
  /** Both in one, such as `200` or `400 VALIDATION_FAILED`. */
  readonly verdict: string;
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
    return this.judged(method, url, await this.send(method, url, asked));
  }

  /** Checks what is true of all responses, and returns this one. */
  private async judged(method: string, url: string, response: Response): Promise<Answer> {
    const path = new URL(url, 'http://localhost').pathname;
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json\b/);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    const body = JSON.parse(await response.text());
    expect((await this.reference()).faultOf(method, path, response.status, body)).toBeNull();
    if (response.status !== 200) expectEnvelope(body, path, response, this.clock);
    const { status, headers } = response;
    return { status, code: body.code, verdict: [status, body.code].join(' ').trim(), body, headers };
  }

  async reference(): Promise<ReferenceCheck> {
    check ??= new ReferenceCheck(await this.referenceDocument());
    return check;
  }

  async referenceDocument(): Promise<Reference> {
    const response = await this.send('GET', `${ROOT}/openapi.json`, {});
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
    const env = { clientAddress: asked.from };
    return this.api.request(url, { method, headers, ...(body === undefined ? {} : { body }) }, env);
  }
}

function expectEnvelope(body: ErrorBody, path: string, response: Response, clock: Clock): void {
  expect(body).toMatchObject({ statusCode: response.status, path });
  expect(Math.abs(Date.parse(body.timestamp) - clock.now())).toBeLessThan(60_000);
  const waits = [body.retryAfterSeconds, response.headers.get('Retry-After')];
  if (response.status !== 429) expect(waits).toEqual([undefined, null]);
  else expect([String(waits[0]), Number(waits[0]) >= 1]).toEqual([waits[1], true]);
}

interface ReferenceOperation {
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: object } } }>
  >;
}

/** The parts of an OpenAPI document that responses are checked against. */
interface Reference {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const ERROR = { $ref: '#/components/schemas/Error' };

/** Checks responses against the served reference, as JSON Schema, without our own code. */
class ReferenceCheck {
  private readonly read = new Map<object, z.ZodType>();

  constructor(private readonly reference: Reference) {}

  /** What is wrong with the response, or null. An operation that is not in the reference may only fail. */
  faultOf(method: string, path: string, status: number, body: unknown): string | null {
    const stated = this.operationAt(method, path);
    if (stated === undefined) return this.misfit(ERROR, body);
    const response = stated.responses[status];
    if (response === undefined) return `the reference knows no ${status} of ${method} ${path}`;
    return this.misfit(response.content['application/json'].schema, body);
  }

  private operationAt(method: string, path: string): ReferenceOperation | undefined {
    const template = Object.keys(this.reference.paths).find((candidate) =>
      new RegExp(`^${candidate.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    return template === undefined ? undefined : this.reference.paths[template]?.[method.toLowerCase()];
  }

  private misfit(schema: object, body: unknown): string | null {
    const reading = this.read.get(schema) ?? this.readSchema(schema);
    this.read.set(schema, reading);
    const judged = reading.safeParse(body);
    return judged.success ? null : z.prettifyError(judged.error);
  }

  private readSchema(schema: object): z.ZodType {
    const $defs = this.reference.components.schemas;
    const standalone = JSON.stringify({ ...schema, $defs }).replaceAll('#/components/schemas/', '#/$defs/');
    return z.fromJSONSchema(JSON.parse(standalone));
  }
}
