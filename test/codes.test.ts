import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { apiErrors } from '../protocol/listing-api.ts';
import { refusals } from '../protocol/votifier/refusals.ts';
import { webhookClosings, webhookRefusals } from '../protocol/webhook.ts';
import { findingCodes } from '../src/core/finding.ts';
import { problems } from '../src/core/problems.ts';
import { gameServerKinds } from '../src/delivery/kinds.ts';
import { alarmKinds } from '../src/notify/alarms/kinds.ts';
import { postFailures } from '../src/notify/webhook/post-result.ts';
import { entryFaultCodes } from '../src/operator/game-servers/fields.ts';
import { refusalCauses } from '../src/votes/refusals.ts';

const texts = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
  .join('\n');

/** Codes with hyphens are recognized anywhere; codes of one word only in quotes or parentheses. */
const isNamed = (code: string): boolean =>
  (code.includes('-') && new RegExp(`(?<![\\w-])(webhook-)?${code}(?![\\w-])`).test(texts)) ||
  new RegExp(`['"\`(](webhook-)?${code}['"\`) ]|^ *${code}:`, 'm').test(texts);

test.each(
  Object.entries({
    'refusals of the listener': refusals,
    'refusals of webhooks': { ...webhookRefusals, ...webhookClosings },
    'refusals of a listing’s API': Object.fromEntries(
      Object.entries(refusalCauses).filter(([code]) => code.startsWith('api-')),
    ),
    'errors of the listing’s API': apiErrors,
    problems,
    'reasons why a message about alarms did not arrive': postFailures,
    'alarm kinds': Object.fromEntries(alarmKinds.map(({ code, means }) => [code, means])),
    'findings of check': findingCodes,
    'faults of a game server that is entered': entryFaultCodes,
    'codes that only one kind of game server has': Object.assign(
      {},
      ...gameServerKinds.flatMap(({ reasons = {} }) => Object.values(reasons)),
    ) as Readonly<Record<string, string>>,
  }),
)('a test names every one of the %s', (_, codes) => {
  expect(Object.keys(codes).filter((code) => !isNamed(code))).toEqual([]);
});
