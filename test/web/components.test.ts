import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { ago, instant } from '../../src/web/components/moment.ts';
import {
  alert,
  diff,
  freshForm,
  inputField,
  pagination,
  selectField,
  steps,
  table,
} from '../../src/web/kit.ts';
import { pageScript } from '../../src/web/page-script.ts';

describe('times', () => {
  const now = Date.parse('2026-06-03T14:05:09Z');

  test.each([
    [0, 'just now'],
    [-59_999, 'just now'],
    [-60_000, '1 minute ago'],
    [-59 * 60_000, '59 minutes ago'],
    [-60 * 60_000 + 29_000, '1 hour ago'],
    [-3_600_000, '1 hour ago'],
    [86_400_000 - 1, 'in 24 hours'],
    [-86_400_000, '24 hours ago'],
    [-2 * 86_400_000, '2 days ago'],
    [30_000, 'in a moment'],
    [240_000, 'in 4 minutes'],
  ])('%i ms from now is "%s", without a full stop', (ms, text) => {
    expect(ago(now + ms, now).toString()).toContain(`>${text}<`);
  });

  test('are worded the same by the script and the server', () => {
    class Frozen extends Date {
      static override now = () => now;
    }
    const wording = pageScript.slice(0, pageScript.indexOf('function activate'));
    const page = { documentElement: { dataset: { now: String(now) } } };
    const said = runInNewContext(`${wording}; (dateTime) => ago({ dateTime })`, {
      ...{ document: page, Date: Frozen, Intl },
    }) as (dateTime: string) => string;
    for (const minutes of [0, 1, 59, 60, 61, 89, 90, 1439, 1440, 2849, 2850, 4319, 4320, 100_000])
      for (const ms of [minutes * 60_000, -minutes * 60_000 - 1])
        expect(ago(now + ms, now).toString()).toContain(`>${said(new Date(now + ms).toISOString())}<`);
  });

  test('are exact to the second, with the zone, and in ISO format for machines', () => {
    expect(instant(now).toString()).toBe(
      '<time datetime="2026-06-03T14:05:09.000Z" title="2026-06-03 14:05:09 UTC">3 Jun 14:05:09 UTC</time>',
    );
  });
});

test('only a failure interrupts a screen reader', () => {
  expect(alert({ tone: 'bad', title: 'x' }).toString()).toContain('role="alert"');
  expect(alert({ tone: 'warn', title: 'x' }).toString()).toContain('role="status"');
});

test('a field refers to its hint and its error, and a password is never written back', () => {
  const state = { entered: { password: ['hunter2hunter2'] }, faults: { password: 'Too short.' } };
  const field = inputField(state, {
    name: 'password',
    label: 'Password',
    kind: 'password',
    hint: 'Long.',
  }).toString();
  expect(field).toContain('aria-describedby="password-fault password-hint" aria-invalid="true"');
  expect(field).toContain('id="password-fault"');
  expect(field).toContain('id="password-hint"');
  expect(field).not.toContain('hunter2');
});

test('a select keeps what was entered, and refers to its hint and its error', () => {
  const choices = [
    ['', 'Choose…'],
    ['rcon', 'RCON'],
    ['http', 'HTTP'],
  ] as const;
  const field = { name: 'kind', label: 'Kind', hint: 'How.', choices, chosen: 'rcon' };
  const faulty = { entered: { kind: ['http'] }, faults: { kind: 'Choose another.' } };
  const chosenIn = (select: object) => /value="(\w*)" selected/.exec(select.toString())?.[1];
  expect(chosenIn(selectField(freshForm, field))).toBe('rcon');
  expect(chosenIn(selectField(faulty, field))).toBe('http');
  expect(selectField(faulty, field).toString()).toContain(
    'aria-describedby="kind-fault kind-hint" aria-invalid="true"',
  );
});

test('changed lines are told by sign, counted, and copied with their line breaks', () => {
  const changed = diff({ id: 'd', label: 'teller.yaml', lines: ['  a', '- b', '+ c', '+ - d'] }).toString();
  expect(changed).toContain('2 added');
  expect(changed).toContain('1 removed');
  expect(changed).toContain('<del><span class="diff-sign">-</span>b\n</del>');
  expect(changed).toContain('<ins><span class="diff-sign">+</span>- d\n</ins>');
});

test('a guide marks its current step, and says of the others before it that they are done', () => {
  const guide = steps('Guide', [
    { title: 'Listen', state: 'done' },
    { title: 'Vote', state: 'current' },
    { title: 'Pay', state: 'to-do' },
  ]).toString();
  expect(guide.match(/aria-current="step"/g)).toHaveLength(1);
  expect(guide).toMatch(/Done: <\/span>Listen.*Now: <\/span>Vote.*><\/span>Pay/s);
});

test('a table without rows shows its empty state, and a cell has its column’s name for phones', () => {
  const columns = [{ label: 'Name', cell: (row: string) => row }];
  const empty = alert({ tone: 'good', title: 'Nothing yet' });
  expect(table({ caption: 'Names', columns, rows: [], empty })).toBe(empty);
  expect(table({ caption: 'Names', columns, rows: ['Ada'], empty }).toString()).toContain(
    'data-label="Name">Ada</td>',
  );
});

test('pagination links only to pages that exist', () => {
  const end = pagination({ shown: 'All 3', newest: null, older: null }).toString();
  expect(end).not.toContain('href');
  expect(pagination({ shown: '1', newest: '?a', older: null }).toString()).toContain('href="?a"');
});
