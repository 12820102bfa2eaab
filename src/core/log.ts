/**
 * The log as the parts see it: a sentence, and facts as fields. `code` in the fields is the stable name of what
 * happened. Secrets are never passed (rule 10).
 */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}
