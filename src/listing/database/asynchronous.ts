/** Functions that run on the thread of a database, as callers on the main thread see them. */
export type Asynchronous<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Result>
    : never;
};
