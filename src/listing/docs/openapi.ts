import { type ApiErrorCode, apiErrors } from '../../../protocol/listing-api.ts';

/** The parts of an OpenAPI 3.1 document that the page shows, and functions that read them. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface WithContent {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Answer extends WithContent {
  readonly description: string;
  /** For a failure: the codes that have this status. */
  readonly 'x-codes'?: readonly ApiErrorCode[];
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface StatedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: WithContent;
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, StatedOperation>>>>;
}

export interface Operation extends StatedOperation {
  readonly method: string;
  readonly path: string;
  /** A token needs one of them. */
  readonly scopes: readonly string[];
  readonly body: Schema | null;
  /** The body of a success. */
  readonly answer: Schema | null;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly status: string;
  readonly code: ApiErrorCode;
  readonly means: string;
}

export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, stated]) => ({
      ...stated,
      method: method.toUpperCase(),
      path,
      scopes: (stated.security ?? []).flatMap((scheme) => Object.values(scheme).flat()),
      body: jsonSchema(stated.requestBody),
      answer: jsonSchema(Object.entries(stated.responses).find(([status]) => isSuccess(status))?.[1]),
      failures: failuresOf(stated),
    })),
  );
}

const jsonSchema = (part: WithContent | undefined): Schema | null =>
  part?.content?.['application/json']?.schema ?? null;

const isSuccess = (status: string): boolean => status.startsWith('2');

const failuresOf = ({ responses }: StatedOperation): Failure[] =>
  Object.entries(responses).flatMap(([status, { 'x-codes': codes = [] }]) =>
    codes.map((code) => ({ status, code, means: apiErrors[code].means })),
  );

/** Every failure once, sorted by status. */
export function everyFailure(operations: readonly Operation[]): Failure[] {
  const byCode = new Map(operations.flatMap(({ failures }) => failures).map((one) => [one.code, one]));
  return [...byCode.values()].sort((one, other) => one.status.localeCompare(other.status));
}

/** The body of all failures. */
export const failureBody = (operations: readonly StatedOperation[]): Schema | null =>
  jsonSchema(
    operations
      .flatMap(({ responses }) => Object.entries(responses))
      .find(([status]) => !isSuccess(status))?.[1],
  );

export type Resolve = (schema: Schema) => Schema;

const REFERENCE = /^#\/components\/schemas\/(.+)$/;

/** Resolves a reference. Properties beside the reference take precedence. */
export const resolverOf =
  ({ components }: OpenApiDocument): Resolve =>
  ({ $ref, ...beside }) => {
    const [, name = ''] = REFERENCE.exec($ref ?? '') ?? [];
    return { ...components.schemas[name], ...beside };
  };
