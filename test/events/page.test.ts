import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EventPayload, eventData } from '../../protocol/webhook/events.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/developers/events.md'), 'utf8');
const examples = [...page.matchAll(/```text\n(\{[^`]*)```/g)].map(([, text = '']) => JSON.parse(text));

test('every example of the page for developers is an event as it is sent', () => {
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) expect(EventPayload.parse(example)).toEqual(example);
});

test('the page names every kind of event', () => {
  const [, table = ''] = page.split('## What is told');
  // Without its heading.
  const named = [...table.matchAll(/^\| `([a-z.]+)` \|/gm)].map(([, kind]) => kind).slice(1);
  expect(named).toEqual(Object.keys(eventData));
});
