import { type Content, type Html, html } from '../html.ts';
import { hiddenFields, type Posting } from './button.ts';

/**
 * What was entered and what is wrong with it, by field name. Both are empty when the form is first shown; after that, a
 * box that is not among what was entered is not ticked.
 */
export interface FormState {
  readonly entered: Readonly<Record<string, readonly string[]>>;
  readonly faults: Readonly<Record<string, string>>;
}

export const freshForm: FormState = { entered: {}, faults: {} };

interface Form extends Posting {
  readonly state: FormState;
  readonly fields: Content;
  readonly submit: Content;
}

/** Each fault is shown at its field; the page lists all of them at the top (`Page.refused`). */
export const form = ({ state, fields, submit, ...posting }: Form): Html =>
  html`<form class="form" method="post" action="${posting.action}" novalidate>
    ${hiddenFields(posting)}${fields}
    <div class="actions">${submit}</div>
  </form>`;

interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: Content;
  readonly optional?: boolean;
}

interface InputField extends Field {
  readonly kind?: 'text' | 'password' | 'url' | 'number' | 'date' | 'exact';
  readonly value?: string | number | null;
  readonly autocomplete?: string;
  readonly brief?: boolean;
}

/** A line of text. Passwords are never written back into the page. */
export function inputField(state: FormState, field: InputField): Html {
  const { name, kind = 'text', autocomplete = 'off' } = field;
  const value = kind === 'password' ? '' : (state.entered[name]?.[0] ?? field.value ?? '');
  return framed(
    state,
    field,
    html`<input class="input${kind === 'exact' && ' exact'}" id="${name}" name="${name}" type="${inputType(kind)}" value="${value}"
      autocomplete="${autocomplete}" spellcheck="false" autocapitalize="none"${kind === 'number' && html` inputmode="numeric"`}${described(state, field)}>`,
    field.brief,
  );
}

/** Numbers are text fields with a numeric keypad, because scrolling over a number input changes its value. */
const inputType = (kind: InputField['kind']): string =>
  kind === 'password' || kind === 'url' || kind === 'date' ? kind : 'text';

interface AreaField extends Field {
  readonly rows: number;
}

/** A field of several lines, in a code font. Browsers drop the first line break after the tag, so we add one. */
export function areaField(state: FormState, field: AreaField): Html {
  const value = state.entered[field.name]?.[0] ?? '';
  return framed(
    state,
    field,
    html`<textarea class="input exact" id="${field.name}" name="${field.name}" rows="${field.rows}" autocomplete="off"
      spellcheck="false"${described(state, field)}>${'\n'}${value}</textarea>`,
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: Content;
}

interface ChoiceField extends Field {
  readonly choices: readonly Choice[];
  readonly chosen?: readonly string[];
}

interface SelectField extends Field {
  /** Values and labels. An empty value stands for no choice. */
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly chosen?: string;
}

/** One choice of many; of a few, use `radioField`. */
export function selectField(state: FormState, field: SelectField): Html {
  const { name, choices, chosen = '' } = field;
  const wanted = state.entered[name]?.[0] ?? chosen;
  return framed(
    state,
    field,
    html`<select class="input" id="${name}" name="${name}"${described(state, field)}>${choices.map(
      ([value, text]) =>
        html`<option value="${value}"${value === wanted && html` selected`}>${text}</option>`,
    )}</select>`,
  );
}

/** Radio buttons: one choice of a few. */
export const radioField = (state: FormState, field: ChoiceField): Html => choiceGroup(state, field, 'radio');

/** Checkboxes: any number of a few choices. */
export const checkField = (state: FormState, field: ChoiceField): Html =>
  choiceGroup(state, field, 'checkbox');

function choiceGroup(state: FormState, field: ChoiceField, type: 'radio' | 'checkbox'): Html {
  const { name, choices, chosen = [] } = field;
  const isFirst = Object.keys(state.entered).length === 0;
  const wanted = state.entered[name] ?? (isFirst ? chosen : []);
  return html`<fieldset class="field"${described(state, field)}>
    <legend>${label(field)}</legend>${hintAndFault(state, field)}
    <div class="choices">${choices.map(
      (choice, index) => html`<div class="choice">
        <input type="${type}" id="${choiceId(name, index)}" name="${name}" value="${choice.value}"${
          wanted.includes(choice.value) && html` checked`
        }>
        <label for="${choiceId(name, index)}">${choice.label}</label>
        ${choice.hint !== undefined && html`<span class="hint">${choice.hint}</span>`}
      </div>`,
    )}</div>
  </fieldset>`;
}

/** A link to the group leads to its first choice, which can have the focus. */
const choiceId = (name: string, index: number): string => (index === 0 ? name : `${name}-${index}`);

/** Fields side by side. */
export const fieldsRow = (...fields: readonly Content[]): Html =>
  html`<div class="fields-row">${fields}</div>`;

const framed = (state: FormState, field: Field, control: Html, brief = false): Html =>
  html`<div class="field${brief && ' brief'}">
    <label for="${field.name}">${label(field)}</label>
    ${control}
    ${hintAndFault(state, field)}
  </div>`;

const label = ({ label, optional }: Field): Html =>
  html`${label}${optional && html` <span class="optional">(optional)</span>`}`;

const hintAndFault = ({ faults }: FormState, { name, hint }: Field): Html =>
  html`${faults[name] !== undefined && html`<p class="fault" id="${name}-fault"><span>${faults[name]}</span></p>`}${
    hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`
  }`;

/** Connects a control with its hint and fault, for screen readers. */
function described({ faults }: FormState, { name, hint }: Field): Html {
  const isFaulty = faults[name] !== undefined;
  const ids = [isFaulty && `${name}-fault`, hint !== undefined && `${name}-hint`].filter(Boolean).join(' ');
  return html`${ids !== '' && html` aria-describedby="${ids}"`}${isFaulty && html` aria-invalid="true"`}`;
}
