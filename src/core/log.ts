/**
 * The log: each entry is a sentence, with facts as fields. The field `code` is the stable name of what
 * happened. Never pass a secret (rule 10).
 */
export interface Log {
  debug(fields: object, sentence: string): void;
  info(fields: object, sentence: string): void;
  warn(fields: object, sentence: string): void;
  error(fields: object, sentence: string): void;
}
