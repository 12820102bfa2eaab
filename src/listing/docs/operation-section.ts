import { type Content, code, codeBlock, type Html, html, tag } from '../../web/kit.ts';
import { type FieldRow, fieldsOf, formsOf, rowOf } from './fields.ts';
import type { Failure, Operation, Resolve, Schema } from './openapi.ts';
import { fieldTable, marked, section } from './parts.ts';
import { curlExamples } from './samples.ts';

/** The section of one operation. */
export function operationSection(operation: Operation, origin: string, resolve: Resolve): Html {
  const { operationId, scopes, summary } = operation;
  return section({
    id: operationId,
    title: signatureOf(operation),
    beside: scopes.map((scope, index) => [index > 0 && html`<span class="soft">or</span>`, tag(scope)]),
    note: marked(summary),
    body: [
      fieldTable({ caption: 'Parameters', rows: parameterRows(operation, resolve), direction: 'sent' }),
      operation.body !== null && requestTables(operation.body, resolve),
      curlExamples(operation, origin, resolve).map((text, index) =>
        codeBlock({ id: `${operationId}-curl-${index + 1}`, label: 'Example', text }),
      ),
      operation.answer !== null && answerTable(operation.answer, resolve),
      html`<h3>Errors</h3>`,
      html`<ul class="row">${operation.failures.map(failureLink)}</ul>`,
    ],
  });
}

export const signatureOf = ({ method, path }: Operation): Html => code(`${method} ${path}`);

const parameterRows = ({ parameters = [] }: Operation, resolve: Resolve): FieldRow[] =>
  parameters.map(({ name, in: place, required, description, schema }) => {
    const row = rowOf(name, resolve(schema), required ?? false, resolve);
    return { ...row, type: `${row.type} in the ${place}`, meaning: description ?? row.meaning };
  });

const requestTables = (body: Schema, resolve: Resolve): Content =>
  formsOf(body, resolve).map((form, index) =>
    fieldTable({
      caption: index === 0 ? 'Request body' : 'Or this request body',
      about: form.description ?? resolve(body).description,
      rows: fieldsOf(form, resolve),
      direction: 'sent',
    }),
  );

function answerTable(answer: Schema, resolve: Resolve): Content {
  const { items, ...whole } = resolve(answer);
  return fieldTable({
    caption: items === undefined ? 'Response' : 'Response: a list, with these fields in each entry',
    about: whole.description,
    rows: fieldsOf(items ?? whole, resolve),
    direction: 'received',
  });
}

export const failureId = (code: string): string => `error-${code}`;

/** The status links to the code's meaning; the code itself is not the link, because underlining would hide its underscores. */
const failureLink = ({ status, code: name }: Failure): Html =>
  html`<li><small><a href="#${failureId(name)}" aria-label="${status} ${name}">${status}</a> ${code(name)}</small></li>`;
