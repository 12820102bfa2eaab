import { z } from 'zod';

interface ReferenceOperation {
  readonly responses: Readonly<
    Record<string, { readonly content: { readonly 'application/json': { readonly schema: object } } }>
  >;
}

/** The parts of an OpenAPI document that responses are checked against. */
export interface Reference {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const ERROR = { $ref: '#/components/schemas/Error' };

/** Checks responses against the served reference, as JSON Schema, without our own code. */
export class ReferenceCheck {
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
