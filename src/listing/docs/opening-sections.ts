import { apiScopes } from '../../../protocol/listing-api.ts';
import { type Content, code, codeBlock, facts, type Html, html, table } from '../../web/kit.ts';
import { apiIntroduction } from '../api/reference.ts';
import { budgets } from '../store/budgets.ts';
import { fieldsOf } from './fields.ts';
import {
  everyFailure,
  type Failure,
  failureBody,
  type OpenApiDocument,
  type Operation,
  type Resolve,
} from './openapi.ts';
import { failureId, signatureOf } from './operation-section.ts';
import { fieldTable, linkTo, marked, section } from './parts.ts';
import { TOKEN_VARIABLE, variableOf } from './samples.ts';

interface Term {
  readonly name: string;
  readonly means: string;
}

export interface Opening {
  readonly document: OpenApiDocument;
  readonly operations: readonly Operation[];
  readonly resolve: Resolve;
  readonly origin: string;
  readonly referencePath: string;
  readonly requestsPerMinute: number;
}

/** The sections that apply to all operations. */
export const openingSections = (opening: Opening): Html[] => [
  indexSection(opening),
  startSection(opening),
  scopesSection(opening),
  errorsSection(opening),
  limitsSection(opening),
];

const SECTIONS: readonly Term[] = [
  { name: 'start', means: 'Getting started' },
  { name: 'scopes', means: 'Scopes' },
  { name: 'errors', means: 'Errors' },
  { name: 'limits', means: 'Limits' },
  { name: 'webhook', means: 'Vote webhook' },
  { name: 'outcomes', means: 'Responses and retries' },
  { name: 'receiver', means: 'Sample receiver' },
];

const indexSection = ({ operations }: Opening): Html =>
  section({
    id: 'contents',
    title: 'On this page',
    body: [
      html`<nav aria-label="Sections"><ul class="row">${SECTIONS.map(
        ({ name, means }) => html`<li>${linkTo(name, means)}</li>`,
      )}</ul></nav>`,
      table<Operation>({
        caption: 'Operations',
        rows: operations,
        empty: html``,
        columns: [
          {
            label: 'Operation',
            cell: (operation) => linkTo(operation.operationId, signatureOf(operation)),
            kind: 'brief',
            onPhone: 'title',
          },
          { label: 'What it does', cell: ({ summary }) => marked(summary), onPhone: 'block' },
        ],
      }),
    ],
  });

function startSection(opening: Opening): Html {
  const { document, operations, origin, referencePath } = opening;
  const root = referencePath.slice(0, referencePath.lastIndexOf('/'));
  const inPaths = operations.flatMap(({ parameters = [] }) => parameters.filter((one) => one.in === 'path'));
  const variables = new Map([
    [TOKEN_VARIABLE, 'a token of your listing'],
    ...inPaths.map((parameter) => [variableOf(parameter), `for {${parameter.name}}`] as const),
  ]);
  return section({
    id: 'start',
    title: 'Getting started',
    body: [
      facts([
        ['Base URL', code(`${origin}${root}`)],
        ['Every request', code('Authorization: Bearer <token>')],
        ['Token', 'Create one under API tokens in your listing’s dashboard.'],
        ['Bodies', 'JSON in both directions.'],
        [
          'For machines',
          html`<a href="${referencePath}">${referencePath}</a> (OpenAPI ${document.openapi}). This page is generated from it.`,
        ],
      ]),
      html`<p>${marked(apiIntroduction.limits)}</p>`,
      codeBlock({
        id: 'variables',
        label: 'Set these shell variables for the examples below',
        text: [...variables].map(([name, what]) => `export ${name}='…'  # ${what}`).join('\n'),
      }),
    ],
  });
}

function scopesSection(opening: Opening): Html {
  return section({
    id: 'scopes',
    title: 'Scopes',
    note: marked(apiIntroduction.scopes),
    body: table<Term>({
      caption: 'Scopes',
      rows: Object.entries(apiScopes).map(([name, means]) => ({ name, means })),
      empty: html`<p class="soft">No scopes.</p>`,
      columns: [
        { label: 'Scope', cell: ({ name }) => code(name), kind: 'brief', onPhone: 'title' },
        { label: 'Grants', cell: ({ means }) => marked(means), onPhone: 'block' },
        { label: 'Operations', cell: ({ name }) => grantedBy(name, opening.operations), onPhone: 'block' },
      ],
    }),
  });
}

const grantedBy = (scope: string, operations: readonly Operation[]): Content =>
  html`<ul>${operations
    .filter(({ scopes }) => scopes.includes(scope))
    .map((operation) => html`<li>${linkTo(operation.operationId, signatureOf(operation))}</li>`)}</ul>`;

function errorsSection(opening: Opening): Html {
  const { operations, resolve } = opening;
  const body = failureBody(operations);
  return section({
    id: 'errors',
    title: 'Errors',
    note: marked(apiIntroduction.codes),
    body: [
      table<Failure>({
        caption: 'Error codes',
        rows: everyFailure(operations),
        empty: html`<p class="soft">No codes.</p>`,
        columns: [
          {
            label: 'Code',
            cell: ({ code: name }) => html`<code id="${failureId(name)}">${name}</code>`,
            kind: 'brief',
            onPhone: 'title',
          },
          { label: 'Status', cell: ({ status }) => status, kind: 'brief', onPhone: 'corner' },
          { label: 'Meaning', cell: ({ means }) => marked(means), onPhone: 'block' },
        ],
      }),
      body !== null &&
        fieldTable({ caption: 'Error body', rows: fieldsOf(body, resolve), direction: 'received' }),
    ],
  });
}

type Budget = keyof typeof budgets;

const budgetWords: Readonly<Record<Budget, string>> = {
  'bot-stats': 'Reports of a bot’s statistics',
  'vote-checks': 'Users in vote checks, single and batch together',
  'vote-reads': 'Reads of votes and vote statistics together',
  'webhook-registrations': 'Webhook registrations',
  'webhook-tests': 'Test deliveries',
};

function limitsSection({ requestsPerMinute }: Opening): Html {
  const ofListing = Object.entries(budgetWords).map(([name, what]) => ({
    what,
    most: budgets[name as Budget],
    per: 'listing',
    policy: name,
  }));
  const ofAddress = {
    what: 'Requests to the whole API',
    most: requestsPerMinute,
    per: 'address',
    policy: 'address',
  };
  return section({
    id: 'limits',
    title: 'Limits',
    note: html`Responses to requests that count against a limit show its state in ${code('RateLimit-Policy')} and ${code('RateLimit')}.`,
    body: table<typeof ofAddress>({
      caption: 'Limits',
      rows: [...ofListing, ofAddress],
      empty: html``,
      columns: [
        { label: 'What is limited', cell: ({ what }) => what, onPhone: 'title' },
        { label: 'Per minute', cell: ({ most }) => most, kind: 'number' },
        { label: 'For each', cell: ({ per }) => per, kind: 'brief' },
        { label: 'Policy', cell: ({ policy }) => code(policy), kind: 'brief' },
      ],
    }),
  });
}
