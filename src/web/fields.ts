/**
 * Reads a form: turns what was entered into values of the right type, or into a sentence for each faulty field.
 *
 *   const read = readFields(entered, { host: text({ most: 253 }), method: oneOf('Method', METHODS) });
 *   if (read.kind === 'faults') …show the form again with read.faults…
 */

/** All values by field name, in the order they were sent. */
export type Entered = Readonly<Record<string, readonly string[]>>;

export type Reading<Value> =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'fault'; readonly fault: string };

export type Field<Value> = (sent: readonly string[]) => Reading<Value>;

type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<Shape extends Fields> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Field<infer Value> ? Value : never;
};

export type Faults = Readonly<Record<string, string>>;

export type ReadFields<Shape extends Fields> =
  | { readonly kind: 'values'; readonly values: Values<Shape> }
  | { readonly kind: 'faults'; readonly faults: Faults };

/** Reports all faults at once. Ignores fields that the shape does not name. */
export function readFields<Shape extends Fields>(entered: Entered, shape: Shape): ReadFields<Shape> {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const [name, field] of Object.entries(shape)) {
    const reading = field(entered[name] ?? []);
    if (reading.kind === 'value') values[name] = reading.value;
    else faults[name] = reading.fault;
  }
  if (Object.keys(faults).length > 0) return { kind: 'faults', faults };
  return { kind: 'values', values: values as Values<Shape> };
}

/** The result has no prototype, so a field called `__proto__` or `constructor` is an ordinary field. */
export function parseEntered(body: string): Entered {
  const entered: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(body)) {
    // Appended in place: copying the list for each value takes seconds if the body is only `a&a&a&…`.
    const values = entered[name];
    if (values === undefined) entered[name] = [value];
    else values.push(value);
  }
  return entered;
}

const value = <Value>(value: Value): Reading<Value> => ({ kind: 'value', value });
const fault = (fault: string): Reading<never> => ({ kind: 'fault', fault });

interface TextRule {
  /** The field's name in the sentence for its fault, capitalized: `Name`. */
  readonly label: string;
  /** In characters. */
  readonly most: number;
  readonly least?: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Characters that are invisible or change the writing direction. Only the zero-width joiner of emoji is allowed. */
const HIDDEN = /(?!\u200d)\p{C}/u;

/** One line; spaces at both ends are removed. */
export const line =
  ({ label, most, least = 1 }: TextRule): Field<string> =>
  ([sent = '']) => {
    const trimmed = sent.trim();
    if (trimmed === '' && least > 0) return fault(`${label} is missing.`);
    if (CONTROL.test(trimmed)) return fault(`${label} must be one line of plain text.`);
    if (HIDDEN.test(trimmed)) return fault(`${label} contains an invisible character. Type it again.`);
    const length = [...trimmed].length;
    if (length < least) return fault(`${label} needs at least ${least} characters.`);
    return length > most ? fault(`${label} can have at most ${most} characters.`) : value(trimmed);
  };

/** The text exactly as sent, including line breaks (which browsers send as CR LF). */
export const exactText =
  ({ label, most, least = 1 }: TextRule): Field<string> =>
  ([sent = '']) => {
    if (sent === '' && least > 0) return fault(`${label} is missing.`);
    if (sent.length < least) return fault(`${label} needs at least ${least} characters.`);
    return sent.length > most ? fault(`${label} can have at most ${most} characters.`) : value(sent);
  };

/** One of the values that the form offers. */
export const oneOf =
  <Value extends string>(label: string, offered: readonly Value[]): Field<Value> =>
  ([sent]) => {
    const chosen = offered.find((one) => one === sent);
    return chosen === undefined ? fault(`${label}: choose one of the options.`) : value(chosen);
  };

/** Any of the values that the form offers, in the form's order. */
export const someOf =
  <Value extends string>(label: string, offered: readonly Value[], least = 0): Field<readonly Value[]> =>
  (sent) => {
    if (sent.some((one) => !offered.includes(one as Value)))
      return fault(`${label}: choose from the options.`);
    const chosen = offered.filter((one) => sent.includes(one));
    return chosen.length < least ? fault(`${label}: choose at least ${least}.`) : value(chosen);
  };

/** Whether a box is ticked. */
export const ticked: Field<boolean> = (sent) => value(sent.length > 0);
